"""The examination as a whole: every step asked of one program, and the results as a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal

from harness.compliance.examiner import Examiner, Objection
from harness.compliance.steps import STEPS, Step
from harness.uci_process import EngineFault, Said

if TYPE_CHECKING:
    from harness.spec import Program

Outcome = Literal["passed", "failed", "skipped"]

#: Of the conversation of a step so many pieces are kept from its begin and from its end.
KEPT_LINES: Final = 20


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a step; `talk` has what was sent (`> `) and what came (`< `)."""

    title: str
    required: bool
    outcome: Outcome
    detail: str
    talk: tuple[str, ...]


def examine(
    program: Program,
    options: dict[str, str],
    report: Callable[[Result], None],
    steps: Sequence[Step] = STEPS,
) -> list[Result]:
    """Ask every step; `report` is called after each. Raises EngineStartError if it cannot start.

    A program that is lost on the way is started anew for the next step.
    """
    examiner = Examiner(program, options)
    results = []
    try:
        for step in (Step("starts and answers uci", _greeted), *steps):
            result = _asked(step, examiner)
            report(result)
            results.append(result)
            if results[0].outcome == "failed":
                break  # nothing else can be asked
    finally:
        examiner.lose()
    return results


def _greeted(examiner: Examiner) -> None:
    """Every page begins with a program that has been greeted."""


def _asked(step: Step, examiner: Examiner) -> Result:
    outcome: Outcome = "passed"
    detail = ""
    try:
        if examiner.out_of_time:
            return Result(step.title, step.required, "skipped", "the time is over", ())
        examiner.begin()
        reason = step.ask(examiner)
        if reason is not None:
            outcome, detail = "skipped", reason
    except (Objection, EngineFault) as objection:
        outcome, detail = "failed", str(objection)
    talk = _lines(examiner.talk())
    if outcome == "failed" or examiner.has_ended:
        examiner.lose()  # whatever state it is in must not reach the next step
    return Result(step.title, step.required, outcome, detail, talk)


def _lines(talk: Sequence[Said]) -> tuple[str, ...]:
    """The conversation as lines; the middle of a long one is left out."""
    lines = [
        f"{direction} {line}"
        for direction, pieces in groupby(talk, lambda said: said.direction)
        for line in b"".join(said.data for said in pieces).decode(errors="replace").splitlines()
    ]
    if len(lines) <= 2 * KEPT_LINES:
        return tuple(lines)
    left_out = f"... {len(lines) - 2 * KEPT_LINES} lines"
    return (*lines[:KEPT_LINES], left_out, *lines[-KEPT_LINES:])


def document_of(name: str, command: str, results: Sequence[Result]) -> dict[str, Any]:
    """The results as JSON."""
    failed = [result for result in results if result.outcome == "failed"]
    return {
        "schema": 1,
        "engine": name,
        "command": command,
        "passed": not any(result.required for result in failed),
        "counts": {
            outcome: sum(result.outcome == outcome for result in results)
            for outcome in ("passed", "failed", "skipped")
        },
        "steps": [
            {
                "title": result.title,
                "required": result.required,
                "outcome": result.outcome,
                "detail": result.detail,
                "talk": list(result.talk),
            }
            for result in results
        ],
    }
