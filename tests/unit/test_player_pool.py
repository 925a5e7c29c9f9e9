"""Which players a worker keeps, and which it makes anew."""

import pytest

from harness import player_pool
from harness.player_pool import MAX_IDLE, PlayerPool
from harness.spec import EngineConfig


class Dummy:
    """A player that only remembers what was asked of it."""

    def __init__(self, config: EngineConfig) -> None:
        self.config = config
        self.closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> PlayerPool:
    monkeypatch.setattr(player_pool, "make_player", Dummy)
    return PlayerPool()


def engine(number: int, name: str = "") -> EngineConfig:
    return EngineConfig(name=name or f"engine {number}", options={"Hash": str(number)})


def test_a_player_comes_back_whatever_its_configuration_is_called(pool: PlayerPool) -> None:
    player = pool.take(engine(1))
    pool.give_back(engine(1), player)
    assert pool.take(engine(1, "another name")) is player


def test_an_engine_that_plays_itself_is_two_players(pool: PlayerPool) -> None:
    assert pool.take(engine(1)) is not pool.take(engine(1))


def test_the_longest_unused_player_is_closed_when_there_are_too_many(pool: PlayerPool) -> None:
    players = [pool.take(engine(number)) for number in range(1, MAX_IDLE + 2)]
    for number, player in enumerate(players, 1):
        pool.give_back(engine(number), player)
    assert [player.closed for player in players] == [True] + [False] * MAX_IDLE  # type: ignore[attr-defined]
    assert pool.take(engine(1)) is not players[0]
    assert pool.take(engine(2)) is players[1]
