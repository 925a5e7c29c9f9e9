"""`harness epd SUITE`: how many of a suite's positions an engine solves within a limit."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness import options
from harness.clock import GameClock
from harness.epd import NO_MOVE, Problem, read_problems
from harness.errors import EngineStartError, UsageError
from harness.game import PlayerFault
from harness.given_program import given_options, program_of
from harness.ini import nearest
from harness.parallel import in_parallel
from harness.perft_suite import Position
from harness.players import make_player
from harness.program_config import greeting_of
from harness.record import Termination
from harness.report.numbers import duration, percent
from harness.spec import EngineConfig, Program, Timeouts

if TYPE_CHECKING:
    from harness.limits import Limit

#: How long a program may take that is given by its command: it may compile itself first.
_TIMEOUTS: Final = Timeouts(start_ms=300_000, ready_ms=300_000, think_ms=3_600_000)


class Answer(NamedTuple):
    """What a solver plays and how it sees it; 0 where an engine does not say."""

    move: str
    depth: int = 0
    nodes: int = 0


class Solver:
    """An engine that is asked for one move after the other."""

    def __init__(self, config: EngineConfig, limit: Limit) -> None:
        self._name = config.name
        self._player = make_player(config)
        self._limit = limit
        self._clocks = None if limit.is_deterministic else GameClock(limit, limit).show(0)

    def solve(self, position: Position) -> Answer:
        """Its move, as if in a new game.

        Raises EngineStartError where there is none, MachineFault where the machine is at fault.
        """
        from engine.shell import Game

        try:
            self._player.new_game(*position, seed=0)
            reply = self._player.play(np.zeros(1, np.uint16), 0, self._limit, self._clocks)
        except PlayerFault as fault:
            if fault.termination is Termination.ILLEGAL_MOVE:
                return Answer(NO_MOVE)
            raise EngineStartError(
                f"{self._name}: {fault.termination.value}, {fault.detail}; expected a move"
            ) from None
        game = Game(*position)
        move = game.format_uci(reply.move) if reply.move in game.legal_moves() else NO_MOVE
        return Answer(move, reply.depth, reply.nodes)

    def close(self) -> None:
        """End what was started."""
        self._player.close()


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
    solvers = _Solvers(_asked_engine(values), limit)
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


def _asked_engine(values: Mapping[str, Any]) -> EngineConfig:
    """The engine of --engine, with the options of --option."""
    from harness.config import load_engine_config

    engine: str = values["engine"] or "base.cfg"
    settings = given_options(values["engine_options"])
    if engine.endswith(".cfg"):
        config = load_engine_config(engine)
    else:
        config = EngineConfig(
            name=engine, source="uci", search={}, weights={}, options={}, program=_program(engine)
        )
    if config.program is not None:
        _check_options(config.name, config.program, settings)
    elif settings:
        raise UsageError("--option needs an --engine that speaks UCI")
    return config.model_copy(update={"options": config.options | settings})


def _program(engine: str) -> Program:
    source, _, revision = engine.partition("@")
    if source != "builtin" or not revision:
        return program_of(engine, _TIMEOUTS)
    from harness.revisions import command_of_engine, engine_of

    command, *arguments = command_of_engine()
    folder = str(engine_of(revision))
    return Program(command=command, arguments=tuple(arguments), folder=folder, timeouts=_TIMEOUTS)


def _check_options(name: str, program: Program, settings: Mapping[str, str]) -> None:
    """Refuse what a program has not; that it starts is known then, too."""
    greeting = greeting_of(program)
    for option in settings:
        if option.lower() not in greeting.kinds:
            hint = nearest(option, greeting.spelling)
            raise UsageError(f"--option {option}: {name} has no such option{hint}")


class _Solvers:
    """A solver for each thread, made when it first asks."""

    def __init__(self, config: EngineConfig, limit: Limit) -> None:
        self._config = config
        self._limit = limit
        self._local = threading.local()
        self._made: list[Solver] = []

    def own(self) -> Solver:
        """This thread's."""
        if not hasattr(self._local, "solver"):
            self._local.solver = Solver(self._config, self._limit)
            self._made.append(self._local.solver)
        solver: Solver = self._local.solver
        return solver

    def close(self) -> None:
        for solver in self._made:
            solver.close()


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
