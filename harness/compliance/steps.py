"""The steps of the examination, in their order: one question each.

A step raises `Objection` (or an EngineFault comes out of it) when the program does not do what it
should, and returns why it does not apply, or None. `required` steps are what a match needs; the
others are what the protocol asks for and programs are known to go wrong in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from time import perf_counter_ns
from typing import Final, NamedTuple

import chess

from harness.compliance.examiner import Examiner, Objection, board_of, read_move
from harness.uci_options import setoption

NotApplicable = str | None

#: What an answer to a time may be late by, on a machine that does other things too: nothing is lost
#: by a late move for movetime, a game is by a fallen flag.
_MOVETIME_MARGIN_MS: Final = 500
_FLAG_MARGIN_MS: Final = 50

_BLACK_TO_MOVE: Final = "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1"
_MATE_IN_ONE: Final = "fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
_MATED: Final = "fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"
_CHESS960: Final = "fen 4k3/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GB - 0 1"
_CASTLING: Final = "startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1"
_EN_PASSANT: Final = "startpos moves e2e4 a7a6 e4e5 d7d5 e5d6"
_PROMOTION: Final = "fen 7k/P7/8/8/8/8/8/K7 w - - 0 1 moves a7a8n"


class Step(NamedTuple):
    """A question, in words, and how it is asked."""

    title: str
    ask: Callable[[Examiner], NotApplicable]
    required: bool = True


def _names_itself(examiner: Examiner) -> NotApplicable:
    for key in ("id name ", "id author "):
        if not any(line.startswith(key) for line in examiner.greeting_lines):
            raise Objection(f"no `{key.strip()}` before uciok; expected one")
    return None


_OPTION: Final = re.compile(r"option name (?P<name>.+?) type (?P<type>\S+)(?P<rest>.*)")
_TYPES: Final = ("check", "spin", "combo", "string", "button")


def _declares_options(examiner: Examiner) -> NotApplicable:
    lines = [line for line in examiner.greeting_lines if line.startswith("option")]
    seen: set[str] = set()
    for line in lines:
        match = _OPTION.fullmatch(line)
        if match is None or match["type"] not in _TYPES:
            raise Objection(
                f"{line!r}: expected `option name N type T ...`, T one of {', '.join(_TYPES)}"
            )
        if match["name"].lower() in seen:
            raise Objection(f"{line!r}: the option is declared twice")
        seen.add(match["name"].lower())
        _check_default(line, match["type"], match["rest"])
    return None if lines else "it has no options"


def _values(rest: str, key: str) -> list[str]:
    """What stands after each `key` of a declaration: perhaps several words."""
    found = re.findall(rf" {key} (.*?)(?= (?:default|min|max|var) |$)", rest)
    return [value.strip() for value in found]


def _check_default(line: str, kind: str, rest: str) -> None:
    defaults = _values(rest, "default")
    if kind == "spin":
        try:
            low, default, high = (int(_values(rest, key)[0]) for key in ("min", "default", "max"))
        except (IndexError, ValueError):
            raise Objection(f"{line!r}: expected default, min and max, integers") from None
        if not low <= default <= high:
            raise Objection(f"{line!r}: the default is not from min to max")
    if kind == "check" and defaults not in (["true"], ["false"]):
        raise Objection(f"{line!r}: expected default true or false")
    if kind == "combo" and (not defaults or defaults[0] not in _values(rest, "var")):
        raise Objection(f"{line!r}: the default is none of the values (var)")


def _is_ready(examiner: Examiner) -> NotApplicable:
    examiner.ready()
    return None


def _takes_defaults(examiner: Examiner) -> NotApplicable:
    set_any = False
    for line in examiner.greeting_lines:
        match = _OPTION.fullmatch(line)
        if match is None or match["type"] not in {"check", "spin", "combo"}:
            continue
        for default in _values(match["rest"], "default"):
            examiner.say(setoption(match["name"], default, examiner.greeting))
            set_any = True
    examiner.configure()
    examiner.ready()
    return None if set_any else "it has no option with a default"


def _passes_over_nonsense(examiner: Examiner) -> NotApplicable:
    for line in ("setoption name No Such Option value 1", "frobnicate the board", "", "debug off"):
        examiner.say(line)
    examiner.ready()
    return None


def _stops_idle(examiner: Examiner) -> NotApplicable:
    examiner.say("stop")
    examiner.ready()
    return None


def _search(position: str, go: str) -> Callable[[Examiner], NotApplicable]:
    """Any legal move will do."""

    def ask(examiner: Examiner) -> NotApplicable:
        examiner.think(position, go)
        return None

    return ask


def _in_time(go: str, limit_ms: int) -> Callable[[Examiner], NotApplicable]:
    def ask(examiner: Examiner) -> NotApplicable:
        answer = examiner.think("startpos", go)
        if answer.time_ms > limit_ms:
            raise Objection(f"answered after {answer.time_ms:.0f} ms; expected {limit_ms} at most")
        return None

    return ask


def _tells_of_its_search(examiner: Examiner) -> NotApplicable:
    answer = examiner.think("startpos moves d2d4", "depth 6")
    told = [info.split() for info in answer.infos if info.startswith("info ") and " score " in info]
    if not told:
        raise Objection("no `info` with a score before bestmove; expected one")
    for key in ("depth", "nodes", "pv"):
        if not any(key in words for words in told):
            raise Objection(f"no `info` with a score has `{key}`; expected it")
    return None


def _last_line(infos: tuple[str, ...]) -> list[str]:
    lines = [
        info.partition(" pv ")[2].split()
        for info in infos
        if " pv " in info
        and "bound" not in info
        and (" multipv " not in info or " multipv 1 " in info)
    ]
    return lines[-1] if lines else []


def _means_what_it_shows(examiner: Examiner) -> NotApplicable:
    answer = examiner.think("startpos moves d2d4", "depth 6")
    board = board_of("startpos moves d2d4")
    line = _last_line(answer.infos)
    if not line:
        return "it shows no line"
    for text in line:
        try:
            board.push_uci(text)
        except ValueError:
            raise Objection(f"pv {' '.join(line)}: {text} is not legal there") from None
    if line[0] != answer.move.uci():
        raise Objection(
            f"bestmove {answer.move.uci()} after the line {' '.join(line)}; expected its first move"
        )
    return None


def _thinks_until_told(examiner: Examiner) -> NotApplicable:
    examiner.say("position startpos")
    begun_ns = perf_counter_ns()
    examiner.say("go infinite")
    examiner.hears_nothing_of("bestmove", 300)
    examiner.say("stop")
    examiner.answer(chess.Board(), begun_ns, 1000)
    return None


def _is_ready_while_it_thinks(examiner: Examiner) -> NotApplicable:
    examiner.say("position startpos")
    begun_ns = perf_counter_ns()
    examiner.say("go infinite")
    examiner.say("isready")
    examiner.hear("readyok", 1000)
    examiner.say("stop")
    examiner.answer(chess.Board(), begun_ns, 1000)
    return None


def _ponders(examiner: Examiner) -> NotApplicable:
    if "ponder" not in examiner.greeting.kinds:
        return "it has no option Ponder"
    board = board_of("startpos moves e2e4 e7e5")
    examiner.say("position startpos moves e2e4 e7e5")
    begun_ns = perf_counter_ns()
    examiner.say("go ponder wtime 1000 btime 1000 winc 10 binc 10")
    examiner.hears_nothing_of("bestmove", 300)
    examiner.say("ponderhit")
    examiner.answer(board, begun_ns)
    return None


def _mates_in_one(examiner: Examiner) -> NotApplicable:
    answer = examiner.think(_MATE_IN_ONE, "depth 8")
    if answer.move.uci() != "a1a8":
        raise Objection(f"bestmove {answer.move.uci()}; expected the mate a1a8")
    if not any(" score mate 1" in info for info in answer.infos):
        raise Objection("no `score mate 1`; expected it with the mate a1a8")
    return None


def _survives_the_end(examiner: Examiner) -> NotApplicable:
    examiner.say(f"position {_MATED}")
    examiner.say("go depth 1")
    last = examiner.hear("bestmove")[-1]
    if last.split()[1:2] not in (["(none)"], ["0000"], []):
        raise Objection(f"{last!r} in a position of checkmate; expected bestmove (none)")
    examiner.ready()
    return None


def _searches_given_moves(examiner: Examiner) -> NotApplicable:
    answer = examiner.think("startpos", "depth 4 searchmoves a2a3 h2h3")
    if answer.move.uci() not in {"a2a3", "h2h3"}:
        raise Objection(f"bestmove {answer.move.uci()}; expected a2a3 or h2h3 (searchmoves)")
    return None


def _repeats_itself(examiner: Examiner) -> NotApplicable:
    moves = []
    for _ in range(2):
        examiner.say("ucinewgame")
        examiner.ready()
        moves.append(examiner.think(_BLACK_TO_MOVE, "nodes 20000").move.uci())
    if moves[0] != moves[1]:
        raise Objection(
            f"{' then '.join(moves)} after ucinewgame and the same nodes; expected the"
            " same move (fixed nodes are not exact for it)"
        )
    return None


def _plays_chess960(examiner: Examiner) -> NotApplicable:
    if "uci_chess960" not in examiner.greeting.kinds:
        return "it has no option UCI_Chess960"
    examiner.say("setoption name UCI_Chess960 value true")
    examiner.ready()
    for position in (_CHESS960, f"{_CHESS960} moves e1g1"):
        examiner.say(f"position {position}")
        examiner.say("go nodes 500")
        read_move(board_of(position, chess960=True), examiner.hear("bestmove")[-1])
    examiner.say("setoption name UCI_Chess960 value false")
    examiner.ready()
    return None


def _quits(examiner: Examiner) -> NotApplicable:
    examiner.say("quit")
    if not examiner.process.has_ended(perf_counter_ns() + 2_000_000_000):
        raise Objection("it runs on 2 s after quit; expected its end")
    status = examiner.process.exit_status
    if status:
        raise Objection(f"exit status {status} after quit; expected 0")
    return None


STEPS: Final = (
    Step("tells its name and author", _names_itself, required=False),
    Step("declares its options well", _declares_options, required=False),
    Step("answers isready", _is_ready),
    Step("accepts the defaults of its options", _takes_defaults),
    Step("passes over what it does not know", _passes_over_nonsense),
    Step("passes over stop when it is idle", _stops_idle),
    Step("searches the start position by nodes", _search("startpos", "nodes 1000")),
    Step("searches by depth", _search("startpos moves e2e4", "depth 4")),
    Step("searches a FEN with black to move", _search(_BLACK_TO_MOVE, "nodes 1000")),
    Step("understands castling among the moves", _search(_CASTLING, "nodes 500")),
    Step("understands en passant among the moves", _search(_EN_PASSANT, "nodes 500")),
    Step("understands a promotion among the moves", _search(_PROMOTION, "nodes 500")),
    Step("keeps movetime 100", _in_time("movetime 100", 100 + _MOVETIME_MARGIN_MS)),
    Step("keeps a clock of 1 s with an increment",
         _in_time("wtime 1000 btime 1000 winc 10 binc 10", 1000 + _FLAG_MARGIN_MS)),
    Step("keeps a clock of 1 s for one move",
         _in_time("wtime 1000 btime 1000 movestogo 1", 1000 + _FLAG_MARGIN_MS)),
    Step("tells depth, score, nodes and line", _tells_of_its_search, required=False),
    Step("shows legal lines, and plays their first move", _means_what_it_shows, required=False),
    Step("thinks until stop when told go infinite", _thinks_until_told),
    Step("answers isready while it thinks", _is_ready_while_it_thinks, required=False),
    Step("ponders, and plays after ponderhit", _ponders, required=False),
    Step("finds a mate in one and says so", _mates_in_one, required=False),
    Step("survives a position of checkmate", _survives_the_end, required=False),
    Step("searches only the moves of searchmoves", _searches_given_moves, required=False),
    Step("plays the same again for the same nodes", _repeats_itself, required=False),
    Step("castles in Chess960", _plays_chess960),
    Step("ends after quit", _quits),
)  # fmt: skip
