"""`--scale-nodes`: a slower patch pays for being slow, in a test that can still be repeated.

At fixed nodes the speed of an engine has no say. Here NEW gets the nodes that it can search in the
time BASE needs for its own: BASE's nodes times r, NEW's nodes per second over BASE's. BASE keeps
its nodes, so that tests of many patches have one and the same opponent.

r is measured before the first game, written into the run's specification and never measured again.
It is used as measured, also where its interval holds 1: to take 1 unless the difference is
significant would let every small slowdown pass for nothing, and a factor that is as often too high
as too low harms neither side. Where both sides are the same engine r is 1 without measuring.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.errors import EngineStartError, Interrupted, UsageError
from harness.limits import MAX_NODES, Limit
from harness.run_start import WARNING

if TYPE_CHECKING:
    from harness.spec import EngineConfig, MatchSpec, NodeScaling
    from harness.view import View

#: Each has a process of its own, as each worker has: where code and data come to lie in memory
#: changes the speed of either side by a per cent or two for as long as a process lives.
ROUNDS: Final = 20

#: An interval further from the factor than this is told to be wide: some 1.5 Elo at 5,000 nodes,
#: where twice the nodes are worth 100.
WIDE: Final = 0.01

#: ln(speed of NEW / speed of BASE) of one round.
Round = Callable[[], float]


def check_scalable(limit: Limit, sides: Iterable[EngineConfig]) -> None:
    """Refuse a test in which there is nothing to scale. Raises UsageError."""
    if not limit.nodes:
        raise UsageError(
            f"--scale-nodes cannot be given with {limit.describe()}; expected --nodes, since a"
            " depth knows no speed, and at a clock speed counts anyway"
        )
    for side in sides:
        if side.limit is not None:
            raise UsageError(
                f"--scale-nodes: {side.name} has a limit of its own, {side.limit.describe()};"
                " expected no [limit] in either config"
            )
        if side.source == "null":
            raise UsageError(
                f"--scale-nodes: {side.name} is a null player, which searches nothing; expected an"
                " engine"
            )


def scaled(spec: MatchSpec, scaling: NodeScaling) -> MatchSpec:
    """The test in which NEW has so many times the nodes. Raises UsageError for too many or none."""
    nodes = round(spec.limit.nodes * scaling.factor)
    if not 1 <= nodes <= MAX_NODES:
        raise UsageError(
            f"--scale-nodes: {spec.limit.nodes} nodes times {scaling.factor:g} are {nodes};"
            f" expected 1 to {MAX_NODES}"
        )
    new = spec.new
    if nodes != spec.limit.nodes:  # else it is the engine that it was, by its digest too
        new = new.model_copy(update={"limit": Limit(nodes=nodes)})
    return spec.model_copy(update={"new": new, "node_scaling": scaling})


def measured_scaling(spec: MatchSpec, one_round: Round, rounds: int = ROUNDS) -> NodeScaling:
    """The ratio of both sides' speeds by so many rounds, with its 95 % interval."""
    from harness.paired import compare
    from harness.spec import NodeScaling

    if spec.new.digest() == spec.base.digest():
        return NodeScaling(factor=1.0, ci95=(1.0, 1.0))
    found = compare([one_round() for _ in range(rounds)], trifle=0.0)
    factor, low, high = (round(value, 4) for value in found[:3])
    return NodeScaling(factor=factor, ci95=(low, high))


def round_here(spec: MatchSpec, snapshot: Path) -> float:
    """A round on this machine, in a process of its own. Raises EngineStartError."""
    done = subprocess.run(
        [sys.executable, "-m", "harness.speed_round", str(snapshot)],
        input=spec.model_dump_json(),
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,  # Ctrl-C is the parent's to handle
    )
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise EngineStartError(f"the speeds of both sides cannot be measured: {reason}")
    return float(done.stdout)


def describe(spec: MatchSpec) -> str:
    """What was scaled, by how much, and how to have the same test again; spec is a scaled one."""
    scaling = spec.node_scaling
    assert scaling is not None
    new_nodes = (spec.new.limit or spec.limit).nodes
    measured = ""
    if scaling.ci95 is not None:
        low, high = scaling.ci95
        measured = (
            f" (measured, 95 % interval {low:.4f} to {high:.4f};"
            f" the same again: --scale-nodes-by {scaling.factor:g})"
        )
    return (
        f"{spec.new.name} has {scaling.factor:g} times the nodes of {spec.base.name}, {new_nodes}"
        f" against {spec.limit.nodes}{measured}"
    )


def scaled_by_measuring(spec: MatchSpec, run_dir: Path, view: View) -> tuple[MatchSpec, list[str]]:
    """The test with the nodes that NEW gets by its speed, measured now, and what to say of it.

    Raises UsageError, EngineStartError and Interrupted.
    """
    from harness.interrupts import Interrupts
    from harness.playing import warm_engines
    from harness.revisions import copies_of
    from harness.snapshot import create_snapshot, writable_cache

    with Interrupts() as interrupts, writable_cache(run_dir, view.message):
        snapshot = create_snapshot(spec.source_digest)

        def one_round() -> float:
            found = round_here(spec, snapshot)
            interrupts.check()
            return found

        try:
            warm_engines(snapshot, copies_of(spec.engines), view.compiling, interrupts.check)
            view.message(f"the speeds of both sides are measured in {ROUNDS} rounds")
            scaling = measured_scaling(spec, one_round)
        except Interrupted:
            view.message("interrupted before the first game")
            raise
    found = scaled(spec, scaling)
    return found, [describe(found), *_warnings(found)]


def _warnings(spec: MatchSpec) -> Iterator[str]:
    scaling = spec.node_scaling
    if scaling is None or scaling.ci95 is None:
        return
    low, high = scaling.ci95
    unsure = max(high / scaling.factor, scaling.factor / low) - 1.0
    if unsure > WIDE:
        yield (
            f"{WARNING}the ratio of speeds is known within {unsure:.1%} only, which may be worth an"
            " Elo or more; measure it on a quieter machine"
        )
