"""Each rule gives the same snapshots, for all relations; applied where its condition is met, and not elsewhere."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.temporal_cases import in_kind, rows, rows_of, table

import inwindow as iw
from inwindow import temporal
from inwindow.temporal import reference
from inwindow.temporal.rules import RULES, Rewrite, rewritten
from inwindow.temporal.tree import tree_of

K, V, W = (pc.field(name) for name in "kvw")
SAME = ("k", "v")


# A query for each way in which a rule applies; relations have the columns k, v and k, w (or k, v for bags).
APPLIES: dict[str, list[Callable[..., Any]]] = {
    "select through window": [],
    "select through union": [lambda a, b: temporal.union(a, a).where(pc.field("until") > 5)],
    "select through bags": [
        lambda a, b: temporal.difference(a, a).where(V > 0),
        lambda a, b: temporal.intersect(a, temporal.split(a, 2, between=(0, 12))).where(K == 1),
        lambda a, b: temporal.max_union(a, a).where((V == 1) | (K == 2)),
    ],
    "select through join": [
        lambda a, b: temporal.join(a, b, on="k").where(V > 0),
        lambda a, b: temporal.join(a, b, on="k").where(W > 0),
        lambda a, b: temporal.join(a, b, on="k", how="left").where(V > 0),
        lambda a, b: temporal.join(a, b, on="k", how="right").where(W > 0),
        lambda a, b: temporal.join(a, b, on="k", how="anti").where(K == 1),
        lambda a, b: temporal.join(a, b, on="k", how="semi", condition="during").where(V == 1),
    ],
    "select through coalesce": [
        lambda a, b: temporal.coalesce(a, by="k").where(K == 1),
        lambda a, b: temporal.aggregate(a, by="k", n=iw.count("v")).where(K > 0),
    ],
    "coalesce of a coalesced relation": [
        lambda a, b: temporal.distinct(temporal.coalesce(a)),
        lambda a, b: temporal.coalesce(temporal.coalesce(a, by=["k", "v"]), by="k"),
        lambda a, b: temporal.distinct(temporal.aggregate(a, by="k", n=iw.count())),
    ],
    "coalesce of a split relation": [lambda a, b: temporal.coalesce(temporal.split(a.where(V > 0), 2, between=None))],
    "distinct through join": [lambda a, b: temporal.distinct(temporal.join(a, b, on="k"))],
    "duplicates before distinct": [lambda a, b: temporal.distinct(temporal.union(temporal.distinct(a), a))],
    "partners once": [
        lambda a, b: temporal.join(a, temporal.distinct(b), on="k", how="semi"),
        lambda a, b: temporal.join(a, temporal.distinct(b), on="k", how="anti"),
    ],
}
CASES = [(rule, at) for rule in RULES for at in range(len(APPLIES[rule.name]))]


def bounded(its: Any) -> Any:
    return [(values, since or 0, 12 if until is None else until) for values, since, until in its]


@pytest.mark.parametrize(("rule", "at"), CASES, ids=lambda one: one.name if isinstance(one, Rewrite) else str(one))
@given(left=rows(width=2), right=rows(width=2))
def test_snapshots_are_the_same(rule: Rewrite, at: int, left: Any, right: Any) -> None:
    if rule.name == "coalesce of a split relation":
        left = bounded(left)
    a, b = table(left, "int64", ("k", "v")), table(right, "int64", ("k", "w"))
    tree = tree_of(APPLIES[rule.name][at], (a, b), "")
    changed, used = rewritten(tree, [rule])
    assert used
    before, after = rows_of(tree.run((a, b))), rows_of(changed.run((a, b)))
    instants = reference.cuts(before, after, in_kind(left, "int64"), in_kind(right, "int64"))
    assert reference.snapshots(before, instants) == reference.snapshots(after, instants)
    assert tree.run((a, b)).column_names == changed.run((a, b)).column_names


WINDOWS = {
    "range": iw.range(3, order_by="t"),
    "landmark": iw.landmark(since=2, order_by="t"),
    "hop": iw.hop("t", size=4, every=2),
    "rows of a key": iw.rows(2, partition_by="v", order_by="t"),
}


@pytest.mark.parametrize("name", WINDOWS)
@given(its=st.lists(st.tuples(st.sampled_from([None, 0, 1, 2]), st.integers(0, 9)), max_size=8))
def test_select_through_window(name: str, its: Any) -> None:
    data = pa.table({"v": pa.array([v for v, _ in its], pa.int64()), "t": pa.array([t for _, t in its], pa.int64())})
    tree = tree_of(lambda a: temporal.window(a, WINDOWS[name]).where(V > 0), (data,), "")
    changed, used = rewritten(tree)
    assert [rule.name for rule in used] == ["select through window"]
    assert sorted(map(str, changed.run((data,)).to_pylist())) == sorted(map(str, tree.run((data,)).to_pylist()))


STAYS: dict[str, Callable[..., Any]] = {
    "a condition on an end, below a window": lambda a, b: temporal.window(a, iw.range(2, order_by="t")).where(
        pc.field("until") > 4
    ),
    "a window that counts all": lambda a, b: temporal.window(a, iw.rows(2, order_by="t")).where(V > 0),
}
STAYS_HELD: dict[str, Callable[..., Any]] = {
    "a condition on both sides": lambda a, b: temporal.join(a, b, on="k").where(V > W),
    "a side beside NULLs": lambda a, b: temporal.join(a, b, on="k", how="left").where(pc.is_null(W)),
    "a full join": lambda a, b: temporal.join(a, b, on="k", how="full").where(V > 0),
    "an end of a coalesced row": lambda a, b: temporal.coalesce(a, by="k").where(pc.field("until") > 4),
    "a result": lambda a, b: temporal.aggregate(a, by="k", n=iw.count()).where(pc.field("n") > 1),
    "a split between two instants": lambda a, b: temporal.coalesce(temporal.split(a, 2, between=(2, 4))),
    "pieces that are not coalesced": lambda a, b: temporal.distinct(
        temporal.aggregate(a, by="k", n=iw.count(), coalesce=False)
    ),
    "a join with a condition on ends": lambda a, b: temporal.distinct(temporal.join(a, b, on="k", condition="during")),
    "partners with a condition": lambda a, b: temporal.join(
        a, temporal.distinct(b), on="k", how="semi", condition="during"
    ),
}


@pytest.mark.parametrize("name", [*STAYS, *STAYS_HELD])
def test_what_stays(name: str) -> None:
    if name in STAYS:
        data: Any = (pa.table({"v": [1], "t": [1]}),) * 2
        query = STAYS[name]
    else:
        data = (table([((1, 1), 1, 2)], "int64", ("k", "v")), table([((1, 1), 1, 2)], "int64", ("k", "w")))
        query = STAYS_HELD[name]
    tree = tree_of(query, data, "")
    assert rewritten(tree) == (tree, [])


def test_a_whole_query() -> None:
    """Rules follow one another; the result is that of the operators one by one; explain says so."""
    a = table([((1, 1), 1, 5), ((1, 1), 3, 9), ((2, 1), 1, 4)], "int64", ("k", "v"))
    b = table([((1, 7), 2, 6)], "int64", ("k", "w"))

    def query(a: Any, b: Any) -> Any:
        return temporal.distinct(temporal.join(temporal.distinct(a), b, on="k").where(K == 1))

    found = temporal.run(query, a, b)
    joined = temporal.join(temporal.distinct(a), b, on="k")
    assert found.to_pylist() == temporal.distinct(joined.filter(K == 1)).to_pylist()
    said = str(temporal.explain(query, a, b)).splitlines()
    assert said[0].startswith("join on k, how inner: rows with equal k together; ")
    assert [line.split(": ")[1] for line in said if line.startswith("rule: ")] == [
        "select through join", "distinct through join", "select through coalesce", "coalesce of a coalesced relation",
    ]  # fmt: skip


def test_explain_of_one_operator() -> None:
    a = pa.table({"k": [1], "since": [1], "until": [2]})
    assert str(temporal.explain(temporal.join, a, a, on="k", how="anti")) == (
        "join on k, how anti: rows with equal k together; both sides sorted by the keys and since, a scan with two active sets\n"
        "  data 1: k, since, until\n  data 2: k, since, until"
    )
    assert str(temporal.explain(temporal.at, a, instant=1)).startswith("at 1: each row by itself; ")
