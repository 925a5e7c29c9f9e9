"""Writes configs/base.cfg: every key of a config file with its default, meaning and range.

    python -m harness.base_config > configs/base.cfg

To be run again whenever `engine/parameters.py` or `engine/weights.py` changes; a test compares the
file with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from engine.parameters import SEARCH
from engine.weights import EVALUATION, WEIGHT_LIMIT_CP, Term
from harness.config import MAX_HASH_MB

_HEAD = """\
# Every parameter of the engine, with its meaning, its range and its default value.
# Leave this file as it is: extend it, as new.cfg does, and write there only what you change.
#
# Comments stand on lines of their own. An indented line continues the value above it.

[engine]
# shown in results and in PGN
name = base
# which engine: builtin (the one in this folder's engine/) or builtin@REV (of a git revision)
source = builtin
# another config whose values hold where this one is silent, relative to this file
# extends = other.cfg

[options]
# transposition table of each player in MB, 1 to {hash_mb}
Hash = 16
"""

_LIMIT = """\
[limit]
# A handicap: overrides the match's limit for this engine. One of:
# nodes of each move
# nodes = 5000
# depth of each move, in plies
# depth = 8
# time of each move, in milliseconds
# movetime = 100
# a clock: [moves/][minutes:]seconds[+increment]
# tc = 10+0.1
"""


def base_config() -> Iterator[str]:
    """The lines of the file."""
    yield _HEAD.format(hash_mb=MAX_HASH_MB)
    yield "[search]"
    for number, parameter in enumerate(SEARCH):
        if number:
            yield ""
        yield f"# {parameter.meaning}; {parameter.expectation}"
        yield f"{parameter.name} = {parameter.format(parameter.default)}"
    yield ""
    yield "[evaluation]"
    yield f"# In centipawns, whole numbers up to {WEIGHT_LIMIT_CP} either way."
    yield "# A term has two weights, for the middlegame and for the endgame. A table is two lists"
    yield "# (_mg and _eg), or two boards as one sees them: rank 8 first, from the owner's side."
    yield "# Weights can stand in a file of their own, which holds nothing but an [evaluation]:"
    yield "# weights = weights.cfg"
    for term in EVALUATION:
        yield from term_lines(term, term.middlegame, term.endgame)
    yield ""
    yield _LIMIT.rstrip()


def term_lines(term: Term, middlegame: Sequence[int], endgame: Sequence[int]) -> Iterator[str]:
    """An empty line, the meaning, and weights of a term as they stand in a config."""
    yield ""
    yield f"# {term.meaning}"
    if term.is_scalar:
        yield f"{term.name} = {middlegame[0]} {endgame[0]}"
    else:
        yield from _table(f"{term.name}_mg", middlegame)
        yield from _table(f"{term.name}_eg", endgame)


def _table(key: str, weights: Sequence[int]) -> Iterator[str]:
    yield f"{key} ="
    for first in range(0, len(weights), 8):
        yield "   " + "".join(f"{weight:>6}" for weight in weights[first : first + 8])


if __name__ == "__main__":
    click.echo("\n".join(base_config()))
