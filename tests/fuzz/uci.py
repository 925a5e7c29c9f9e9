"""Conversations in UCI, damaged: the program answers, or says why not, and goes on."""

from __future__ import annotations

import functools
import io
import random
import re
from collections.abc import Iterator

from engine.shell import warm_up
from engine.uci import Uci
from tests.fuzz.hunt import main
from tests.fuzz.mutations import damaged
from tests.oracle import WELL_KNOWN
from tests.setups import random_setup

SENTENCES = (
    *("uci", "isready", "ucinewgame", "stop", "ponderhit", "d", "eval", "", "register later"),
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3",
    "position fen {fen}",
    "position fen {fen} moves e1g1 e7e8q",
    "go nodes 200",
    "go depth 3",
    "go movetime 3",
    "go mate 1 nodes 500",
    "go wtime 60 btime 60 winc 1 binc 1 movestogo 5",
    "go infinite",
    "go ponder wtime 60 btime 60",
    "go nodes 100 searchmoves e2e4 d2d4",
    "go perft 2",
    "setoption name Hash value 2",
    "setoption name Clear Hash",
    "setoption name MultiPV value 3",
    "setoption name Threads value 2",
    "setoption name SyzygyPath value /nowhere",
    "setoption name UCI_Chess960 value true",
    "setoption name lmr_base value 80",
    "setoption name Move Overhead value 10",
)
_MOST_LINES = 12
prepare = functools.cache(warm_up)  # in the first case, which may take its time
_BEST_MOVE = re.compile(r"bestmove (?:\(none\)|0000|(?:[a-h][1-8]){2}[nbrq]?)(?: ponder \S+)?")


def _is_costly(line: str) -> bool:
    """Whether obeying takes minutes or the machine's memory, as it may: nothing to find there."""
    numbers = [int(number) for number in re.findall(r"\d{1,18}", line)]
    if re.search("perft|hash|threads|bench", line, re.IGNORECASE):
        return max(numbers, default=99) > 3
    return False


def damaged_lines(rng: random.Random) -> Iterator[str]:
    """A few commands, most of them wrong."""
    for _ in range(rng.randrange(1, _MOST_LINES)):
        fen = random_setup(rng.getrandbits(32)) if rng.random() < 0.5 else rng.choice(WELL_KNOWN)
        line = damaged(rng, rng.choice(SENTENCES).format(fen=fen))
        if not _is_costly(line):
            yield rng.choice(("", "", " ", "\t")) + line + rng.choice(("\n", "\n", "\r\n", " \n"))


def case(seed: int) -> None:
    prepare()
    rng = random.Random(seed)
    lines = [*damaged_lines(rng), "stop\n", "isready\n", *rng.choice(([], ["quit\n"]))]
    out = io.StringIO()
    Uci(out).run(lines)
    answers = out.getvalue().splitlines()
    assert not [answer for answer in answers if "internal error" in answer], (lines, answers)
    assert "readyok" in answers, (lines, answers)
    moves = [answer for answer in answers if answer.startswith("bestmove")]
    assert all(_BEST_MOVE.fullmatch(move) for move in moves), (lines, moves)
    searches = [line for line in lines if line.split()[:1] == ["go"]]
    assert len(moves) <= len(searches), (lines, answers)


if __name__ == "__main__":
    raise SystemExit(main("tests.fuzz.uci", case))
