"""Queries of several operators on a stream: at every instant what the batch run gives, once time has come far enough."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.replays import replayed
from samples.temporal_streams import bag, check, cut_streams, decided, on_time

import inwindow as iw
from inwindow import temporal
from inwindow.temporal.shared_keys import shared_keys
from inwindow.temporal.tree import tree_of

LAST = iw.rows(1, partition_by="k", order_by="t")
OF_TUPLES = {
    "the last tuples, counted": lambda a: temporal.aggregate(temporal.window(a, LAST), by="k", n=iw.count(), s=iw.sum("v")),
    "changes of a count": lambda a: temporal.istream(
        temporal.aggregate(temporal.window(a, iw.rows(2, order_by="t")), n=iw.count())
    ),
    "windows of tuples of changes": lambda a: temporal.dstream(
        temporal.window(
            temporal.istream(temporal.distinct(temporal.window(a, iw.unbounded(order_by="t")).where(pc.field("v") < 2)), at="t2"),
            iw.rows(1, partition_by="k", order_by="t2"),
        )
    ),
    "an aggregate of an aggregate": lambda a: temporal.aggregate(
        temporal.aggregate(temporal.window(a, iw.rows(3, order_by="t")), by="v", n=iw.count("k")), top=iw.max("n"), of=iw.count("v")
    ),
    "sessions": lambda a: temporal.aggregate(temporal.window(a, iw.session("t", gap=2), by="k"), n=iw.count()),
}  # fmt: skip
OF_RELATIONS = {
    "without a partner, counted": lambda a, b: temporal.aggregate(
        temporal.join(a, temporal.distinct(b), on="k", how="anti"), by="k", n=iw.count(), top=iw.max("v")
    ),
    "changes of pairs": lambda a, b: temporal.istream(temporal.join(a, b, on="k")),
    "what is gone": lambda a, b: temporal.dstream(temporal.difference(a, b)),
    "all of both, once, counted": lambda a, b: temporal.aggregate(temporal.distinct(temporal.union(a, b)), n=iw.count()),
    "partners of the latest": lambda a, b: temporal.istream(
        temporal.join(temporal.distinct(a, by="k", keep="latest"), temporal.aggregate(b, by="k", n=iw.count()), on="k")
    ),
    "one that is read twice": lambda a, b: temporal.istream(
        temporal.join(temporal.distinct(a), temporal.aggregate(a, by="k", n=iw.count()), on="k", how="left")
    ),
    "snapshots": lambda a, b: temporal.rstream(temporal.aggregate(temporal.intersect(a, b), by="k", n=iw.count()), every=3),
}  # fmt: skip


def until(rows: pa.Table, last: Any) -> pa.Table:
    """What has ended, or has happened."""
    return decided(rows, last, "until" if "until" in rows.column_names else "at")


@pytest.mark.parametrize("name", OF_TUPLES)
@settings(max_examples=settings.default.max_examples // 2)
@given(case=cut_streams(), restarts=st.booleans())
def test_of_tuples(name: str, case: Any, restarts: bool) -> None:
    kind, batches, marks, last = case
    if kind != "int64" and name == "sessions":
        return
    tuples = [table.drop_columns(["until"]).rename_columns(["v", "k", "t"]) for (table,) in batches]
    found = replayed(tuples, lambda a: temporal.run(OF_TUPLES[name], a), restarts, watermarks=marks, until=last)
    wanted = temporal.run(OF_TUPLES[name], on_time(tuples, marks, "t"))
    assert bag(found.table) == bag(until(wanted, last))


@pytest.mark.parametrize("name", OF_RELATIONS)
@settings(max_examples=settings.default.max_examples // 2)
@given(case=cut_streams(sides=2), restarts=st.booleans())
def test_of_relations(name: str, case: Any, restarts: bool) -> None:
    kind, batches, marks, last = case
    if kind != "int64" and name == "snapshots":
        return
    other = (
        ["v", "k", "since", "until"] if name in ("what is gone", "all of both, once, counted", "snapshots") else None
    )
    if other:
        batches = [(a, b.rename_columns(other)) for a, b in batches]
    check((kind, batches, marks, last), lambda a, b: temporal.run(OF_RELATIONS[name], a, b), restarts, until)


RELATION = pa.table({"k": ["a"], "v": [1], "since": [1], "until": [2]})
KEYS = [
    (lambda a, b: temporal.istream(temporal.join(temporal.distinct(a), b, on="k")), [("k",), ("k",)]),
    (lambda a, b: temporal.distinct(temporal.union(temporal.distinct(a), b)), [("k", "v"), ("k", "v")]),
    (lambda a, b: temporal.aggregate(temporal.join(a, b, on="k"), by="v", n=iw.count()), [(), ()]),
    (lambda a, b: temporal.aggregate(temporal.join(a, b, on=["k", "v"], how="semi"), by="v", n=iw.count()), [("v",), ("v",)]),
    (lambda a, b: temporal.aggregate(temporal.join(a, b, on="k"), n=iw.count()), [(), ()]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "keys"), KEYS)
def test_what_a_query_may_be_cut_by(query: Any, keys: Any) -> None:
    assert shared_keys(tree_of(query, (RELATION, RELATION), "temporal.run"), 2) == keys
