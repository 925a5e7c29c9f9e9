"""From files and runs to datasets: what is kept, what is dropped and why, and always the same."""

from __future__ import annotations

import os
import re
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.jit import cache_folder
from engine.shell import Game, build_parameters
from harness.errors import EngineStartError, UsageError
from harness.texel.build import Prepared, build
from harness.texel.dataset import Dataset
from harness.texel.extract import Extractor
from harness.texel.pool import extracted
from harness.texel.replay import kernel
from harness.texel.sources import PgnText, PositionLines
from tests.unit.texel_games import extraction, options, positions_of, random_game, write_pgn
from tests.unit.toy_package import REPOSITORY, run_python

WEIGHTS = build_parameters().weights
EVALUATION_PARAMETERS = build_parameters()


def values(dataset: Dataset) -> list[int]:
    """Each position's evaluation from the side to move, by the dataset alone."""
    middlegame = ((WEIGHTS + (1 << 31)) & ((1 << 32) - 1)) - (1 << 31)
    endgame = (WEIGHTS + (1 << 31)) >> 32
    found = []
    for row in range(len(dataset.phase)):
        part = slice(dataset.starts[row], dataset.starts[row + 1])
        counts = dataset.counts[part].astype(np.int64) * dataset.turn[row]
        mg, eg = counts @ middlegame[dataset.indices[part]], counts @ endgame[dataset.indices[part]]
        phase = int(dataset.phase[row])
        value = mg * phase * 100 + eg * (24 - phase) * int(dataset.scale_pct[row])
        found.append(int(value // 2400))
    return found


def evaluation(board: chess.Board) -> int:
    """The engine's evaluation from the side to move."""
    from engine.evaluate import evaluate_record

    return int(evaluate_record(Game(board.fen(en_passant="fen")).record, EVALUATION_PARAMETERS))


def is_drawn(board: chess.Board) -> bool:
    return board.is_repetition(3) or board.halfmove_clock >= 100


def built(path: Path, **how: object) -> Prepared:
    return build([path], options(**how), None)


class TestPositions:
    @given(seed=st.integers(0, 10_000))
    @settings(max_examples=8, deadline=None)
    def test_they_are_those_of_python_chess_with_result_score_and_evaluation(self, seed):
        game = random_game(seed, plies=50)
        batch = Extractor(extraction(noisy="keep")).extract(PgnText("x", 1, str(game).encode()))
        boards = list(positions_of(game))
        scores = [node.comment for node in game.mainline()]
        quiet = [
            ply
            for ply, board in enumerate(boards)
            if ply >= 8 and not board.is_check() and not board.is_game_over(claim_draw=False)
        ]
        kept = batch.rows["ply"].tolist()
        assert set(kept) <= set(quiet)
        over = {
            ply for ply in quiet if boards[ply].is_repetition(3) or boards[ply].halfmove_clock > 99
        }
        assert set(quiet) - set(kept) <= over
        result = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[game.headers["Result"]]
        assert set(batch.result.tolist()) <= {result}
        place = 0
        for row in batch.rows:
            board = boards[row["ply"]]
            assert row["score_cp"] == round(100 * float(scores[row["ply"]].split("/")[0]))
            assert row["turn"] == row["played_turn"] == (1 if board.turn else -1)
            assert row["key"] == Game(board.fen()).key
            place += int(row["length"])
        assert place == len(batch.indices) == len(batch.counts)

    def test_the_dataset_alone_gives_the_engine_s_evaluation(self, tmp_path):
        path = write_pgn(tmp_path / "games.pgn", 6)
        prepared = built(path, noisy="keep", book_plies=0)
        by_key = {}
        for number in range(6):
            for board in positions_of(random_game(1000 + number)):
                by_key.setdefault(Game(board.fen()).key, evaluation(board))
        assert len(prepared.train.phase) > 250
        assert sorted(values(prepared.train)) == sorted(
            value for key, value in by_key.items() if key in set(kept_keys(path))
        )

    @pytest.mark.parametrize("noisy", ["resolve", "settled", "calm"])
    def test_what_is_left_is_quiet(self, noisy):
        extractor = Extractor(extraction(noisy=noisy))
        games = "\n\n".join(str(random_game(seed)) for seed in range(20))
        batch = extractor.extract(PgnText("x", 1, games.encode()))
        kept = Extractor(extraction(noisy="keep")).extract(PgnText("x", 1, games.encode()))
        assert 0 < len(batch.rows) <= len(kept.rows)
        if noisy == "resolve":
            changed = set(batch.rows["key"]) - set(kept.rows["key"])
            assert len(changed) > 50
        else:
            assert len(batch.rows) < len(kept.rows)
            assert set(batch.rows["key"]) <= set(kept.rows["key"])


def kept_keys(path: Path) -> list[int]:
    how = extraction(noisy="keep", book_plies=0)
    batch = Extractor(how).extract(PgnText("x", 1, path.read_bytes()))
    return [int(key) for key in batch.rows["key"]]


def resolved(fen: str) -> np.ndarray:
    line = PositionLines("x", 1, f"{fen} [1.0]".encode())
    return Extractor(extraction(noisy="resolve")).extract(line).rows


class TestQuiet:
    def test_a_hanging_piece_is_taken_before_the_position_is_traced(self):
        rows = resolved("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
        assert rows["key"].tolist() == [Game("4k3/8/8/3P4/8/8/8/4K3 b - - 0 1").key]
        assert (rows["turn"][0], rows["played_turn"][0]) == (-1, 1)

    def test_a_quiet_position_stays(self):
        fen = "4k3/8/8/3p4/3P4/8/8/4K3 w - - 0 1"
        assert resolved(fen)["key"].tolist() == [Game(fen).key]

    def test_what_ends_in_a_draw_or_a_mate_is_left_out(self):
        assert len(resolved("4k3/8/8/3p4/4K3/8/8/8 w - - 0 1")) == 0  # bare kings
        assert len(resolved("6k1/5ppp/8/8/8/8/8/K2r4 w - - 0 1")) == 0  # in check
        assert len(resolved("7k/8/5KQ1/8/8/8/8/8 w - - 99 80")) == 1


BAD_GAMES = {
    "a move that is not legal": ("1. e4 e5 2. Ke5 1-0", "unreadable"),
    "a word that is no move": ("1. e4 e5 2. -- d5 1-0", "unreadable"),
    "no result": ("1. e4 e5 *", "without result"),
    "another result": ("1. e4 e5 0-1", "contradicting results"),
    "mated, but said to have won": ("1. f3 e5 2. g4 Qh4# 1-0", "contradicting results"),
}


class TestBadInput:
    @pytest.mark.parametrize("case", BAD_GAMES)
    def test_a_bad_game_is_counted_and_the_rest_goes_on(self, case, tmp_path):
        moves, reason = BAD_GAMES[case]
        tag = "*" if moves.endswith("*") else "1-0"
        bad = f'[Event "bad"]\n[Result "{tag}"]\n\n{moves}\n\n'
        good = str(random_game(7)) + "\n\n"
        path = tmp_path / "games.pgn"
        path.write_text(good + bad + good)
        census = built(path).census
        assert census.games == 3
        assert census.games_dropped == {reason: 1}
        if reason != "without result":
            line = good.count("\n") + 1
            assert census.places[0].startswith(f"{path}, game at line {line}: ")
        assert census.positions_kept > 0

    @pytest.mark.parametrize(
        ("tags", "reason"),
        [
            ('[Termination "Time forfeit"]', "ended by a fault"),
            ('[Termination "abandoned"]', "ended by a fault"),
            ('[Variant "Crazyhouse"]', "other variants"),
            ('[Variant "Nonsense"]', "other variants"),
            ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]', "unreadable"),
            ('[FEN "4k3/8/8/8/8/8/8/4K2Q b - x 0 1"]', "unreadable"),
            ('[FEN "4k3/8/8/8/8/8/4q3/4K3 b - - 0 1"]', "unreadable"),
        ],
    )
    def test_tags_can_rule_a_game_out(self, tags, reason, tmp_path):
        path = tmp_path / "games.pgn"
        path.write_text(f'[Result "1-0"]\n{tags}\n\n1. e4 e5 1-0\n')
        assert built(path).census.games_dropped == {reason: 1}

    def test_lines_that_are_bad_are_counted(self, tmp_path):
        path = tmp_path / "lines.epd"
        path.write_text(
            "4k3/8/8/3p4/3P4/8/8/4K3 w - - 0 1 [1.0]\n\n"
            "# a comment\n"
            "4k3/8/8/3p4/3P4/8/8/4K3 w - - 1/2\n"
            "4k3/8/8/3p4/3P4/8/8/4K3 w - - 0 1\n"
            "4k3/8/8/3p4/3P4/8/8/3KK3 w - - 0 1 [1.0]\n"
            "rubbish [1.0]\n"
            "4k3/8/8/3p4/3P4/8/8/4K3 b - - 0 1 [0.0]\n"
        )
        census = built(path).census
        assert census.games == 6
        assert census.games_dropped == {"without result": 1, "unreadable": 2}
        assert sorted(census.places) == [
            f"{path}, line 6: white has 2 kings; expected one",
            f"{path}, line 7: 'rubbish [1.0]': expected a FEN or EPD position",
        ]
        assert census.positions == 3

    def test_positions_alone_have_no_calm_moves(self, tmp_path):
        path = tmp_path / "lines.epd"
        path.write_text("4k3/8/8/3p4/3P4/8/8/4K3 w - - 0 1 [1.0]\n")
        with pytest.raises(UsageError, match="which move was played"):
            built(path, noisy="calm")


_BROKEN_TRACE = """
import warnings
import numpy as np
from harness.texel.extract import Extractor, InexactTraceError
from harness.texel.pool import extracted
from harness.texel.replay import kernel
from harness.texel.sources import PositionLines
from tests.unit.texel_games import extraction

exact = kernel.trace_evaluation

def broken(record, parameters, trace):
    known = exact(record, parameters, trace)
    trace[0, 0] += 1  # a pawn more than there is
    return known

line = PositionLines("x", 1, b"4k3/8/8/3p4/3P4/8/8/4K3 w - - 0 1 [1.0]")
warnings.simplefilter("error")
np.seterr(over="ignore")  # keys and magics wrap around
extractor = Extractor(extraction())
print(len(extractor.extract(line).rows))
kernel.trace_evaluation = broken
try:
    extractor.extract(line)
except InexactTraceError as error:
    print(error)
"""


def test_a_trace_that_is_not_exact_ends_it_and_shows_the_position():
    """Without the JIT, where a kernel's helper can be replaced."""
    output, errors = run_python(_BROKEN_TRACE, REPOSITORY, NUMBA_DISABLE_JIT="1")
    assert errors == ""
    count, sentence = output.splitlines()
    assert count == "1"
    assert re.match(
        r"4k3/8/8/3p4/3P4/8/8/4K3 w - - 0 1: its terms add up to (\d+) cp, the engine's evaluation"
        r" is (?!\1)\d+ cp",
        sentence,
    )


def test_an_edit_elsewhere_in_the_harness_compiles_nothing_again():
    """The kernels need no module of ours but the engine's, which are in the digest."""
    package = Path(kernel.__file__).parent
    ours = {
        name
        for path in package.glob("*.py")
        for name in re.findall(r"^(?:from|import) (harness[\w.]*)", path.read_text(), re.M)
    }
    assert ours == set()
    assert kernel.replay._cache.cache_path == str(cache_folder(package, "harness"))


class Deadly(PgnText):
    """A block that kills the process that is given it."""

    def __reduce__(self):
        return os._exit, (3,)


@pytest.mark.nightly
def test_a_worker_that_dies_is_told():
    blocks = [Deadly("x", 1, b"")]
    with pytest.raises(EngineStartError, match="a process that reads the data died"):
        list(extracted(blocks, extraction(), workers=2))


class TestDatasets:
    def test_they_are_the_same_for_any_number_of_workers(self, tmp_path, monkeypatch):
        monkeypatch.setattr("harness.texel.sources.BLOCK_BYTES", 4000)
        path = write_pgn(tmp_path / "games.pgn", 30)
        for workers in (1, 2):
            build([path], options(workers, 0.3, most_per_game=20), tmp_path / str(workers))
        for part in ("train", "validation"):
            for file in (tmp_path / "1" / part).iterdir():
                assert file.read_bytes() == (tmp_path / "2" / part / file.name).read_bytes()

    def test_counts_add_up(self, tmp_path):
        path = write_pgn(tmp_path / "games.pgn", 20)
        train, validation, census, *_ = built(path, share=0.3)
        assert census.positions == sum(
            len(list(random_game(1000 + number).mainline_moves())) for number in range(20)
        )
        assert census.positions_kept == len(train.phase) + len(validation.phase)
        assert len(validation.phase) > 0
        assert not set(train.game.tolist()) & set(validation.game.tolist())
        assert sum(count for _, count in list(census.rows())[1:-3]) == census.positions_kept

    def test_a_game_that_is_there_twice_weighs_twice_and_is_in_one_part(self, tmp_path):
        text = write_pgn(tmp_path / "once.pgn", 20).read_text()
        (tmp_path / "twice.pgn").write_text(text + text)
        once = built(tmp_path / "once.pgn", share=0.4)
        twice = built(tmp_path / "twice.pgn", share=0.4)
        assert twice.train.weight.tolist() == (2 * once.train.weight).tolist()
        assert len(twice.validation.phase) == len(once.validation.phase)
        assert twice.census.validation_twins == once.census.validation_twins

    def test_no_more_positions_of_a_game_than_asked_for(self, tmp_path):
        path = write_pgn(tmp_path / "games.pgn", 5)
        few = built(path, most_per_game=7, noisy="keep")
        assert np.bincount(few.train.game).max() <= 7
        assert few.census.positions_dropped["beyond the most of a game"] > 50
        other = built(path, most_per_game=7, noisy="keep", seed=2)
        assert values(other.train) != values(few.train)

    def test_neighbouring_lines_of_one_result_count_as_a_game(self, tmp_path):
        path = tmp_path / "lines.epd"
        results = ["1.0"] * 150 + ["0.0"] * 3 + ["0.5"] + ["0.0"]
        boards = [board for seed in range(5) for board in positions_of(random_game(seed))]
        path.write_text(
            "".join(f"{b.fen()} [{r}]\n" for b, r in zip(boards, results, strict=False))
        )
        train = built(path, noisy="keep").train
        assert len(set(train.game.tolist())) == 5
