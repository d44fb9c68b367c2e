"""Extents by a calendar: months, and days and hours of a zone's clock; by the definition, and as others have them."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import cut, expected_groups, sorted_for
from samples.ids import Ids, IdsAll, IdsMerge

import inwindow as iw

ZONES = [
    "America/New_York", "Europe/Rome", "Australia/Lord_Howe", "Pacific/Apia", "America/Havana", "Africa/Casablanca",
    "Asia/Kolkata", "America/Sao_Paulo", "UTC", "+05:30",
]  # fmt: skip
CHANGES = [
    datetime(2026, 3, 8, 7), datetime(2026, 11, 1, 6), datetime(2026, 3, 29, 1), datetime(2045, 10, 29, 1),
    datetime(2011, 12, 30, 10), datetime(1883, 11, 18, 17), datetime(2026, 4, 4, 15), datetime(2018, 11, 4, 3),
    datetime(2026, 11, 1, 5), datetime(2026, 2, 15, 3),
]  # fmt: skip
SIZES = [
    "1 day", "2 days", "1 week", "1 month", "2 months", "1 year", "1 hour", "30 minutes", "15 minutes", "6 hours", "2 hours",
    "45 minutes", "12 hours", "90 minutes", "10 days", "31 days", "28 days", "1 month 2 days", "23 hours",
]  # fmt: skip
ORIGINS = [
    None,
    datetime(2026, 1, 31),
    datetime(2000, 1, 1, 6, 30),
    datetime(2026, 3, 8, 2, 30),
    datetime(2026, 11, 1, 1, 30),
]


@st.composite
def extents(draw: st.DrawFn, zoned: bool) -> Any:
    """An extent, or an error of its sizes: then another."""
    options = {"origin": draw(st.sampled_from(ORIGINS))} | ({"timezone": draw(st.sampled_from(ZONES))} if zoned else {})
    if options["origin"] is not None and zoned:
        options["origin"] = options["origin"].replace(tzinfo=ZoneInfo("America/New_York"))
    kind = draw(st.sampled_from(["tumble", "hop", "cumulate"]))
    size, every = draw(st.sampled_from(SIZES)), draw(st.sampled_from(SIZES))
    try:
        made = (
            iw.tumble("t", size, **options) if kind == "tumble"
            else iw.hop("t", size, every, **options) if kind == "hop"
            else iw.cumulate("t", size, every, **options)
        )  # fmt: skip
    except iw.UsageError:
        made = iw.tumble("t", draw(st.sampled_from(SIZES[:-2])), **options)
    return made


# As others have them

NEW_YORK = "America/New_York"
AROUND = [
    datetime(*change, tzinfo=UTC) + timedelta(minutes=20 * n)
    for change in ((2026, 3, 8, 7), (2026, 11, 1, 6), (2026, 2, 28, 23), (2024, 3, 1, 4))
    for n in range(-150, 150)
]
THEIRS = {
    "1 day": ("1d", "D"), "1 month": ("1mo", "MS"), "3 months": ("3mo", None), "1 year": ("1y", "YS"), "1 hour": ("1h", "h"),
    "30 minutes": ("30m", "30min"), "15 minutes": ("15m", "15min"),
}  # fmt: skip


@pytest.mark.parametrize("size", THEIRS)
def test_as_polars_pandas_and_duckdb_have_them(size: str) -> None:
    for_polars, for_pandas = THEIRS[size]
    table = pa.table({"ts": pa.array(sorted(AROUND), pa.timestamp("us", NEW_YORK))})
    made = iw.group_by(table).window(iw.tumble("ts", size, timezone=NEW_YORK)).agg(n=iw.count()).to_pylist()
    ours = {in_utc(row["window"]["start"]): row["n"] for row in made}
    frame = pl.DataFrame(table).group_by_dynamic("ts", every=for_polars).agg(n=pl.len())
    assert {in_utc(at): n for at, n in frame.rows()} == ours
    if for_pandas:
        counts = (
            pd.DataFrame({"ts": pd.to_datetime(sorted(AROUND)).tz_convert(NEW_YORK)})
            .resample(for_pandas, on="ts")
            .size()
        )
        assert {in_utc(at.to_pydatetime()): n for at, n in counts.items() if n} == ours
    if size in ("1 day", "1 month", "1 year"):  # an hour that comes twice is one bucket of DuckDB
        asked = f"select epoch_us(time_bucket(interval '{size}', ts, '{NEW_YORK}')), count(*) from given group by all"
        rows = duckdb.from_arrow(table).query("given", asked)
        assert {datetime.fromtimestamp(at / 1e6, UTC): n for at, n in rows.fetchall()} == ours


def in_utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


def test_the_night_in_which_clocks_go_back() -> None:
    """An hour that comes twice is two hours; two hours are three; a day has 25."""
    table = pa.table({"ts": pa.array([datetime(2026, 11, 1, 4, tzinfo=UTC) + timedelta(hours=n) for n in range(26)])})

    def sizes(extent: Any) -> list[int]:
        return iw.group_by(table).window(extent).agg(n=iw.count())["n"].to_pylist()

    assert sizes(iw.tumble("ts", "1 hour", timezone=NEW_YORK)) == [1] * 26
    assert sizes(iw.tumble("ts", "2 hours", timezone=NEW_YORK))[:3] == [3, 2, 2]
    assert sizes(iw.tumble("ts", "6 hours", timezone=NEW_YORK)) == [7, 6, 6, 6, 1]
    assert sizes(iw.tumble("ts", "1 day", timezone=NEW_YORK)) == [25, 1]
    assert sizes(iw.cumulate("ts", "1 day", "12 hours", timezone=NEW_YORK)) == [13, 25, 1, 1]
    assert sizes(iw.tumble("ts", "1 day", timezone="UTC")) == [20, 6]


QUARTERS = st.lists(st.tuples(st.sampled_from("ab"), st.none() | st.integers(-72 * 4, 72 * 4)), max_size=14)


def rows_of(made: pa.Table) -> list[Any]:
    """Bounds in UTC: Python says that a time which comes twice is equal to none of another zone."""
    bounds = ((row, row["window"]["start"], row["window"]["end"]) for row in made.to_pylist())
    return [
        (row["k"], *(at.astimezone(UTC) if isinstance(at, datetime) and at.tzinfo else at for at in ends), row["x"])
        for row, *ends in bounds
    ]


def tuples(change: datetime, quarters: list[tuple[str, int | None]], kind: pa.DataType) -> pa.Table:
    times = [None if n is None else change.replace(tzinfo=UTC) + timedelta(minutes=15 * n) for _, n in quarters]
    if pa.types.is_date(kind):
        times = [None if t is None else (t + timedelta(days=60 * i)).date() for i, t in enumerate(times)]  # type: ignore[misc]
    elif kind.tz is None:
        times = [None if t is None else t.replace(tzinfo=None) for t in times]
    return pa.table(
        {"k": pa.array([k for k, _ in quarters], pa.string()), "t": pa.array(times, kind), "id": range(len(times))}
    )


@given(
    st.sampled_from(CHANGES), QUARTERS, extents(True), st.sampled_from(["us", "s", "ms", "ns"]), st.sampled_from([1, 3, 100]),
    st.sampled_from([Ids, IdsMerge, IdsAll]),
)  # fmt: skip
def test_local_days_and_hours(
    change: datetime, quarters: Any, extent: Any, unit: str, size: int, aggregate: Any
) -> None:
    check(tuples(change, quarters, pa.timestamp(unit, "Europe/Rome")), extent, size, aggregate())


@given(
    st.sampled_from(CHANGES), QUARTERS, extents(False), st.sampled_from([pa.timestamp("us"), pa.timestamp("s", "UTC")]),
    st.sampled_from([1, 100]), st.sampled_from([Ids, IdsMerge, IdsAll]),
)  # fmt: skip
def test_months(change: datetime, quarters: Any, extent: Any, kind: Any, size: int, aggregate: Any) -> None:
    if kind.tz is not None and extent.origin is not None:
        extent = iw.tumble("t", "1 month", origin=extent.origin.replace(tzinfo=UTC))
    check(tuples(change, quarters, kind), extent, size, aggregate())


@given(
    st.sampled_from(CHANGES), QUARTERS, st.sampled_from(["1 month", "3 months", "1 year"]), st.sampled_from([1, 2, 12])
)
def test_months_of_dates(change: datetime, quarters: Any, size: str, every: int) -> None:
    for origin in (None, date(2024, 1, 31)):
        extent = iw.hop("t", size, f"{every} months", origin=origin)
        check(tuples(change, quarters, pa.date32()), extent, 3, IdsMerge())


def check(table: pa.Table, extent: Any, size: int, prototype: Any) -> None:
    """By the definition: a table, a reader, a stream."""
    table = sorted_for(table, iw.unbounded(partition_by="k", order_by="t"))
    query = lambda df: iw.group_by(df, "k").window(extent).agg(x=prototype("id"))  # noqa: E731
    expected = [tuple(row) for row in expected_groups(table, ("k",), extent, prototype("id"), prototype)]
    if table["t"].type != pa.timestamp("ns", "Europe/Rome"):  # whose Python values are those of pandas
        assert rows_of(query(cut(table, size)).read_all()) == expected
    assert query(table).to_pylist() == query(cut(table, size)).read_all().to_pylist()
    last = table["t"].drop_null()[-1:].to_pylist()
    if last and size == 3:
        batches = [table.slice(0, 5), table.slice(5, 5), table.slice(10)]
        replayed = iw.testing.replay(batches, query, delay="20000 days", until=date(2200, 1, 1))
        assert sorted(map(repr, replayed.table.to_pylist())) == sorted(map(repr, query(table).to_pylist()))
