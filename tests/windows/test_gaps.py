"""Extents without tuples: by the definition, on tables, readers and streams; and as pandas fills."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import cut, equal, partitions, sorted_for
from samples.replays import end_of, on_time, replayed, streams

import inwindow as iw
from inwindow.windows.reference import Row, extents
from inwindow.windows.reference_gaps import filled, with_gaps

START = datetime(2026, 3, 7, tzinfo=UTC)
NEW_YORK = {"timezone": "America/New_York"}
# type, a value for a number, extents
KINDS: dict[str, tuple[pa.DataType, Any, Any]] = {
    "numbers": (pa.int64(), lambda n: n, lambda **o: [iw.tumble("t", 4, **o), iw.hop("t", 6, 4, **o), iw.hop("t", 5, 2, **o)]),
    "hours": (
        pa.timestamp("us", "UTC"), lambda n: START + timedelta(hours=n),
        lambda **o: [
            iw.tumble("t", "6 hours", **o), iw.hop("t", "3 hours", "2 hours", **o), iw.tumble("t", "1 hour", **NEW_YORK, **o),
            iw.tumble("t", "1 day", **NEW_YORK, **o), iw.tumble("t", "2 hours", **NEW_YORK, **o),
        ],
    ),
    "days": (
        pa.date32(), lambda n: date(2024, 1, 31) + timedelta(7 * n),
        lambda **o: [iw.tumble("t", "1 month", **o), iw.hop("t", "2 months", "1 month", **o), iw.tumble("t", "10 days", **o)],
    ),
}  # fmt: skip
QUIET = {"numbers": [4, 9], "hours": ["6 hours", "1 day"], "days": ["30 days", "65 days"]}
FILLS = ["null", "previous", "linear", -1.0]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_gaps_are_filled_as_the_definition_says(kind: str, data: st.DataObject) -> None:
    type_, value, made = KINDS[kind]
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 60), st.none() | st.integers(-9, 9)), max_size=9)
    )
    options: dict[str, Any] = {"fill": data.draw(st.sampled_from(FILLS))}
    if data.draw(st.booleans()):
        options["between"] = tuple(
            value(n) for n in sorted(data.draw(st.tuples(st.integers(-9, 69), st.integers(-9, 69))))
        )
    elif options["fill"] != "linear" and data.draw(st.booleans()):
        options["quiet"] = data.draw(st.sampled_from(QUIET[kind]))
    extent = data.draw(st.sampled_from(made(**options)))
    table = pa.table(
        {
            "k": pa.array([k for k, _, _ in rows], pa.string()), "t": pa.array([value(n) for _, n, _ in rows], type_),
            "v": pa.array([v for _, _, v in rows], pa.float64()),
        }
    )  # fmt: skip
    table = sorted_for(table, iw.unbounded(partition_by="k", order_by="t"))
    query = lambda df: iw.group_by(df, "k").window(extent).agg(n=iw.count(), m=iw.max("v"), all=iw.collect_list("v"))  # noqa: E731
    found = [
        (row["k"], *(in_utc(at) for at in row["window"].values()), row["n"], row["m"], row["all"])
        for row in query(cut(table, data.draw(st.sampled_from([1, 2, 50])))).read_all().to_pylist()
    ]
    expected = list(by_the_definition(table, extent))
    assert [row[:4] for row in found] == [row[:4] for row in expected]
    assert all(equal(a[4], b[4], ulps=64) and a[5] == b[5] for a, b in zip(found, expected, strict=True))
    assert query(table).to_pylist() == query(cut(table, 2)).read_all().to_pylist()


def by_the_definition(table: pa.Table, extent: Any) -> Any:
    times, values = table["t"].to_pylist(), table["v"].to_pylist()
    for (key,), at in partitions(table, ("k",)).items():
        rows = []
        for start, end, its in with_gaps(extent, extents(extent, [Row((times[i],)) for i in at]), times[at[0]]):
            given = [values[at[i]] for i in its if values[at[i]] is not None]
            rows.append((start, end, max(given, default=None), bool(its), len(its), given))
        for (start, end, *_, n, given), m in zip(rows, filled(extent, [row[:4] for row in rows]), strict=True):
            yield key, in_utc(start), in_utc(end), n, m, given


def in_utc(at: Any) -> Any:
    return at.astimezone(UTC) if isinstance(at, datetime) else at


@pytest.mark.parametrize("time", ["int64", "timestamp", "date"])
@given(data=st.data())
def test_on_a_stream_rows_of_gaps_come_when_the_watermark_passes_them(time: str, data: st.DataObject) -> None:
    batches, watermarks = data.draw(streams(time, st.integers(0, 9), pa.int64()))
    sizes = {
        "int64": (2, 3, 5),
        "timestamp": ("1 second", "2500 ms", "4 seconds"),
        "date": ("2 days", "4 days", "6 days"),
    }[time]
    extent = iw.hop(
        "t", sizes[data.draw(st.integers(0, 2))], sizes[0], fill=data.draw(st.sampled_from(["null", "previous", 7])),
        quiet=sizes[data.draw(st.integers(0, 2))],
    )  # fmt: skip
    keys = data.draw(st.sampled_from([(), ("k",)]))
    query = lambda df: iw.group_by(df, *keys).window(extent).agg(n=iw.count(), m=iw.max("v"), x=iw.collect_list("id"))  # noqa: E731
    table, _ = on_time(batches, watermarks)
    got = replayed(batches, query, data.draw(st.booleans()), watermarks=watermarks, until=end_of(time))
    assert sorted(map(repr, got.table.to_pylist())) == sorted(map(repr, query(table).to_pylist()))
    for rows, watermark in zip(got.batches, got.watermarks, strict=True):
        assert all(watermark is not None and window["end"] <= watermark for window in rows["window"].to_pylist())


@pytest.mark.parametrize(("ours", "theirs"), [("null", None), ("previous", "ffill"), ("linear", "time"), (0.0, 0.0)])
def test_as_pandas_fills(ours: Any, theirs: Any) -> None:
    frame = pd.DataFrame({"ts": pd.to_datetime([1, 2, 40, 41, 90, 300], unit="m"), "v": [1.0, 5.0, 2.0, 4.0, 8.0, 9.0]})
    means = frame.resample("10min", on="ts").v.mean()
    wanted = (
        means if theirs is None else means.ffill() if theirs == "ffill"
        else means.interpolate("time") if theirs == "time" else means.fillna(theirs)
    )  # fmt: skip
    filling = iw.tumble("ts", "10 minutes", fill=ours)
    made = iw.group_by(pa.Table.from_pandas(frame)).window(filling).agg(v=iw.avg("v"), n=iw.count())
    assert [row["start"].isoformat() for row in made["window"].to_pylist()] == [at.isoformat() for at in wanted.index]
    assert made["v"].to_pylist() == pytest.approx([None if v != v else v for v in wanted.tolist()])
    assert made["n"].to_pylist() == frame.resample("10min", on="ts").size().tolist()
