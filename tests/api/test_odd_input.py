"""Odd arguments in every place: it works, or it is an error of ours. Never one from inside, of Arrow's or of numpy's."""

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from bad.classes import GOOD, define
from bad.hooks import SaysNothing
from bad.input import TABLE, Decayed, Leaves, MyAvg
from bad.results import gives
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw


def ours_or_fine(call: Any) -> None:
    """It works, or it is an error of ours."""
    try:
        outcome = call()
        if isinstance(outcome, pa.RecordBatchReader):
            outcome.read_all()
    except iw.InWindowError as error:
        assert str(error)


ODD = st.sampled_from(
    [None, True, False, 0, -1, 1, 3, 10**30, -(10**30), 0.5, -0.0, float("nan"), float("inf"), 1e300, "", "x", "t", "ts",
     "item", "5", "5 minutes", "-1 second", "1 month", b"t", [], ["t"], ["t", "item"], [None], (), {}, {"t"}, object(),
     len, lambda t: t, int, np.int64(2), np.float32(1.5), np.bool_(True), np.array([1]), np.timedelta64(1, "s"),
     np.datetime64("2026-03-01"), pa.scalar(2), pa.array([1]), pa.compute.field("t"), iw.desc("t"), iw.rows(2),
     iw.tumble("t", size=2), iw.max("n"), iw.sum, MyAvg, MyAvg(), Ellipsis]
)  # fmt: skip
OPTIONS = st.dictionaries(
    st.sampled_from(["partition_by", "order_by", "slide", "lag", "origin", "final", "active_expiration", "strategy"]),
    ODD,
    max_size=3,
)
WINDOWS = [
    lambda a, b, options: iw.rows(a, **options),
    lambda a, b, options: iw.range(a, **{"order_by": "t", **options}),
    lambda a, b, options: iw.rows_between(a, b, **options),
    lambda a, b, options: iw.range_between(a, b, **{"order_by": "ts", **options}),
    lambda a, b, options: iw.unbounded(**options),
    lambda a, b, options: iw.landmark(since=a, until=b, **{"order_by": "t", **options}),
    lambda a, b, options: iw.landmark(since=a, **{"order_by": "ts", **options}),
    lambda a, b, options: iw.scope(lower=a, upper=b, **{"order_by": "t", **options}),
    lambda a, b, options: iw.scope(lower=lambda t: a, **{"order_by": "price", **options}),
    lambda a, b, options: a,
]
EXTENTS = [
    lambda a, b, c: iw.tumble(c, size=a, origin=b),
    lambda a, b, c: iw.tumble("t", rows=a, scope=b),
    lambda a, b, c: iw.hop(c, size=a, every=b),
    lambda a, b, c: iw.hop("ts", rows=a, every=b),
    lambda a, b, c: iw.cumulate(c, size=a, every=b),
    lambda a, b, c: iw.session(c, gap=a),
    lambda a, b, c: a,
]


@given(st.sampled_from(WINDOWS), ODD, ODD, OPTIONS, OPTIONS)
def test_odd_windows(window: Any, a: Any, b: Any, options: Any, more: Any) -> None:
    for aggregate in (MyAvg()("price"), iw.max("n"), Decayed()("n"), Leaves()("n")):
        for use in (iw.with_columns, iw.select):
            ours_or_fine(partial(used, use, aggregate, window, a, b, options, more))


def used(use: Any, aggregate: Any, window: Any, a: Any, b: Any, options: Any, more: Any) -> Any:
    return use(TABLE, x=aggregate.over(window(a, b, options), **more))


@given(st.sampled_from(EXTENTS), ODD, ODD, st.one_of(st.sampled_from(["t", "ts", "price", "length"]), ODD))
def test_odd_extents(extent: Any, a: Any, b: Any, on: Any) -> None:
    ours_or_fine(lambda: iw.group_by(TABLE, "item").window(extent(a, b, on)).agg(x=iw.max("n")))


@given(st.lists(ODD, max_size=3), st.dictionaries(st.sampled_from(["a", "item"]), ODD, max_size=2), ODD, ODD)
def test_odd_calls(positional: list[Any], named: dict[str, Any], a: Any, b: Any) -> None:
    for call in (
        lambda: iw.with_columns(TABLE, *positional, **named),
        lambda: iw.select(TABLE, *positional, **named),
        lambda: iw.explain(TABLE, *positional, **named),
        lambda: iw.group_by(TABLE, *positional).agg(*positional, **named),
        lambda: iw.group_by(TABLE, order_by=a).emit(*positional, **named),
        lambda: iw.group_by(TABLE, order_by=a).agg(x=iw.max("n")),
        lambda: iw.with_columns(a, x=iw.max("n").over(iw.rows(2))),
        lambda: iw.with_columns(TABLE, x=MyAvg()(*positional).over(iw.rows(2))),
        lambda: iw.with_columns(TABLE, x=iw.count(*positional).filter(a).alias(b).over(iw.rows(2))),
        lambda: iw.with_columns(TABLE, x=iw.first(a, b).over(iw.rows(2))),
        lambda: iw.with_columns(TABLE, x=iw.last("price").over(iw.rows(2)).alias(b)),
        lambda: iw.udaf(a),
        lambda: iw.emitted_at().alias(a),
        lambda: iw.asc(a, nulls_first=b),
        lambda: define(GOOD, returns=a, empty=b),
        lambda: define(GOOD, iw.WindowAggregate, base=a, nulls=b),
        lambda: define(GOOD, algebraic=a, commutative=b),
        lambda: gives(a, float),
        lambda: gives(a, list[int]),
        lambda: gives(a, "timestamp"),
        lambda: gives(a, "a int, b string"),
    ):
        ours_or_fine(call)


COLUMNS = {
    "null": pa.nulls(3),
    "half float": pa.array(np.array([2, 1, 3], np.float16)),
    "decimal256": pa.array([2, 1, None]).cast(pa.decimal256(50, 2)),
    "string view": pa.array(["b", "a", None], pa.string_view()),
    "fixed size binary": pa.array([b"bb", b"aa", None], pa.binary(2)),
    "date64": pa.array([86_400_000, 0, None], pa.date64()),
    "time": pa.array([2, 1, None], pa.time64("ns")),
    "timestamp in nanoseconds": pa.array([2, 1, None], pa.timestamp("ns", "Europe/Berlin")),
    "interval": pa.array([pa.MonthDayNano([1, 2, 3])] * 3),
    "list": pa.array([[2], [1], None]),
    "struct": pa.array([{"a": 2}, {"a": 1}, None]),
    "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    "dictionary": pa.array(["b", "a", None]).dictionary_encode(),
    "run ends": pa.RunEndEncodedArray.from_arrays([1, 2, 3], [2, 1, 3]),
    "union": pa.UnionArray.from_dense(
        pa.array([0, 0, 0], pa.int8()), pa.array([0, 1, 2], pa.int32()), [pa.array([1, 2, 3])]
    ),
}


USES = [
    lambda data: iw.with_columns(data, x=iw.max("n").over(iw.rows(2, partition_by="c"))),
    lambda data: iw.with_columns(data, x=iw.max("n").over(iw.rows(2, order_by="c"))),
    lambda data: iw.with_columns(data, x=iw.max("n").over(iw.range_between(None, 0, order_by=iw.desc("c")))),
    lambda data: iw.with_columns(data, x=iw.max("n").over(iw.range("1 day", order_by="c"))),
    lambda data: iw.with_columns(data.to_reader(), x=iw.max("n").over(iw.rows(2, order_by="c"))),
    lambda data: iw.with_columns(data.to_reader(), x=iw.max("n").over(iw.rows(2))),
    lambda data: iw.with_columns(data, x=iw.max("c").over(iw.rows(2))),
    lambda data: iw.with_columns(data, x=iw.first("c").over(iw.rows(2))),
    lambda data: iw.with_columns(data, x=iw.collect_list("c").over(iw.rows(2))),
    lambda data: iw.with_columns(data, x=iw.count_distinct("c").over(iw.rows(2))),
    lambda data: iw.with_columns(data, x=iw.sum("c").over(iw.rows(2))),
    lambda data: iw.with_columns(data, x=iw.median("c").over(iw.rows(2))),
    lambda data: iw.with_columns(data, x=SaysNothing()("c").over(iw.rows(2))),
    lambda data: iw.with_columns(data, x=iw.max("n").filter("c").over(iw.rows(2))),
    lambda data: iw.select(data, "c", x=iw.max("n").over(iw.rows(2))),
    lambda data: iw.group_by(data, "c").agg(x=iw.max("n")),
    lambda data: iw.group_by(data, order_by="c").agg(x=iw.max("n")),
    lambda data: iw.group_by(data).window(iw.tumble("c", size=1)).agg(x=iw.max("n")),
    lambda data: iw.group_by(data).window(iw.tumble("c", size="1 day")).agg(x=iw.max("n")),
    lambda data: iw.group_by(data).window(iw.tumble("c", rows=2, scope="stream")).agg(x=iw.max("n")),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", COLUMNS)
def test_odd_columns(kind: str) -> None:
    table = pa.table({"c": COLUMNS[kind], "n": [1, 2, 3]})
    for data in (table, table.slice(1)):
        for use in USES:
            ours_or_fine(partial(use, data))
