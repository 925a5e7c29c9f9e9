"""`harness reproduce BUNDLE`: the engine at fault is told the same again, until it fails again.

It hears all that it was sent in that game, in the same order. Each answer is waited for as long as
it took then, and a good deal longer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Final, NamedTuple

import click

from harness.bundle import SCHEMA
from harness.errors import UsageError
from harness.spec import EngineConfig
from harness.uci_options import greet, setoption
from harness.uci_process import NS_PER_MS, EngineFault, UciProcess

#: What ends the answer to a command; other commands have none.
_ANSWERS: Final = {"uci": "uciok", "isready": "readyok", "go": "bestmove", "stop": "bestmove"}
_PATIENCE_MS: Final = 2_000


class Step(NamedTuple):
    """Something to say, what has to come before the next step, and by when."""

    text: str
    awaited: tuple[str, ...]
    answered: str  # the move that was chosen then, if one was
    timeout_ms: float


def reproduce(path: Path) -> bool:
    """Whether the fault of a bundle came again; tells what happened. Raises UsageError."""
    document = _read(path)
    player = document["players"][document["culprit"]]
    config = EngineConfig.model_validate({**player["config"], "search": {}, "weights": {}})
    if config.program is None or "talk" not in player:
        raise UsageError(
            f"{path}: {config.name} is no UCI program; expected the bundle of one (the built-in"
            " engine's games are played again by their run's specification)"
        )
    click.echo(f"{config.name}: {document['termination']}, {document['detail']}")
    process = UciProcess(config.program, config.name)
    try:
        told = _play_again(process, config, steps(player["talk"]))
    finally:
        process.close(config.program.timeouts.quit_ms)
    click.echo(told or "it came to the end of the game without a fault")
    return told is not None


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["schema"] == SCHEMA and document["players"][document["culprit"]]["config"]:
            found: dict[str, Any] = document
            return found
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UsageError(
            f"{path}: {getattr(error, 'strerror', None) or error}; expected a bundle from the"
            " folder faults/ of a run"
        ) from None
    raise UsageError(f"{path}: schema {document['schema']}; expected {SCHEMA}")


def steps(talk: list[list[Any]]) -> Iterator[Step]:
    """What was said to the engine, in order, each with what came before the next was said."""
    said = [number for number, (_, direction, _) in enumerate(talk) if direction == ">"]
    for number, following in zip(said, [*said[1:], len(talk)], strict=True):
        began_ms, _, text = talk[number]
        answers = talk[number + 1 : following]
        lines = "".join(data for _, _, data in answers).splitlines()
        firsts = [line.split(None, 1)[0] for line in lines if line.strip()]
        wanted = [_ANSWERS.get(line.split(None, 1)[0]) for line in text.splitlines() if line]
        is_last = following == len(talk)  # and what did not come then is waited for now
        awaited = tuple(word for word in wanted if word is not None and (is_last or word in firsts))
        chosen = next((line for line in lines if line.split()[:1] == ["bestmove"]), "")
        took_ms = answers[-1][0] - began_ms if answers else 0.0
        yield Step(text.rstrip("\n"), awaited, chosen, 3 * took_ms + _PATIENCE_MS)


def _play_again(process: UciProcess, config: EngineConfig, todo: Iterator[Step]) -> str | None:
    """What went wrong this time, in a sentence; None when nothing did."""
    assert config.program is not None
    timeouts = config.program.timeouts
    last = ("", "")
    try:
        greeting = greet(process, timeouts.start_ms)
        for name, value in config.options.items():
            process.send(setoption(name, value, greeting))
        process.wait_ready(timeouts.ready_ms)
        for step in todo:
            process.begin()
            process.send(step.text)
            deadline_ns = perf_counter_ns() + int(step.timeout_ms * NS_PER_MS)
            answer = ""
            for word in step.awaited:
                *_, line = process.lines_until(word.encode(), deadline_ns)
                answer = line.decode("latin-1")
            last = (answer, step.answered)
    except EngineFault as fault:
        said = process.stderr_tail.strip()
        return f"again: {fault}" + (f"; it said: {said}" if said else "")
    answer, before = last
    if answer and answer == before:
        return f"again: {answer}"
    return None
