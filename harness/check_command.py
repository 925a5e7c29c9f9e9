"""`harness check`: a UCI program examined step by step."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness import options
from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.compliance.examination import Result
    from harness.spec import Program


def run_check(context: click.Context) -> bool:
    """Whether everything that a match needs is right."""
    from harness.compliance.examination import document_of, examine

    values = context.params
    options.check_output_file(values["json_path"])
    name, program, settings = _examined(values["engine"])
    settings |= _given_options(values["engine_options"])
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT

    def report(result: Result) -> None:
        if not values["quiet"]:
            click.echo(_line(result), err=to_stderr)

    results = examine(program, settings, report)
    document = document_of(name, shlex.join((program.command, *program.arguments)), results)
    click.echo(_sentence(document), err=to_stderr)
    options.write_result(values["json_path"], document)
    return bool(document["passed"])


def _examined(engine: str) -> tuple[str, Program, dict[str, str]]:
    """Name, program and options of a config file of source uci, or of a command."""
    from harness.spec import Program

    if engine.endswith(".cfg"):
        from harness.config import load_engine_config

        config = load_engine_config(engine)
        if config.program is None:
            raise UsageError(f"{engine}: source = {config.source}; expected a UCI program")
        return config.name, config.program, dict(config.options)
    try:
        words = shlex.split(engine)
    except ValueError as error:
        raise UsageError(f"{engine!r}: {error}; expected words as in a shell") from None
    if not words:
        raise UsageError("ENGINE is empty; expected a config file or a command")
    found = shutil.which(words[0])
    if found is None:
        raise UsageError(f"{words[0]}: no such program; expected a path, or a name in PATH")
    return Path(found).name, Program(command=found, arguments=tuple(words[1:])), {}


def _given_options(texts: tuple[str, ...]) -> dict[str, str]:
    given = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text}: expected NAME=VALUE")
        given[name.strip()] = value.strip()
    return given


_MARKS = {"passed": "ok  ", "skipped": "–   "}


def _line(result: Result) -> str:
    """The step and its outcome; of one that failed the conversation too."""
    if result.outcome == "failed":
        mark = "FAIL" if result.required else "warn"
        talk = "".join(f"\n         {line}" for line in result.talk)
        return f"{mark} {result.title}: {result.detail}{talk}"
    detail = f" ({result.detail})" if result.detail else ""
    return f"{_MARKS[result.outcome]} {result.title}{detail}"


def _sentence(document: dict[str, object]) -> str:
    counts = document["counts"]
    assert isinstance(counts, dict)
    verdict = "can play matches" if document["passed"] else "cannot be relied on in a match"
    return (
        f"{document['engine']} {verdict}: {counts['passed']} steps passed, {counts['failed']}"
        f" failed, {counts['skipped']} left out"
    )
