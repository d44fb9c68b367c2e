"""Bounds far from the data: UNBOUNDED is said by None and by PySpark's own integers, every other number is a distance."""

import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.windows.spec import Range, Rows, Window

TWO_62, TWO_63 = 1 << 62, 1 << 63
LARGEST = 10**38 - 1
DISTANCES = [TWO_62, TWO_62 + 1, TWO_63 - 2, TWO_63 + 1, 1 << 64, 6e19, float(TWO_63), Decimal("6e19"), Decimal(TWO_63)]
COLUMNS = {
    "double": pa.array([None, -9e19, 1.0, 5e19, 9e19], pa.float64()),
    "float": pa.array([None, -9e19, 1.0, 5e19, 9e19], pa.float32()),
    "decimal": pa.array([None, Decimal("-9e19"), Decimal(1), Decimal("5e19"), Decimal("9e19")], pa.decimal128(38, 2)),
    "bigint": pa.array([None, -TWO_63, 0, TWO_62, TWO_63 - 1]),
    "ulong": pa.array([None, 0, 5, TWO_63, (1 << 64) - 1], pa.uint64()),
}


def counts(table: pa.Table, window: Window) -> list[int]:
    return iw.with_columns(table, n=iw.count().over(window))["n"].to_pylist()


def within(values: list[Any], low: Any, high: Any, sign: int = 1) -> list[int]:
    """How many values lie in [x + low, x + high] of each x; NULL has its peers."""
    held = []
    for x in values:
        if x is None:
            held.append(values.count(None))
            continue
        held.append(sum(1 for y in values if y is not None and low <= sign * (Fraction(y) - Fraction(x)) <= high))
    return held


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("size", DISTANCES, ids=repr)
def test_a_large_number_is_a_distance(name: str, size: Any) -> None:
    table = pa.table({"t": COLUMNS[name]})
    reach = Fraction(size)
    for order, sign in (("t", 1), (iw.desc("t"), -1)):
        before = within(table["t"].to_pylist(), -reach, 0, sign)
        assert counts(table, iw.range(size, order_by=order)) == before
        assert counts(table, iw.range_between(-size, 0, order_by=order)) == before
        ahead = within(table["t"].to_pylist(), 0, reach, sign)
        assert counts(table, iw.range_between(0, size, order_by=order)) == ahead


def test_only_the_integers_of_pyspark_are_unbounded() -> None:
    for first in (-TWO_63, -sys.maxsize, None):
        for last in (sys.maxsize, None):
            assert iw.range_between(first, last).frame == Range(None, None)
            assert iw.rows_between(first, last).frame == Rows(None, None)
    for number in (TWO_62, TWO_63 - 2, TWO_63 + 1, 1 << 64, 1 << 80, 2.0**63, 1e300, Decimal(TWO_63)):
        window = iw.range_between(-number, number, order_by="t")
        assert window.frame == Range(-number, number)
        assert window.describe() == f"(order by t range between {number} preceding and {number} following)"
    assert iw.range(TWO_63, order_by="t").frame == Range(-TWO_63, 0)  # a size is never a sentinel


def test_no_partition_has_so_many_tuples() -> None:
    """A count beyond all partitions counts no further, and is no UNBOUNDED."""
    table = pa.table({"t": [1, 2, 3]})
    for number in (TWO_62, TWO_63 - 2, 1 << 63, 1 << 80):
        lower = -number - 5
        assert iw.rows_between(lower, number).frame == Rows(-TWO_62, TWO_62)
        assert counts(table, iw.rows_between(lower, 0, order_by="t")) == [1, 2, 3]
        assert counts(table, iw.rows_between(0, number, order_by="t")) == [3, 2, 1]
        assert counts(table, iw.rows_between(lower, -TWO_62, order_by="t")) == [0, 0, 0]
        assert counts(table, iw.rows(number, lag=number, order_by="t")) == [0, 0, 0]
        assert counts(table, iw.rows(3, order_by="t", lag=number)) == [0, 0, 0]
    strategies = str(iw.explain(table, n=iw.count().over(iw.rows_between(-TWO_62, 0, order_by="t"))))
    assert "strategy  delta" in strategies


@pytest.mark.parametrize("between", [iw.rows_between, iw.range_between])
def test_the_wrong_unbounded(between: Any) -> None:
    with pytest.raises(iw.UsageError, match="cannot start at UNBOUNDED FOLLOWING: give the lower bound first"):
        between(sys.maxsize, None)
    with pytest.raises(iw.UsageError, match="cannot end at UNBOUNDED PRECEDING: give the lower bound first"):
        between(None, -TWO_63)


# Decimals of 38 digits

UNITS = st.sampled_from([0, 1, -1, LARGEST, -LARGEST, 1 << 126, -(1 << 126)]) | st.integers(-LARGEST, LARGEST)
SIZES = st.sampled_from([0, 1, 1 << 126, (1 << 126) + 1, 1 << 127, (1 << 127) + 1, 2 * LARGEST, 10**45]) | st.integers(
    0, 2 * LARGEST
)


@given(st.lists(st.none() | UNITS, min_size=1, max_size=8), SIZES, st.sampled_from([0, 2, 20, 38]), st.booleans())
def test_decimals_reach_as_far_as_they_say(units: list[int | None], size: int, scale: int, half: bool) -> None:
    def decimal(unit: int, more: str = "") -> Decimal:
        return Decimal(f"{unit}{more}E-{scale + len(more)}")

    values = [None if unit is None else decimal(unit) for unit in units]
    table = pa.table({"t": pa.array(values, pa.decimal128(38, scale))})
    distance = decimal(size, "5" if half else "")
    reach = Fraction(distance)
    for order, sign in (("t", 1), (iw.desc("t"), -1)):
        for window, low, high in (
            (iw.range(distance, order_by=order), -reach, 0),
            (iw.range_between(distance.copy_negate(), distance, order_by=order), -reach, reach),
            (iw.range(distance, lag=distance, order_by=order), -2 * reach, -reach),
        ):
            assert counts(table, window) == within(values, low, high, sign)


def test_all_digits_of_a_distance_count() -> None:
    long = Decimal("12345678901234567890123456789012345.67")
    assert iw.range(long, order_by="t").frame == Range(long.copy_negate(), 0)
    assert iw.range(long, order_by="t", lag=1).frame.lower == Decimal("-12345678901234567890123456789012346.67")
    assert str(long) in iw.range(long, order_by="t").describe()
    table = pa.table(
        {"t": pa.array([Decimal(0), long, Decimal(f"{long}".replace(".67", ".68"))], pa.decimal128(38, 2))}
    )
    assert counts(table, iw.range(long, order_by="t")) == [1, 2, 2]
    assert counts(table, iw.range(Decimal("12345678901234567890123456789012345.66"), order_by="t")) == [1, 1, 2]


class Left(iw.WindowAggregate):
    def iterate(self, value: int) -> None:
        pass

    def expire(self, value: int) -> int:
        return value


@pytest.mark.parametrize(
    "kind, most",
    [
        (pa.decimal128(38, 2), Decimal("9" * 36 + ".99")), (pa.decimal128(10, 2), Decimal("99999999.99")),
        (pa.uint8(), 255), (pa.int16(), 2**15 - 1), (pa.int32(), 2**31 - 1), (pa.int64(), TWO_63 - 1),
    ],
    ids=str,
)  # fmt: skip
def test_a_tuple_leaves_at_the_end_of_the_type_at_the_latest(kind: pa.DataType, most: Any) -> None:
    table = pa.table({"t": pa.array([most.__class__(5), most], kind), "v": [1, 2]})
    window = iw.range(7, order_by="t", active_expiration=True)
    left = iw.select(table, "t", v=Left()("v").over(window), at=iw.emitted_at())
    assert left["at"].to_pylist() == [12, most]


def test_a_slide_as_long_as_the_frame_is_told_exactly() -> None:
    """Also where doubles cannot tell one from the other."""

    class Seen(iw.WindowAggregate):
        def initialize(self, value: int) -> list[int]:
            self.values = [value]
            return self.values

        def iterate(self, value: int) -> list[int]:
            self.values.append(value)
            return self.values

        def expire(self, value: int) -> None:
            pass

    size = 1 << 60
    table = pa.table({"t": [0, size, size + 1], "v": [1, 2, 3]})

    def last(slide: int) -> list[int]:
        window = iw.range(size, order_by="t", slide=slide)
        return iw.select(table, "t", n=Seen()("v").over(window))["n"].to_pylist()[-1]

    assert last(size) == [2, 3]  # restarts for the yield tuple's frame, [1, size + 1]
    assert last(size - 1) == [1, 2, 3]
