"""Samplers compared on simulated landscapes: `python -m harness.search_tuning.simulate --help`.

Each study is the real one (`course`), with drawn results in place of games. A row is a sampler on a
kind of landscape: the mean true Elo of its answer, what it claimed less the truth (root mean
square), how often its 95 % interval covered the truth, and the processor seconds that it takes.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Final, NamedTuple

import numpy as np
import optuna

from harness.elo import Z95
from harness.search_tuning.answers import Proposer
from harness.search_tuning.course import Course
from harness.search_tuning.landscape import NAMES, Landscape, make, opening_gifts, pair_classes
from harness.search_tuning.ledger import Ledger
from harness.search_tuning.rules import RACE_ENTRANTS, SAMPLERS, Rules, SamplerName, rules_of

_OPENINGS: Final = 0x6F70656E  # "open"


class Outcome(NamedTuple):
    """One simulated study: its answer's true Elo, and what was claimed."""

    true_elo: float
    claimed_elo: float
    error_elo: float
    seconds: float

    @property
    def covers(self) -> bool:
        return abs(self.claimed_elo - self.true_elo) <= Z95 * self.error_elo


def simulate(landscape: Landscape, rules: Rules, seed: int) -> Outcome:
    """A whole study on a landscape."""
    started_s = time.process_time()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space = landscape.space
    study = optuna.create_study(direction="maximize")
    ledger = Ledger(study, space)
    proposer = Proposer(rules, space, seed, landscape.base)
    course = Course(rules, proposer, ledger)
    drawn: dict[int, np.ndarray] = {}
    while not course.finished:
        pair = course.next_pair()
        assert pair is not None
        if pair.ordinal not in drawn:
            drawn = {k: v for k, v in drawn.items() if k in course.open_ordinals}
            drawn[pair.ordinal] = _results(landscape, course, pair.ordinal, rules, seed)
        course.take(pair.ordinal, pair.place, int(drawn[pair.ordinal][pair.place]))
    found = proposer.conclude(ledger.told)
    assert found is not None
    true_elo = landscape.elo(space.units(found.values))
    return Outcome(true_elo, found.elo, found.error_elo, time.process_time() - started_s)


def _results(
    landscape: Landscape, course: Course, ordinal: int, rules: Rules, seed: int
) -> np.ndarray:
    order = course.order(ordinal)
    space = landscape.space
    pairs = max(rules.trial_pairs, RACE_ENTRANTS * rules.race_pairs)
    elo = landscape.elo(space.units(order.played))
    if order.opponent is not None:
        elos = np.full(pairs, elo - landscape.elo(space.units(order.opponent)))
    else:
        fresh, first = order.opening_set == "fresh", order.first_opening
        openings = np.random.default_rng([seed, fresh, _OPENINGS])
        elos = elo + opening_gifts(first + pairs, openings)[first:]
    return pair_classes(elos, np.random.default_rng([seed, ordinal]))


class Row(NamedTuple):
    """The studies of a sampler on a kind of landscape."""

    sampler: str
    landscape: str
    outcomes: tuple[Outcome, ...]

    @property
    def text(self) -> str:
        true = np.array([one.true_elo for one in self.outcomes])
        off = np.array([one.claimed_elo - one.true_elo for one in self.outcomes])
        covered = np.mean([one.covers for one in self.outcomes])
        seconds = np.mean([one.seconds for one in self.outcomes])
        return (
            f"{self.sampler:<8} {self.landscape:<11} {true.mean():+6.1f}"
            f" {true.std(ddof=1) / math.sqrt(len(true)):5.1f} {off.mean():+6.1f}"
            f" {math.sqrt(np.mean(off**2)):5.1f} {100 * covered:5.0f} {seconds:7.1f}"
        )


def _job(job: tuple[SamplerName, str, int, int, int]) -> Outcome:
    sampler, name, seed, games, dimensions = job
    return simulate(make(name, seed, dimensions), rules_of(sampler, games), seed)


def rows(
    samplers: Sequence[SamplerName],
    landscapes: Sequence[str],
    seeds: int,
    games: int,
    dimensions: int,
    processes: int,
) -> Iterator[Row]:
    """Every sampler on every kind of landscape, the same seeds for all."""
    with ProcessPoolExecutor(processes) as pool:
        for name in landscapes:
            for sampler in samplers:
                jobs = [(sampler, name, seed, games, dimensions) for seed in range(1, seeds + 1)]
                yield Row(sampler, name, tuple(pool.map(_job, jobs)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m harness.search_tuning.simulate")
    parser.add_argument("--samplers", nargs="+", choices=SAMPLERS, default=SAMPLERS)
    parser.add_argument("--landscapes", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--dimensions", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    values = vars(parser.parse_args(arguments))
    sys.stdout.write("sampler  landscape    true   +-   bias   rms cover seconds\n")
    for row in rows(**values):
        sys.stdout.write(row.text + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
