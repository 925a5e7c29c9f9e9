"""`harness queue`: the list, and who plays when it changes."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.run_queue.command import check_arguments, listing
from harness.run_queue.runner import Runner, item_folder, run_folder_of
from harness.run_queue.store import Store
from tests.match.runs import wait_until

#: In place of `harness`: a run that notes how it was called. A long one goes on until it is
#: interrupted, and ends by itself when it was resumed.
PROGRAM = """
import signal, sys, time
from pathlib import Path
arguments = sys.argv[1:]
resumed = "--resume" in arguments
if resumed:
    run = Path(arguments[arguments.index("--resume") + 1])
else:
    run = Path(arguments[arguments.index("--out") + 1]) / "run"
    run.mkdir()
    (run / "run.sqlite").touch()
    (run / "kind").write_text(arguments[1])
with (run / "calls").open("a") as file:
    file.write(" ".join(arguments) + "\\n")
kind = (run / "kind").read_text()
if kind == "broken":
    sys.exit("error: it does not work")
if kind == "long" and not resumed:
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    (run / "ready").touch()
    time.sleep(600)
sys.exit(10 if kind == "worse" else 0)
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "reports" / "queue.sqlite", make=True) as store:
        yield store


def add(store: Store, *names: str, first: bool = False) -> list[int]:
    return [store.add(("sprt", name), store.path.parent, first=first) for name in names]


def order(store: Store) -> list[str]:
    return [item.arguments[1] for item in store.items()]


def states(store: Store) -> dict[str, str]:
    return {item.arguments[1]: item.state for item in store.items()}


class TestList:
    def test_the_order_is_that_of_adding_unless_told_otherwise(self, store: Store) -> None:
        add(store, "a", "b", "c")
        add(store, "d", first=True)
        assert order(store) == ["d", "a", "b", "c"]
        assert [item.state for item in store.items()] == ["waiting"] * 4

    @pytest.mark.parametrize(
        ("number", "place", "expected"),
        [(3, 1, "cabd"), (1, 2, "bacd"), (1, 4, "bcda"), (1, 99, "bcda"), (2, 2, "abcd")],
    )
    def test_moving(self, store: Store, number: int, place: int, expected: str) -> None:
        add(store, *"abcd")
        store.move(number, place)
        assert "".join(order(store)) == expected

    def test_it_outlives_the_process(self, store: Store) -> None:
        add(store, "a")
        store.set_concurrency(1, 3)
        with Store(store.path) as again:
            assert again.items() == store.items()
            assert again.item(1).concurrency == 3

    def test_pausing_going_on_and_removing(self, store: Store) -> None:
        add(store, "a", "b")
        store.pause(1)
        assert states(store) == {"a": "paused", "b": "waiting"}
        store.resume(1)
        store.remove(2)
        assert states(store) == {"a": "waiting"}
        assert store.add(("sprt", "c"), Path(), first=False) == 3, "numbers are not used again"

    def test_what_has_ended_stands_last_and_stays_as_it_is(self, store: Store) -> None:
        add(store, "a", "b")
        store.set_state(1, "done", 10)
        assert order(store) == ["b", "a"]
        assert list(listing(store.items())) == [
            "   2  waiting      sprt b",
            "   1  done (10)    sprt a",
        ]
        for change in (store.pause, lambda number: store.move(number, 1)):
            with pytest.raises(UsageError, match="ID = 1: the run is done; expected one that"):
                change(1)

    def test_mistakes(self, store: Store, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="ID = 7: no such run in "):
            store.remove(7)
        add(store, "a")
        with pytest.raises(UsageError, match="ID = 1: the run is waiting; expected a paused one"):
            store.resume(1)
        (tmp_path / "text").write_text("no database, but long enough to be looked at" * 9)
        with pytest.raises(UsageError, match=r"is damaged: .*expected a queue of Numbishop"):
            Store(tmp_path / "text")

    def test_another_database_and_a_newer_queue_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "queue.sqlite"
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE x (y)")
        other.close()
        with pytest.raises(UsageError, match="is no queue; expected one made by"):
            Store(path)
        path.unlink()
        with Store(path, make=True) as store:
            store._connection.execute("PRAGMA user_version = 99")
        with pytest.raises(UsageError, match="queue version 99, written by a newer"):
            Store(path)

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["stats"], "COMMAND = stats: expected one of sprt, match"),
            (["sprt", "a", "b", "--out=x"], "--out cannot be given to a queued run"),
            (["sprt", "a", "b", "--then", "--early"], "--then cannot be given to a queued run"),
        ],
    )
    def test_what_cannot_be_queued(self, arguments: list[str], told: str) -> None:
        with pytest.raises(UsageError) as caught:
            check_arguments(arguments)
        assert str(caught.value).startswith(told)


class TestRunner:
    @pytest.fixture
    def told(self) -> list[str]:
        return []

    @pytest.fixture
    def runner(self, store: Store, told: list[str]) -> Iterator[Runner]:
        runner = Runner(store, told.append, (sys.executable, "-c", PROGRAM))
        yield runner
        runner._stop()

    def until(self, runner: Runner, condition: Callable[[], bool]) -> None:
        wait_until(lambda: condition() or not runner._step() or condition())

    def calls(self, store: Store, number: int) -> list[str]:
        run = run_folder_of(item_folder(store, store.item(number)))
        assert run is not None
        return (run / "calls").read_text().splitlines()

    def test_runs_are_played_in_order_to_their_ends(
        self, store: Store, runner: Runner, told: list[str]
    ) -> None:
        add(store, "better", "broken", "worse")
        self.until(runner, lambda: "waiting" not in states(store).values())
        self.until(runner, lambda: not runner._step())
        assert states(store) == {"better": "done", "broken": "failed", "worse": "done"}
        assert [store.item(number).exit_code for number in (1, 2, 3)] == [0, 1, 10]
        assert "run 2: failed, exit code 1: error: it does not work" in told

    def started(self, store: Store, runner: Runner) -> None:
        """Run 1, a long one, is being played."""
        ready = item_folder(store, store.item(1)) / "run" / "ready"
        self.until(runner, ready.exists)

    def test_a_quick_run_goes_first_and_the_long_one_goes_on(
        self, store: Store, runner: Runner
    ) -> None:
        add(store, "long")
        self.started(store, runner)
        add(store, "quick", first=True)
        self.until(runner, lambda: not runner._step())
        assert states(store) == {"long": "done", "quick": "done"}
        begun, resumed = self.calls(store, 1)
        folder = item_folder(store, store.item(1))
        assert begun == f"sprt long --out {folder} --quiet"
        assert resumed == f"sprt --resume {folder / 'run'} --quiet"

    def test_another_number_of_workers_while_it_is_played(
        self, store: Store, runner: Runner
    ) -> None:
        add(store, "long")
        self.started(store, runner)
        store.set_concurrency(1, 5)
        self.until(runner, lambda: not runner._step())
        assert self.calls(store, 1)[-1].endswith("--quiet --concurrency 5")

    def test_a_paused_run_stays_so(self, store: Store, runner: Runner) -> None:
        add(store, "long", "quick")
        self.started(store, runner)
        store.pause(1)
        self.until(runner, lambda: not runner._step())
        assert states(store) == {"long": "paused", "quick": "done"}

    def test_a_removed_run_is_stopped(self, store: Store, runner: Runner) -> None:
        add(store, "long")
        self.started(store, runner)
        store.remove(1)
        self.until(runner, lambda: not runner._step())
        assert states(store) == {}

    def test_a_run_of_a_runner_that_was_killed_goes_on(self, store: Store) -> None:
        from harness.interrupts import Interrupts

        add(store, "quick")
        folder = item_folder(store, store.item(1)) / "run"
        folder.mkdir(parents=True)
        (folder / "run.sqlite").touch()
        (folder / "kind").write_text("quick")
        store.set_state(1, "running")
        with Interrupts() as interrupts:
            Runner(store, lambda _: None, (sys.executable, "-c", PROGRAM)).play(interrupts)
        assert states(store) == {"quick": "done"}
        assert self.calls(store, 1) == [f"sprt --resume {folder} --quiet"]
