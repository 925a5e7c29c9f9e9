"""What a run refuses to begin or to go on with, and that a refusal leaves nothing behind."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import playing
from harness.chunks import Event, Failed
from harness.errors import EngineStartError, UsageError
from harness.journal import Journal
from harness.limits import Limit
from harness.match import RunOptions, RunProgress, read_run, read_spec, run_match
from harness.provenance import collect_provenance
from harness.spec import EngineConfig, OpeningSpec
from harness.workers import LocalWorkers
from tests.match.runs import RecordingView, finished_games, kill_if_running, null_spec, play


def begun(run_dir: Path, **changes: object) -> None:
    """A run that was begun and killed before its first game."""
    spec = null_spec(5, **changes)
    Journal.create(run_dir, spec, collect_provenance(spec)).close()


def test_another_specification_is_refused_naming_both(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    other = null_spec(5, seed=8)
    hashes = null_spec(5).spec_hash()[:12], other.spec_hash()[:12]
    with pytest.raises(UsageError, match="begun with specification {}, not {};".format(*hashes)):
        play(other, tmp_path / "run", resume=True)
    assert finished_games(tmp_path / "run") == 0


def test_another_engine_is_refused_naming_both(tmp_path: Path) -> None:
    begun(tmp_path / "run", source_digest="ab" * 32)
    digest = null_spec(5).source_digest[:12]
    with pytest.raises(UsageError, match=f"begun with engine source abababababab, not {digest};"):
        play(null_spec(5), tmp_path / "run", resume=True)


def test_engine_that_is_nowhere_any_more_is_refused_naming_both(tmp_path: Path) -> None:
    begun(tmp_path / "run", source_digest="ab" * 32)
    spec = read_spec(tmp_path / "run")
    digest = null_spec(5).source_digest[:12]
    with pytest.raises(UsageError, match=f"engine source abababababab, .* is {digest};"):
        play(spec, tmp_path / "run", resume=True)


def test_new_run_needs_a_new_folder(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    with pytest.raises(UsageError, match="already holds a run"):
        play(null_spec(5), tmp_path / "run")


def test_new_run_of_an_edited_engine_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the engine was edited since"):
        play(null_spec(5, source_digest="cd" * 32), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_test_needs_hypotheses(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the specification has no hypotheses"):
        play(null_spec(5, sprt=None), tmp_path / "run")


def test_book_that_has_changed_is_refused(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n")
    openings = OpeningSpec(kind="book", path=str(book), sha256="ef" * 32)
    with pytest.raises(UsageError, match=f"{book}: SHA-256 .*; expected efefefefefef"):
        play(null_spec(5, openings=openings), tmp_path / "run")


def test_player_that_cannot_start_ends_the_run_with_its_sentence(tmp_path: Path) -> None:
    spec = null_spec(5, new=EngineConfig(name="stranger", source="uci"))
    with pytest.raises(EngineStartError, match="stranger: source = 'uci' has no program"):
        play(spec, tmp_path / "run")


def test_bug_in_a_worker_is_raised_with_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Buggy(LocalWorkers):
        def events(self, timeout_s: float) -> list[Event]:
            return [Failed(None, "Traceback of the worker")]

    monkeypatch.setattr(playing, "LocalWorkers", Buggy)
    with pytest.raises(playing.WorkerError, match="Traceback of the worker"):
        play(null_spec(5), tmp_path / "run")


def test_game_that_kills_its_worker_each_time_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a crash of compiled code would: the third loss of one game is told, with the game.

    The engine plays, and not the null players, so that no game is over before it can be killed.
    """
    engine = EngineConfig(name="engine", source="builtin")
    spec = null_spec(50, new=engine, base=engine, limit=Limit(nodes=10_000))

    class Deadly(LocalWorkers):
        def events(self, timeout_s: float) -> list[Event]:
            for slot in self._slots:
                games = slot.in_hand[0].games if slot.in_hand else ()
                if any((game.pair, game.game) == (0, 1) for game in games):
                    assert slot.process.pid is not None
                    kill_if_running(slot.process.pid)
            return super().events(timeout_s)

    monkeypatch.setattr(playing, "LocalWorkers", Deadly)
    view = RecordingView()
    with pytest.raises(EngineStartError, match="3 workers died playing game 1 of pair 0"):
        run_match(spec, RunOptions(tmp_path / "run", 1), view)
    with Journal.read(tmp_path / "run") as journal:
        kinds = [event.kind for event in journal.events()]
    assert kinds == ["started", *["worker_lost"] * 3, "interrupted"]
    (document,) = view.documents
    assert document["machine"]["interrupted"], "it is said how to go on"
    assert document["machine"]["games"] == finished_games(tmp_path / "run")


@pytest.mark.parametrize("gone", [shutil.rmtree, lambda folder: folder.rename(f"{folder}-2")])
def test_folder_that_goes_away_ends_the_run_at_once(
    tmp_path: Path, gone: Callable[[Path], object]
) -> None:
    class Careless(RecordingView):
        def update(self, progress: RunProgress) -> None:
            super().update(progress)
            if progress.pairs_done and (tmp_path / "run").exists():
                gone(tmp_path / "run")

    view = Careless()
    with pytest.raises(EngineStartError, match="is gone: the run's folder was deleted or renamed"):
        run_match(null_spec(20_000), RunOptions(tmp_path / "run", 1), view)
    assert view.progress[-1].pairs_done < 10_000


def test_running_run_can_be_read_but_not_played_twice(tmp_path: Path) -> None:
    spec = null_spec(5)

    class Curious(RecordingView):
        def start(self, heading: object) -> None:
            document = read_run(tmp_path / "run", pytest.fail)
            assert document["games_played"] == 0
            assert document["machine"]["interrupted"]
            with pytest.raises(UsageError, match="is being played by process"):
                play(spec, tmp_path / "run", resume=True)
            super().start(heading)

    view = Curious()
    run_match(spec, RunOptions(tmp_path / "run", 1), view)
    assert len(view.headings) == 1
    assert read_run(tmp_path / "run", pytest.fail) == view.documents[-1]
