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

from engine.weights import WEIGHT_LIMIT_CP, Term
from harness.cores import default_threads
from harness.engines import Schema, schema_of
from harness.errors import UsageError
from harness.ini import Entry, find_config, nearest, read_chain
from harness.limits import LIMIT_KINDS, Limit
from harness.program_config import (
    PROGRAM_KEYS,
    TIMEOUT_KEYS,
    Entries,
    check_text,
    introduction,
    program_differences,
    read_program,
)
from harness.revisions import PREFIX, find_engine
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
MAX_NAME_LENGTH = 64
_OWN_SOURCES = ("builtin", "null")
_FOREIGN_SOURCES = ("uci", "git")
_EXPECTED_SOURCE = "expected builtin, builtin@REV with a git revision, uci or git"
_SECTIONS = ("options", "search", "evaluation", "environment", "timeouts")
_ENGINE_KEYS = ("name", "source", "extends", "rating")


def load_engine_config(path_text: str, overrides: Mapping[str, str] | None = None) -> EngineConfig:
    """The engine that a config file describes; `overrides` maps `section.key` to a value's text.

    A program is started once, to be asked for its name and its options. Raises UsageError: one
    sentence with file, line, section.key, value and expectation; and EngineStartError.
    """
    path = find_config(path_text)
    layers = read_chain(path, ("engine", "extends"))
    layers.append(_override_entries(overrides or {}))
    entries = _merge(layers)
    source, source_digest = _source(entries)
    schema = None if source in _FOREIGN_SOURCES else schema_of(source_digest)
    known = _known_keys(schema)
    for entry in entries.values():
        _check_known(entry, known, source)
    # What `extends` leads to is another engine, with another name and another rating.
    own = {e.key: e for e in layers[-2] if e.section == "engine"}
    name, rating = own.get("name"), own.get("rating")
    config = EngineConfig(
        name=path.stem if name is None else _name(name),
        source=source,
        source_digest=source_digest,
        limit=_limit(entries),
        path=str(path),
        rating_elo=None if rating is None else _rating(rating),
        **(_foreign(entries) if schema is None else _own(entries, schema)),
    )
    if config.program is None:
        return config
    greeting = introduction(config.program, entries)
    said = {"default_threads": default_threads(greeting)}
    if name is not None:
        return config.model_copy(update=said)
    introduced = greeting.name[:MAX_NAME_LENGTH].rstrip()
    called = introduced if introduced.isprintable() and introduced else config.name
    if config.program.commit:
        called = f"{called} {config.program.commit[:8]}"  # its other revisions say the same name
    return config.model_copy(update={**said, "name": called})


def _own(entries: Entries, schema: Schema) -> dict[str, Any]:
    """What our engine is made of."""
    return {
        "search": _search(entries, schema),
        "weights": _weights(entries, schema),
        "options": _options(entries),
    }


def _foreign(entries: Entries) -> dict[str, Any]:
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


def _source(entries: Entries) -> tuple[str, str]:
    """The source and, of another revision's engine, its digest; a revision becomes its commit."""
    entry = entries.get(("engine", "source"))
    if entry is None or entry.text in (*_OWN_SOURCES, *_FOREIGN_SOURCES):
        return "builtin" if entry is None else entry.text, ""
    if entry.text.startswith(PREFIX):
        try:
            return source_of(entry.text.removeprefix(PREFIX))
        except UsageError as error:
            raise entry.refusal(str(error)) from None
    raise entry.refusal(f"unknown source; {_EXPECTED_SOURCE}")


def source_of(revision: str) -> tuple[str, str]:
    """Source and source digest of the engine of a revision. Raises UsageError.

    A revision with the working tree's engine is that engine: one copy is played.
    """
    commit, digest = find_engine(revision)
    return (f"{PREFIX}{commit}", digest) if digest else ("builtin", "")


def revision_config(revision: str) -> EngineConfig:
    """The engine of a revision as it is by itself: every number at its own default.

    Raises UsageError where git knows no such revision or it has no engine.
    """
    source, digest = source_of(revision)
    return EngineConfig(
        name=revision[:MAX_NAME_LENGTH],
        source=source,
        source_digest=digest,
        **_own({}, schema_of(digest)),
    )


def _known_keys(schema: Schema | None) -> dict[str, Iterable[str] | None]:
    """The keys of each section that our engine of this schema has, or another one; None: any."""
    limit = (*LIMIT_KINDS, "tc")
    if schema is None:
        return {
            "engine": (*_ENGINE_KEYS, *PROGRAM_KEYS),
            "options": None,
            "environment": None,
            "timeouts": TIMEOUT_KEYS,
            "limit": limit,
        }
    terms = (key for term in schema.terms.values() for key in _term_keys(term))
    return {
        "engine": _ENGINE_KEYS,
        "options": ("Hash",),
        "search": schema.parameters,
        "evaluation": [*terms, "weights"],
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
        whose = f" in the engine of {source[:16]}" if source.startswith(PREFIX) else ""
        raise entry.refusal(f"no such key{whose}{nearest(entry.key, keys)}")


def _name(entry: Entry) -> str:
    if not entry.text.isprintable() or not 1 <= len(entry.text) <= MAX_NAME_LENGTH:
        raise entry.refusal(f"expected a name of 1 to {MAX_NAME_LENGTH} printable characters")
    return entry.text


def _rating(entry: Entry) -> float:
    try:
        return parse_elo(entry.text)
    except ValueError as error:
        raise entry.refusal(str(error)) from None


def parse_elo(text: str) -> float:
    """A rating in Elo. Raises ValueError with the expectation."""
    if not re.fullmatch(r"[+-]?[0-9]{1,5}(\.[0-9]+)?", text.strip()):
        raise ValueError("expected a rating in Elo such as 2500")
    return float(text)


def _search(entries: Entries, schema: Schema) -> dict[str, int]:
    values = {name: parameter.default for name, parameter in schema.parameters.items()}
    for (section, key), entry in entries.items():
        if section == "search":
            try:
                values[key] = schema.parameters[key].parse(entry.text)
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


def _weights(entries: Entries, schema: Schema) -> Weights:
    weights: Weights = {
        name: (term.middlegame, term.endgame) for name, term in schema.terms.items()
    }
    for term in schema.terms.values():
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
    """What sets two engines apart, one line each: `search.null_move: 1 against 0`.

    What only one of them knows, being another revision's, reads as a dash for the other.
    """
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
        f"search.{name}: {_shown(new, name)} against {_shown(base, name)}"
        for name in {**new.search, **base.search}
        if new.search.get(name) != base.search.get(name)
    ]
    for name in {**new.weights, **base.weights}:
        value, other = new.weights.get(name), base.weights.get(name)
        if value != other:
            lines.append(f"evaluation.{name}: {_weight_difference(value, other)}")
    return lines


def _shown(engine: EngineConfig, name: str) -> str:
    """A search parameter's value as a config says it; the plain number where this tree has none."""
    if name not in engine.search:
        return "–"
    parameter = schema_of("").parameters.get(name)
    value = engine.search[name]
    return str(value) if parameter is None else parameter.format(value)


_Tables = tuple[tuple[int, ...], tuple[int, ...]]


def _weight_difference(value: _Tables | None, other: _Tables | None) -> str:
    if any(one is not None and len(one[0]) > 1 for one in (value, other)):
        return "another table" if value and other else "only one of them has it"
    told = ("–" if one is None else f"{one[0][0]} {one[1][0]}" for one in (value, other))
    return " against ".join(told)
