"""The report page and the numbers it shares with the terminal."""

import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness.elo import estimate
from harness.errors import UsageError
from harness.report import write_report
from harness.report.numbers import (
    FEW_GAMES,
    duration,
    fault_counts,
    interval,
    key_numbers,
    number,
    paste_block,
    speed_ratio,
    speed_warning,
    strength,
)
from harness.report.page import render
from harness.report.paths import elo_path, thin
from harness.score import Pentanomial
from tests.unit.run_document import machine, run_document

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Balanced(HTMLParser):
    """Checks that every element is closed and collects what a page would load from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        values = dict(attrs)
        self.loads += [values[name] or "" for name in ("src", "href") if name in values]
        if tag in {"script", "link", "iframe", "object"}:
            self.loads.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(page: str) -> Balanced:
    reader = Balanced()
    reader.feed(page)
    assert reader.open == []
    return reader


class TestPage:
    def test_shows_verdict_numbers_graphs_and_provenance(self) -> None:
        document = run_document()
        reader = parsed(render(document))
        text = " ".join(reader.text)
        assert document["sentence"] in text
        for label, value in key_numbers(document):
            assert label in text
            assert value in text
        for heading in ("LLR and its bounds", "Elo with its 95 % interval", "Pairs by score"):
            assert heading in text
        for told in ("search.lmr_base: 0.60 against 0.75", "W: 120 D: 60 L: 60", "Hash 16 MB"):
            assert told in text
        for told in (document["adjudication"], "40,000", "time elapsed", "1 min 37 s"):
            assert told in text
        for hashed in ("spec_hash", "source_digest"):
            assert document[hashed] in text

    def test_the_difference_stands_directly_under_the_sentence(self) -> None:
        words = [text.strip() for text in parsed(render(run_document())).text if text.strip()]
        sentence = words.index("new gains: H1 of [0, 10] nElo accepted.")
        assert words[sentence + 1] == "search.lmr_base: 0.60 against 0.75"

    def test_equal_sides_are_said_to_be_equal(self) -> None:
        page = render(run_document(differences=[]))
        assert "new and base differ in nothing that is played." in page

    def test_an_option_in_the_warning_is_not_broken_across_lines(self) -> None:
        document = machine(
            run_document(new={"name": "<b>", "digest": "0", "options": {}}),
            nps_ratio=0.9,
            nps_ratio_ci95=[0.88, 0.92],
            nps_differ=True,
        )
        page = render(document)
        assert "(<code>--tc</code>)" in page
        assert "&lt;b&gt; searches 10.0% fewer" in page

    def test_commit_and_state_of_the_tree_when_noted(self) -> None:
        page = render(machine(run_document(), git_commit="0123abcd", git_dirty=True))
        assert ">0123abcd<" in page
        assert "changed since that commit</th><td>yes<" in page
        assert "git commit" not in render(machine(run_document(), git_commit=None, git_dirty=None))

    def test_loads_nothing_from_elsewhere(self) -> None:
        loads = parsed(render(run_document())).loads
        assert [place for place in loads if not place.startswith("#")] == []

    def test_graphs_take_their_colours_from_the_page(self) -> None:
        page = render(run_document())
        graphs = page[page.index("<svg") : page.rindex("</svg>")]
        assert "var(--main)" in graphs
        assert "#ffffff" not in graphs
        assert "#0" + "30303" not in graphs

    def test_names_from_configurations_are_escaped(self) -> None:
        page = render(run_document(new={"name": "<b>&new$x", "digest": "0", "options": {}}))
        assert "<b>" not in page
        assert "&lt;b&gt;&amp;new$x" in page

    def test_is_the_same_for_the_same_run(self) -> None:
        assert render(run_document()) == render(run_document())

    @pytest.mark.parametrize("pairs", [0, 1, 9, 10, 11])
    def test_short_runs_have_a_page(self, pairs: int) -> None:
        document = run_document(pairs) if pairs else run_document(1)
        if not pairs:
            document |= {"pairs": "", "ptnml": [0] * 5, "llr_path": []}
        assert ("Elo with its 95 % interval" in render(document)) == (pairs >= 10)

    def test_long_run_stays_small_and_fast(self) -> None:
        document = run_document(20_000)
        render(document)  # loads the plot library
        started_s = time.process_time()
        page = render(document)
        assert time.process_time() - started_s < 3.0
        assert len(page) < 200_000

    def test_replaces_the_old_page_in_one_step(self, tmp_path: Path) -> None:
        target = tmp_path / "report.html"
        target.write_text("old")
        write_report(run_document(), target)
        assert "some-run" in target.read_text("utf-8")
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]

    def test_failure_leaves_the_old_page(self, tmp_path: Path) -> None:
        target = tmp_path / "report.html"
        target.write_text("old")
        with pytest.raises(KeyError):
            write_report({}, target)
        assert target.read_text() == "old"

    @pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
    def test_missing_package_is_told_with_the_remedy(
        self, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setitem(sys.modules, package, None)
        monkeypatch.delitem(sys.modules, "harness.report.plots", raising=False)
        monkeypatch.delattr("harness.report.plots", raising=False)
        with pytest.raises(UsageError, match=rf"numbishop\[report\].*{package}"):
            write_report(run_document(), tmp_path / "report.html")
        assert list(tmp_path.iterdir()) == []


class TestThin:
    def test_short_path_is_kept_whole(self) -> None:
        assert thin([0.5, 0.1, -1.0]) == [(1, 0.5), (2, 0.1), (3, -1.0)]

    def test_long_path_keeps_ends_and_excursions(self) -> None:
        values = [0.001 * i for i in range(50_000)]
        values[31_234] = -9.0
        values[31_240] = 99.0
        thinned = thin(values, points=100)
        assert len(thinned) <= 102
        assert thinned[0] == (1, values[0])
        assert thinned[-1] == (50_000, values[-1])
        assert {(31_235, -9.0), (31_241, 99.0)} <= set(thinned)
        assert [at for at, _ in thinned] == sorted({at for at, _ in thinned})


class TestEloPath:
    def test_ends_with_the_estimate_of_the_whole_run(self) -> None:
        document = run_document(500)
        whole = estimate(Pentanomial(*document["ptnml"]))
        last = elo_path(document["pairs"])[-1]
        assert (last.pairs, last.elo, (last.low, last.high)) == (500, whole.elo, whole.elo_ci95)

    def test_each_point_is_the_estimate_at_that_pair(self) -> None:
        pairs = run_document(60)["pairs"]
        for point in elo_path(pairs):
            counts = [pairs[: point.pairs].count(digit) for digit in "01234"]
            assert point.elo == estimate(Pentanomial(*counts)).elo

    def test_too_short_a_run_has_none(self) -> None:
        assert elo_path("222") == []

    def test_number_of_points_is_bounded(self) -> None:
        assert len(elo_path(run_document(10_000)["pairs"], points=50)) <= 52


class TestNumbers:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (0.4, "0 s"),
            (59.6, "1 min 00 s"),
            (200, "3 min 20 s"),
            (7500, "2 h 05 min"),
            (None, "–"),
        ],
    )
    def test_duration(self, seconds: float | None, text: str) -> None:
        assert duration(seconds) == text

    def test_number(self) -> None:
        assert number(1234.567, 1, signed=True) == "+1,234.6"
        assert number(None) == "–"

    def test_zero_has_no_sign(self) -> None:
        assert number(-0.001) == number(0.0, signed=True) == "0.00"
        assert interval([-0.04, 0.0]) == "[0.0, 0.0]"

    def test_estimates_wait_for_enough_games(self) -> None:
        assert strength(12.0, [-3.0, 27.0], FEW_GAMES - 2) == ("–", "[–, –]")
        assert strength(12.0, [-3.0, 27.0], FEW_GAMES) == ("+12.0", "[-3.0, +27.0]")
        assert strength(1199.83, [700.0, 1199.83], 100) == ("–", "[+700.0, –]")

    def test_different_hash_sizes_are_both_pasted(self) -> None:
        document = run_document()
        document["new"]["options"] = {"Hash": "32"}
        assert "SPRT  | nodes=5000, Hash 32 against 16 MB" in paste_block(document)

    def test_interval_with_an_open_end(self) -> None:
        assert interval([None, 3.44]) == "[–, +3.4]"

    def test_faults_are_told_by_kind(self) -> None:
        assert fault_counts({"crash": 0, "worker_lost": 0}) == "0"
        assert (
            fault_counts({"crash": 1, "hang": 0, "worker_lost": 2}) == "3: crash 1, worker lost 2"
        )

    def test_equal_speeds_need_no_warning(self) -> None:
        assert speed_warning(run_document()) is None

    @pytest.mark.parametrize(
        ("ratio", "ends", "words"),
        [
            (
                0.9,
                [0.88, 0.92],
                "10.0% fewer nodes a second than base (95 % interval 8.0% to 12.0%)",
            ),
            (
                1.03,
                [1.021, 1.039],
                "3.0% more nodes a second than base (95 % interval 2.1% to 3.9%)",
            ),
        ],
    )
    def test_different_speeds_are_warned_of(
        self, ratio: float, ends: list[float], words: str
    ) -> None:
        document = machine(run_document(), nps_ratio=ratio, nps_ratio_ci95=ends, nps_differ=True)
        warning = speed_warning(document)
        assert warning is not None
        assert words in warning

    def test_games_whose_speeds_are_not_those_that_nodes_were_scaled_by_are_warned_of(self) -> None:
        measured = {"nps_ratio": 0.9, "nps_ratio_ci95": [0.88, 0.92], "nps_ratio_meant": 0.95}
        warning = speed_warning(machine(run_document(), **measured, nps_differ=True))
        assert warning == (
            "In these games the ratio of speeds was 0.900  [0.880, 0.920], and new had 0.95 times"
            " the nodes; play the test again with --scale-nodes-by 0.900."
        )
        assert speed_warning(machine(run_document(), **measured, nps_differ=False)) is None

    def test_speed_ratio_with_its_interval(self) -> None:
        assert speed_ratio(run_document()) == "1.001  [0.991, 1.011]"
        document = machine(run_document(), nps_ratio=None, nps_ratio_ci95=None)
        assert speed_ratio(document) == "–  [–, –]"
