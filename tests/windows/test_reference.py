"""The definition, worked by hand: which tuples a frame holds and which tuples yield.

On the time lines ``[ ]`` is a frame, ``|`` the end of a slot and ``*`` a yield tuple. What SQL can say is in
test_reference_oracles.py.
"""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inwindow.udaf.errors import DataError
from inwindow.windows.interval import Interval
from inwindow.windows.reference import Row, frames, in_order, results, yields
from inwindow.windows.spec import Landmark, Order, Range, Rows, Scope, Window

NAN, INF = float("nan"), float("inf")
ASC, DESC = Order("o"), Order("o", ascending=False, nulls_first=False)


class Listed:
    """What it saw, as a string."""

    def __init__(self) -> None:
        self.text = ""

    def iterate(self, value: Any) -> None:
        self.text += str(value)

    def terminate(self) -> str:
        return self.text


def at(*values: Any) -> list[Row]:
    return [Row((value,), (i,)) for i, value in enumerate(values)]


def sees(frame: Any, *values: Any, order: Order = ASC) -> list[str]:
    """For each tuple the positions in its frame, one digit each."""
    return ["".join(map(str, held)) for held in frames(Window(frame, order_by=(order,)), at(*values))]


# --- Order --------------------------------------------------------------------------------------------------


def ordered(values: list[Any], ascending: bool, nulls_first: bool) -> list[Any]:
    order = Order("o", ascending, nulls_first)
    return [row.order[0] for row in in_order(at(*values), (order,))]


def test_nan_is_the_largest_value_and_nulls_go_where_they_are_sent() -> None:
    values = [INF, None, 1.0, NAN, -INF]
    for first in (True, False):
        up, down = [-INF, 1.0, INF, NAN], [NAN, INF, 1.0, -INF]
        null = [None]
        assert repr(ordered(values, True, first)) == repr(null + up if first else up + null)
        assert repr(ordered(values, False, first)) == repr(null + down if first else down + null)


@pytest.mark.parametrize("ascending", [True, False])
def test_ties_stay_in_the_order_of_arrival_and_minus_zero_is_a_tie(ascending: bool) -> None:
    rows = in_order(at(0.0, 0, -0.0, Decimal("0.00"), 0.0), (Order("o", ascending),))
    assert [row.args[0] for row in rows] == [0, 1, 2, 3, 4]


def test_a_second_order_column_breaks_ties_and_makes_peers() -> None:
    orders = (ASC, Order("p", ascending=False))
    rows = in_order([Row((1, "a")), Row((1, "b")), Row((0, "a")), Row((1, "b"))], orders)
    assert [row.order for row in rows] == [(0, "a"), (1, "b"), (1, "b"), (1, "a")]
    window = Window(Range(None, 0), order_by=orders)
    assert frames(window, rows) == [[0], [0, 1, 2], [0, 1, 2], [0, 1, 2, 3]]


def test_without_order_all_tuples_are_peers() -> None:
    assert frames(Window(Range(None, 0)), [Row(), Row()]) == [[0, 1], [0, 1]]


# --- Frames -------------------------------------------------------------------------------------------------


def test_an_empty_partition_has_no_frames() -> None:
    assert frames(Window(Rows(-1, 0)), []) == []
    assert yields(Window(Rows(-1, 0), slide=3, final="emit"), []) == []


def test_rows_frames_may_be_empty() -> None:
    assert sees(Rows(-3, -2), *"abcde") == ["", "", "0", "01", "12"]
    assert sees(Rows(2, None), *"abcd") == ["23", "3", "", ""]


def test_a_range_holds_both_ends_and_all_peers() -> None:
    #  0  1  2  3  4  5  6  7     RANGE 5
    #  0     1        2     4
    #                       3
    # [            5 = 5 ]
    assert sees(Range(-5, 0), 0, 2, 5, 7, 7) == ["0", "01", "012", "1234", "1234"]


def test_descending_preceding_means_larger() -> None:
    assert sees(Range(-2, 0), 9, 7, 6, 6, 1, order=DESC) == ["0", "01", "123", "123", "4"]


@pytest.mark.parametrize("order", [ASC, DESC])
def test_null_and_nan_see_their_peers_and_unbounded_reaches_the_ends(order: Order) -> None:
    values = [None, None, 1.0, 2.0, NAN, NAN]
    peers = ["01", "01", "2", "3", "45", "45"]
    if not order.ascending:
        values, peers = values[::-1], ["01", "01", "2", "3", "45", "45"]
    assert sees(Range(-0.5, 0.5), *values, order=order) == peers
    assert sees(Range(0, 0), *values, order=order) == peers
    assert sees(Range(None, 0.5), *values, order=order) == ["01", "01", "012", "0123", "012345", "012345"]
    assert sees(Range(-0.5, None), *values, order=order) == ["012345", "012345", "2345", "345", "45", "45"]
    assert sees(Range(0.1, 0.5), *values, order=order) == ["01", "01", "", "", "45", "45"]  # even FOLLOWING


def test_infinities_stay_infinite() -> None:
    assert sees(Range(-5, 5), -INF, -1e308, 0.0, 1e308, INF) == ["0", "1", "2", "3", "4"]
    assert sees(Range(-1.7e308, 0), -1e308, 1e308, INF) == ["0", "1", "2"]


def test_months_end_with_the_month() -> None:
    #  31 January + 1 month = 29 February 2024 = 29, 30 and 31 March - 1 month
    days = [date(2024, 1, 31), date(2024, 2, 29), date(2024, 3, 29), date(2024, 3, 31)]
    assert sees(Range(0, Interval(months=1)), *days) == ["01", "12", "23", "3"]
    assert sees(Range(Interval(months=-1), 0), *days) == ["0", "01", "12", "123"]


def test_sizes_beyond_the_calendar_reach_the_ends() -> None:
    ends = [date(1, 1, 1), date(2024, 1, 1), date(9999, 12, 31)]
    for size in (Interval(months=12 * 9999), Interval(microseconds=2**63), 10**9):
        assert sees(Range(-size, size), *ends) == ["012", "012", "012"]


def test_a_number_beside_dates_is_days_and_hours_are_exact() -> None:
    days = [date(1969, 12, 30), date(1969, 12, 31), date(1970, 1, 2)]
    assert sees(Range(-2, 0), *days) == ["0", "01", "12"]
    assert sees(Range(Interval(microseconds=-47 * 3_600_000_000), 0), *days) == ["0", "01", "2"]


def test_a_zoned_day_is_24_hours_whatever_the_clocks_say() -> None:
    #  New York, 3 November 2024: 01:30 comes twice; from the first to 00:30 on the next day it is 24 hours
    zone = ZoneInfo("America/New_York")
    first = datetime(2024, 11, 3, 1, 30, tzinfo=zone)
    second = first.replace(fold=1)
    next_day = datetime(2024, 11, 4, 0, 30, tzinfo=zone)
    assert sees(Range(0, 0), first, second) == ["0", "1"]
    assert sees(Range(Interval(microseconds=-86_400_000_000), 0), first, second, next_day) == [
        "0",
        "01",
        "012",
    ]
    assert sees(Range(Interval(microseconds=-86_340_000_000), 0), first, next_day) == ["0", "1"]
    #  Months are UTC's: 20:30 on 31 January in New York is 1 February there.
    evening, march = datetime(2024, 1, 31, 20, 30, tzinfo=zone), datetime(2024, 3, 1, 1, 30, tzinfo=UTC)
    assert sees(Range(Interval(months=-1), 0), evening, march) == ["0", "01"]


def test_wide_decimals_and_wide_integers_are_exact() -> None:
    wide, more = (Decimal("9" * 35 + cents) for cents in (".01", ".02"))
    assert sees(Range(Decimal("-0.01"), 0), wide, more) == ["0", "01"]
    assert sees(Range(-1.5, 0), 2**62, 2**62 + 1, 2**62 + 2) == ["0", "01", "12"]


# --- lag, landmark, band, scope -----------------------------------------------------------------------------


def test_a_lagging_frame_ends_before_the_current_tuple() -> None:
    #  0  1  2  3  4  5  6  7     RANGE 3, lag 2: [t - 5, t - 2]
    #  0  1        2        3
    #        [        ]     t
    assert sees(Range(-5, -2), 0, 1, 4, 7) == ["", "", "01", "2"]
    assert sees(Rows(-3, -1), *"abcde") == ["", "0", "01", "012", "123"]


def test_a_landmark_fixes_the_lower_end() -> None:
    #  1  3  3  5     since 3
    #     [           peers are in
    assert sees(Landmark(since=3), 1, 3, 3, 5) == ["", "12", "12", "123"]


def test_after_until_the_result_is_frozen() -> None:
    assert sees(Landmark(until=3), 1, 3, 3, 5, 9) == ["0", "012", "012", "012", "012"]


def test_a_band_has_both_ends_and_either_may_fall_between_tuples() -> None:
    assert sees(Landmark(2, 6), 1, 3, 3, 5, 9) == ["", "12", "12", "123", "123"]
    assert sees(Landmark(6, 2), 1, 3, 9) == ["", "", ""]


def test_a_landmark_goes_with_the_traversal() -> None:
    assert sees(Landmark(6, 2), 9, 5, 3, 1, order=DESC) == ["", "1", "12", "12"]
    day = datetime(2024, 1, 2)
    assert sees(Landmark(since=day), datetime(2024, 1, 1), day, datetime(2024, 1, 3)) == ["", "1", "12"]


def test_nulls_and_nans_at_a_landmark_are_where_they_are_sorted() -> None:
    assert sees(Landmark(since=1.0), None, 0.0, 1.0, NAN) == ["", "", "2", "23"]
    assert sees(Landmark(until=1.0), None, 0.0, 1.0, NAN) == ["0", "01", "012", "012"]
    assert sees(Landmark(until=1), 1, 2, None, order=Order("o", nulls_first=False)) == ["0", "0", "0"]


def test_a_scope_is_any_two_functions_of_the_order_value() -> None:
    #  0  1  2  3  4  5  6  7  8     from the start of the pair of fours to half a step on
    half_open = Scope(lambda t: t // 4 * 4, lambda t: t + 0.5)
    assert sees(half_open, 0, 1, 3, 4, 4, 7, 8) == ["0", "01", "012", "34", "34", "345", "6"]
    growing = Scope(lambda t: t - t / 2, None)
    assert sees(growing, 1, 2, 4, 4, 8) == ["0", "01", "123", "123", "234"]
    assert sees(Scope(None, lambda t: t - 1), 1, 2, 4) == ["", "0", "01"]


def test_a_scope_goes_with_the_traversal_and_null_and_nan_see_their_peers() -> None:
    five = Scope(lambda t: t + 5, lambda t: t)
    assert sees(five, 9, 5, 5, 3, order=DESC) == sees(Range(-5, 0), 9, 5, 5, 3, order=DESC)
    assert sees(Scope(lambda t: t - 1, lambda t: t + 1), None, None, 1.0, NAN) == ["01", "01", "2", "3"]


def test_a_scope_may_not_go_backwards() -> None:
    with pytest.raises(DataError, match="upper of the scope goes backwards between 2 and 3"):
        sees(Scope(None, lambda t: 10 if t < 3 else 5), 1, 2, 3)
    with pytest.raises(DataError, match="lower of the scope goes backwards between 3 and 2"):
        sees(Scope(lambda t: -t, None), 3, 2, order=DESC)
    assert sees(Scope(lambda t: t // 5, lambda t: 7), 1, 2, 9) == ["01", "01", "01"]  # standing still


# --- Slides -------------------------------------------------------------------------------------------------


def test_rows_49_preceding_slide_10_yields_at_10_20_30() -> None:
    #  1 ... 10*  11 ... 20*  ...  51 ... 60*  61 ... 65      the last slot is not full
    window = Window(Rows(-49, 0), order_by=(ASC,), slide=10)
    rows = at(*range(1, 66))
    assert [i + 1 for i in yields(window, rows)] == [10, 20, 30, 40, 50, 60]
    held = frames(window, rows)
    assert [len(held[i]) for i in yields(window, rows)] == [10, 20, 30, 40, 50, 50]
    assert held[59] == list(range(10, 60))


@pytest.mark.parametrize(("final", "expected"), [("drop", ["2", "5"]), ("emit", ["2", "5", "7"])])
def test_an_unfilled_last_slot_of_rows_yields_if_it_is_told_to(final: Any, expected: list[str]) -> None:
    #  0  1  2* | 3  4  5* | 6  7(*)
    window = Window(Rows(0, 0), slide=3, final=final)
    assert [str(i) for i in yields(window, at(*range(8)))] == expected


def test_a_range_may_slide_by_tuples() -> None:
    #  0  4 | 4* at position 1: the range ends with its peers, not with its slot | 9  9*
    window = Window(Range(-5, 0), order_by=(ASC,), slide=2, slide_by="rows")
    rows = at(0, 4, 4, 9, 9)
    assert yields(window, rows) == [1, 3]
    assert results(Listed(), window, rows) == [None, "012", None, "1234", None]
    emit = Window(Range(-5, 0), order_by=(ASC,), slide=2, slide_by="rows", final="emit")
    assert yields(emit, rows) == [1, 3, 4]


def test_tuples_may_slide_by_order_values() -> None:
    #  -7 | 0  4  4* | 23*     slots of 5 from 0; the last two tuples, however long ago
    window = Window(Rows(-1, 0), order_by=(ASC,), slide=5, slide_by="range")
    assert results(Listed(), window, at(-7, 0, 4, 4, 23)) == ["0", None, None, "23", "34"]
    moved = Window(Rows(-1, 0), order_by=(ASC,), slide=5, slide_by="range", origin=4)
    assert yields(moved, at(-7, 0, 4, 4, 23)) == [0, 1, 3, 4]


def test_the_last_yield_sees_its_whole_frame_and_not_just_its_slot() -> None:
    #  0  1  2* | 3  4  5* | 6*     the result with a slide is the result without it, nothing else
    window = Window(Rows(-2, 0), slide=3, final="emit")
    assert results(Listed(), window, at(*range(7))) == [None, None, "012", None, None, "345", "456"]


def test_with_columns_gives_null_where_a_tuple_does_not_yield() -> None:
    window = Window(Range(-2, 0), order_by=(ASC,), slide=5)
    assert results(Listed(), window, at(0, 2, 4, 5, 6)) == [None, None, "12", None, "234"]


def test_range_slots_are_aligned_to_zero_and_the_last_peer_yields() -> None:
    #  -7  -5 | -1 | 0  4  4* | 5* | 23*     slide 5; a slot without a tuple yields nothing
    window = Window(Range(-5, 0), order_by=(ASC,), slide=5)
    assert yields(window, at(-7, -5, -1, 0, 4, 4, 5, 23)) == [0, 2, 5, 6, 7]


def test_an_origin_moves_the_slots() -> None:
    #  0  1* | 2  4  6* | 7*     origin 2 = origin 7 = origin -3
    for origin in (2, 7, -3, Decimal(2)):
        window = Window(Range(-5, 0), order_by=(ASC,), slide=5, origin=origin)
        assert yields(window, at(0, 1, 2, 4, 6, 7)) == [1, 4, 5]


def test_descending_the_last_tuple_in_traversal_yields() -> None:
    #  9  7  5* | 4  0* | -1*
    window = Window(Range(-5, 0), order_by=(DESC,), slide=5)
    assert yields(window, at(9, 7, 5, 4, 0, -1)) == [2, 4, 5]


def test_null_nan_and_each_infinity_are_slots_of_their_own() -> None:
    window = Window(Range(-5, 0), order_by=(ASC,), slide=5.0)
    assert yields(window, at(None, None, -INF, 0.0, INF, INF, NAN, NAN)) == [1, 2, 3, 5, 7]


def test_slots_of_time() -> None:
    window = Window(Range(Interval(0, -1), 0), order_by=(ASC,), slide=Interval(months=1))
    days = [date(1969, 11, 30), date(1969, 12, 1), date(1969, 12, 31), date(1970, 1, 1), date(1972, 2, 29)]
    assert yields(window, at(*days)) == [0, 2, 3, 4]
    #  Month ends are slot starts: 31 January, 29 February, 31 March.
    window = Window(window.frame, order_by=(ASC,), slide=Interval(months=1), origin=date(1972, 1, 31))
    days = [date(1972, 1, 31), date(1972, 2, 28), date(1972, 2, 29), date(1972, 3, 30), date(1972, 3, 31)]
    assert yields(window, at(*days)) == [1, 3, 4]
    #  A week is seven days from the epoch, a Thursday; zoned times are cut in UTC.
    window = Window(window.frame, order_by=(ASC,), slide=Interval(microseconds=7 * 86_400_000_000))
    zone = ZoneInfo("Asia/Kolkata")  # UTC + 5:30
    times = [datetime(1970, 1, 8, 5, 29, tzinfo=zone), datetime(1970, 1, 8, 5, 30, tzinfo=zone)]
    assert yields(window, at(*times)) == [0, 1]


def test_a_slide_of_a_tenth_is_a_tenth() -> None:
    #  As sums of doubles, 3 * 0.1 > 0.3 and 6 * 0.1 > 0.6.
    window = Window(Range(-1.0, 0), order_by=(ASC,), slide=0.1)
    assert yields(window, at(0.25, 0.3, 0.35, 0.55, 0.6, 1e300)) == [0, 2, 3, 4, 5]


def test_a_landmark_and_a_scope_slide_in_order_values() -> None:
    for frame in (Landmark(since=1), Scope(lambda t: t - 1, None)):
        assert yields(Window(frame, order_by=(ASC,), slide=5), at(1, 4, 5, 6)) == [1, 3]
