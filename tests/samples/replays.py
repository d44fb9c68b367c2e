"""Drawing streams: tuples in any order, cut into micro-batches, watermarks that now and then pass some of them.

What a stream must give is what the batch run gives over the tuples that were not late; which are late is known from the
watermarks alone.
"""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

import pyarrow as pa
from hypothesis import strategies as st

import inwindow as iw
from inwindow.runtime.stream import log
from inwindow.runtime.stream import replay as module
from inwindow.windows.spec import Window

START = datetime(2026, 3, 1)
FAR = 10**6
# order type -> (Arrow type, from a small number to a value, sizes, slides)
TIMES: dict[str, tuple[pa.DataType, Any, list[Any], list[Any]]] = {
    "int64": (pa.int64(), lambda n: n, [0, 1, 3, 6, 40], [1, 2, 5]),
    "timestamp": (
        pa.timestamp("us", tz="UTC"),
        lambda n: pa.scalar(START + timedelta(seconds=n / 2), pa.timestamp("us", tz="UTC")).as_py(),
        ["0 seconds", "500 ms", "2 seconds", "1 minute"],
        ["1 second", "2500 ms"],
    ),
    "seconds": (
        pa.timestamp("s"),
        lambda n: START + timedelta(seconds=n),
        ["0 seconds", "1500 ms", "4 seconds"],
        ["2 seconds"],
    ),
    "date": (pa.date32(), lambda n: START.date() + timedelta(days=n), ["0 days", "1 day", "3 days"], ["2 days"]),
}


@st.composite
def streams(draw: st.DrawFn, time: str, values: Any, kind: pa.DataType | None = None, second: bool = False) -> Any:
    """(micro-batches, watermarks): columns k, t, v, ok, id (and w)."""
    type_, moment, _, _ = TIMES[time]
    times = st.one_of(st.integers(-6, 14), st.none()) if draw(st.booleans()) else st.integers(-6, 14)
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["a", "b", None]), times, values, st.sampled_from([True, True, False, None]), values
            ),
            max_size=24,
        )
    )
    table = pa.table(
        {
            "k": pa.array([row[0] for row in rows], pa.string()),
            "t": pa.array([None if row[1] is None else moment(row[1]) for row in rows], type_),
            "v": pa.array([row[2] for row in rows], kind or pa.float64()),
            "ok": pa.array([row[3] for row in rows], pa.bool_()),
            "id": pa.array(range(len(rows)), pa.int64()),
            **({"w": pa.array([row[4] for row in rows], kind or pa.float64())} if second else {}),
        }
    )
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=6)))
    edges = [0, *cuts, len(rows)]
    batches = [table.slice(a, b - a) for a, b in zip(edges, edges[1:], strict=False)]
    marks = sorted(draw(st.lists(st.integers(-8, 16), min_size=len(batches), max_size=len(batches))))
    unknown = draw(st.integers(0, len(batches)))
    watermarks = [None if index < unknown else moment(mark) for index, mark in enumerate(marks)]
    return batches, watermarks


def on_time(batches: list[pa.Table], watermarks: list[Any]) -> tuple[pa.Table, list[int]]:
    """The tuples that are not late, in the order in which they came; and the ids of those that are."""
    kept, late, passed = [], [], None
    for batch, watermark in zip(batches, watermarks, strict=True):
        mask = [t is not None and (passed is None or t >= passed) for t in batch["t"].to_pylist()]
        kept.append(batch.filter(pa.array(mask, pa.bool_())))
        late += batch.filter(pa.array([not m for m in mask], pa.bool_()))["id"].to_pylist()
        passed = watermark if watermark is not None else passed
    return pa.concat_tables(kept), late


def replayed(batches: list[pa.Table], query: Any, restarts: bool, **options: Any) -> Any:
    """The stream; with restarts, every bucket goes on from its state before each micro-batch: bytes, or a head and chunks."""
    if not restarts:
        return module.replay(batches, query, **options)
    by_bytes = _restarted(batches, query, _from_bytes, options)
    with patch.object(log, "FULL", 200):
        by_chunks = _restarted(batches, query, _from_chunks, options)
    for one, other in zip(by_bytes.batches, by_chunks.batches, strict=True):  # keys may come in another order
        assert sorted(map(str, one.to_pylist())) == sorted(map(str, other.to_pylist()))
    return by_chunks


def _restarted(batches: list[pa.Table], query: Any, restart: Any, options: dict[str, Any]) -> Any:
    turn, stores = module._turn, defaultdict(dict)

    def after_a_restart(query: Any, buckets: list[Any], *rest: Any) -> None:
        restart(query, buckets, stores)
        turn(query, buckets, *rest)

    with patch.object(module, "_turn", after_a_restart):
        return module.replay(batches, query, **options)


def _from_bytes(query: Any, buckets: list[Any], stores: Any) -> None:
    """As in a task: an object that was another bucket before is this one now."""
    states = [bucket.state() for bucket in buckets]
    buckets.append(buckets.pop(0))
    for bucket, state in zip(buckets, states, strict=True):
        bucket.begin()
        bucket.restore(state)


def _from_chunks(query: Any, buckets: list[Any], stores: Any) -> None:
    """As in a process of its own, from a state store: chunks are put and removed, and never written again."""
    for index, before in enumerate(buckets):
        changed, store = before.changed(), stores[index]
        for number in changed.removed:
            del store[number]
        assert not store.keys() & changed.chunks.keys()
        store.update(changed.chunks)
        buckets[index] = query.bucket()
        buckets[index].restore(changed.head, store.__getitem__)


def end_of(time: str) -> Any:
    """A watermark beyond all that any frame may reach."""
    return TIMES[time][1](FAR)


@st.composite
def stream_windows(draw: st.DrawFn, time: str, kinds: tuple[str, ...], *, holes: bool = False) -> Window:
    """A window that has a meaning on a stream."""
    _, moment, sizes, slides = TIMES[time]
    options: dict[str, Any] = {"partition_by": draw(st.sampled_from([(), ("k",)])), "order_by": "t"}
    if holes:
        options["exclude"] = draw(st.sampled_from(["current row", "group", "ties"]))
    kind = draw(st.sampled_from(kinds))
    size = draw(st.sampled_from(sizes))
    if draw(st.booleans()) and kind != "landmark":
        unit = draw(st.sampled_from(["rows", "range"]))
        options |= {"slide_by": unit, "slide": draw(st.integers(1, 5) if unit == "rows" else st.sampled_from(slides))}
    if kind == "rows":
        low, high = sorted([draw(st.integers(-5, 3)), draw(st.integers(-5, 3))])
        return iw.rows_between(draw(st.sampled_from([low, None])), high, **options)
    if kind == "groups":
        low, high = sorted([draw(st.integers(-4, 2)), draw(st.integers(-4, 2))])
        return iw.groups_between(draw(st.sampled_from([low, None])), high, **options)
    if kind == "trailing groups":
        return iw.groups(draw(st.integers(1, 5)), **options)
    if kind == "trailing rows":
        return iw.rows(draw(st.integers(1, 6)), **options)
    if kind == "unbounded rows":
        return iw.rows_between(None, 0, **options)
    if kind == "trailing range":
        return iw.range(size, **options)
    if kind == "lagging range":
        return iw.range(size, lag=draw(st.sampled_from(slides)), **options)
    if kind == "range":
        other = iw.range(draw(st.sampled_from(sizes)), order_by="t").frame.lower
        lower = draw(st.sampled_from([None, iw.range(size, order_by="t").frame.lower]))
        return iw.range_between(lower, draw(st.sampled_from([0, -other if other else 0])), **options)
    if kind == "scope":
        return _scope(draw, time, options)
    since, until = (draw(st.one_of(st.none(), st.integers(-4, 12).map(moment))) for _ in range(2))
    if since is None and until is None:
        since = moment(2)
    return iw.landmark(since=since, until=until, **options)


def _scope(draw: st.DrawFn, time: str, options: dict[str, Any]) -> Window:
    reach = draw(st.integers(0, 3))
    unit = 1 if time == "int64" else timedelta(days=1) if time == "date" else timedelta(seconds=1)
    ahead = draw(st.sampled_from([None, lambda t: t + reach * unit]))
    behind = (lambda t: t - reach * unit) if ahead is None or draw(st.booleans()) else None
    return iw.scope(lower=behind, upper=ahead, **{n: value for n, value in options.items() if "slide" not in n})
