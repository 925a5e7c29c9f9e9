"""The journal: what is committed is kept, in pair order; what is no journal is refused."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import journal as journal_module
from harness.errors import EngineStartError, UsageError
from harness.filesystems import filesystem_type, is_network_filesystem
from harness.game import GameRecord, Termination
from harness.journal import GROUP_GAMES, GROUP_SECONDS, Journal
from harness.journal_tables import VERSION, checksum, game_row
from harness.spec import EngineConfig, MatchSpec
from tests.match.runs import null_spec

SPEC = null_spec(10)


def record(pair: int, game: int, result: int = 1) -> GameRecord:
    return GameRecord(
        pair=pair,
        game=game,
        fen="8/8/8/8/8/8/8/8 w - - 0 1",
        result=result,
        termination=Termination.CHECKMATE,
        plies=2,
        moves=b"\1\2\3\4",
        scores_cp=b"\1\0\0\0\2\0\0\0",
        depths=bytes([pair % 256, game]),
        nodes=b"\5\0\0\0\6\0\0\0",
        times_us=b"\7\0\0\0\x08\0\0\0",
        search_ns=(11, 22),
        wall_ns=33,
        detail="a detail; with 'quotes'",
    )


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    return tmp_path / "run"


def test_games_come_back_as_they_were_in_pair_order(run_dir: Path) -> None:
    games = [record(pair, game) for pair in range(4) for game in (0, 1)]
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_games([games[5], games[2], games[7]])
        journal.add_games([games[0], games[6], games[1], games[4], games[3]])
        assert list(journal.games()) == games
        assert list(journal.games(before_pair=2)) == games[:4]
    with Journal.read(run_dir) as journal:
        assert list(journal.games()) == games


def test_specification_and_provenance_come_back(run_dir: Path) -> None:
    Journal.create(run_dir, SPEC, {"cpu": "ü", "cores": 2}).close()
    with Journal.read(run_dir) as journal:
        assert journal.spec() == SPEC
        assert journal.spec().spec_hash() == SPEC.spec_hash()
        assert journal.provenance() == {"cpu": "ü", "cores": 2}


def test_events_come_back_in_their_order(run_dir: Path) -> None:
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_event("worker_lost", worker=7, games=[[1, 0]])
        journal.add_event("finished")
        first, second = journal.events()
    assert (first.kind, first.detail) == ("worker_lost", {"worker": 7, "games": [[1, 0]]})
    assert (second.kind, second.detail) == ("finished", {})
    assert first.at <= second.at


def test_a_game_noted_twice_is_a_bug_and_is_not_hidden(run_dir: Path) -> None:
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_games([record(0, 0)])
        with pytest.raises(sqlite3.IntegrityError):
            journal.add_games([record(0, 0)])


def test_commits_are_due_in_groups(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 1000.0
    monkeypatch.setattr(journal_module.time, "monotonic", lambda: now_s)
    with Journal.create(run_dir, SPEC, {}) as journal:
        assert journal.commit_due_s is None
        journal.add_games([record(0, 0)])
        assert journal.commit_due_s == pytest.approx(GROUP_SECONDS)
        now_s += GROUP_SECONDS + 1.0
        assert journal.commit_due_s == 0.0
        journal.commit()
        assert journal.commit_due_s is None
        journal.add_games([record(pair, 0) for pair in range(1, GROUP_GAMES + 1)])
        assert journal.commit_due_s == 0.0


def test_readers_see_committed_games_while_the_run_goes_on(run_dir: Path) -> None:
    with Journal.create(run_dir, SPEC, {}) as journal, Journal.read(run_dir) as reader:
        assert journal.journal_mode == "wal"
        journal.add_games([record(0, 0)])
        assert list(reader.games()) == []
        journal.commit()
        assert list(reader.games()) == [record(0, 0)]


def test_kill_9_keeps_what_was_committed_and_nothing_else(run_dir: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path;"
        "from harness.journal import Journal; from tests.unit.test_journal import record, SPEC;"
        f"journal = Journal.create(Path({str(run_dir)!r}), SPEC, {{}});"
        "journal.add_games([record(0, 0), record(0, 1)]); journal.commit();"
        "journal.add_games([record(1, 0)]); print('ready', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
    with Journal.reopen(run_dir) as journal:
        assert list(journal.games()) == [record(0, 0), record(0, 1)]
        journal.add_games([record(1, 0)])
        journal.commit()
        assert len(list(journal.games())) == 3


def test_one_process_at_a_time_plays_a_run(run_dir: Path) -> None:
    with (
        Journal.create(run_dir, SPEC, {}),
        pytest.raises(UsageError, match=f"being played by process {os.getpid()}"),
    ):
        Journal.reopen(run_dir)
    Journal.reopen(run_dir).close()


def test_new_run_does_not_touch_an_old_one(run_dir: Path) -> None:
    Journal.create(run_dir, SPEC, {}).close()
    with pytest.raises(UsageError, match="already holds a run; expected a new folder"):
        Journal.create(run_dir, SPEC, {})


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="expected a folder that can be written"):
        Journal.create(tmp_path / "file" / "run", SPEC, {})


def test_folder_without_a_run_is_told(tmp_path: Path) -> None:
    for opened in (Journal.read, Journal.reopen):
        with pytest.raises(UsageError, match="no run there; expected a folder"):
            opened(tmp_path)


def test_journal_of_a_newer_numbishop_is_refused(run_dir: Path) -> None:
    Journal.create(run_dir, SPEC, {}).close()
    _change(run_dir, f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(UsageError, match="written by a newer Numbishop; expected at most"):
        Journal.read(run_dir)


def test_another_program_s_file_is_refused(run_dir: Path) -> None:
    run_dir.mkdir()
    _change(run_dir, "CREATE TABLE games (x)")
    with pytest.raises(UsageError, match="is not a journal of Numbishop"):
        Journal.reopen(run_dir)


@pytest.mark.parametrize("damage", ["text", "cut", "overwritten"])
def test_damaged_journal_is_told(run_dir: Path, damage: str) -> None:
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_games([record(pair, game) for pair in range(200) for game in (0, 1)])
    path = run_dir / "run.sqlite"
    content = path.read_bytes()
    page = 4096
    path.write_bytes(
        {
            "text": b"this is no database at all, whatever its name says" * 100,
            "cut": content[: len(content) // 2],
            "overwritten": content[: 4 * page] + b"\xff" * page + content[5 * page :],
        }[damage]
    )
    with pytest.raises(UsageError, match=r"is damaged: .*; expected a journal of Numbishop"):
        Journal.read(run_dir)


PAGE = 4096


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_of_a_damaged_file_what_is_left_is_read_and_the_rest_told(
    run_dir: Path, damage: str
) -> None:
    games = [record(pair, game) for pair in range(200) for game in (0, 1)]
    with Journal.create(run_dir, SPEC, {"cpu": "ü"}) as journal:
        journal.add_games(games)
    content = (run_dir / "run.sqlite").read_bytes()
    middle = content.index(games[200].depths + games[200].nodes) // PAGE * PAGE
    end = content[middle + PAGE :] if damage == "overwritten" else b""
    rest = b"\xff" * 1000  # a page that was being written when the disk was full
    (run_dir / "run.sqlite").write_bytes(content[:middle] + rest.ljust(PAGE if end else 0) + end)
    told: list[str] = []
    with Journal.reading(run_dir, told.append) as journal:
        assert journal.spec() == SPEC
        assert journal.provenance() == {"cpu": "ü"}
        found = list(journal.games())
    lost = [game for game in games if game not in found]
    assert [game for game in games if game not in lost] == found
    assert 0 < len(lost) < (50 if end else 300)
    assert len(found) > 100
    assert told[-1].endswith(f"; {len(found)} games could be read, the rest is left out")
    assert told[-1].startswith(f"{run_dir / 'run.sqlite'} is damaged: ")


def test_a_file_without_its_specification_is_refused(run_dir: Path) -> None:
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_games([record(0, 0)])
    content = (run_dir / "run.sqlite").read_bytes()
    for rest, reason in ((content[PAGE:], "not a database"), (content[:PAGE], "no spec in it")):
        (run_dir / "run.sqlite").write_bytes(rest)
        with (
            pytest.raises(UsageError, match=f"is damaged: .*{reason}.*; expected a journal of"),
            Journal.reading(run_dir, lambda _: None) as journal,
        ):
            journal.spec()


def test_edited_specification_is_told(run_dir: Path) -> None:
    Journal.create(run_dir, SPEC, {}).close()
    _change(run_dir, "UPDATE run SET value = replace(value, '\"seed\":7', '\"seed\":8')")
    with (
        Journal.read(run_dir) as journal,
        pytest.raises(UsageError, match="row 1 of table run, spec, is not what was written"),
    ):
        journal.spec()


def test_specification_that_was_edited_before_rows_had_checksums_is_told(tmp_path: Path) -> None:
    run_dir = golden_run(tmp_path)
    _change(run_dir, "UPDATE run SET value = replace(value, '\"seed\":7', '\"seed\":8')")
    with (
        Journal.read(run_dir) as journal,
        pytest.raises(UsageError, match=r"the specification has hash .*, expected"),
    ):
        journal.spec()


@pytest.mark.parametrize(
    "edit",
    [
        "result = -1",
        "pair = 9",
        "moves = x'01020305'",
        "wall_ns = 34",
        "detail = 'another'",
        "fen = CAST(x'ff' AS TEXT)",
        "plies = 'two'",
        "checksum = x''",
    ],
)
def test_edited_games_are_named_and_passed_over_and_can_be_played_again(
    run_dir: Path, edit: str
) -> None:
    games = [record(pair, game) for pair in range(3) for game in (0, 1)]
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_games(games)
    _change(run_dir, f"UPDATE games SET {edit} WHERE pair = 1 AND game = 0")
    with Journal.reopen(run_dir) as journal:
        assert journal.damage() == []
        assert list(journal.games()) == [*games[:2], *games[3:]]
        (sentence,) = journal.damage()
        assert sentence.startswith(f"{run_dir / 'run.sqlite'}: row 3 of table games is not what")
        journal.discard_damaged()
        journal.add_games([games[2]])
        assert journal.damage() == []
        assert list(journal.games()) == games
        (event,) = journal.events()
        assert (event.kind, event.detail) == ("damaged", {"rows": ["row 3 of table games"]})


def test_edited_events_are_named_and_passed_over(run_dir: Path) -> None:
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_event("started")
        journal.add_event("finished", games=2)
    _change(run_dir, "UPDATE events SET detail = replace(detail, '2', '3')")
    with Journal.reopen(run_dir) as journal:
        assert [event.kind for event in journal.events()] == ["started"]
        assert len(journal.damage()) == 1
        journal.discard_damaged()
        assert [event.kind for event in journal.events()] == ["started", "damaged"]


def test_every_flipped_bit_of_a_game_is_found(run_dir: Path) -> None:
    """Or SQLite finds it; none is read as if it were what was written."""
    games = [record(0, 0), record(0, 1)]
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_games(games)
    path = run_dir / "run.sqlite"
    content = path.read_bytes()
    start = content.index(b"a detail; with 'quotes'") - 150
    for position in range(start, start + 400, 3):
        flipped = content[position] ^ 1 << position % 8
        path.write_bytes(content[:position] + bytes([flipped]) + content[position + 1 :])
        assert all(game in games for game in read_or_refused(run_dir, len(games)))


def read_or_refused(run_dir: Path, count: int) -> list[GameRecord]:
    """The games that a journal gives, which has to say so when they are not `count`."""
    try:
        with Journal.read(run_dir) as journal:
            games = list(journal.games())
            damage = journal.damage()
    except UsageError as error:
        games, damage = [], [str(error)]
    assert len(games) == count or damage
    return games


GOLDEN = Path(__file__).parent / "golden"


def golden_run(folder: Path) -> Path:
    """A run's folder with the journal of version 1."""
    run_dir = folder / "run"
    run_dir.mkdir()
    shutil.copy(GOLDEN / "journal-1.sqlite", run_dir / "run.sqlite")
    return run_dir


@pytest.mark.parametrize("opened", [Journal.read, Journal.reopen])
def test_journal_of_version_1_is_read_and_gets_checksums_when_played_on(
    tmp_path: Path, opened: Callable[[Path], Journal]
) -> None:
    run_dir = golden_run(tmp_path)
    games = [record(0, 0), record(0, 1, 0), record(1, 0, -1)]
    with opened(run_dir) as journal:
        assert journal.spec().source_digest == "ab" * 32
        assert journal.provenance() == {"started": "2026-11-30T08:00:00+00:00", "cpu": "ü"}
        assert list(journal.games()) == games
        started, interrupted = journal.events()
        assert started.detail == {"concurrency": 2, "finished_games": 0}
        assert (interrupted.kind, interrupted.detail["games"]) == ("interrupted", 3)
        assert journal.damage() == []
    _change(run_dir, "UPDATE games SET wall_ns = 34 WHERE pair = 0 AND game = 1")
    with Journal.read(run_dir) as journal:
        has_checksums = opened == Journal.reopen
        assert len(list(journal.games())) == (2 if has_checksums else 3)


@pytest.mark.parametrize("opened", [Journal.read, Journal.reopen])
def test_journal_of_version_2_is_read_and_keeps_its_damage(
    run_dir: Path, opened: Callable[[Path], Journal]
) -> None:
    games = [record(0, 0), record(0, 1, 0), record(1, 0, -1)]
    with Journal.create(run_dir, SPEC, {}) as journal:
        journal.add_games(games)
    for column in ("cpus_us", "delays_us"):
        _change(run_dir, f"ALTER TABLE games DROP COLUMN {column}")
    for number, game in enumerate(games, 1):
        noted = checksum(game_row(game)[:-2]).hex()
        _change(run_dir, f"UPDATE games SET checksum = x'{noted}' WHERE rowid = {number}")
    _change(run_dir, "PRAGMA user_version = 2")
    _change(run_dir, "UPDATE games SET wall_ns = 34 WHERE rowid = 2")
    for _ in range(2):
        with opened(run_dir) as journal:
            assert list(journal.games()) == [games[0], games[2]]
            assert len(journal.damage()) == 1


@pytest.mark.parametrize("how", ["deleted", "renamed", "replaced"])
def test_folder_that_is_gone_is_noticed_by_the_next_commit(run_dir: Path, how: str) -> None:
    journal = Journal.create(run_dir, SPEC, {})
    journal.add_games([record(0, 0)])
    journal.commit()
    if how == "deleted":
        shutil.rmtree(run_dir)
    else:
        run_dir.rename(run_dir.with_name("moved"))
    if how == "replaced":
        shutil.copytree(run_dir.with_name("moved"), run_dir)
    journal.add_games([record(0, 1)])
    with pytest.raises(EngineStartError, match=r"run\.sqlite is gone: .*deleted or renamed"):
        journal.commit()
    journal.close()
    if how != "deleted":
        with Journal.reopen(run_dir.with_name("moved")) as journal:
            assert list(journal.games()) == [record(0, 0), record(0, 1)]


def test_names_in_the_specification_may_hold_anything(run_dir: Path) -> None:
    spec = MatchSpec(**(SPEC.model_dump() | {"new": EngineConfig(name="ü 'new' \\ {}")}))
    Journal.create(run_dir, spec, {}).close()
    with Journal.read(run_dir) as journal:
        assert journal.spec() == spec


def test_network_file_system_gets_the_mode_it_can_bear(
    run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "is_network_filesystem", lambda path: True)
    with Journal.create(run_dir, SPEC, {}) as journal:
        assert journal.journal_mode == "delete"
        journal.add_games([record(0, 0)])
    with Journal.reopen(run_dir) as journal:
        assert list(journal.games()) == [record(0, 0)]


def test_full_disk_is_told(run_dir: Path) -> None:
    with Journal.create(run_dir, SPEC, {}) as journal:
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(EngineStartError, match="cannot be written: database or disk is full"):
            journal.add_games([record(pair, 0) for pair in range(1000)])
        assert list(journal.games()) == []


def _change(run_dir: Path, statement: str) -> None:
    with sqlite3.connect(run_dir / "run.sqlite") as connection:
        connection.execute(statement)
    connection.close()


MOUNTS = """\
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
31 22 0:27 / /home rw - nfs4 server:/home rw
40 31 8:1 / /home/local\\040disk rw shared:3 - xfs /dev/sda rw
41 22 0:50 / /mnt/remote rw - fuse.sshfs user@host:/ rw
"""


@pytest.mark.parametrize(
    ("path", "kind", "network"),
    [
        ("/srv/run", "ext4", False),
        ("/home/user/run", "nfs4", True),
        ("/home/local disk/run", "xfs", False),
        ("/homework", "ext4", False),
        ("/mnt/remote/run", "fuse.sshfs", True),
    ],
)
def test_file_system_of_a_path(tmp_path: Path, path: str, kind: str, network: bool) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTS)
    assert filesystem_type(Path(path), MOUNTS) == kind
    assert is_network_filesystem(Path(path), tmp_path / "mountinfo") is network
    assert not is_network_filesystem(Path(path), tmp_path / "missing")
