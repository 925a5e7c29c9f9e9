"""Runs of fastchess as ours: a command line, or the config.json that it saves, to .cfg files and a
command of `harness`.

Pure: text in, texts out. What has no equal here is told in a note, never dropped in silence; what
concerns only what fastchess prints or saves is passed over. The keys are those of fastchess's
manual and of its saved files (version 1.x).
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from harness.limits import Limit

#: Options that have nothing to say of the games, or say what is always so here.
_PASSED_OVER: Final = frozenset(
    {"recover", "repeat", "event", "site", "ratinginterval", "scoreinterval", "autosaveinterval"}
    | {"report", "output", "log", "crc32", "show-latency", "version", "randomseed", "strict"}
    | {"wait"}
)
_SCORE: Final = ("score", "score", "0")
_ENGINE_KEYS: Final = frozenset(
    {"cmd", "name", "args", "dir", "tc", "st", "nodes", "depth", "plies", "proto", "restart"}
    | {"timemargin"}
)
#: The numbers of the rules that end games, in the order of ours: fastchess's word for each on the
#: command line and in a saved file, and what it is where it is not said.
_RULES: Final = {
    "draw": (("movenumber", "move_number", "0"), ("movecount", "move_count", "1"), _SCORE),
    "resign": (("movecount", "move_count", "1"), _SCORE),
}
_MODELS: Final = ("normalized", "logistic")


@dataclass(frozen=True, slots=True)
class ForeignEngine:
    """An engine as fastchess describes it: its keys, and its UCI options by name."""

    keys: dict[str, str]
    options: dict[str, str]


@dataclass(frozen=True, slots=True)
class ForeignRun:
    """A run as fastchess describes it: engines, and the words of each option by its name."""

    engines: tuple[ForeignEngine, ...]
    options: dict[str, dict[str, str]]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Imported:
    """The same as ours: files by name, the words of the command, and what has no equal."""

    files: dict[str, str]
    command: tuple[str, ...]
    notes: tuple[str, ...]


def import_run(text: str, folder: str) -> Imported:
    """What a command line or a saved configuration is here; `folder` is where it was meant.

    Raises ValueError with the expectation.
    """
    run = _read_saved(text) if text.lstrip().startswith("{") else _read_command(text)
    if len(run.engines) < 2:
        raise ValueError(
            f"{len(run.engines)} engines in it; expected two or more (-engine cmd=...)"
        )
    notes = list(run.notes)
    limits = [_limit(engine, notes) for engine in run.engines]
    shared = limits[0] if all(limit == limits[0] for limit in limits) else None
    files: dict[str, str] = {}
    for number, (engine, limit) in enumerate(zip(run.engines, limits, strict=True), 1):
        name = engine.keys.get("name") or engine.keys["cmd"].rpartition("/")[2]
        file = f"{re.sub('[^A-Za-z0-9._-]+', '_', name)}.cfg"
        file = file if file not in files else f"{number}-{file}"
        files[file] = _config(engine, name, limit if shared is None else None, folder)
    command = (*_subcommand(run, tuple(files)), *_limit_words(shared or limits[0]))
    settings = [*_margin_words(run.engines, notes), *_settings(run, folder, notes)]
    return Imported(files, (*command, *settings), tuple(notes))


def _read_command(text: str) -> ForeignRun:
    """The words of a command line; what comes before the first option is the program."""
    groups: list[tuple[str, list[str]]] = []
    for word in shlex.split(text.replace("\\\n", " ")):
        if re.fullmatch("-[a-z][a-z0-9-]*", word):
            groups.append((word[1:], []))
        elif groups:
            groups[-1][1].append(word)
    engines = [_pairs(words) for name, words in groups if name == "engine"]
    for pairs in engines:
        for name, words in groups:
            if name == "each":
                pairs.update(
                    {key: value for key, value in _pairs(words).items() if key not in pairs}
                )
    options = {name: _pairs(words) for name, words in groups if name not in {"engine", "each"}}
    return ForeignRun(tuple(map(_engine, engines)), options)


def _pairs(words: Sequence[str]) -> dict[str, str]:
    """`key=value` words; a word without `=` is the value of the key ""."""
    parts = (word.partition("=") for word in words)
    return {key if equals else "": value if equals else key for key, equals, value in parts}


def _engine(pairs: Mapping[str, str]) -> ForeignEngine:
    options = {
        key.removeprefix("option."): value for key, value in pairs.items() if key[:7] == "option."
    }
    keys = {key: value for key, value in pairs.items() if key[:7] != "option."}
    if not keys.get("cmd"):
        raise ValueError("an engine without a command; expected -engine cmd=...")
    return ForeignEngine(keys, options)


def _read_saved(text: str) -> ForeignRun:
    """The keys of config.json as the words that stand for them."""
    saved = json.loads(text)
    try:
        engines = tuple(map(_saved_engine, saved["engines"]))
        options: dict[str, dict[str, str]] = {
            name: {"": str(saved[name])} for name in ("rounds", "games", "concurrency")
        }
        options["srand"] = {"": str(saved["seed"])}
        if saved.get("variant"):
            options["variant"] = {"": "fischerandom"}
        if saved.get("type"):
            options["tournament"] = {"": "gauntlet"}
        for name in ("use-affinity", "force-concurrency", "noswap"):
            if saved.get(name.removeprefix("use-").replace("-", "_")):
                options[name] = {}
        options |= _saved_groups(saved)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{error} is missing; expected a config.json of fastchess") from None
    return ForeignRun(engines, options)


def _saved_groups(saved: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    groups = {}
    for name in ("sprt", "draw", "resign", "maxmoves", "tb_adjudication"):
        if saved.get(name, {}).get("enabled"):
            groups[name] = {key: _word(value) for key, value in saved[name].items()}
    opening = saved["opening"]
    if opening["file"]:
        groups["openings"] = {
            "file": opening["file"],
            "order": ("random", "sequential")[opening["order"]],
            "plies": str(opening["plies"]),
            "start": str(opening["start"]),
        }
    for name, option in (("pgn", "pgnout"), ("epd", "epdout")):
        if saved.get(name, {}).get("file"):
            groups[option] = {key: _word(value) for key, value in saved[name].items()}
    return groups


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _saved_engine(saved: Mapping[str, Any]) -> ForeignEngine:
    keys = {key: saved.get(key, "") for key in ("cmd", "name", "args", "dir")}
    limit, clock = saved["limit"], saved["limit"]["tc"]
    if clock["time"]:
        moves = f"{clock['moves']}/" if clock["moves"] else ""
        increment = f"+{clock['increment'] / 1000:g}" if clock["increment"] else ""
        keys["tc"] = f"{moves}{clock['time'] / 1000:.10g}{increment}"
    if clock["fixed_time"]:
        keys["st"] = f"{clock['fixed_time'] / 1000:g}"
    if clock.get("timemargin"):
        keys["timemargin"] = str(clock["timemargin"])
    for key in ("nodes", "plies"):
        if limit[key]:
            keys[key] = str(limit[key])
    return ForeignEngine(
        {key: value for key, value in keys.items() if value},
        {name: _word(value) for name, value in saved.get("options", [])},
    )


def _limit(engine: ForeignEngine, notes: list[str]) -> tuple[str, str]:
    """The kind of limit and its value in our words."""
    keys = engine.keys
    for key in sorted(keys.keys() - _ENGINE_KEYS):
        _note(notes, f"{key}={keys[key]} of an engine has no equal in a config")
    found = [(kind, key) for kind, key in _LIMIT_KEYS if key in keys]
    if not found:
        raise ValueError(f"no limit for {keys['cmd']}; expected tc=, st=, nodes= or depth=")
    for _, key in found[1:]:
        _note(notes, f"{key}={keys[key]} beside {found[0][1]}= is left out: one limit for a player")
    kind, key = found[0]
    value = str(round(1000 * float(keys[key]))) if key == "st" else keys[key]
    Limit.parse(kind, value)  # refuses what we could not play
    return kind, value


_LIMIT_KEYS: Final = (
    ("tc", "tc"), ("movetime", "st"), ("nodes", "nodes"), ("depth", "depth"), ("depth", "plies")
)  # fmt: skip


def _note(notes: list[str], sentence: str) -> None:
    if sentence not in notes:
        notes.append(sentence)


def _config(engine: ForeignEngine, name: str, limit: tuple[str, str] | None, folder: str) -> str:
    """The text of a player's file."""
    keys = engine.keys
    command = keys["cmd"]
    if "/" in command:
        command = os.path.normpath(os.path.join(folder, keys.get("dir", ""), command))
    lines = ["[engine]", f"name = {name}", "source = uci", f"command = {command}"]
    if keys.get("args"):
        lines.append(f"arguments = {keys['args']}")
    if keys.get("dir"):
        lines.append(f"folder = {os.path.normpath(os.path.join(folder, keys['dir']))}")
    if engine.options:
        lines += ["", "[options]", *(f"{key} = {text}" for key, text in engine.options.items())]
    if limit is not None:
        lines += ["", "[limit]", f"{limit[0]} = {limit[1]}"]
    return "\n".join(lines) + "\n"


def _subcommand(run: ForeignRun, files: tuple[str, ...]) -> tuple[str, ...]:
    """What plays it, with the number of its games."""
    rounds, games = (int(run.options.get(name, {}).get("", 2)) for name in ("rounds", "games"))
    total = 2 * -(-rounds * games // 2)
    if "sprt" in run.options:
        return "harness", "sprt", *files[:2], "--max-games", str(total)
    form = "gauntlet" if run.options.get("tournament", {}).get("") == "gauntlet" else "roundrobin"
    return "harness", "match" if len(files) == 2 else form, *files, "--games", str(total)


def _limit_words(limit: tuple[str, str]) -> tuple[str, str]:
    return f"--{limit[0]}", limit[1]


def _margin_words(engines: Sequence[ForeignEngine], notes: list[str]) -> list[str]:
    """The time margin, which fastchess has for each engine, and 0 where it is silent."""
    margins = {engine.keys.get("timemargin", "0") for engine in engines}
    if len(margins) > 1:
        _note(notes, "timemargin: the largest of the engines is taken for all")
    return ["--time-margin", max(margins, key=int)]


def _settings(run: ForeignRun, folder: str, notes: list[str]) -> list[str]:
    """The options of our command, but for the limit and the number of games."""
    words: list[str] = []
    options = dict(run.options)
    for name in ("rounds", "games", "tournament", *_PASSED_OVER):
        options.pop(name, None)
    if sprt := options.pop("sprt", None):
        words += _sprt_words(sprt, notes)
    if openings := options.pop("openings", None):
        words += _opening_words(openings, folder)
    else:
        _note(notes, "no book: fastchess plays from the start position, we make openings")
    if pgn := options.pop("pgnout", None):
        words += ["--pgn-append", pgn.get("file") or pgn[""]]
        words += ["--pgn", "minimal"] if pgn.get("min") == "true" else []
    if epd := options.pop("epdout", None):
        words += ["--final-epd", epd.get("file") or epd[""]]
    if options.pop("variant", {}).get("") == "fischerandom":
        words += ["--variant", "chess960"]
    for name, ours in (("srand", "--seed"), ("concurrency", "--concurrency")):
        if name in options:
            words += [ours, str(abs(int(options.pop(name)[""])))]
    words += _core_words(options, notes)
    words += _rule_words({name: options.pop(name, None) for name in (*_RULES, "maxmoves")})
    for name in sorted(options):
        given = " ".join(f"{key}={text}" if key else text for key, text in options[name].items())
        _note(notes, f"-{name} {given}".strip() + ": no equal here; left out")
    return words


def _core_words(options: dict[str, dict[str, str]], notes: list[str]) -> list[str]:
    """Takes what is said of processor cores out of the options."""
    words = []
    affinity = options.pop("use-affinity", None)
    if affinity is not None:
        words.append("--affinity")
        if chosen := affinity.get(""):
            _note(notes, f"-use-affinity {chosen}: --affinity chooses itself; see taskset(1)")
    if options.pop("force-concurrency", None) is not None:
        words.append("--force-concurrency")
    return words


def _rule_words(rules: Mapping[str, Mapping[str, str] | None]) -> list[str]:
    """How games end before the rules of chess end them: as they did there, and in no other way."""
    if all(given is None for given in rules.values()):
        return ["--no-adjudicate"]
    words = []
    for name in _RULES:
        words += [f"--{name}", _rule_numbers(name, rules[name])]
    resign, maxmoves = rules["resign"], rules["maxmoves"]
    if resign is not None and resign.get("twosided", "false") == "false":
        words.append("--resign-one-sided")
    plies = 2 * int(maxmoves.get("move_count") or maxmoves[""]) if maxmoves else 0
    return [*words, "--max-plies", str(plies)]


def _rule_numbers(name: str, given: Mapping[str, str] | None) -> str:
    if given is None:
        return "none"
    return "/".join(
        given.get(key) or given.get(saved) or silent for key, saved, silent in _RULES[name]
    )


def _sprt_words(sprt: Mapping[str, str], notes: list[str]) -> list[str]:
    words = []
    for key in ("elo0", "elo1", "alpha", "beta"):
        if key in sprt:
            words += [f"--{key}", sprt[key]]
    model = sprt.get("model", "normalized")
    if model not in _MODELS:
        _note(notes, f"model={model}: no equal here; the normalized model is used")
    elif model != "normalized":
        words += ["--model", model]
    return words


def _opening_words(openings: Mapping[str, str], folder: str) -> list[str]:
    words = ["--openings", os.path.normpath(os.path.join(folder, openings["file"]))]
    words += ["--order", openings.get("order", "random")]
    if int(openings.get("plies", -1)) > 0:
        words += ["--plies", openings["plies"]]
    if int(openings.get("start", 1)) > 1:
        words += ["--start", openings["start"]]
    return words
