"""`harness match`, `gauntlet` and `roundrobin` as they are installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.test_commands import harness, refused

FORMS = ("match", "gauntlet", "roundrobin")


def null_configs(folder: Path, *names: str) -> list[str]:
    """Config files of players that answer at once."""
    for number, name in enumerate(names, 1):
        text = f"[engine]\nname = {name}\nsource = null\n[options]\nHash = {number}\n"
        (folder / f"{name}.cfg").write_text(text)
    return [f"{name}.cfg" for name in names]


def test_a_gauntlet_rates_its_first_player_by_the_anchors(tmp_path: Path) -> None:
    players = null_configs(tmp_path, "hero", "one", "two")
    done = harness(
        *("gauntlet", *players, "--games", "12", "--nodes", "50", "--concurrency", "1"),
        *("--anchor", "one=2000", "--anchor", "two=2100.5", "--json", "out.json"),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((tmp_path / "out.json").read_text())
    rows = {row["name"]: row for row in document["standings"]}
    assert (rows["one"]["elo"], rows["two"]["elo"]) == (2000, 2100.5)
    assert [one["name"] for one in rows["hero"]["opponents"]] == ["one", "two"]
    assert f"hero: Elo {rows['hero']['elo']:.0f} ± " in done.stdout
    assert "on the anchors' scale after 24 games." in done.stdout
    run = Path(document["run_dir"])
    page = (tmp_path / run / "report.html").read_text()
    assert "What each opponent says of hero" in page

    again = harness("report", str(run), cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert (tmp_path / run / "report.html").read_text() == page
    resumed = harness("roundrobin", "--resume", str(run), "--quiet", cwd=tmp_path)
    assert (resumed.returncode, resumed.stdout) == (0, document["sentence"] + "\n")


def test_a_match_of_an_engine_against_itself_tells_the_two_apart(tmp_path: Path) -> None:
    (one,) = null_configs(tmp_path, "one")
    done = harness(
        *("match", one, one, "--games", "20", "--nodes", "50", "--concurrency", "1"), cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "one-1 scored " in done.stdout
    assert " against one-2: Elo " in done.stdout
    assert "LOS " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("match", "base.cfg"), "engines given: 1; expected two config files, or --resume RUN"),
        (("gauntlet",), "engines given: 0; expected two config files or more, or --resume RUN"),
        (("match", "base.cfg", "base.cfg", "--games", "3"), "--games 3: expected an even number"),
        (
            ("roundrobin", "base.cfg", "monik.cfg", "--anchor", "monk=2000"),
            "--anchor monk=2000: expected NAME=ELO with one of the names base, monik",
        ),
        (
            ("roundrobin", "base.cfg", "monik.cfg", "--anchor", "monik=strong"),
            "--anchor monik=strong: expected a rating in Elo such as 2500",
        ),
        (
            ("match", "base.cfg", "--resume", "."),
            "ENGINE = base.cfg cannot be given with --resume",
        ),
        (("match", "--resume", ".", "--games", "4"), "--games cannot be given with --resume"),
        (("match", "--resume", "."), ".: no run there; expected a folder with run.sqlite"),
    ],
)
def test_mistakes_get_a_sentence(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    assert told in refused(*arguments, cwd=tmp_path)
