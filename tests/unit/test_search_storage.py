"""Who may go on with a study, and with which one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import optuna
import pytest

from harness.errors import EngineStartError, UsageError
from harness.search_tuning.storage import JOURNAL, Lease, check_usable, opened_study


def test_a_study_of_that_name_with_another_space_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/trials.db"
    for _ in range(2):
        with opened_study(url, tmp_path, "lmr", {"space": "a", "spec_hash": "1"}) as study:
            assert study.user_attrs == {"space": "a", "spec_hash": "1"}
    with (
        pytest.raises(UsageError, match=r"study 'lmr' with another space; expected another --name"),
        opened_study(url, tmp_path, "lmr", {"space": "b", "spec_hash": "1"}),
    ):
        pass


@pytest.mark.parametrize(
    "url", ["nosuch://host/base", "sqlite:////no/such/folder/trials.db", "postgresql://u:secret@/"]
)
def test_a_store_that_cannot_be_reached_is_told_without_its_password(
    tmp_path: Path, url: str
) -> None:
    with pytest.raises(EngineStartError, match="cannot be reached") as told:
        check_usable(url, Path("run"), "lmr", {})
    assert "secret" not in str(told.value)


def test_a_study_that_is_played_or_another_one_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    url, folder = f"sqlite:///{tmp_path}/trials.db", tmp_path / "search-lmr"
    check_usable(url, folder, "lmr", {"space": "a"})
    with opened_study(url, tmp_path, "lmr", {"space": "a"}) as study:
        check_usable(url, folder, "lmr", {"space": "a"})
        with pytest.raises(UsageError, match="with another space"):
            check_usable(url, folder, "lmr", {"space": "b"})
        Lease(study, tmp_path)
        study.set_user_attr("owner", {**study.user_attrs["owner"], "process": os.getppid()})
        with pytest.raises(UsageError, match="is being played by process"):
            check_usable(url, folder, "lmr", {"space": "a"})
    assert not folder.exists()


def test_what_a_crash_left_of_a_line_is_dropped(tmp_path: Path) -> None:
    with opened_study(None, tmp_path, "lmr", {"space": "a"}) as study:
        study.set_user_attr("before", 1)
    with (tmp_path / JOURNAL).open("ab") as journal:
        journal.write(b'{"op_code": 4, "worker_id"')
    with opened_study(None, tmp_path, "lmr", {"space": "a"}) as study:
        assert study.user_attrs["before"] == 1
        study.set_user_attr("after", 2)
    with opened_study(None, tmp_path, "lmr", {"space": "a"}) as study:
        assert study.user_attrs["after"] == 2


@pytest.fixture
def study(tmp_path: Path) -> Iterator[optuna.Study]:
    with opened_study(f"sqlite:///{tmp_path}/trials.db", tmp_path, "lmr", {}) as opened:
        yield opened


def test_a_second_coordinator_is_refused_and_a_dead_one_is_followed(
    tmp_path: Path, study: optuna.Study
) -> None:
    lease = Lease(study, tmp_path)
    owner = study.user_attrs["owner"]
    living = {**owner, "process": os.getppid(), "folder": "elsewhere"}
    study.set_user_attr("owner", living)
    with pytest.raises(UsageError, match=f"is being played by process {os.getppid()}"):
        Lease(study, tmp_path)
    elsewhere = {**owner, "host": "other", "at": time.time()}
    study.set_user_attr("owner", elsewhere)
    with pytest.raises(UsageError, match="on other; expected a study that has stopped"):
        Lease(study, tmp_path)
    study.set_user_attr("owner", {**elsewhere, "at": time.time() - 3600})
    Lease(study, tmp_path)
    lease.give_back()
    assert study.user_attrs["owner"] is None


@pytest.mark.parametrize(
    ("other", "value"), [("process", os.getppid()), ("host", "other"), ("folder", "elsewhere")]
)
def test_who_has_lost_the_study_stops_and_leaves_it_to_its_new_owner(
    tmp_path: Path,
    study: optuna.Study,
    monkeypatch: pytest.MonkeyPatch,
    other: str,
    value: int | str,
) -> None:
    lease = Lease(study, tmp_path)
    taken = {**study.user_attrs["owner"], other: value}
    study.set_user_attr("owner", taken)
    now_s = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now_s + 60)
    with pytest.raises(UsageError, match="taken over by another process"):
        lease.renew()
    lease.give_back()
    assert study.user_attrs["owner"] == taken
