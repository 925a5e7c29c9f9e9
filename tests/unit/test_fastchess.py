"""Runs of fastchess as ours: command lines and saved configurations."""

from __future__ import annotations

import json
from typing import Any

import click
import pytest

from harness.cli import main
from harness.fastchess import Imported, import_run
from harness.limits import Limit

COMMAND = """fastchess -engine cmd=./new name="New one" option.Hash=64 args="-x \\"a b\\"" \\
 -engine cmd=old name=old dir=/opt/old tc=20+0.2 -each tc=10+0.1 option.Move Overhead=5 proto=uci \\
 -rounds 2000 -repeat -concurrency 4 -openings file=book.epd format=epd order=sequential start=7 \\
 -sprt elo0=-1 elo1=4 alpha=0.1 beta=0.05 model=logistic -pgnout file=out.pgn min=true -srand 77 \\
 -resign movecount=3 score=400 -maxmoves 200 -recover""".replace("Move Overhead", '"Move Overhead"')


NO_BOOK = "no book: fastchess plays from the start position, we make openings"


def parsed(imported: Imported) -> dict[str, Any]:
    """What our own command line makes of the command."""
    program, name, *words = imported.command
    assert program == "harness"
    command = main.commands[name]
    values: dict[str, Any] = command.make_context(name, words).params
    return values


def test_a_command_line() -> None:
    imported = import_run(
        COMMAND.replace('option."Move Overhead"', '"option.Move Overhead"'), "/at"
    )
    assert imported.files == {
        "New_one.cfg": "[engine]\nname = New one\nsource = uci\ncommand = /at/new\n"
        'arguments = -x "a b"\n\n[options]\nHash = 64\nMove Overhead = 5\n\n[limit]\ntc = 10+0.1\n',
        "old.cfg": "[engine]\nname = old\nsource = uci\ncommand = old\nfolder = /opt/old\n\n"
        "[options]\nMove Overhead = 5\n\n[limit]\ntc = 20+0.2\n",
    }
    values = parsed(imported)
    assert (values["new"], values["base"]) == ("New_one.cfg", "old.cfg")
    assert (values["elo0"], values["elo1"], values["alpha"], values["beta"]) == (-1, 4, 0.1, 0.05)
    assert (values["model"], values["max_games"]) == ("logistic", 4000)
    assert (str(values["openings"]), values["order"], values["start"]) == (
        "/at/book.epd",
        "sequential",
        7,
    )
    assert (values["seed"], values["concurrency"]) == (77, 4)
    assert (values["pgn_comments"], str(values["pgn_append"])) == ("minimal", "out.pgn")
    assert (values["no_adjudicate"], values["resign_one_sided"]) == (False, True)
    assert values["draw"] == {"draw_move_count": 0}
    assert values["resign"] == {"resign_move_count": 3, "resign_score_cp": 400}
    assert (values["max_plies"], values["time_margin_ms"]) == (400, 0)
    assert imported.notes == ()


def test_cores_are_chosen_as_there() -> None:
    engines = "-engine cmd=a nodes=10 -engine cmd=b nodes=10"
    values = parsed(import_run(f"{engines} -use-affinity -force-concurrency", "/at"))
    assert values["affinity"]
    assert values["force_concurrency"]
    some = import_run(f"{engines} -use-affinity 0-3", "/at")
    assert parsed(some)["affinity"]
    assert some.notes == (
        NO_BOOK,
        "-use-affinity 0-3: --affinity chooses itself; see taskset(1)",
    )


def test_rules_end_games_as_they_did_there_and_in_no_other_way() -> None:
    engines = "-engine cmd=a nodes=10 -engine cmd=b nodes=10"
    draw = "-draw movenumber=34 movecount=8 score=20"
    values = parsed(import_run(f"{engines} {draw} -resign movecount=4 twosided=true", "/at"))
    assert values["draw"] == {"draw_move_number": 34, "draw_move_count": 8, "draw_score_cp": 20}
    assert values["resign"] == {"resign_move_count": 4, "resign_score_cp": 0}
    assert (values["resign_one_sided"], values["max_plies"]) == (False, 0)
    length = parsed(import_run(f"{engines} -maxmoves 200", "/at"))
    assert length["draw"] == {"draw_move_count": 0}
    assert length["resign"] == {"resign_move_count": 0}
    assert (length["no_adjudicate"], length["max_plies"]) == (False, 400)
    assert parsed(import_run(engines, "/at"))["no_adjudicate"]


def test_a_config_file_is_told() -> None:
    engines = "-engine cmd=a nodes=10 -engine cmd=b nodes=10"
    notes = import_run(f"{engines} -config file=x.json", "/at").notes
    assert notes == (
        NO_BOOK,
        "-config file=x.json: no equal here; left out",
    )


def saved(**changes: Any) -> dict[str, Any]:
    clock = {"increment": 10, "fixed_time": 0, "time": 5000, "moves": 40, "timemargin": 0}
    engine = {
        "cmd": "./engine",
        "args": "",
        "dir": "",
        "options": [["Hash", "16"], ["Ponder", False]],
        "limit": {"tc": clock, "nodes": 0, "plies": 0},
    }
    return {
        "engines": [{**engine, "name": name} for name in ("a", "b", "c")],
        "opening": {"file": "b.pgn", "format": 1, "order": 0, "plies": 12, "start": 1},
        "sprt": {"elo0": 0.0, "enabled": False},
        "resign": {"enabled": False},
        "draw": {"enabled": False},
        "pgn": {"file": "", "min": False},
        "epd": {"file": "ends.epd"},
        "variant": 1,
        "type": 1,
        "rounds": 5,
        "games": 2,
        "concurrency": 2,
        "seed": 9,
        "stats": {},
    } | changes


def test_a_saved_configuration() -> None:
    imported = import_run(json.dumps(saved()), "/at")
    assert list(imported.files) == ["a.cfg", "b.cfg", "c.cfg"]
    assert "Hash = 16\nPonder = false\n" in imported.files["a.cfg"]
    assert "[limit]" not in imported.files["a.cfg"]
    assert imported.command[:2] == ("harness", "gauntlet")
    values = parsed(imported)
    assert values["engines"] == ("a.cfg", "b.cfg", "c.cfg")
    assert (values["games"], values["variant"], values["plies"]) == (10, "chess960", 12)
    assert values["tc"] == Limit(base_ms=5000, increment_ms=10, moves_per_session=40)
    assert (str(values["final_epd"]), values["no_adjudicate"]) == ("ends.epd", True)
    assert imported.notes == ()


def test_the_rules_of_a_saved_configuration() -> None:
    rules = {
        "draw": {"enabled": True, "move_number": 34, "move_count": 8, "score": 20},
        "resign": {"enabled": True, "move_count": 3, "score": 600, "twosided": True},
        "maxmoves": {"enabled": True, "move_count": 150},
    }
    values = parsed(import_run(json.dumps(saved(**rules)), "/at"))
    assert values["draw"] == {"draw_move_number": 34, "draw_move_count": 8, "draw_score_cp": 20}
    assert values["resign"] == {"resign_move_count": 3, "resign_score_cp": 600}
    assert (values["resign_one_sided"], values["max_plies"]) == (False, 300)


def test_what_has_no_equal_is_told() -> None:
    lines = "-engine cmd=a nodes=10 timemargin=5 -engine cmd=a nodes=10 depth=3 -new 1"
    imported = import_run(lines, "/at")
    assert list(imported.files) == ["a.cfg", "2-a.cfg"]
    assert imported.command[:6] == ("harness", "match", "a.cfg", "2-a.cfg", "--games", "4")
    values = parsed(imported)
    assert (values["nodes"], values["time_margin_ms"]) == (Limit(nodes=10), 5)
    assert imported.notes == (
        "depth=3 beside nodes= is left out: one limit for a player",
        "timemargin: the largest of the engines is taken for all",
        NO_BOOK,
        "-new 1: no equal here; left out",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fastchess -engine cmd=a tc=1", "1 engines in it; expected two or more"),
        ("-engine name=x -engine cmd=b", "an engine without a command"),
        ("-engine cmd=a -engine cmd=b", "no limit for a; expected tc="),
        ("-engine cmd=a tc=soon -engine cmd=b tc=1", "expected"),
        ("{", "Expecting property name"),
        ('{"engines": []}', "'rounds' is missing; expected a config.json of fastchess"),
    ],
)
def test_what_is_no_run_is_refused(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        import_run(text, "/at")


def test_files_are_written_and_none_is_replaced(tmp_path: Any, monkeypatch: Any) -> None:
    from harness.errors import UsageError
    from harness.import_command import run_import

    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(saved()))
    told: list[str] = []
    monkeypatch.setattr(click, "echo", lambda text, **_: told.append(str(text)))
    run_import("config.json", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.cfg", "b.cfg", "c.cfg"]
    assert told[-1].startswith(f"harness gauntlet {tmp_path}/out/a.cfg ")
    with pytest.raises(UsageError, match=r"a\.cfg: exists; expected a folder without it"):
        run_import("config.json", tmp_path / "out")
    with pytest.raises(UsageError, match="no such file"):
        run_import("nothing.json", None)
