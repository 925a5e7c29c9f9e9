"""The folder that is made for a run."""

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.run_folder import new_run_folder

NAMES = "new-base"


def test_runs_begun_in_the_same_second_have_folders_of_their_own(tmp_path: Path) -> None:
    with new_run_folder(tmp_path, NAMES) as first, new_run_folder(tmp_path, NAMES) as second:
        assert first != second
        assert first.is_dir()
        assert second.is_dir()
        assert first.name.endswith("-new-base")


def test_folder_is_kept_when_something_is_in_it(tmp_path: Path) -> None:
    with new_run_folder(tmp_path, NAMES) as run_dir:
        (run_dir / "run.sqlite").touch()
    assert run_dir.exists()


def test_folder_of_a_run_that_never_began_is_removed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), new_run_folder(tmp_path, NAMES):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_place_where_no_folder_can_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(UsageError, match="the folder cannot be made"),
        new_run_folder(tmp_path / "file", NAMES),
    ):
        pytest.fail("it was made")
