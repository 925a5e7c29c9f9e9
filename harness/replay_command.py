"""`harness replay`: from the command line to pairs that are played again."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from harness import options
from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.journal import Journal

#: More pairs in one range are a slip of the keyboard.
MAX_PAIRS = 100_000


def run_replay(context: click.Context) -> bool:
    """Whether all games are as recorded."""
    values = context.params
    run = values["run"]
    pairs = sorted({number for text in values["pairs"] for number in parse_pairs(text)})
    if not pairs and values["trial"] is None:
        raise click.UsageError("Missing argument 'PAIR...'.")
    options.check_run(run)
    options.check_output_file(values["json_path"])

    from harness.commands import warn
    from harness.journal import Journal
    from harness.playing import hire_here
    from harness.replay import is_exact, replay
    from harness.view import make_view

    view = make_view(
        quiet=values["quiet"], to_stderr=values["json_path"] == options.STANDARD_OUTPUT
    )
    with Journal.reading(run, lambda sentence: None) as journal:  # told by `replay`
        exact = is_exact(journal.spec())
        if values["trial"] is not None:
            pairs = pairs_of_trial(journal, values["trial"], pairs)
    if not exact:
        view.message(
            "warning: a clock or a program has a say in these games; they need not be equal"
        )
    concurrency = values["concurrency"] or len(os.sched_getaffinity(0))
    differences = replay(run, pairs, concurrency, hire_here, view.compiling, tell=warn)
    for difference in differences:
        view.message(str(difference))
    sentence = f"{len(pairs)} pairs played again: {_outcome(len(differences))}"
    click.echo(sentence, err=values["json_path"] == options.STANDARD_OUTPUT)
    options.write_result(
        values["json_path"],
        {
            "sentence": sentence,
            "run_dir": str(run),
            "exact": exact,
            "pairs": pairs,
            "differences": [asdict(one) for one in differences],
        },
    )
    return not differences


def pairs_of_trial(journal: Journal, trial: int, places: Sequence[int]) -> list[int]:
    """The run's numbers of these pairs of a study's trial; of all that have a game if none is said.

    Raises UsageError where the run is no study, or has no game of that trial.
    """
    from harness.search_tuning.study_spec import StudySpec, pair_number, trial_pair

    journal.spec_of(StudySpec)
    if places:
        return [pair_number(trial, place) for place in places]
    played = {record.pair for record in journal.games()}
    pairs = sorted(pair for pair in played if trial_pair(pair)[0] == trial)
    if not pairs:
        raise UsageError(
            f"--trial {trial}: {journal.path} has no game of it; expected one that was played"
        )
    return pairs


def _outcome(games: int) -> str:
    return f"{games} games differ" if games else "every game equal, move for move"


def parse_pairs(text: str) -> Iterable[int]:
    """The pair numbers that `7` or `0-49` stands for. Raises UsageError."""
    found = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if found is None:
        raise UsageError(f"PAIR = {text}: expected a pair's number, such as 7, or a range, 0-49")
    first, last = int(found[1]), int(found[2] or found[1])
    if not first <= last < first + MAX_PAIRS:
        raise UsageError(f"PAIR = {text}: expected a range of 1 to {MAX_PAIRS} pairs, lower first")
    return range(first, last + 1)
