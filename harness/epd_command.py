"""`harness epd SUITE`: how many of a suite's positions an engine solves within a limit."""

from __future__ import annotations

import os
import shlex
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import chess
import chess.engine
import click
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness import options
from harness.epd import NO_MOVE, Problem, read_problems
from harness.errors import EngineStartError, UsageError
from harness.parallel import in_parallel
from harness.perft_suite import Position
from harness.report.numbers import duration, percent

if TYPE_CHECKING:
    from harness.config import EngineConfig
    from harness.limits import Limit

#: How long an engine may take to start: it may compile itself first.
_START_SECONDS: Final = 300.0


class Answer(NamedTuple):
    """What a solver plays and how it sees it; 0 where an engine does not say."""

    move: str
    depth: int = 0
    nodes: int = 0


class Solver(Protocol):
    """An engine that is asked for one move after the other."""

    def solve(self, position: Position) -> Answer:
        """Its move, as if in a new game."""

    def close(self) -> None:
        """Let go of what was started."""


class BuiltinSolver:
    """Our engine in this process, with tables of its own."""

    def __init__(self, config: EngineConfig, limit: Limit) -> None:
        from harness.engines import loaded_shell

        shell = loaded_shell(config.source_digest)
        self._searcher = shell.Searcher(config.search, config.weights, config.hash_mb)
        self._limit = shell.SearchLimit(
            nodes=limit.nodes or None,
            depth=limit.depth or None,
            movetime_ms=limit.movetime_ms or None,
        )

    def solve(self, position: Position) -> Answer:
        from engine.shell import Game

        self._searcher.new_game(*position)
        result = self._searcher.go(np.zeros(1, np.uint16), 0, self._limit)
        return Answer(Game(*position).format_uci(result.move), result.depth, result.nodes)

    def close(self) -> None:
        """Nothing is held but memory."""


class UciSolver:
    """A UCI engine as a process."""

    def __init__(self, command: str | list[str], limit: Limit, **how: Any) -> None:
        self._name = command if isinstance(command, str) else " ".join(command)
        self._limit = chess.engine.Limit(
            nodes=limit.nodes or None,
            depth=limit.depth or None,
            time=limit.movetime_ms / 1000 or None,
        )
        words = shlex.split(command) if isinstance(command, str) else command
        try:
            self._engine = chess.engine.SimpleEngine.popen_uci(words, timeout=_START_SECONDS, **how)
        except (OSError, TimeoutError, chess.engine.EngineError, IndexError) as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> EngineStartError:
        reason = " ".join(str(error).split()) or type(error).__name__
        return EngineStartError(f"{self._name}: {reason}; expected a UCI engine")

    def configure(self, values: Mapping[str, str]) -> None:
        """Set options. Raises UsageError for one that it does not have or take."""
        try:
            self._engine.configure(dict(values))
        except chess.engine.EngineError as error:
            raise UsageError(f"--option: {error}; expected an option of {self._name}") from None

    def solve(self, position: Position) -> Answer:
        board = chess.Board(position.fen, chess960=position.chess960)
        try:
            played = self._engine.play(
                board, self._limit, game=object(), info=chess.engine.INFO_BASIC
            )
        except chess.engine.EngineError as error:
            raise self._failure(error) from error
        move = NO_MOVE if played.move is None else board.uci(played.move)
        return Answer(move, played.info.get("depth", 0), played.info.get("nodes", 0))

    def close(self) -> None:
        self._engine.close()


@dataclass(frozen=True, slots=True)
class Solution:
    """What became of one problem."""

    source: str
    name: str
    fen: str
    expected: str
    move: str
    solved: bool
    points: int
    most_points: int
    depth: int
    nodes: int
    time_ns: int


def run_epd(context: click.Context) -> bool:
    """Whether as many were solved as --at-least wants."""
    values = context.params
    options.check_output_file(values["json_path"])
    problems = [problem for path in values["suites"] for problem in read_problems(path)]
    limit = options.match_limit(context)
    to_stderr = values["json_path"] == options.STANDARD_OUTPUT
    console = Console(stderr=to_stderr, highlight=False, soft_wrap=True, markup=False)
    solvers = _Solvers(values, limit)
    started_s = time.monotonic()
    try:
        solutions = solve_all(problems, solvers, _threads(values))
    finally:
        solvers.close()
    if not values["quiet"]:
        for line in failures(solutions):
            console.print(Text(line))
        if len(values["suites"]) > 1:
            console.print(suites_table(solutions))
    solved = sum(solution.solved for solution in solutions)
    sentence = _sentence(solutions, limit.describe(), time.monotonic() - started_s)
    wanted: int | None = values["at_least"]
    good = wanted is None or solved >= wanted
    if not good:
        sentence += f"; expected at least {wanted}"
    console.print(Text(sentence))
    options.write_result(
        values["json_path"],
        {
            "schema": 1,
            "limit": limit.describe(),
            "positions": len(solutions),
            "solved": solved,
            "points": sum(solution.points for solution in solutions),
            "most_points": sum(solution.most_points for solution in solutions),
            "sentence": sentence,
            "solutions": [asdict(solution) for solution in solutions],
        },
    )
    return good


def _threads(values: Mapping[str, Any]) -> int:
    return values["concurrency"] or len(os.sched_getaffinity(0))


class _Solvers:
    """A solver for each thread, made when it first asks."""

    def __init__(self, values: Mapping[str, Any], limit: Limit) -> None:
        self._engine: str | None = values["engine"]
        self._options = dict(_option(text) for text in values["engine_options"])
        self._limit = limit
        self._config: EngineConfig | None = None
        if self._engine is None or self._engine.endswith(".cfg"):
            from harness.config import load_engine_config

            if self._options:
                raise UsageError("--option needs an --engine that speaks UCI")
            self._config = load_engine_config(self._engine or "base.cfg")
            if not self._config.source.startswith("builtin"):
                raise UsageError(
                    f"--engine {self._engine}: source = {self._config.source}; expected a config of"
                    " our engine, or the command of a UCI engine"
                )
        self._local = threading.local()
        self._made: list[Solver] = []

    def own(self) -> Solver:
        """This thread's."""
        if not hasattr(self._local, "solver"):
            self._local.solver = self._make()
            self._made.append(self._local.solver)
        solver: Solver = self._local.solver
        return solver

    def _make(self) -> Solver:
        if self._config is not None:
            return BuiltinSolver(self._config, self._limit)
        assert self._engine is not None
        source, _, revision = self._engine.partition("@")
        if source == "builtin" and revision:
            from harness.revisions import command_of_engine, engine_of

            solver = UciSolver(command_of_engine(), self._limit, cwd=engine_of(revision))
        else:
            solver = UciSolver(self._engine, self._limit)
        solver.configure(self._options)
        return solver

    def close(self) -> None:
        for solver in self._made:
            solver.close()


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--option {text!r}: expected NAME=VALUE")
    return name.strip(), value.strip()


def solve_all(problems: Sequence[Problem], solvers: _Solvers, threads: int) -> list[Solution]:
    """Every problem's solution, in their order."""

    def solve(problem: Problem) -> Solution:
        solver = solvers.own()
        started_ns = time.perf_counter_ns()
        answer = solver.solve(problem.position)
        return Solution(
            problem.source,
            problem.name,
            problem.position.fen,
            problem.solution(),
            answer.move,
            problem.is_solved_by(answer.move),
            problem.points.get(answer.move, 0),
            problem.most_points,
            answer.depth,
            answer.nodes,
            time.perf_counter_ns() - started_ns,
        )

    return [solution for _, solution in sorted(in_parallel(solve, problems, threads))]


def failures(solutions: Iterable[Solution]) -> Iterable[str]:
    """A line for each position that was not solved."""
    for one in solutions:
        if not one.solved:
            yield f"{one.name}: played {one.move}, expected {one.expected}  {one.fen}"


def suites_table(solutions: Sequence[Solution]) -> Table:
    """A row for each suite: positions, solved, points."""
    table = Table("suite", box=None)
    for heading in ("positions", "solved", "", "points", "of"):
        table.add_column(heading, justify="right")
    by_suite: dict[str, list[Solution]] = {}
    for one in solutions:
        by_suite.setdefault(one.source.rpartition(":")[0], []).append(one)
    for suite, some in by_suite.items():
        solved = sum(one.solved for one in some)
        points, most = sum(one.points for one in some), sum(one.most_points for one in some)
        row = (len(some), solved, percent(solved / len(some)), points, most)
        table.add_row(suite, *map(str, row))
    return table


def _sentence(solutions: Sequence[Solution], limit: str, elapsed_s: float) -> str:
    solved, total = sum(one.solved for one in solutions), len(solutions)
    most = sum(one.most_points for one in solutions)
    points = f", {sum(one.points for one in solutions)} of {most} points" if most else ""
    return (
        f"{solved} of {total} solved ({percent(solved / total)}){points} at {limit};"
        f" {duration(elapsed_s)}"
    )
