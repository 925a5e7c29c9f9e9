"""`harness check`: a UCI program examined step by step."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness import options
from harness.errors import UsageError
from harness.given_program import given_options, program_of

if TYPE_CHECKING:
    from harness.compliance.examination import Result
    from harness.spec import Program


def run_check(context: click.Context) -> bool:
    """Whether everything that a match needs is right."""
    from harness.compliance.examination import document_of, examine

    values = context.params
    options.check_output_file(values["json_path"])
    name, program, settings = _examined(values["engine"])
    settings |= given_options(values["engine_options"])
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
    if engine.endswith(".cfg"):
        from harness.config import load_engine_config

        config = load_engine_config(engine)
        if config.program is None:
            raise UsageError(f"{engine}: source = {config.source}; expected a UCI program")
        return config.name, config.program, dict(config.options)
    program = program_of(engine)
    return Path(program.command).name, program, {}


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
