"""`harness nightly`: everything that guards the engine over night, and what has become worse.

Each step is a command of its own in a process of its own; what it says as JSON becomes measures,
counts and faults of one record, which is added to a history and compared with the earlier nights.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.text import Text

from harness import options
from harness.errors import EngineStartError, UsageError
from harness.history import Measure, Record, append_record, read_records
from harness.nightly import Finding, findings
from harness.provenance import cpu_model, working_tree
from harness.report.history_page import write_history

ROOT: Final = Path(__file__).resolve().parents[1]
TESTS: Final = ROOT / "tests"

EPD_NODES: Final = 20_000
BENCH_REPEATS: Final = 3
#: The measure that, when it has become worse, is measured again in turn with the better revision.
SEARCH_SPEED: Final = "search"

_CHECK_FAILED: Final = 10


@dataclass(slots=True)
class Night:
    """What the steps have found so far."""

    measures: dict[str, Measure] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def run_nightly(context: click.Context) -> bool:
    """Whether nothing is wrong or worse."""
    values = context.params
    options.check_output_file(values["history"])
    options.check_output_file(values["page"])
    options.check_output_file(values["json_path"])
    if not (TESTS / "perft").is_dir():
        raise UsageError(f"{ROOT} is no checkout with tests; expected one, for its suites")
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    console = Console(stderr=to_stderr, highlight=False, soft_wrap=True, markup=False)
    earlier = read_records(values["history"])
    night = Night()
    for name in [name for name in STEPS if name not in values["skip"]]:
        if not values["quiet"]:
            console.print(Text(f"{name} ..."))
        STEPS[name](night, values)
    record = _record(night)
    found = [one for finding in findings(record, earlier) for one in _made_sure(finding)]
    append_record(values["history"], record)
    for finding in found:
        console.print(Text(finding.sentence))
    bad = any(finding.bad for finding in found)
    console.print(Text(_sentence(record, found)))
    if values["page"] is not None:
        write_history([*earlier, record], found, values["page"])
    document = {"schema": 1, "findings": [one._asdict() for one in found], **asdict(record)}
    options.write_result(values["json_path"], document)
    return not bad


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
    what = f"{bad} things are wrong or worse" if bad else "nothing is wrong or worse"
    return f"{what} at commit {(record.commit or 'unknown')[:12]}"


# --- Steps ---------------------------------------------------------------------------------------


def _perft(night: Night, values: Mapping[str, Any]) -> None:
    """Every suite of ours, as far as the budget reaches."""
    suites = sorted([*(TESTS / "perft").glob("*.perft"), *(TESTS / "perft").glob("*.epd")])
    arguments = [word for path in suites for word in ("--suite", str(path))]
    found = _ask(night, "perft", *arguments, "--budget", str(values["budget"]))
    if found is not None:
        speed = found["leaves"] / max(1, found["time_ns"]) * 1e9
        night.measures["perft"] = Measure(speed, "leaves/s")
        night.counts["perft positions wrong"] = found["wrong"]


def _bench(night: Night, values: Mapping[str, Any]) -> None:
    """The signature, which has to be what a commit has noted, and the speed."""
    found = _ask(night, "bench", "--expect-commit", "--repeat", str(BENCH_REPEATS))
    if found is not None:
        night.measures[SEARCH_SPEED] = Measure(max(found["nps"]), "nodes/s")
        night.counts["bench"] = found["nodes"]


def _epd(night: Night, values: Mapping[str, Any]) -> None:
    suites = map(str, sorted((TESTS / "epd").glob("*.epd")))
    found = _ask(night, "epd", *suites, "--nodes", str(EPD_NODES))
    if found is not None:
        night.counts["positions solved"] = found["solved"]


def _ask(night: Night, command: str, *arguments: str) -> dict[str, Any] | None:
    """What one of our commands says; that it failed, or that its check did, is a fault."""
    words = [sys.executable, "-m", "harness.cli", command, *arguments, "--quiet", "--json", "-"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        document: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        reason = done.stderr.strip().rpartition("\n")[2]
        night.faults.append(f"{command} ended with exit code {done.returncode}: {reason}")
        return None
    if done.returncode == _CHECK_FAILED:
        night.faults.append(f"{command}: {document['sentence']}")
    return document


def _benchmarks(night: Night, values: Mapping[str, Any]) -> None:
    """The pytest-benchmark set: the fastest round of each, which disturbances can only lengthen."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "benchmarks.json"
        _pytest(night, "benchmarks", "tests/benchmarks", f"--benchmark-json={path}")
        if not path.exists() or not path.stat().st_size:
            return
        for one in json.loads(path.read_text("utf-8"))["benchmarks"]:
            night.measures[one["name"]] = Measure(one["stats"]["min"], "s", more_is_better=False)


def _tests(night: Night, values: Mapping[str, Any]) -> None:
    """The tests that are too slow for the gate."""
    _pytest(night, "tests", "-m", "nightly", "tests")


def _pytest(night: Night, name: str, *arguments: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        told = "; ".join(failed) or f"exit code {done.returncode} of pytest"
        night.faults.append(f"{name}: {told}")


STEPS: Final[Mapping[str, Callable[[Night, Mapping[str, Any]], None]]] = {
    "perft": _perft,
    "bench": _bench,
    "epd": _epd,
    "benchmarks": _benchmarks,
    "tests": _tests,
}


# --- The last good revision ----------------------------------------------------------------------


def _made_sure(finding: Finding) -> list[Finding]:
    """A slower search is measured beside the revision that was faster, in turn: that decides."""
    is_slower = finding.bad and finding.sentence.startswith(f"{SEARCH_SPEED} ")
    if not is_slower or finding.since is None:
        return [finding]
    command = [sys.executable, "-m", "harness.cli", "bench", "--against", str(finding.since)]
    done = subprocess.run(
        [*command, "--quiet", "--json", "-"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    try:
        sentence = json.loads(done.stdout)["sentence"]
    except ValueError:
        raise EngineStartError(
            f"bench --against {finding.since}: {done.stderr.strip().rpartition(chr(10))[2]}"
        ) from None
    slower = done.returncode == _CHECK_FAILED
    again = Finding(f"measured in turn, {sentence}", slower, finding.since)
    return [finding._replace(bad=slower), again]
