"""Sessions: tuples exactly ``gap`` apart are together, in every unit, place and cut; days are those of the calendar."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import cut, expected_groups, sorted_for
from samples.ids import Ids, IdsMerge

import inwindow as iw
from inwindow.windows.reference import Row, extents

START, DAY = datetime(2026, 3, 1), date(2026, 3, 1)
# column type, from a whole number to a value, gaps of so many steps
UNITS: dict[str, tuple[pa.DataType, Any, Any]] = {
    "bigint": (pa.int64(), lambda n: n, lambda n: n),
    "tinyint": (pa.int8(), lambda n: n, lambda n: n),
    "double": (pa.float64(), lambda n: n / 10, lambda n: n / 10),
    "double by decimals": (pa.float64(), lambda n: n / 10, lambda n: Decimal(n) / 10),
    "decimal": (pa.decimal128(9, 2), lambda n: Decimal(n) / 100, lambda n: Decimal(n) / 100),
    "decimal by doubles": (pa.decimal128(9, 2), lambda n: Decimal(n) / 100, lambda n: n / 100),
    "date": (pa.date32(), lambda n: DAY + timedelta(n), lambda n: f"{n} days"),
    "date by numbers": (pa.date32(), lambda n: DAY + timedelta(n), lambda n: n),
    "timestamp": (pa.timestamp("us"), lambda n: START + timedelta(microseconds=n), lambda n: f"{n} microseconds"),
    "seconds": (pa.timestamp("s"), lambda n: START + timedelta(seconds=n), lambda n: timedelta(seconds=n)),
    "zoned": (
        pa.timestamp("us", "Europe/Rome"),
        lambda n: (START + timedelta(hours=n)).replace(tzinfo=UTC),
        lambda n: f"{n} hours",
    ),
}


@pytest.mark.parametrize("unit", UNITS)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.none() | st.integers(-20, 60)), max_size=20),
    st.integers(1, 6),
    st.sampled_from([1, 2, 5, 100]),
    st.sampled_from([Ids, IdsMerge]),
)
def test_sessions_are_what_the_definition_says(
    unit: str, tuples: list[tuple[str, int | None]], steps: int, size: int, aggregate: Any
) -> None:
    kind, value, gap = UNITS[unit]
    table = pa.table({
        "k": pa.array([k for k, _ in tuples], pa.string()),
        "t": pa.array([None if n is None else value(n) for _, n in tuples], kind),
        "n": pa.array([n for _, n in tuples], pa.int64()),
        "id": pa.array(range(len(tuples)), pa.int64()),
    })  # fmt: skip
    table = sorted_for(table, iw.unbounded(partition_by="k", order_by="t"))
    session, prototype = iw.session("t", gap=gap(steps)), aggregate()
    made = iw.group_by(cut(table, size), "k").window(session).agg(x=prototype("id")).read_all().to_pylist()
    found = [(row["k"], row["window"]["start"], row["window"]["end"], row["x"]) for row in made]
    assert found == [tuple(row) for row in expected_groups(table, ("k",), session, prototype("id"), prototype)]
    # The same sessions in every unit: those of the whole numbers.
    whole = iw.group_by(table, "k").window(iw.session("n", gap=steps)).agg(x=prototype("id"))
    assert whole["x"].to_pylist() == [row[3] for row in found]


# Each tuple has a gap, or an end, of its own


@pytest.mark.parametrize("unit", ["bigint", "date by numbers", "seconds", "zoned"])
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.none() | st.integers(-10, 30), st.none() | st.integers(-2, 9)), max_size=20
    ),
    st.sampled_from(["gap", "until", "until and gap"]),
    st.sampled_from([1, 2, 5, 100]),
)
def test_own_gaps_are_what_the_definition_says(
    unit: str, tuples: list[tuple[str, int | None, int | None]], form: str, size: int
) -> None:
    kind, value, gap = UNITS[unit]
    table = pa.table({
        "k": pa.array([k for k, *_ in tuples], pa.string()),
        "t": pa.array([None if n is None else value(n) for _, n, _ in tuples], kind),
        "id": pa.array(range(len(tuples)), pa.int64()),
    })  # fmt: skip
    steps = [None if d is None else timedelta(hours=d) if unit == "zoned" else timedelta(seconds=d) for *_, d in tuples]
    if pa.types.is_timestamp(kind):
        table = table.append_column("gap", pa.array(steps, pa.duration("s")))
    else:
        table = table.append_column("gap", pa.array([d for *_, d in tuples], pa.int64()))
    ends = [None if None in (n, d) else value(n + max(d, 0)) for _, n, d in tuples]  # type: ignore[operator]
    table = sorted_for(table.append_column("until", pa.array(ends, kind)), iw.unbounded(partition_by="k", order_by="t"))
    session = {
        "gap": iw.session("t", gap="gap"), "until": iw.session("t", until="until"),
        "until and gap": iw.session("t", gap(2), until="until"),
    }[form]  # fmt: skip
    prototype = IdsMerge()
    made = iw.group_by(cut(table, size), "k").window(session).agg(x=prototype("id")).read_all().to_pylist()
    found = [(row["k"], row["window"]["start"], row["window"]["end"], row["x"]) for row in made]
    assert found == [tuple(row) for row in expected_groups(table, ("k",), session, prototype("id"), prototype)]


# Days of the calendar

ZONES = ["America/New_York", "Europe/Rome", "Australia/Lord_Howe", "Pacific/Apia", "UTC", "+05:30", "America/Caracas"]
CHANGES = [
    datetime(2026, 3, 8, 7), datetime(2026, 11, 1, 6), datetime(2026, 3, 29, 1), datetime(2045, 10, 29, 1),
    datetime(2011, 12, 30, 10), datetime(1883, 11, 18, 17), datetime(2026, 4, 4, 15), datetime(2007, 12, 9, 7),
]  # fmt: skip
GAPS = ["1 day", "2 days", "1 week", "1 day 12 hours", "24 hours", "1.5 days", timedelta(days=1)]


@given(
    st.sampled_from(ZONES),
    st.sampled_from(CHANGES),
    st.lists(st.integers(-72 * 4, 72 * 4) | st.integers(-30, 10), min_size=1, max_size=30),
    st.sampled_from(GAPS),
    st.sampled_from([1, 3, 100]),
    st.sampled_from(["us", "ms", "s", "ns"]),
)
def test_days_are_by_the_clock(
    zone: str, change: datetime, quarters: list[int], gap: Any, size: int, unit: str
) -> None:
    times = sorted(change.replace(tzinfo=UTC) + timedelta(minutes=15 * n) for n in quarters)
    table = pa.table({"t": pa.array(times, pa.timestamp(unit, zone)), "i": range(len(times))})
    session = iw.session("t", gap=gap)
    made = iw.group_by(cut(table, size)).window(session).agg(x=iw.collect_list("i")).read_all().to_pylist()
    found = [(row["window"]["start"], row["window"]["end"], row["x"]) for row in made]
    assert found == extents(session, [Row((t,)) for t in table["t"].to_pylist()])


def test_a_day_and_24_hours() -> None:
    assert iw.session("ts", gap="1 day") != iw.session("ts", gap="24 hours") == iw.session("ts", gap=timedelta(days=1))
    for gap, text in (
        ("1 day", "1 day"), ("24 hours", "24 hours"), ("36 hours 5 minutes", "36 hours 5 minutes"), ("1 week", "7 days"),
        ("1 day 36 hours", "1 day 36 hours"), ("90 minutes", "1 hour 30 minutes"), (timedelta(days=2), "48 hours"),
    ):  # fmt: skip
        assert iw.session("ts", gap=gap).describe() == f"(session ts gap {text})"
    zone = ZoneInfo("America/New_York")
    spring = [datetime(2026, 3, day, 12, tzinfo=zone) for day in (6, 7, 8)]
    autumn = [datetime(2026, month, day, 12, tzinfo=zone) for month, day in ((10, 31), (11, 1))]
    for noons, name, gap, sizes in (
        (spring, "America/New_York", "1 day", [3]), (spring, "America/New_York", "23 hours", [1, 2]),
        (spring, "UTC", "1 day", [3]), (autumn, "America/New_York", "1 day", [2]), (autumn, "UTC", "1 day", [1, 1]),
        (autumn, "America/New_York", "24 hours", [1, 1]), (autumn, "America/New_York", timedelta(1), [1, 1]),
    ):  # fmt: skip
        table = pa.table({"ts": pa.array(noons, pa.timestamp("us", name))})
        made = iw.group_by(table).window(iw.session("ts", gap=gap)).agg(n=iw.count())
        assert made["n"].to_pylist() == sizes


# Streams: a session is final when the watermark has passed its end, for a tuple that comes exactly then joins


@pytest.mark.parametrize(("watermark", "counts"), [(9, [[], [], [2]]), (10, [[], [], [2]]), (11, [[], [1], [1]])])
def test_a_tuple_at_the_end_joins_until_the_watermark_has_passed_it(watermark: int, counts: list[list[int]]) -> None:
    """The session of 5 ends at 10."""
    batches = [pa.table({"t": [5]}), pa.table({"t": [max(10, watermark)]}), pa.table({"t": [99]})]
    query = lambda df: iw.group_by(df).window(iw.session("t", gap=5)).agg(n=iw.count())  # noqa: E731
    got = iw.testing.replay(batches, query, watermarks=[None, watermark, 50])
    assert [table["n"].to_pylist() for table in got.batches][:3] == counts


def test_the_watermark_at_the_end_is_not_enough() -> None:
    table = pa.table({"t": [5]})
    query = lambda df: iw.group_by(df).window(iw.session("t", gap=5)).agg(n=iw.count())  # noqa: E731
    assert iw.testing.replay([table], query, until=10).table["n"].to_pylist() == []
    assert iw.testing.replay([table], query, until=11).table["n"].to_pylist() == [1]


def test_a_stream_by_the_clock() -> None:
    zone = ZoneInfo("America/New_York")
    moments = [
        datetime(2026, 10, 31, 12, tzinfo=zone),
        datetime(2026, 11, 1, 12, tzinfo=zone),
        datetime(2026, 11, 3, tzinfo=zone),
    ]
    kind = pa.timestamp("us", "America/New_York")
    batches = [pa.table({"t": pa.array([moment], kind)}) for moment in moments]
    query = lambda df: iw.group_by(df).window(iw.session("t", gap="1 day")).agg(n=iw.count())  # noqa: E731
    got = iw.testing.replay(batches, query, delay="1 minute", until=moments[-1] + timedelta(days=9))
    assert got.table["n"].to_pylist() == [2, 1]
    assert query(pa.concat_tables(batches))["n"].to_pylist() == [2, 1]


def test_a_drawing_shows_them_together() -> None:
    said = [one.said for one in iw.session("t", gap=5).draw([0, 5, 10, 16]).scene.snapshots]
    assert said == ["[0, 15): 3 tuples", "[16, 21): 1 tuple"]
