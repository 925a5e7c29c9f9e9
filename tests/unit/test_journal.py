"""The journal: what is committed is kept, in pair order; what is no journal is refused."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from harness import journal as journal_module
from harness.errors import EngineStartError, UsageError
from harness.filesystems import filesystem_type, is_network_filesystem
from harness.game import GameRecord, Termination
from harness.journal import GROUP_GAMES, GROUP_SECONDS, Journal
from harness.journal_tables import VERSION
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


def test_edited_specification_is_told(run_dir: Path) -> None:
    Journal.create(run_dir, SPEC, {}).close()
    _change(run_dir, "UPDATE run SET value = replace(value, '\"seed\":7', '\"seed\":8')")
    with (
        Journal.read(run_dir) as journal,
        pytest.raises(UsageError, match=r"the specification has hash .*, expected"),
    ):
        journal.spec()


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
