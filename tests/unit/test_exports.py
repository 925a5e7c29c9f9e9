"""Files of results are written whole or not at all, and only files are replaced."""

import errno
import os
from pathlib import Path

import pytest

from harness.files import whole_file, write_whole
from harness.pgn import write_pgn
from harness.report import write_report
from tests.match.runs import null_spec
from tests.unit.run_document import run_document


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    target = tmp_path / "target.json"
    target.write_text("old")
    link = tmp_path / "link.json"
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    device = Path(os.devnull)
    write_whole(device, "text")
    assert device.exists()
    assert not device.is_file()


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "run.json", "{}")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("before", [None, "before"])
def test_a_failure_halfway_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, before: str | None
) -> None:
    path = tmp_path / "games.pgn"
    if before is not None:
        path.write_text(before)
    with pytest.raises(UnicodeEncodeError), whole_file(path) as file:
        file.writelines(["half of it", "\udcff"])
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == (
        {} if before is None else {"games.pgn": before}
    )


@pytest.mark.parametrize(
    "write",
    [
        lambda path: write_whole(path, "text"),
        lambda path: write_pgn([], null_spec(1), path),
        lambda path: write_report(run_document(), path),
    ],
)
def test_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: object
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("harness.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / "file")  # type: ignore[operator]
    assert list(tmp_path.iterdir()) == []
