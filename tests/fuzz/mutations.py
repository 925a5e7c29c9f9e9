"""Small random damage to texts: what typing errors, other programs and line noise do."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

#: Numbers at the edges of types, digits that are none, white space, quotes, nothing.
ODD_WORDS = (
    *("0", "-1", "1", "255", "65536", "2147483648", "9223372036854775808", "-" + "9" * 40),
    *("1e9", "0x10", "nan", "true", "none", "", "\t", "\x00", '"'),
    *("\u0663", "\u00b2", "\ufeff", "\u00e9", "\U0001f40e"),
)
ODD_LETTERS = "KQRBNPkqrbnp12345678/ -wbxea\u00e9\t\x00\u212a"
_LONG_WORD = 100  # is not stretched again


def _replace_word(rng: random.Random, words: list[str]) -> list[str]:
    words[rng.randrange(len(words))] = rng.choice(ODD_WORDS)
    return words


def _drop_word(rng: random.Random, words: list[str]) -> list[str]:
    del words[rng.randrange(len(words))]
    return words


def _repeat_word(rng: random.Random, words: list[str]) -> list[str]:
    words.insert(rng.randrange(len(words) + 1), rng.choice(words))
    return words


def _swap_words(rng: random.Random, words: list[str]) -> list[str]:
    one, other = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return words


def _damage_letter(rng: random.Random, words: list[str]) -> list[str]:
    index = rng.randrange(len(words))
    word, place = words[index], rng.randrange(len(words[index]) + 1)
    kept = word[place + rng.randrange(2) :]
    words[index] = word[:place] + rng.choice(("", rng.choice(ODD_LETTERS))) + kept
    return words


def _stretch_word(rng: random.Random, words: list[str]) -> list[str]:
    index = rng.randrange(len(words))
    if len(words[index]) <= _LONG_WORD:
        words[index] *= rng.choice((2, 10, 1_000))
    return words


_DAMAGES: Sequence[Callable[[random.Random, list[str]], list[str]]] = (
    _replace_word,
    _drop_word,
    _repeat_word,
    _swap_words,
    _damage_letter,
    _damage_letter,
    _damage_letter,
    _stretch_word,
)


def damaged(rng: random.Random, text: str) -> str:
    """`text` after up to four damages, most often one or none."""
    words = text.split(" ")
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        if words:
            words = rng.choice(_DAMAGES)(rng, words)
    return " ".join(words)
