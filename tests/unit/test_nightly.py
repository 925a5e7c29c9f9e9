"""The history of nights, and what a record says beside the earlier ones."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from harness.errors import UsageError
from harness.history import Measure, Record, append_record, read_records
from harness.nightly import LATEST, Finding, findings
from harness.report.history_page import polyline, write_history

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


QUIET = nights(1.00e6, 1.01e6, 0.99e6, 1.00e6, 1.01e6)


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
        "search is worse: 800,000 nodes/s, 20.8 % worse than 1,010,000 nodes/s of 000000000002 and"
        " 20.8 % than the last record (000000000005), where the noise is 1.5 %"
    )


def test_a_loss_within_the_noise_is_none() -> None:
    noisy = nights(1.0e6, 1.3e6, 0.8e6, 1.1e6, 0.9e6)
    assert findings(record(9, 0.85e6), noisy) == []


def test_time_is_better_when_there_is_less_of_it() -> None:
    def timed(number: int, seconds: float) -> Record:
        return record(number, measures={"table": Measure(seconds, "s", more_is_better=False)})

    earlier = [timed(number, 0.010) for number in range(1, 6)]
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
    records = [*QUIET, record(9, 0.8e6, commit=None, counts={"bench": 5, "solved": 7})]
    write_history(records, findings(records[-1], QUIET), path)
    page = path.read_text("utf-8")
    assert "6 records; the last of 2026-11-09" in page
    assert page.count("<li") == 2
    assert 'class="bad"' in page
    assert "<td>800,000 nodes/s</td><td>1,010,000 nodes/s</td>" in page
    assert page.count("<polyline") == 1
    assert "http" not in page


def test_a_line_of_one_value_and_of_none_above_zero() -> None:
    assert polyline([5.0]) == "3.0,3.0"
    assert polyline([0.0, 0.0]) == "3.0,33.0 237.0,33.0"
