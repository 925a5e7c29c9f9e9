"""Config files as entries that know where they stand: file, line, section and key.

The format is configparser's (case kept, no interpolation, `=` only, comments on lines of their
own, indented lines continue a value). configparser forgets line numbers, so a scan of our own,
by the same rules, remembers where each key begins; errors can then name the place.
"""

from __future__ import annotations

import configparser
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from harness.errors import UsageError

COMMENT_PREFIXES = ("#", ";")
REPOSITORY_CONFIGS = Path(__file__).resolve().parent.parent / "configs"


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key = value` of a config file; `line` 0 means it was given by other means."""

    section: str
    key: str
    text: str
    path: Path
    line: int

    @property
    def place(self) -> str:
        """Where and what, for the head of an error: `new.cfg, line 7: search.lmr_base = 9`."""
        shown = " ".join(self.text.split())
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        where = f"{self.path}, line {self.line}" if self.line else "override"
        return f"{where}: {self.section}.{self.key} = {shown}"

    def refusal(self, expectation: str) -> UsageError:
        """The UsageError that names this entry's place, its value and the expectation."""
        hint = ""
        if any(f" {prefix}" in self.text for prefix in COMMENT_PREFIXES):
            hint = " (a comment must be on a line of its own)"
        return UsageError(f"{self.place}: {expectation}{hint}")


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` for a misspelt word, or the list of what is known when it is short."""
    names = list(known)
    by_lower_case = {name.lower(): name for name in names}
    close = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    if close:
        return f"; did you mean {by_lower_case[close[0]]}?"
    if len(names) <= 8:
        return f"; expected one of {', '.join(names)}"
    return ""


def find_config(text: str) -> Path:
    """The file a config argument means: as given, else below `configs/` here or in the repository.

    An absolute path is only looked up as given.
    """
    candidates = _candidates(Path(), text)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise UsageError(f"config file {text!r} not found; looked for {_listed(candidates)}")


def _candidates(folder: Path, text: str) -> list[Path]:
    below = (folder, Path("configs"), REPOSITORY_CONFIGS)
    return list(dict.fromkeys(place / text for place in below))


def _listed(paths: Iterable[Path]) -> str:
    return ", ".join(str(path) for path in paths)


def read_text(path: Path) -> str:
    """The text of a config file (UTF-8, with or without BOM)."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text (byte {error.start}); expected a .cfg") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None


def read_entries(path: Path) -> list[Entry]:
    """All entries of one file in its order; `extends` is not followed here."""
    text = read_text(path)
    parser = configparser.RawConfigParser(
        delimiters=("=",),
        comment_prefixes=COMMENT_PREFIXES,
        empty_lines_in_values=False,
        default_section="\n",  # no section is special
    )
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text, source=str(path))
    except configparser.Error as error:
        raise UsageError(f"{path}, {_format_syntax_error(error, text)}") from None
    lines = _key_lines(text)
    return [
        Entry(section, key, value, path, lines.get((section, key), 0))
        for section in parser.sections()
        for key, value in parser.items(section)
    ]


def _format_syntax_error(error: configparser.Error, text: str) -> str:
    match error:
        case configparser.DuplicateOptionError():
            return f"line {error.lineno}: {error.section}.{error.option} is given twice"
        case configparser.DuplicateSectionError():
            return f"line {error.lineno}: section [{error.section}] is given twice"
        case configparser.MissingSectionHeaderError():
            return f"line {error.lineno}: {error.line.strip()!r}: expected a [section] first"
        case configparser.ParsingError():
            number = error.errors[0][0]
            shown = text.split("\n")[number - 1].strip()
            return f"line {number}: {shown!r}: expected `key = value`, a [section] or a # comment"
    return str(error)


def _key_lines(text: str) -> dict[tuple[str, str], int]:
    """The line number of each (section, key), by configparser's own rules."""
    lines: dict[tuple[str, str], int] = {}
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith(COMMENT_PREFIXES):
            continue
        if stripped.startswith("[") and "]" in stripped:
            section = stripped[1 : stripped.rindex("]")]
        elif "=" in stripped:
            lines.setdefault((section, stripped.partition("=")[0].strip()), number)
    return lines


def _linked(link: Entry) -> Path:
    candidates = _candidates(link.path.parent, link.text)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise link.refusal(f"no such file; looked for {_listed(candidates)}")


def read_chain(path: Path, key: tuple[str, str]) -> list[list[Entry]]:
    """The entries of a file and of the files that `key` names in it, the farthest file first.

    A path is looked up in the folder of the file that holds it, then where `find_config` looks. A
    cycle is refused.
    """
    chain: list[list[Entry]] = []
    seen: list[Path] = []
    link: Entry | None = None
    while True:
        if path.resolve() in seen:
            assert link is not None
            raise link.refusal("this file extends itself, directly or in a circle")
        seen.append(path.resolve())
        entries = read_entries(path)
        chain.append(entries)
        link = next((entry for entry in entries if (entry.section, entry.key) == key), None)
        if link is None:
            return chain[::-1]
        path = _linked(link)
