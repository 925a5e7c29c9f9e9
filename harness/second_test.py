"""`harness sprt --then "OPTIONS"`: a second test, played when the first accepts H1."""

from __future__ import annotations

import shlex
from typing import Final

import click

from harness import options
from harness.errors import UsageError

_SCALING: Final = frozenset({"scale_nodes", "scale_nodes_by"})

#: Options of which a second test has those of the first, unless it names one of them itself.
_GROUPS: Final = (
    frozenset(options.LIMITS),
    frozenset({*options.PRESETS, "elo0", "elo1"}),
    frozenset({"no_adjudicate", *options.RULES}),
    _SCALING,
)

#: What a second test may have otherwise than the first.
_FREE: Final = frozenset(
    {*options.LIMITS, *_SCALING, *options.HYPOTHESES, "openings", "order", "start", "plies", "seed"}
    | {"max_games", "no_adjudicate", *options.RULES}
)


def second_context(context: click.Context) -> click.Context | None:
    """The command of the second test: that of the first, but for the options in --then.

    None without --then. Raises UsageError for a text that is no list of options for that.
    """
    text = context.params["then"]
    if text is None:
        return None
    try:
        words = shlex.split(text)
        second = context.command.make_context("sprt", words)
    except (ValueError, click.ClickException) as error:
        told = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise UsageError(f"--then {text!r}: {told}") from None
    given = options.given_names(second)
    refused = sorted(given - _FREE)
    if refused or not given:
        found = options.option_name(refused[0]) if refused else "nothing"
        raise UsageError(
            f"--then {text!r}: {found} cannot be given there; expected options of the second test:"
            f" {', '.join(map(options.option_name, sorted(_FREE)))}"
        )
    own = given.union(*(group for group in _GROUPS if group & given))
    if given & {*options.LIMITS} - {"nodes"}:
        own |= _SCALING  # there are no nodes to scale
    second.params |= {name: value for name, value in context.params.items() if name not in own}
    return second
