"""How many pairs a second the coordinator can keep up with: at least 1,000 (issue 2).

`extra_info` of each row has `pairs_per_s`. Null players answer at once and claim their result in
their first moves, so a game is as short as it can be; what is left of it is the referee's start and
the FEN, which two workers share with the coordinator on two cores.
"""

import random
import struct
from pathlib import Path
from typing import Any

import chess
import pytest

from harness import playing
from harness.game import GameRecord, Termination
from harness.journal import Journal
from harness.limits import Limit
from harness.openings import BookOpenings
from harness.spec import AdjudicationConfig, EngineConfig, MatchSpec, OpeningSpec
from harness.sprt import Hypotheses
from harness.tally import Tally
from harness.workers import LocalWorkers
from tests.match.runs import null_spec, play

PAIRS = 4000


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> MatchSpec:
    """Short games from a book with an opening for each pair."""
    chance = random.Random(1)
    positions: set[str] = set()
    while len(positions) < PAIRS:
        board = chess.Board()
        for _ in range(5):
            board.push(chance.choice(list(board.legal_moves)))
        positions.add(board.epd())
    book = tmp_path_factory.mktemp("book") / "book.epd"
    book.write_text("".join(f"{position}\n" for position in sorted(positions)))
    sha256 = BookOpenings(book, "sequential", 1).sha256
    return null_spec(
        PAIRS,
        openings=OpeningSpec(kind="book", path=str(book), sha256=sha256, order="sequential"),
        adjudication=AdjudicationConfig(
            draw_move_number=1, draw_move_count=1, resign_move_count=1, resign_two_sided=False
        ),
    )


def test_null_players_through_real_workers_and_commits(
    benchmark: Any, spec: MatchSpec, tmp_path: Path
) -> None:
    documents = []

    def run() -> None:
        documents.append(play(spec, tmp_path / f"run{len(documents)}"))

    benchmark.pedantic(run, rounds=3)
    paces = [document["machine"] for document in documents]
    benchmark.extra_info["pairs_per_s"] = max(
        pace["games"] / 2 / pace["elapsed_s"] for pace in paces
    )


def test_journal_and_tally_alone(benchmark: Any, spec: MatchSpec, tmp_path: Path) -> None:
    """The coordinator's own work on a game of 80 plies: rows, commits, counting."""
    groups = [
        [_record(pair, game) for pair in range(64 * k, 64 * k + 64) for game in (0, 1)]
        for k in range(60)
    ]
    folders = iter(range(1000))

    def take() -> None:
        tally = Tally(Hypotheses(-50, 50, 1e-12, 1e-12), 1_000_000)
        with Journal.create(tmp_path / str(next(folders)), spec, {}) as journal:
            for group in groups:
                journal.add_games(group)
                for record in group:
                    tally.add(record)
                journal.commit()

    benchmark.pedantic(take, rounds=5, warmup_rounds=1)
    benchmark.extra_info["pairs_per_s"] = 64 * len(groups) / benchmark.stats["min"]


def test_two_workers_against_one(
    benchmark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine at 1,000 nodes a move: at least 1.9 times the pairs, if there are two idle cores.

    Also what a worker holds in memory, and which share of its time it plays.
    """
    rss_kb: list[int] = []

    class Measured(LocalWorkers):
        def stop(self) -> None:
            rss_kb.extend(map(_rss_kb, self.process_ids))
            super().stop()

    monkeypatch.setattr(playing, "LocalWorkers", Measured)
    engine = EngineConfig(name="base")
    spec = null_spec(40, new=engine, base=engine, limit=Limit(nodes=1000))
    paces: dict[int, list[float]] = {1: [], 2: []}
    busy: list[float] = []

    def run() -> None:
        for workers, pace in paces.items():
            folder = tmp_path / f"{workers}-{len(pace)}"
            machine = play(spec, folder, workers)["machine"]
            pace.append(machine["games"] / 2 / machine["elapsed_s"])
            busy.append(machine["busy_s"] / machine["elapsed_s"] / workers)

    benchmark.pedantic(run, rounds=3)
    benchmark.extra_info["pairs_per_s"] = {workers: max(pace) for workers, pace in paces.items()}
    benchmark.extra_info["games_per_min"] = round(120 * max(paces[2]))
    benchmark.extra_info["ratio"] = max(paces[2]) / max(paces[1])
    benchmark.extra_info["busy"] = max(busy)
    benchmark.extra_info["rss_mb"] = max(rss_kb) / 1024


def _rss_kb(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def _record(pair: int, game: int) -> GameRecord:
    plies = 80
    return GameRecord(
        pair=pair,
        game=game,
        fen=chess.STARTING_FEN,
        result=(pair + game) % 3 - 1,
        termination=Termination.ADJUDICATED_WIN,
        plies=plies,
        moves=struct.pack("<I", 2 * pair + game) + bytes(2 * plies - 4),
        scores_cp=bytes(4 * plies),
        depths=bytes([8]) * plies,
        nodes=struct.pack("<I", 5000) * plies,
        times_us=struct.pack("<I", 3000) * plies,
        search_ns=(120_000_000, 120_000_000),
        wall_ns=250_000_000,
        detail="",
    )
