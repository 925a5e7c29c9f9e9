"""`harness nightly`: everything that guards the engine over night, and what has become worse.

The steps (nightly_steps.py) fill one record, which is added to a history and compared with the
earlier nights.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from harness import options
from harness.errors import UsageError
from harness.history import Record, append_record, read_records
from harness.nightly import Finding, findings
from harness.nightly_retest import measured_in_turn, revisions_to_measure
from harness.nightly_steps import ROOT, STEPS, TESTS, Night, run_again
from harness.provenance import cpu_model, working_tree
from harness.report.history_page import write_history


def run_nightly(context: click.Context) -> bool:
    """Whether nothing is wrong or worse."""
    values = context.params
    _check_files(values)
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    console = Console(stderr=to_stderr, highlight=False, soft_wrap=True, markup=False)
    earlier = read_records(values["history"])
    night = _night(values, console)
    worse = [finding.measure for finding in findings(_record(night), earlier) if finding.bad]
    run_again(night, [name for name in worse if name is not None])
    record = _record(night)
    append_record(values["history"], record)
    found = _found(record, earlier, values, console)
    for finding in found:
        console.print(Text(finding.sentence))
    sentence = _sentence(record, found)
    console.print(Text(sentence))
    if values["page"] is not None:
        write_history([*earlier, record], found, sentence, values["page"])
    document = {
        "schema": 1,
        "sentence": sentence,
        "findings": [one._asdict() for one in found],
        **asdict(record),
    }
    options.write_result(values["json_path"], document)
    return not any(finding.bad for finding in found)


def _check_files(values: Mapping[str, Any]) -> None:
    """Before hours of work: that its results can be written, and what it needs is there."""
    for name in ("history", "page", "json_path"):
        options.check_output_file(values[name])
    if not (TESTS / "perft").is_dir():
        raise UsageError(f"{ROOT} is no checkout with tests; expected one, for its suites")


def _night(values: Mapping[str, Any], console: Console) -> Night:
    """Every step that is not to be skipped."""
    night = Night()
    for name in [name for name in STEPS if name not in values["skip"]]:
        if not values["quiet"]:
            console.print(Text(f"{name} ..."))
        STEPS[name](night, values)
    return night


def _found(
    record: Record, earlier: Sequence[Record], values: Mapping[str, Any], console: Console
) -> list[Finding]:
    """What is wrong or has changed, the worst first; what seems slower is measured again."""
    found = findings(record, earlier)
    for commit in revisions_to_measure(record, earlier, found):
        if not values["quiet"]:
            console.print(Text(f"measuring in turn with {commit[:12]} ..."))
        found = measured_in_turn(found, commit)
    return sorted(found, key=lambda finding: not finding.bad)


def _record(night: Night) -> Record:
    from engine.jit import build_digest, source_digest

    tree = working_tree()
    return Record(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=tree["git_commit"],
        cpu=cpu_model(),
        measures=night.measures,
        counts=night.counts,
        faults=tuple(night.faults),
        provenance={
            "git_dirty": tree["git_dirty"],
            "source_digest": source_digest(),
            "build_digest": build_digest(),
            "python": sys.version.split()[0],
        },
    )


def _sentence(record: Record, found: Sequence[Finding]) -> str:
    bad = sum(finding.bad for finding in found)
    what = {0: "nothing is", 1: "one thing is"}.get(bad, f"{bad} things are")
    return f"{what} wrong or worse at commit {(record.commit or 'unknown')[:12]}"
