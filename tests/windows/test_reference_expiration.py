"""The definition of active expiration, worked by hand: who leaves when, and what that emits."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval
from inwindow.windows.reference import Row, expirations
from inwindow.windows.reference_hooks import InWindow
from inwindow.windows.spec import Order, Range, Rows, Window

ASC = (Order("o"),)


def at(*pairs: tuple[Any, Any]) -> list[Row]:
    """Rows of (order value, argument)."""
    return [Row((time,), (value,)) for time, value in pairs]


class Leaving:
    """Emits how many are left when a tuple leaves, itself included."""

    inwindow: InWindow

    def iterate(self, value: Any) -> str:
        return "arrivals emit nothing"

    def expire(self, value: Any) -> tuple[Any, int]:
        return value, len(self.inwindow)


ACTIVE = Window(Range(-5, 0), order_by=ASC, active_expiration=True)


def test_a_tuple_leaves_after_all_that_came_until_then() -> None:
    #  0  1  2  3  4  5  6  7  8  9 10 11     RANGE 5
    #  a     b        c     d
    #  +-------------->a leaves at 5, after c
    #        +-------------->b at 7, after d
    rows = at((0, "a"), (2, "b"), (5, "c"), (7, "d"))
    assert expirations(Leaving(), ACTIVE, rows) == [
        (0, 5, ("a", 3)), (1, 7, ("b", 3)), (2, 10, ("c", 2)), (3, 12, ("d", 1))
    ]  # fmt: skip


def test_ties_leave_in_the_order_of_arrival_and_nulls_after_their_peers() -> None:
    rows = at((None, "n"), (None, "m"), (1, "a"), (1, "b"))
    assert expirations(Leaving(), ACTIVE, rows) == [
        (0, None, ("n", 2)), (1, None, ("m", 1)), (2, 6, ("a", 2)), (3, 6, ("b", 1))
    ]  # fmt: skip


def test_descending_time_runs_backwards() -> None:
    window = Window(Range(-5, 0), order_by=(Order("o", ascending=False),), active_expiration=True)
    assert expirations(Leaving(), window, at((9, "a"), (4, "b"))) == [(0, 4, ("a", 2)), (1, -1, ("b", 1))]


def test_months_leave_on_the_day_that_they_reach() -> None:
    window = Window(Range(Interval(months=-1), 0), order_by=ASC, active_expiration=True)
    rows = at((datetime(2023, 1, 31), "a"), (datetime(2023, 2, 28), "b"), (datetime(9999, 12, 31), "c"))
    assert expirations(Leaving(), window, rows) == [
        (0, datetime(2023, 2, 28), ("a", 2)),
        (1, datetime(2023, 3, 28), ("b", 1)),
        (2, datetime.max, ("c", 1)),
    ]


def test_expire_may_yield_several_or_nothing_and_the_unseen_do_not_expire() -> None:
    class Pairs(Leaving):
        def expire(self, value: int) -> Iterator[int]:  # type: ignore[override]
            yield from range(value)

    assert expirations(Pairs(), ACTIVE, at((0, 2), (1, 0), (2, None), (3, 1))) == [
        (0, 5, 0),
        (0, 5, 1),
        (3, 8, 0),
    ]


def test_active_expiration_needs_a_range_of_a_size() -> None:
    for frame in (Rows(-5, 0), Range(None, 0), Range(-5, None), Range(-5, -1)):
        with pytest.raises(UsageError, match="active expiration needs a RANGE frame"):
            expirations(Leaving(), Window(frame, order_by=ASC), [])


class ItemAlarm:
    """ESL, example 18: an item leaves the door's window, and no authorized personnel came before or after."""

    inwindow: InWindow

    def iterate(self, tid: str, ttype: str) -> None:
        authorized = any(record.ttype == "ap" for record in self.inwindow)
        if authorized:
            self.inwindow.delete(lambda record: record.ttype == "item")

    def expire(self, tid: str, ttype: str) -> str | None:
        return f"larceny alarm: {tid}" if ttype == "item" else None


def test_larceny_alarm() -> None:
    #  :00    :03    :04       :09     :14    :20         :25            RANGE 5 SECONDS
    #  tv     guard  radio     lamp    !      vase        guard
    #         lets tv out      |              |           just in time: vase leaves after :25
    #                radio follows the guard  |
    #                          guard left at :08; lamp alone until :14
    start = datetime(2006, 11, 5)
    items, staff = {"tv": 0, "radio": 4, "lamp": 9, "vase": 20}, {"ann": 3, "bob": 25}
    readings = [(s, tid, "item") for tid, s in items.items()] + [(s, tid, "ap") for tid, s in staff.items()]
    rows = [Row((start + timedelta(seconds=s),), (tid, ttype)) for s, tid, ttype in sorted(readings)]
    window = Window(Range(Interval(0, -5_000_000), 0), order_by=ASC, active_expiration=True)
    assert expirations(ItemAlarm(), window, rows) == [(3, start + timedelta(seconds=14), "larceny alarm: lamp")]
