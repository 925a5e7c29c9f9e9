"""The folder that `harness sprt` makes for a run."""

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.sprt_command import _new_run_dir
from tests.match.runs import null_spec

SPEC = null_spec(1)


def test_runs_begun_in_the_same_second_have_folders_of_their_own(tmp_path: Path) -> None:
    with _new_run_dir(tmp_path, SPEC) as first, _new_run_dir(tmp_path, SPEC) as second:
        assert first != second
        assert first.is_dir()
        assert second.is_dir()
        assert first.name.endswith("-new-base")


def test_folder_is_kept_when_something_is_in_it(tmp_path: Path) -> None:
    with _new_run_dir(tmp_path, SPEC) as run_dir:
        (run_dir / "run.sqlite").touch()
    assert run_dir.exists()


def test_folder_of_a_run_that_never_began_is_removed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), _new_run_dir(tmp_path, SPEC):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_place_where_no_folder_can_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(UsageError, match="the folder cannot be made"),
        _new_run_dir(tmp_path / "file", SPEC),
    ):
        pytest.fail("it was made")
