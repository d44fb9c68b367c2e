"""With ``allowed_lateness=`` the newest revisions are at any moment the rows over all tuples that are known then."""

from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.ids import (
    Doubling,
    Ids,
    IdsAll,
    IdsExpire,
    IdsInWindow,
    IdsMerge,
    IdsPunt,
    Leaving,
    LeavingTwice,
    Live,
    Longest,
    Running,
)
from samples.merging import BOUNDS, Merged, disordered, within
from samples.replays import TIMES, end_of, replayed, stream_windows

import inwindow as iw
from inwindow.runtime.stream import log
from inwindow.runtime.stream.replay_stream import Stream

FRAMES = (
    "rows", "unbounded rows", "groups", "trailing groups", "range", "trailing range", "lagging range", "landmark", "scope"
)  # fmt: skip


def revised(data: st.DataObject, time: str, drawn: Any, query: Any, by: list[str]) -> Any:
    """Replay a query of a stream and a bound; after each micro-batch compare with the stream of the same tuples in order."""
    batches, watermarks = drawn
    written, bound = data.draw(st.sampled_from(BOUNDS[time]))
    got = replayed(
        batches, lambda df: query(df, allowed_lateness=written), data.draw(st.booleans()), watermarks=watermarks,
        until=end_of(time), buckets=data.draw(st.sampled_from([1, 3])),
    )  # fmt: skip
    table, late = within(batches, watermarks, bound)
    assert sorted(i for late in got.late for i in late["id"].to_pylist()) == sorted(late)
    merged = Merged(by)
    looked_at = {data.draw(st.integers(0, len(batches) - 1)), len(batches) + 1}
    for number, (rows, watermark) in enumerate(zip(got.batches, got.watermarks, strict=True)):
        merged.merge(rows)
        if number not in looked_at:
            continue
        known, _ = (
            within(batches[: number + 1], watermarks[: number + 1], bound) if number < len(batches) else (table, 0)
        )
        plain = iw.testing.replay([known], query, watermarks=[None, watermark])
        assert texts(merged.newest()) == texts(plain.table.to_pylist()), (number, watermark)
    return table, merged


def texts(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


@given(data=st.data())
def test_with_columns(data: st.DataObject) -> None:
    time = data.draw(st.sampled_from(list(TIMES)))
    window = data.draw(stream_windows(time, FRAMES))
    prototype = data.draw(st.sampled_from([Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow, Longest]))()
    applied = {"x": prototype("v").over(window), "n": iw.count("v").over(window), "most": iw.max("id").over(window)}
    if data.draw(st.booleans()):
        applied = {name: one.filter("ok") for name, one in applied.items()}
    query = lambda df, **bound: iw.with_columns(df, **applied, **bound)  # noqa: E731
    revised(data, time, data.draw(disordered(time)), query, ["iw_row"])


@given(data=st.data())
def test_rows_that_come_and_go(data: st.DataObject) -> None:
    """Of select: yield tuples, emissions and expirations; a late tuple makes others yield."""
    time = data.draw(st.sampled_from(["int64", "timestamp"]))
    kind = data.draw(st.sampled_from(["yields", "emissions", "expirations", "ranks"]))
    if kind == "yields":
        window = data.draw(stream_windows(time, FRAMES).filter(lambda window: window.slide is not None))
        applied = data.draw(st.sampled_from([Ids, IdsMerge, Longest]))()("v").over(window)
    elif kind == "emissions":
        frames = ("trailing rows", "trailing range", "unbounded rows")
        emitting = data.draw(st.sampled_from([Running, Live, Doubling]))
        applied = emitting()("v").over(data.draw(stream_windows(time, frames)))
    elif kind == "expirations":
        size, by = data.draw(st.sampled_from(TIMES[time][3])), data.draw(st.sampled_from([(), ("k",)]))
        window = iw.range(size, partition_by=by, order_by="t", active_expiration=True)
        applied = data.draw(st.sampled_from([Leaving, LeavingTwice]))()("id").over(window)
    else:
        applied = iw.row_number().over(iw.unbounded(partition_by="k", order_by="t"))
    extra = [iw.emitted_at()] if kind == "expirations" else []
    query = lambda df, **bound: iw.select(df, "id", "k", "t", *extra, x=applied, **bound)  # noqa: E731
    revised(data, time, data.draw(disordered(time)), query, ["iw_row", "iw_part"])


@given(data=st.data())
def test_extents(data: st.DataObject) -> None:
    time = data.draw(st.sampled_from(list(TIMES)))
    size, every = data.draw(st.sampled_from(TIMES[time][3])), data.draw(st.sampled_from(TIMES[time][3]))
    kinds = [
        iw.hop("t", size=size, every=every),
        iw.tumble("t", size=size),
        iw.tumble("t", size=size, fill="previous", quiet=size),
        iw.cumulate("t", size=size, every=size),
        iw.session("t", gap=size),
        *(
            [iw.hop("t", rows=data.draw(st.integers(1, 4)), every=data.draw(st.integers(1, 4)))]
            if time == "int64"
            else []
        ),
    ]
    extent = data.draw(st.sampled_from(kinds))
    keys = data.draw(st.sampled_from([(), ("k",)]))
    prototype = data.draw(st.sampled_from([Ids, IdsMerge, IdsExpire, Longest]))()
    applied = {"x": prototype("v"), "n": iw.count(), "total": iw.sum("v")}
    query = lambda df, **bound: iw.group_by(df, *keys).window(extent).agg(**applied, **bound)  # noqa: E731
    table, merged = revised(data, time, data.draw(disordered(time)), query, [*keys, "window"])
    if getattr(extent, "fill", None) is None and not getattr(extent, "rows", False):
        assert texts(merged.newest()) == texts(query(table).to_pylist())


@given(data=st.data())
def test_emissions_of_groups(data: st.DataObject) -> None:
    keys = data.draw(st.sampled_from([(), ("k",)]))
    query = lambda df, **bound: iw.group_by(df, *keys, order_by="t").emit("t", x=Running()("id"), **bound)  # noqa: E731
    drawn = data.draw(disordered("int64"))
    table, merged = revised(data, "int64", drawn, query, ["iw_row", "iw_part"])
    assert texts(merged.newest()) == texts(query(table).to_pylist())


def test_the_state_of_another_bound_is_refused() -> None:
    def bucket(**bound: Any) -> Any:
        schema = pa.schema([("t", pa.int64())])
        return iw.with_columns(Stream(schema), n=iw.count().over(iw.range(5, order_by="t")), **bound).bucket()

    state = bucket(allowed_lateness=5).state()
    with pytest.raises(iw.StateError, match="the allowed lateness: 5 in the state, 8 in the query"):
        bucket(allowed_lateness=8).restore(state)
    with pytest.raises(iw.StateError, match="the allowed lateness is only in the state: 5"):
        bucket().restore(state)


def test_on_batch_data_a_bound_changes_nothing() -> None:
    table = pa.table({"t": [3, 1], "v": [1, 2]})
    applied = iw.sum("v").over(iw.range(5, order_by="t"))
    assert iw.with_columns(table, x=applied, allowed_lateness=5).equals(iw.with_columns(table, x=applied))
    assert iw.select(table, x=applied, allowed_lateness=5).equals(iw.select(table, x=applied))
    tumbles = iw.group_by(table).window(iw.tumble("t", size=5))
    assert tumbles.agg(x=iw.sum("v"), allowed_lateness=5).equals(tumbles.agg(x=iw.sum("v")))
    assert iw.with_columns(table, allowed_lateness=applied).column_names == ["t", "v", "allowed_lateness"]


@given(data=st.data())
def test_rows_of_a_history_are_not_corrected(data: st.DataObject) -> None:
    batches, watermarks = data.draw(disordered("int64"))
    until = next((mark for mark in watermarks if mark is not None), 0)
    window = iw.range(4, partition_by="k", order_by="t")
    query = lambda df: iw.with_columns(df, x=Ids()("id").over(window), allowed_lateness=6)  # noqa: E731
    state = iw.state_of(batches[0], query, until=until)
    got = replayed(
        batches[1:],
        lambda df: iw.continued(query(df), state),
        data.draw(st.booleans()),
        watermarks=watermarks[1:],
        until=10**6,
    )
    merged = Merged(["iw_row"])
    for rows in got.batches:
        merged.merge(rows)
    table, _ = within(batches, [until, *watermarks[1:]], 6)
    known = pc.field("t") >= until
    late = table.filter(~known & (pc.field("id") >= batches[1]["id"][0].as_py() if len(batches[1]) else True))
    ids = set(table["id"].to_pylist()) - set(late["id"].to_pylist())
    table = table.filter(pc.field("id").isin(list(ids)))
    wanted = iw.with_columns(table, x=Ids()("id").over(window)).filter(known)
    assert texts(merged.newest()) == texts(wanted.to_pylist())


def test_stream_state_sees_the_keys_of_both_ends() -> None:
    """One key has tuples within the bound, one only an aggregate that grows, one only a tuple of an earlier frame."""
    batches = [
        pa.table({"k": ["a", "b"], "t": [1, 2]}),
        pa.table({"k": ["c"], "t": [90]}),
        pa.table({"k": ["d"], "t": [95]}),
    ]
    by = {"partition_by": "k", "order_by": "t"}
    applied = {"n": iw.count().over(iw.unbounded(**by)), "m": iw.max("t").over(iw.range(3, **by))}
    query = lambda df: iw.with_columns(df, **applied, allowed_lateness=8)  # noqa: E731
    with patch.object(log, "FULL", 1):
        state = iw.stream_state(iw.testing.replay(batches, query, buckets=1))
    rows = {
        row["key"]["k"]: (row["held_tuples"], row["waiting_tuples"], row["seen_tuples"]) for row in state.to_pylist()
    }
    assert rows == {"a": (0, 0, 1), "b": (0, 0, 1), "c": (1, 0, 1), "d": (0, 1, None)}
