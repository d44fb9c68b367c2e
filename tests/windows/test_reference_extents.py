"""The definition of extents, worked by hand. On the time lines a digit is the position of a tuple."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval
from inwindow.windows.reference import Row, extents, fold
from inwindow.windows.spec import Cumulate, Extent, Hop, Session

NAN, INF = float("nan"), float("inf")
HOUR, DAY = Interval.parse("1 hour"), Interval.parse("1 day")


def held(extent: Extent, *values: Any) -> list[tuple[Any, Any, str]]:
    """The extents, with the positions as digits."""
    found = extents(extent, [Row((value,)) for value in values])
    return [(start, end, "".join(map(str, positions))) for start, end, positions in found]


def test_a_tumble_cuts_the_line_and_an_empty_extent_has_no_row() -> None:
    #  -3 | 0  2  4 | 5 | ... | 20
    assert held(Hop("t", 5, 5), -3, 0, 2, 4, 5, 20) == [
        (-5, 0, "0"), (0, 5, "123"), (5, 10, "4"), (20, 25, "5")
    ]  # fmt: skip


def test_hops_begin_with_partial_extents() -> None:
    #  0  1  2  3  4  5  6  7  8  9 10
    #        0           1
    #  [-4, 4)  [0, 8)  [4, 12)
    assert held(Hop("t", 8, 4), 2, 6) == [(-4, 4, "0"), (0, 8, "01"), (4, 12, "1")]


def test_hops_start_at_multiples_of_every_also_when_size_is_none() -> None:
    #  size 7, every 4: [-4, 3) [0, 7) [4, 11) [8, 15)
    assert held(Hop("t", 7, 4), 0, 3, 8) == [(-4, 3, "0"), (0, 7, "01"), (4, 11, "2"), (8, 15, "2")]


def test_between_hops_longer_than_their_size_tuples_are_in_no_extent() -> None:
    #  [0, 3)  3 4 5 6 7 8 9  [10, 13)
    assert held(Hop("t", 3, 10), 0, 2, 3, 9, 10) == [(0, 3, "01"), (10, 13, "4")]


def test_an_origin_moves_the_extents() -> None:
    for origin in (2, -3, 7, Decimal(2)):
        assert held(Hop("t", 5, 5, origin), 0, 2, 6) == [(-3, 2, "0"), (2, 7, "12")]


def test_null_nan_and_infinity_are_in_no_extent() -> None:
    for extent in (Hop("t", 5, 5), Cumulate("t", 5, 5), Session("t", 5)):
        (found,) = held(extent, None, 1.0, NAN, INF, -INF)
        assert found[2] == "1"
        assert held(extent) == held(extent, None) == []


def test_row_numbers_count_from_zero_whatever_the_attribute() -> None:
    #  0  1  2 | 3  4  5 | 6
    assert held(Hop("t", 3, 3, rows=True), None, None, 5, 5, 5, 9, 9) == [
        (0, 3, "012"), (3, 6, "345"), (6, 9, "6")
    ]  # fmt: skip
    assert held(Hop("t", 4, 2, rows=True), *"abc") == [(-2, 2, "01"), (0, 4, "012"), (2, 6, "2")]


def test_cumulated_extents_share_a_start() -> None:
    #  |0        |10           size 10, every 4: [0, 4) [0, 8); 8 and 9 are in none
    #   0    1  2    3
    assert held(Cumulate("t", 10, 4), 1, 6, 8, 12) == [
        (0, 4, "0"), (0, 8, "01"), (10, 14, "3"), (10, 18, "3")
    ]  # fmt: skip
    assert held(Cumulate("t", 9, 3), 4) == [(0, 6, "0"), (0, 9, "0")]


def test_a_cumulated_month_grows_by_days() -> None:
    size, every = Interval(months=1), Interval.parse("14 days")
    day = date(1970, 2, 15)
    assert held(Cumulate("t", size, every), day) == [(date(1970, 2, 1), date(1970, 3, 1), "0")]
    assert held(Cumulate("t", size, every), date(1970, 1, 1))[-1] == (
        date(1970, 1, 1),
        date(1970, 1, 29),
        "0",
    )


def test_a_session_ends_gap_after_its_last_tuple_and_one_that_comes_then_joins() -> None:
    #  1     3              8  9           gap 5: 3 + 5 = 8 joins; 9 + 5 < 15
    assert held(Session("t", 5), 1, 3, 8, 9, 15) == [(1, 14, "0123"), (15, 20, "4")]
    assert held(Session("t", 5), 15, 8, 2, 2) == [(2, 7, "23"), (8, 13, "1"), (15, 20, "0")]  # in the order of time


@pytest.mark.parametrize(
    ("gap", "values"),
    [
        (5, [0, 5, 11]), (0.1, [0.7, 0.8, 0.91]), (Decimal("0.10"), [Decimal("0.70"), Decimal("0.80"), Decimal("0.91")]),
        (0.1, [Decimal("0.70"), Decimal("0.80"), Decimal("0.91")]), (1, [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 4)]),
        (DAY, [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 4)]),
        (HOUR, [datetime(2026, 1, 1, 1), datetime(2026, 1, 1, 2), datetime(2026, 1, 1, 3, 0, 0, 1)]),
    ],
)  # fmt: skip
def test_tuples_a_gap_apart_are_together_in_every_unit(gap: Any, values: list[Any]) -> None:
    (first, end, held_), (second, _, last) = held(Session("t", gap), *values)
    assert (first, held_, second, last) == (values[0], "01", values[2], "2")
    assert values[1] < end < values[2]


def test_a_day_of_a_gap_is_one_of_the_calendar_in_a_zone() -> None:
    zone, one, hours = ZoneInfo("America/New_York"), Session("t", DAY, 1), Session("t", DAY)

    def local(day: int, hour: int, minute: int = 0, month: int = 3) -> datetime:
        return datetime(2026, month, day, hour, minute, tzinfo=zone)

    #  clocks go from 02:00 to 03:00 on March 8: a day is 23 hours
    assert [row[2] for row in held(one, local(7, 12), local(8, 12))] == ["01"]
    assert [row[2] for row in held(one, local(7, 12), local(8, 12, 1))] == ["0", "1"]
    assert [row[2] for row in held(hours, local(7, 12), local(8, 13))] == ["01"]
    #  ... from 02:00 to 01:00 on November 1: 25 hours
    assert [row[2] for row in held(one, local(31, 12, month=10), local(1, 12, month=11))] == ["01"]
    assert [row[2] for row in held(hours, local(31, 12, month=10), local(1, 12, month=11))] == ["0", "1"]
    #  There is no 02:30 on March 8: the clock of before says 03:30. So the first keeps its session open for longer.
    first, second = local(7, 2, 30), local(7, 3, 10)
    ((start, end, both),) = held(one, second, first)
    assert (start, end, both) == (first.astimezone(UTC), local(8, 3, 30).astimezone(UTC), "01")
    #  01:30 comes twice on November 1: the first of two, unless the tuple lies in the second itself.
    ((_, end, _),) = held(one, local(31, 1, 30, month=10))
    assert end == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
    #  ... and without a zone all days have 24 hours.
    assert [row[2] for row in held(one, datetime(2026, 3, 7, 12), datetime(2026, 3, 8, 12))] == ["01"]


def test_months_are_of_the_calendar_and_a_month_end_is_an_origin() -> None:
    month = Interval(months=1)
    assert held(Hop("t", month, month), date(1969, 12, 31), date(1972, 2, 29)) == [
        (date(1969, 12, 1), date(1970, 1, 1), "0"), (date(1972, 2, 1), date(1972, 3, 1), "1")
    ]  # fmt: skip
    #  Counted from the origin, not from one another: no day is lost after the short month.
    assert held(Hop("t", month, month, date(1972, 1, 31)), date(1972, 2, 29), date(1972, 3, 31)) == [
        (date(1972, 2, 29), date(1972, 3, 31), "0"), (date(1972, 3, 31), date(1972, 4, 30), "1")
    ]  # fmt: skip
    two = held(Hop("t", Interval(months=2), month), date(1972, 2, 29))
    assert two == [(date(1972, 1, 1), date(1972, 3, 1), "0"), (date(1972, 2, 1), date(1972, 4, 1), "0")]


def test_zoned_extents_are_aligned_and_given_back_in_utc() -> None:
    #  01:30 and again 01:30 as the clocks go back: 05:30 and 06:30 in UTC
    first = datetime(2024, 11, 3, 1, 30, tzinfo=ZoneInfo("America/New_York"))
    assert held(Hop("t", HOUR, HOUR), first, first.replace(fold=1)) == [
        (datetime(2024, 11, 3, 5, tzinfo=UTC), datetime(2024, 11, 3, 6, tzinfo=UTC), "0"),
        (datetime(2024, 11, 3, 6, tzinfo=UTC), datetime(2024, 11, 3, 7, tzinfo=UTC), "1"),
    ]
    minutes = Session("t", Interval.parse("59 minutes"))
    assert held(minutes, first, first.replace(fold=1))[0][:2] == (
        datetime(2024, 11, 3, 5, 30, tzinfo=UTC), datetime(2024, 11, 3, 6, 29, tzinfo=UTC)
    )  # fmt: skip


def test_extents_keep_the_type_of_the_attribute() -> None:
    assert held(Hop("t", DAY, DAY), datetime(1970, 1, 1, 12)) == [(datetime(1970, 1, 1), datetime(1970, 1, 2), "0")]
    assert held(Hop("t", 7, 7), date(1970, 1, 8)) == [(date(1970, 1, 8), date(1970, 1, 15), "0")]
    for values in ([3.0], [Decimal("3.00")], [3]):
        (found,) = held(Hop("t", 2, 2), *values)
        assert found[:2] == (2, 4) and {type(end) for end in found[:2]} == {type(values[0])}
    with pytest.raises(UsageError, match="is no date"):
        held(Hop("t", HOUR, HOUR), date(1970, 1, 1))


def test_a_double_is_the_decimal_that_it_is_written_as() -> None:
    #  In doubles 0.6 < 6 * 0.1 and 5 * 0.1 + 0.1 = 0.6: it would be in no extent.
    assert held(Hop("t", 0.1, 0.1), 0.3, 0.6, 0.7) == [(0.3, 0.4, "0"), (0.6, 0.7, "1"), (0.7, 0.8, "2")]
    assert held(Hop("t", 0.2, 0.1), 0.3) == [(0.2, 0.4, "0"), (0.3, 0.5, "0")]
    assert held(Hop("t", Decimal("0.25"), Decimal("0.25")), Decimal("-0.01")) == [
        (Decimal("-0.25"), Decimal("0.00"), "0")
    ]


def test_a_fold_goes_over_the_tuples_of_an_extent_in_their_order() -> None:
    class Text:
        def initialize(self, value: str) -> None:
            self.text = value

        def iterate(self, value: str) -> None:
            self.text += value

        def terminate(self) -> str:
            return self.text

    rows = [Row((t,), (v,)) for t, v in [(0, "a"), (1, None), (2, "b"), (7, None)]]
    found = [fold(Text(), rows, positions, empty="-") for _, _, positions in extents(Hop("t", 5, 5), rows)]
    assert found == ["ab", "-"]
