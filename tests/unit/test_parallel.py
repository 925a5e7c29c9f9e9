"""Calls in threads: every result once, errors raised, nothing begun after the end."""

import threading

import pytest

from harness.parallel import in_parallel


@pytest.mark.parametrize("threads", [1, 3, 50])
def test_each_item_has_its_result(threads: int) -> None:
    items = [f"item {number}" for number in range(20)]
    results = dict(in_parallel(str.upper, items, threads))
    assert results == {index: item.upper() for index, item in enumerate(items)}
    assert list(in_parallel(str.upper, [], threads)) == []


def test_calls_run_side_by_side() -> None:
    both = threading.Barrier(2, timeout=60)
    assert len(list(in_parallel(lambda _: both.wait(), range(2), 2))) == 2


def test_an_error_is_raised_where_the_results_are_read() -> None:
    def fail(item: int) -> int:
        if item == 3:
            raise ValueError("three")
        return item

    with pytest.raises(ValueError, match="three"):
        list(in_parallel(fail, range(10), 2))


def test_nothing_is_begun_once_nobody_asks_any_more() -> None:
    begun: list[int] = []
    going_on = threading.Event()

    def call(item: int) -> int:
        begun.append(item)
        if item:
            going_on.wait(60)
        return item

    results = in_parallel(call, range(100), 2)
    assert next(results) == (0, 0)
    results.close()  # type: ignore[attr-defined]  # a generator
    going_on.set()
    assert len(begun) <= 4
