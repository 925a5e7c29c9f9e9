"""`harness import`: another program's run as config files and a command of ours."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from harness.errors import UsageError
from harness.fastchess import Imported, import_run
from harness.files import write_whole


def run_import(source: str, out: Path | None) -> None:
    """Print what `source`, a file or a command line, is here; with `out` write its files there."""
    text, folder = _read(source)
    try:
        imported = import_run(text, str(folder))
    except ValueError as error:
        raise UsageError(f"{source[:60]}: {error}") from None
    if out is None:
        for name, content in imported.files.items():
            click.echo(f"# {name}\n{content}")
    else:
        _write(imported, out)
    places = {name: str(out / name) for name in imported.files} if out is not None else {}
    click.echo(shlex.join(places.get(word, word) for word in imported.command))
    for note in imported.notes:
        click.echo(f"note: {note}", err=True)


def _read(source: str) -> tuple[str, Path]:
    """The text, and the folder from which its paths are meant: where we are."""
    path = Path(source)
    try:
        found = path.is_file()
    except OSError:  # a command line may be longer than any name of a file
        found = False
    if " " in source and not found:
        return source, Path.cwd()
    if not found:
        raise UsageError(
            f"{source}: no such file; expected one with a fastchess command line, its config.json,"
            " or the command line itself in quotes"
        )
    try:
        return path.read_text(), Path.cwd()
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not text; expected a command line or a config.json") from None


def _write(imported: Imported, out: Path) -> None:
    for name in imported.files:
        if (out / name).exists():
            raise UsageError(f"{out / name}: exists; expected a folder without it")
    out.mkdir(parents=True, exist_ok=True)
    for name, content in imported.files.items():
        write_whole(out / name, content)
        click.echo(out / name)
