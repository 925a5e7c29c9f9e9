"""What a night's findings become when they are measured again beside the faster revision."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from harness import nightly_retest
from harness.history import Measure, Record
from harness.nightly import Finding
from harness.nightly_retest import MOST_REVISIONS, measured_in_turn, revisions_to_measure

OLD, LAST = "a" * 40, "b" * 40
SLOW_MAKE = Finding("kernel make is worse: ...", True, OLD, "kernel make")
SLOW_SEARCH = Finding("search is worse: ...", True, OLD, "search")
SLOW_PERFT = Finding("perft is worse: ...", True, OLD, "perft")


def record(commit: str | None = LAST, engine: str = "one", **measures: float) -> Record:
    return Record(
        at="2026-11-30",
        commit=commit,
        cpu="a processor",
        measures={name: Measure(value, "nodes/s") for name, value in measures.items()},
        provenance={"source_digest": engine},
    )


class TestRevisions:
    def test_another_engine_than_the_last_record_s_is_measured_beside_it(self) -> None:
        now = record("c" * 40, "two", search=1e6)
        assert revisions_to_measure(now, [record(OLD), record()], []) == [LAST]
        assert revisions_to_measure(now, [record(), record("d", "two")], []) == []
        assert revisions_to_measure(now, [record(None)], []) == [], "no git there"
        assert revisions_to_measure(now, [], []) == [], "the first night"

    def test_without_the_bench_nothing_is_measured(self) -> None:
        assert revisions_to_measure(record("c" * 40, "two"), [record()], []) == []

    def test_the_faster_revision_of_what_seems_slower_in_the_engine(self) -> None:
        found = [SLOW_PERFT, SLOW_MAKE, SLOW_SEARCH]
        assert revisions_to_measure(record(search=1), [record()], found) == [OLD]
        assert revisions_to_measure(record(search=1), [record()], [SLOW_PERFT]) == []

    def test_only_so_many_are_measured_the_last_record_s_first(self) -> None:
        found = [SLOW_MAKE._replace(since=str(number)) for number in range(5)]
        commits = revisions_to_measure(record(engine="two", search=1), [record()], found)
        assert commits == [LAST, "0", "1"][:MOST_REVISIONS]


class TestMeasuredInTurn:
    @pytest.fixture
    def bench(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        """Lets `bench --against` answer; returns what it was asked."""
        asked: list[tuple[str, ...]] = []

        def answer(stdout: str, stderr: str = "") -> list[tuple[str, ...]]:
            def run(*words: str) -> subprocess.CompletedProcess[str]:
                asked.append(words)
                return subprocess.CompletedProcess(words, 0, stdout, stderr)

            monkeypatch.setattr(nightly_retest, "run_command", run)
            return asked

        return answer

    def test_it_decides_which_kernel_is_slower(self, bench: Any) -> None:
        asked = bench(json.dumps({"slower": ["make"], "sentence": "slower: make 0.833"}))
        found = measured_in_turn([SLOW_MAKE, SLOW_SEARCH, SLOW_PERFT], OLD)
        assert asked == [("bench", "--against", OLD)]
        assert found == [
            Finding("measured in turn, slower: make 0.833", True, OLD),
            SLOW_MAKE,
            SLOW_SEARCH._replace(bad=False),
            SLOW_PERFT,  # which it does not measure
        ]

    def test_what_is_no_slower_in_turn_is_told_and_not_bad(self, bench: Any) -> None:
        bench(json.dumps({"slower": [], "sentence": "no different for sure"}))
        found = measured_in_turn([SLOW_SEARCH], OLD)
        assert [finding.bad for finding in found] == [False, False]

    def test_findings_of_another_revision_stay_as_they_are(self, bench: Any) -> None:
        bench(json.dumps({"slower": [], "sentence": "no different for sure"}))
        assert measured_in_turn([SLOW_SEARCH], LAST)[1] == SLOW_SEARCH

    def test_a_revision_that_cannot_be_measured_is_a_fault_and_clears_nobody(
        self, bench: Any
    ) -> None:
        bench("", "error: aaa: no such revision; expected one that git knows\n")
        found = measured_in_turn([SLOW_SEARCH], OLD)
        assert found[0].bad
        assert found[0].sentence == (
            f"the engine cannot be measured in turn with {OLD[:12]}:"
            " error: aaa: no such revision; expected one that git knows"
        )
        assert found[1] == SLOW_SEARCH
