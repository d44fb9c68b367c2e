"""Aggregates of what holds: every strategy against the definition, which folds each snapshot by itself."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.aggregates import Mean, Total
from samples.temporal_cases import KINDS, in_kind, rows, rows_of, table

import inwindow as iw
from inwindow import temporal
from inwindow.temporal import reference
from inwindow.windows.reference import Row, fold

kinds = st.sampled_from(list(KINDS))


class AnyOrder(iw.WindowAggregate, expire_any_order=True):
    """Its expire is written, and declared right in any order."""

    def initialize(self, value):
        self.counts = {value: 1}

    def iterate(self, value):
        self.counts[value] = self.counts.get(value, 0) + 1

    def expire(self, value):
        self.counts[value] -= 1
        if not self.counts[value]:
            del self.counts[value]

    def terminate(self) -> str:
        return str(sorted(self.counts.items()))


class Merges(iw.Aggregate, commutative=True, derive=False):
    """It merges, and does not undo."""

    def initialize(self, value):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def merge(self, later):
        self.values = self.values + later.values

    def terminate(self) -> str:
        return str(sorted(self.values))


class InOrder(iw.Aggregate, derive=False):
    """It can do neither, and depends on the order in which rows begin."""

    def initialize(self, value):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def terminate(self) -> str:
        return str(self.values)


class Punts(iw.WindowAggregate, expire_any_order=True, nulls="pass"):
    """It refuses to undo a 2, and sees NULLs."""

    def initialize(self, value):
        self.sum = value or 0

    def iterate(self, value):
        self.sum += value or 0

    def expire(self, value):
        if value == 2:
            return iw.PUNT
        self.sum -= value or 0
        return None

    def terminate(self) -> int:
        return self.sum


CLASSES = {
    "delta (derived)": (Mean, "delta"),
    "delta (declared)": (AnyOrder, "delta"),
    "segment-tree": (Merges, "segment-tree"),
    "recompute": (InOrder, "recompute"),
    "punts": (Punts, "delta"),
}


def folded(kind: Any) -> Callable[[list[Any]], Any]:
    nulls = kind._traits.nulls

    def of(values: list[Any]) -> Any:
        its = [Row((at,), (value[-1],)) for at, value in enumerate(values)]
        return fold(kind(), its, range(len(its)), nulls)

    return of


@pytest.mark.parametrize("name", CLASSES)
@given(rows(2, most=9), kinds, st.booleans())
def test_classes(name: str, its: Any, kind: str, coalesced: bool) -> None:
    aggregate, strategy = CLASSES[name]
    data, one = table(its, kind, ("k", "v")), in_kind(its, kind)
    assert f"strategy  {strategy}" in str(temporal.explain(data, by="k", x=aggregate()("v")))
    result = temporal.aggregate(data, by="k", x=aggregate()("v"), coalesce=coalesced)
    wanted = reference.reduced(
        lambda held: reference.aggregate(held, lambda values: values[:1], folded(aggregate)), one
    )
    found = rows_of(result)
    instants = reference.cuts(one, found)
    assert reference.snapshots(found, instants, near) == reference.snapshots(wanted, instants, near)
    if coalesced:
        assert not any(a[0] == b[0] and a[2] is not None and a[2] == b[1] for a in found for b in found)


def near(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(sorted(map(repr, map(near, value))))
    if not isinstance(value, float) or value != value or math.isinf(value):
        return repr(value)
    return float(f"{value:.9g}") if abs(value) > 1e-12 else 0.0


BUILT_INS = {
    "count": iw.count(), "count(x)": iw.count("x"), "sum": iw.sum("x"), "avg": iw.avg("x"), "min": iw.min("x"), "max": iw.max("x"),
    "sum_i": iw.sum("i"), "avg_i": iw.avg("i"), "sum_d": iw.sum("d"), "avg_d": iw.avg("d"), "var": iw.var_samp("x"),
    "stddev": iw.stddev_pop("x"), "corr": iw.corr("x", "i"), "skewness": iw.skewness("x"), "first": iw.first("x"),
    "last": iw.last("i"), "median": iw.median("x"), "max_by": iw.max_by("t", "x"), "list": iw.collect_list("t"),
    "set": iw.collect_set("t"), "distinct": iw.count_distinct("t"), "every": iw.every("b"), "some": iw.some("b"),
    "xor": iw.bit_xor("i"), "product": iw.product("i"), "text": iw.string_agg("t"), "mode": iw.mode("i"),
    "filtered": iw.sum("x").filter(pa.compute.field("i") > 1),
}  # fmt: skip


def wide(its: Any) -> pa.Table:
    """Arguments of several types, made of the rows' numbers."""
    given = table(its, "int64", ("k", "v"))
    number = np.arange(len(its))
    value = [None if row[0][1] is None else [0.1, 1e16, -3.5][row[0][1]] for row in its]
    columns = {
        "x": pa.array(value, pa.float64()),
        "i": pa.array(number % 4, pa.int64()),
        "d": pa.array([None if v is None else Decimal(int(v % 7)) for v in value], pa.decimal128(9, 2)),
        "t": pa.array([["a", "b", None][n % 3] for n in number], pa.string()),
        "b": pa.array([n % 5 != 0 for n in number], pa.bool_()),
    }
    for name, column in columns.items():
        given = given.append_column(name, column)
    return given


@pytest.mark.parametrize("name", BUILT_INS)
@settings(max_examples=settings.default.max_examples // 3)
@given(rows(2, most=8))
def test_built_ins(name: str, its: Any) -> None:
    data, applied = wide(its), BUILT_INS[name]
    result = temporal.aggregate(data, by="k", x=applied, coalesce=False)
    numbered = [((row[0][0], at), row[1], row[2]) for at, row in enumerate(its)]

    def definition(held: Any) -> list[Any]:
        entered = sorted(held, key=lambda row: (row[1] is not None, row[1] or 0))
        snapshot = data.take(pa.array([values[1] for values, *_ in entered], pa.int64()))
        groups = iw.group_by(snapshot, "k").agg(x=applied).to_pylist()
        return [(row["k"], row["x"]) for row in groups]

    wanted, found = reference.reduced(definition, numbered), rows_of(result)
    instants = reference.cuts(its)
    assert reference.snapshots(found, instants, near) == reference.snapshots(wanted, instants, near)


@given(
    st.lists(
        st.tuples(st.floats(width=64), st.integers(0, 12), st.integers(0, 12)).map(lambda t: (t[0], *sorted(t[1:]))),
        max_size=12,
    ),
    st.sampled_from(["sum", "avg"]),
)
def test_sums_of_doubles_are_exact(its: Any, name: str) -> None:
    data = pa.table({"x": [row[0] for row in its], "since": [row[1] for row in its], "until": [row[2] for row in its]})
    result = temporal.aggregate(
        data.cast(pa.schema([("x", pa.float64()), ("since", pa.int64()), ("until", pa.int64())])),
        x=getattr(iw, name)("x"), coalesce=False,
    )  # fmt: skip
    for row in result.to_pylist():
        held = [x for x, since, until in its if since <= row["since"] < until]
        finite = all(map(math.isfinite, held))
        try:
            wanted = math.fsum(held) if finite else sum(held)
        except OverflowError:  # beyond a double, or on the way
            continue
        wanted = wanted / len(held) if name == "avg" else wanted
        assert row["x"] == wanted or (row["x"] != row["x"] and wanted != wanted), (held, row["x"], wanted)


def test_a_value_leaves_nothing_behind() -> None:
    data = pa.table({"x": [1e300, 1.0, float("nan"), 2.5], "since": [0, 1, 2, 3], "until": [4, 9, 5, 8]})
    result = temporal.aggregate(data, s=iw.sum("x")).to_pydict()
    assert list(map(str, result["s"])) == ["1e+300", "nan", "3.5", "1.0"]


class Drifts(Total, expire_any_order=True):
    """A plain running sum: frames are folded again when a float has lost digits."""


def test_a_running_sum_is_folded_afresh_where_it_has_lost_its_digits() -> None:
    data = pa.table(
        {"x": [1e100, 1.0, 2.5, 7.0, math.inf, 3.0], "since": [0, 1, 2, 3, 4, 5], "until": [4, 9, 8, 10, 6, 30]}
    )
    result = temporal.aggregate(data, s=Drifts()("x")).to_pydict()
    assert dict(zip(result["since"], result["s"], strict=True)) == {
        0: 1e100, 4: math.inf, 6: 13.5, 8: 11.0, 9: 10.0, 10: 3.0,
    }  # fmt: skip


@given(st.integers(0, 2**32), st.sampled_from(["sum", "max", "class", "list"]))
def test_many_rows_in_many_groups(seed: int, which: str) -> None:
    """Trees and folds of several pieces at a time, against pandas' way of looking at each instant."""
    from inwindow.runtime import sweep, sweep_tree

    random = np.random.default_rng(seed)
    n = 60
    since = random.integers(0, 50, n)
    data = pa.table(
        {
            "k": random.integers(0, 3, n),
            "x": random.integers(0, 9, n),
            "since": since,
            "until": since + random.integers(0, 30, n),
        }
    )
    applied = {"sum": iw.sum("x"), "max": iw.max("x"), "class": Merges()("x"), "list": InOrder()("x")}[which]
    before = sweep._MEMBERS, sweep_tree._AT_ONCE
    sweep._MEMBERS, sweep_tree._AT_ONCE = 20, 8
    try:
        result = temporal.aggregate(data, by="k", x=applied)
    finally:
        sweep._MEMBERS, sweep_tree._AT_ONCE = before
    for instant in range(80):
        held = [r for r in data.to_pylist() if r["since"] <= instant < r["until"]]
        held.sort(key=lambda r: r["since"])
        groups = {k: [r["x"] for r in held if r["k"] == k] for k in {r["k"] for r in held}}
        fold_of = {"sum": sum, "max": max, "class": lambda x: str(sorted(x)), "list": str}[which]
        wanted = {k: fold_of(values) for k, values in groups.items()}
        found = {r["k"]: r["x"] for r in temporal.at(result, instant).to_pylist()}
        assert found == wanted
