"""Files of results are written whole, and only files are replaced."""

import os
from pathlib import Path

from harness.exports import write_whole


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
