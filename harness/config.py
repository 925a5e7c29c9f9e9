"""Config files (`*.cfg`) turned into validated engine configurations.

Precedence: overrides (the command line) over file over `extends` over the engine's defaults.
A board in an [evaluation] section has rank 8 first, from the view of the side that owns the piece
(white's); other tables are lists, broken into lines as one likes. The values themselves are in
`harness.spec` and `harness.limits`; both are exported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.parameters import SEARCH, search_defaults
from engine.weights import EVALUATION, WEIGHT_LIMIT_CP, Term, weight_defaults
from harness.ini import Entry, find_config, nearest, read_chain
from harness.limits import LIMIT_KINDS, Limit
from harness.program_config import (
    PROGRAM_KEYS,
    TIMEOUT_KEYS,
    Entries,
    check_text,
    introduced_as,
    program_differences,
    read_program,
)
from harness.spec import (
    AdjudicationConfig,
    EngineConfig,
    MatchSpec,
    OpeningSpec,
    SprtSpec,
    Weights,
)

__all__ = [
    "AdjudicationConfig",
    "EngineConfig",
    "Limit",
    "MatchSpec",
    "OpeningSpec",
    "SprtSpec",
    "differences",
    "load_engine_config",
]

MAX_HASH_MB = 65_536
_OWN_SOURCES = ("builtin", "null")
_SECTIONS = ("options", "search", "evaluation", "environment", "timeouts")
_ENGINE_KEYS = ("name", "source", "extends")
_PARAMETERS = {parameter.name: parameter for parameter in SEARCH}


def load_engine_config(path_text: str, overrides: Mapping[str, str] | None = None) -> EngineConfig:
    """The engine that a config file describes; `overrides` maps `section.key` to a value's text.

    A program is started once, to be asked for its name and its options. Raises UsageError: one
    sentence with file, line, section.key, value and expectation; and EngineStartError.
    """
    path = find_config(path_text)
    layers = read_chain(path, ("engine", "extends"))
    layers.append(_override_entries(overrides or {}))
    entries = _merge(layers)
    source = _source(entries)
    known = _known_keys(source)
    for entry in entries.values():
        _check_known(entry, known, source)
    name = next((e for e in layers[-2] if (e.section, e.key) == ("engine", "name")), None)
    config = EngineConfig(
        name=path.stem if name is None else _name(name),
        source=source,
        limit=_limit(entries),
        path=str(path),
        **(_own(entries) if source in _OWN_SOURCES else _foreign(entries, source)),
    )
    if config.program is None:
        return config
    called = introduced_as(config.program, entries)
    return config if name is not None else config.model_copy(update={"name": called or config.name})


def _own(entries: Entries) -> dict[str, Any]:
    """What our engine is made of."""
    return {
        "search": _search(entries),
        "weights": _weights(entries),
        "options": _options(entries),
    }


def _foreign(entries: Entries, source: str) -> dict[str, Any]:
    """What another engine is made of."""
    return {
        "search": {},
        "weights": {},
        "options": {key: e.text for (section, key), e in entries.items() if section == "options"},
        "program": read_program(entries),
    }


def _override_entries(overrides: Mapping[str, str]) -> list[Entry]:
    entries = []
    for dotted, text in overrides.items():
        section, _, key = dotted.partition(".")
        entries.append(Entry(section, key, text, Path(), 0))
    return entries


def _merge(layers: Iterable[list[Entry]]) -> Entries:
    """The last word on each key; a [limit] replaces the whole [limit] of the layers below it."""
    merged: Entries = {}
    for layer in layers:
        if any(entry.section == "limit" for entry in layer):
            merged = {key: entry for key, entry in merged.items() if key[0] != "limit"}
        for entry in layer:
            if (entry.section, entry.key) == ("evaluation", "weights"):
                for weight in _weights_file(entry):
                    merged[weight.section, weight.key] = weight
        for entry in layer:
            merged[entry.section, entry.key] = entry
    return merged


def _weights_file(link: Entry) -> list[Entry]:
    """The entries of the file that `weights = path` names: an [evaluation] section and no other."""
    path = link.path.parent / link.text
    if not path.is_file():
        raise link.refusal(f"no such file; looked for {path}")
    entries = [entry for layer in read_chain(path, ("evaluation", "weights")) for entry in layer]
    for entry in entries:
        if entry.section != "evaluation":
            raise entry.refusal("expected only an [evaluation] section in a file of weights")
    return entries


def _source(entries: Entries) -> str:
    entry = entries.get(("engine", "source"))
    if entry is None or entry.text in (*_OWN_SOURCES, "uci"):
        return "builtin" if entry is None else entry.text
    if entry.text == "git" or entry.text.startswith("builtin@"):
        raise entry.refusal("this version cannot play it yet; expected builtin or uci")
    raise entry.refusal("unknown source; expected builtin or uci")


def _known_keys(source: str) -> dict[str, Iterable[str] | None]:
    """The keys of each section that an engine of this source has; None: any."""
    limit = (*LIMIT_KINDS, "tc")
    if source not in _OWN_SOURCES:
        return {
            "engine": (*_ENGINE_KEYS, *PROGRAM_KEYS),
            "options": None,
            "environment": None,
            "timeouts": TIMEOUT_KEYS,
            "limit": limit,
        }
    return {
        "engine": _ENGINE_KEYS,
        "options": ("Hash",),
        "search": _PARAMETERS,
        "evaluation": [key for term in EVALUATION for key in _term_keys(term)] + ["weights"],
        "limit": limit,
    }


def _check_known(entry: Entry, known: Mapping[str, Iterable[str] | None], source: str) -> None:
    if entry.section not in known:
        others = entry.section in _SECTIONS
        whose = f"an engine of source {source} has " if others else ""
        raise entry.refusal(f"{whose}no such section{nearest(entry.section, known)}")
    keys = known[entry.section]
    if keys is None:
        check_text(entry)
    elif entry.key not in keys:
        raise entry.refusal(f"no such key{nearest(entry.key, keys)}")


def _name(entry: Entry) -> str:
    if not entry.text.isprintable() or not 1 <= len(entry.text) <= 64:
        raise entry.refusal("expected a name of 1 to 64 printable characters")
    return entry.text


def _search(entries: Entries) -> dict[str, int]:
    values = search_defaults()
    for (section, key), entry in entries.items():
        if section == "search":
            try:
                values[key] = _PARAMETERS[key].parse(entry.text)
            except ValueError as error:
                raise entry.refusal(str(error)) from None
    return values


def _options(entries: Entries) -> dict[str, str]:
    entry = entries.get(("options", "Hash"))
    if entry is None:
        return {"Hash": "16"}
    if not re.fullmatch("[0-9]+", entry.text) or not 1 <= int(entry.text) <= MAX_HASH_MB:
        raise entry.refusal(
            f"expected an integer from 1 to {MAX_HASH_MB} (MB of the transposition table)"
        )
    return {"Hash": str(int(entry.text))}


def _limit(entries: Entries) -> Limit | None:
    given = [entry for (section, _), entry in entries.items() if section == "limit"]
    if not given:
        return None
    if len(given) > 1:
        raise given[1].refusal(f"expected one kind of limit, but {given[0].key} is given too")
    try:
        return Limit.parse(given[0].key, given[0].text)
    except ValueError as error:
        raise given[0].refusal(str(error)) from None


def _term_keys(term: Term) -> tuple[str, ...]:
    return (term.name,) if term.is_scalar else (f"{term.name}_mg", f"{term.name}_eg")


def _weights(entries: Entries) -> Weights:
    weights: Weights = weight_defaults()
    for term in EVALUATION:
        given = [entries.get(("evaluation", key)) for key in _term_keys(term)]
        if not term.is_scalar:
            middlegame, endgame = weights[term.name]
            middlegame = middlegame if given[0] is None else _table(term, given[0])
            endgame = endgame if given[1] is None else _table(term, given[1])
            weights[term.name] = (middlegame, endgame)
        elif given[0] is not None:
            numbers = _integers(given[0], given[0].text)
            if len(numbers) != 2:
                raise given[0].refusal("expected two integers, middlegame and endgame")
            weights[term.name] = ((numbers[0],), (numbers[1],))
    return weights


def _table(term: Term, entry: Entry) -> tuple[int, ...]:
    rows = [_integers(entry, row) for row in entry.text.split("\n") if row.strip()]
    numbers = tuple(number for row in rows for number in row)
    if term.is_board and [len(row) for row in rows] != [8] * 8:
        raise entry.refusal("expected a board of 8 rows of 8 integers, rank 8 first")
    if len(numbers) != len(term.middlegame):
        raise entry.refusal(f"expected {len(term.middlegame)} integers")
    return numbers


def _integers(entry: Entry, text: str) -> list[int]:
    numbers: list[int] = []
    for word in text.split():
        try:
            number = int(word)
        except ValueError:
            raise entry.refusal(f"{word!r} is no integer; expected centipawns") from None
        if abs(number) > WEIGHT_LIMIT_CP:
            raise entry.refusal(
                f"{number} is out of range; expected at most {WEIGHT_LIMIT_CP} either way"
            )
        numbers.append(number)
    return numbers


def differences(new: EngineConfig, base: EngineConfig) -> list[str]:
    """What sets two engines apart, one line each: `search.null_move: 1 against 0`."""
    lines = []
    if new.source != base.source:
        lines.append(f"engine.source: {new.source} against {base.source}")
    if new.program is None and base.program is None:
        lines += _own_differences(new, base)
    else:
        lines += program_differences(new.program, base.program)
    lines += [
        f"options.{name}: {new.options.get(name, '–')} against {base.options.get(name, '–')}"
        for name in sorted(new.options.keys() | base.options.keys())
        if new.options.get(name) != base.options.get(name)
    ]
    for name, engine in ((new.name, new), (base.name, base)):
        if engine.limit is not None and new.limit != base.limit:
            lines.append(f"limit of {name}: {engine.limit.describe()}")
    return lines


def _own_differences(new: EngineConfig, base: EngineConfig) -> list[str]:
    """What sets two of our engines apart."""
    lines = [
        f"search.{name}: {_PARAMETERS[name].format(value)} against"
        f" {_PARAMETERS[name].format(base.search[name])}"
        for name, value in new.search.items()
        if value != base.search[name]
    ]
    for name, value in new.weights.items():
        other = base.weights[name]
        if value != other and len(value[0]) > 1:
            lines.append(f"evaluation.{name}: another table")
        elif value != other:
            (mg,), (eg,) = value
            (other_mg,), (other_eg,) = other
            lines.append(f"evaluation.{name}: {mg} {eg} against {other_mg} {other_eg}")
    return lines
