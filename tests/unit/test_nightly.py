"""The history of nights, and what a record says beside the earlier ones."""

import json
import math
import random
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness import nightly_steps
from harness.errors import UsageError
from harness.history import Measure, Record, append_record, read_records
from harness.nightly import LATEST, Finding, findings, tell
from harness.nightly_steps import STEPS, Night, run_again
from harness.report.history_page import LOWEST, grouped, row_of, write_history

SEARCH = "search"


def record(number: int = 1, nps: float = 1e6, **changes: Any) -> Record:
    values: dict[str, Any] = {
        "at": f"2026-11-{number:02d}",
        "commit": f"{number:012x}{0:028x}",
        "cpu": "a processor",
        "measures": {SEARCH: Measure(nps, "nodes/s")},
        "counts": {"bench": 1234},
    }
    return Record(**(values | changes))


def nights(*speeds: float) -> list[Record]:
    return [record(number, nps) for number, nps in enumerate(speeds, 1)]


QUIET = nights(1.00e6, 1.01e6, 0.99e6, 1.00e6, 0.99e6, 1.01e6)


def test_records_come_back_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    assert read_records(path) == []
    kept = [record(1), record(2, faults=("a fault",), provenance={"python": "3"}, commit=None)]
    for one in kept:
        append_record(path, one)
    assert read_records(path) == kept


@pytest.mark.parametrize("content", [b"no database at all" * 100, None])
def test_another_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "history.sqlite"
    if content is None:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE records (x)")
        connection.close()
    else:
        path.write_bytes(content)
    with pytest.raises(UsageError, match="history"):
        append_record(path, record())


def test_nothing_is_found_in_the_first_night_and_in_one_like_the_others() -> None:
    assert findings(record(), []) == []
    assert findings(record(9, 0.985e6), QUIET) == []
    assert findings(record(9, 1.3e6), QUIET) == [], "better is no finding"


def test_a_loss_beyond_the_noise_names_the_best_and_the_last_revision() -> None:
    (found,) = findings(record(9, 0.80e6), QUIET)
    assert found.bad
    assert (found.since, found.measure) == (QUIET[1].commit, SEARCH)
    assert found.sentence == (
        "search is worse: 800,000 nodes/s, 20.8 % worse than 1,010,000 nodes/s of 000000000002,"
        " 20.8 % worse than the last record (000000000006); the noise is 0.9 %"
    )


def test_the_last_record_is_told_once_and_may_have_been_worse_still() -> None:
    (found,) = findings(record(9, 0.70e6), QUIET[:2])
    assert found.sentence.endswith("1,010,000 nodes/s of 000000000002; the noise is 4.9 %")
    (found,) = findings(record(9, 0.60e6), nights(1e6, 0.5e6))
    assert ", 16.7 % better than the last record (000000000002);" in found.sentence


def test_a_night_like_the_others_is_hardly_ever_called_worse() -> None:
    """Of a hundred measures of a quiet machine not one, nine nights of ten."""
    chance = random.Random(1)

    def night() -> Record:
        return record(nps=1e6 * math.exp(chance.gauss(0, 0.02)))

    for earlier in (3, 6, LATEST):
        alarms = sum(
            bool(findings(night(), [night() for _ in range(earlier)])) for _ in range(2000)
        )
        assert alarms <= 30, earlier


def test_a_loss_within_the_noise_is_none() -> None:
    noisy = nights(1.0e6, 1.3e6, 0.8e6, 1.1e6, 0.9e6)
    assert findings(record(9, 0.75e6), [*noisy, record(6, 1e6)]) == []


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1234567.8, "nodes/s", "1,234,568 nodes/s"),
        (8.7654, "ns", "8.765 ns"),
        (12.5, "s", "12.5 s"),
        (0.0123456, "s", "12.35 ms"),
        (2.047e-6, "s", "2.047 µs"),
        (9.6e-8, "s", "96 ns"),
    ],
)
def test_measures_are_told_in_few_digits(value: float, unit: str, text: str) -> None:
    assert tell(Measure(value, unit)) == text


def test_time_is_better_when_there_is_less_of_it() -> None:
    def timed(number: int, seconds: float) -> Record:
        return record(number, measures={"table": Measure(seconds, "s", more_is_better=False)})

    earlier = [timed(number, 0.010) for number in range(1, 7)]
    assert [found.bad for found in findings(timed(9, 0.013), earlier)] == [True]
    assert findings(timed(9, 0.007), earlier) == []


def test_a_slow_decline_is_found_by_the_best_of_the_latest() -> None:
    declining = nights(*(1e6 * 0.985**number for number in range(8)))
    (found,) = findings(record(9, 1e6 * 0.985**14), declining)
    assert found.since == declining[0].commit


def test_only_the_latest_nights_of_the_same_processor_count() -> None:
    old = nights(9e6, *[1e6] * LATEST)
    assert findings(record(20), old) == []
    elsewhere = [record(1, 9e6, cpu="another processor")]
    assert findings(record(2), elsewhere) == []


def test_counts_that_change_are_told_on_any_processor_and_are_not_bad() -> None:
    (found,) = findings(record(2, counts={"bench": 99}), [record(1, cpu="another processor")])
    assert found == Finding(
        f"bench has changed: 99 after 1234 of {record(1).commit[:12]}", False, record(1).commit
    )


def test_faults_come_first_and_are_bad() -> None:
    now = record(2, counts={"bench": 99}, faults=("perft: 3 of 4 positions right",))
    assert [found.bad for found in findings(now, [record(1)])] == [True, False]


def test_the_page_has_measures_counts_and_findings(tmp_path: Path) -> None:
    path = tmp_path / "history.html"
    measures = {SEARCH: Measure(0.8e6, "nodes/s"), "kernel make": Measure(9, "ns", False)}
    now = record(9, commit=None, counts={"bench": 5, "solved": 7}, measures=measures)
    found = findings(now, QUIET)
    write_history([*QUIET, now], found, "one thing is wrong", path)
    page = path.read_text("utf-8")
    assert '<p class="verdict bad">one thing is wrong</p>' in page
    assert "7 records; the last of 2026-11-09 on a processor" in page
    assert [finding.sentence in page for finding in found] == [True, True]
    assert page.count('<li class="bad">') == 1
    assert "<td>800,000 nodes/s</td>" in page
    assert page.count("<polyline") == 2
    assert "<title>000000000001, 2026-11-01: 99.0 %</title>" in page
    assert '<td class="bad">20.8 %</td>' in page
    assert page.index("Search and perft") < page.index("Kernels, one call")
    assert "http" not in page


def test_a_row_has_speeds_as_parts_of_the_best() -> None:
    """Times too: the fastest night is at the top, and half as fast is below the bottom."""
    seconds = [0.010, 0.005, 0.010, 0.040]
    assert LOWEST > 0.5
    records = [
        record(number, measures={"table": Measure(value, "s", more_is_better=False)})
        for number, value in enumerate(seconds, 1)
    ]
    row = row_of("table", [*records[:2], record(3), *records[2:]])
    best, half, slowest = row.points[1].y, row.points[2].y, row.points[3].y
    assert best < half == slowest == row.points[0].y
    assert [point.x for point in row.points] == sorted(point.x for point in row.points)
    assert row.points[2].x - row.points[1].x == pytest.approx(2 * row.points[1].x - 10), "a gap"
    assert (row.last, row.best, row.slower) == ("40 ms", "5 ms", "87.5 %")


def test_rows_stand_in_groups() -> None:
    names = ["benchmark llr.kernel", "kernel make", "perft", "search"]
    records = [record(measures={name: Measure(1.0, "s") for name in names})]
    groups = grouped([row_of(name, records) for name in names])
    shown = [[row.name for row in rows] for rows in groups.values()]
    assert shown == [["perft", "search"], ["make"], ["llr.kernel"]]


def test_benchmarks_that_are_worse_are_run_again_and_the_faster_time_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pytest's part is played by a function that writes the times it would have."""
    times = {"test_perft[start]": 0.5, "test_loop": 0.3}
    asked: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        *_, path = command
        asked.append([word for word in command if word.startswith("tests/")])
        named = [
            {"fullname": f"tests/benchmarks/test_bench_make.py::{name}", "stats": {"min": seconds}}
            for name, seconds in times.items()
        ]
        document = json.dumps({"benchmarks": named})
        Path(path.removeprefix("--benchmark-json=")).write_text(document)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(nightly_steps.subprocess, "run", run)
    night = Night()
    STEPS["benchmarks"](night, {})
    times = {"test_perft[start]": 0.2, "test_loop": 0.4}
    run_again(night, ["benchmark make.perft[start]", "benchmark make.loop", "search"])
    run_again(night, ["search"])
    assert {name: measure.value for name, measure in night.measures.items()} == {
        "benchmark make.perft[start]": 0.2,
        "benchmark make.loop": 0.3,
    }
    file = "tests/benchmarks/test_bench_make.py"
    assert asked == [["tests/benchmarks"], [f"{file}::test_perft[start]", f"{file}::test_loop"]]


def test_failed_tests_are_told_up_to_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "".join(f"FAILED tests/x.py::test_{number} - no\n" for number in range(5))
    for output, fault in (
        (told, "tests: FAILED tests/x.py::test_0 - no; FAILED tests/x.py::test_1 - no;"),
        ("", "tests: exit code 3 of pytest"),
    ):
        done = subprocess.CompletedProcess([], 3, output, "")
        monkeypatch.setattr(nightly_steps.subprocess, "run", lambda *_, done=done, **__: done)
        night = Night()
        STEPS["tests"](night, {})
        (found,) = night.faults
        assert found.startswith(fault)
        assert found.endswith("; and 2 more") == bool(output)
