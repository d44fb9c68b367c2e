"""Time is cut into stretches, an operator runs on each, and what goes on at a cut is joined: the rows of the whole."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.optimizer.strategy import No
from inwindow.runtime.operation import NUMBER, Operation
from inwindow.runtime.reserved import STRETCH
from inwindow.runtime.sides import Sides
from inwindow.runtime.stretch_tasks import AtCuts, OnStretches
from inwindow.runtime.stretches import stretches_of
from inwindow.runtime.table_tasks import OnTables
from inwindow.runtime.tasks import Room
from inwindow.temporal.aggregate import holding
from inwindow.temporal.changes import Changes
from inwindow.temporal.coalesce import Coalesce
from inwindow.temporal.difference import Difference
from inwindow.temporal.distinct import Latest
from inwindow.temporal.intersect import Intersect
from inwindow.temporal.join import Join
from inwindow.temporal.max_union import MaxUnion

ONE: dict[str, Operation] = {
    "coalesce": Coalesce("coalesce", ("k",)),
    "distinct": Coalesce("distinct", None),
    "latest": Latest(("k",)),
    "aggregate": holding((), "k", True, {"n": iw.count(), "s": iw.sum("v"), "high": iw.max("v")}),
    "aggregate of all": holding((), None, True, {"vs": iw.collect_list("v"), "first": iw.first("v")}),
    "istream": Changes("istream", "at", 1),
    "dstream": Changes("dstream", "at", -1),
}
TWO: dict[str, Operation] = {
    "difference": Difference(),
    "intersect": Intersect(),
    "max_union": MaxUnion(),
    **{how: Join(("k",), how, (), "_b") for how in ("inner", "left", "right", "full", "semi", "anti")},
    "full, all pairs": Join((), "full", (pc.field("v") != pc.field("v_b"),), "_b"),
}
ROOM = Room(1 << 26, lambda size: None)


@st.composite
def relations(draw: Any) -> pa.Table:
    """Ends tie and meet; some are NULL, some rows never hold."""
    end = st.one_of(st.integers(0, 12), st.none())
    rows = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), end, end), max_size=8))
    ordered = [(k, v, *((a, b) if a is None or b is None else sorted((a, b)))) for k, v, a, b in rows]
    # Ties would show in lists and the first one, whose order is that in which rows came.
    began: set[Any] = set()
    ordered = [row for row in ordered if row[2] not in began and not began.add(row[2])]  # type: ignore[func-returns-value]
    columns = list(zip(*ordered, strict=True)) or [[]] * 4
    return pa.table(
        {name: pa.array(of, pa.int64()) for name, of in zip(("k", "v", "since", "until"), columns, strict=True)}
    )


def reached(table: pa.Table, cuts: list[int]) -> list[tuple[int, int]]:
    """(row, stretch) of each row in each stretch that it reaches: as Spark computes them."""
    found = []
    for row, (since, until) in enumerate(zip(*(table[end].to_pylist() for end in ("since", "until")), strict=True)):
        first = 0 if since is None else sum(since >= cut for cut in cuts)
        last = len(cuts) if until is None else sum(until >= cut for cut in cuts)
        found += [(row, stretch) for stretch in range(first, max(first, last) + 1)]
    return found


def in_stretches(operation: Operation, tables: list[pa.Table], cuts: list[int], mixed: Any) -> pa.Table:
    """The two tasks, on rows in any order."""
    schemas = tuple(table.schema for table in tables)
    keys = operation.keys(*schemas)
    sides = Sides.of(schemas, [schema.names for schema in schemas], keys)
    packed = []
    for number, table in enumerate(tables):
        rows, stretches = (
            np.array(column, dtype=np.int64) for column in list(zip(*reached(table, cuts), strict=True)) or ([], [])
        )
        its = (sides.packed(number, table) if len(tables) > 1 else table).take(pa.array(rows))
        its = its.append_column(STRETCH, pa.array((stretches + 1).astype(np.int32)))
        packed.append(its.append_column(NUMBER, pa.array(rows)) if operation.is_numbered else its)
    rows = pa.concat_tables(packed)
    rows = rows.take(pa.array(mixed.permutation(len(rows)))).combine_chunks()
    edges = [None, *(pa.scalar(cut) for cut in cuts), None]
    bounds = [(None, None), *zip(edges, edges[1:], strict=False)]
    result = operation.run(*(schema.empty_table() for schema in schemas)).schema
    if not operation.has_parts:
        made = OnStretches(operation, sides, bounds, result).run(iter(rows.to_batches()), rows.schema, ROOM)
        return pa.Table.from_batches(made, result)
    marked = pa.schema([*result, *operation.marks, pa.field(STRETCH, pa.int32())])
    made = OnStretches(operation, sides, bounds, marked).run(iter(rows.to_batches()), rows.schema, ROOM)
    return pa.Table.from_batches(AtCuts(operation, schemas, bounds, result).run(made, marked, ROOM), result)


def bag(table: pa.Table) -> Any:
    return Counter(str(row) for row in table.to_pylist())


cuts = st.lists(st.integers(1, 11), min_size=1, max_size=4, unique=True).map(sorted)
seeds = st.integers(0, 99).map(np.random.default_rng)


@pytest.mark.parametrize("name", ONE)
@given(table=relations(), cuts=cuts, mixed=seeds)
def test_one_relation(name: str, table: pa.Table, cuts: list[int], mixed: Any) -> None:
    assert bag(in_stretches(ONE[name], [table], cuts, mixed)) == bag(ONE[name].run(table))


@pytest.mark.parametrize("name", TWO)
@given(a=relations(), b=relations(), cuts=cuts, mixed=seeds)
def test_two_relations(name: str, a: pa.Table, b: pa.Table, cuts: list[int], mixed: Any) -> None:
    assert bag(in_stretches(TWO[name], [a, b], cuts, mixed)) == bag(TWO[name].run(a, b))


def test_a_bad_row_is_said_wherever_it_is() -> None:
    bad = pa.table({"k": [1], "v": [1], "since": [9], "until": [3]})
    for name in ("coalesce", "istream"):
        with pytest.raises(iw.DataError, match="is from 9 until 3, but it cannot end before it begins"):
            in_stretches(ONE[name], [bad], [5, 10], np.random.default_rng(0))


def sample(lengths: Any, share: float = 0.9) -> pa.Table:
    draw = np.random.default_rng(0)
    count = 10_000
    since = draw.integers(0, 1_000_000, count)
    hot = draw.random(count) < share
    return pa.table(
        {
            "__inwindow_hash": np.where(hot, 7, draw.integers(100, 200, count)),
            "k": pa.array(np.where(hot, 0, 1)),
            "since": since,
            "until": since + lengths,
        }
    )


def test_a_hot_key_is_cut_into_even_stretches() -> None:
    found = stretches_of(sample(10), ("k",), 4)
    assert not isinstance(found, No)
    (key,) = found.keys
    assert key.hash == 7 and key.count == 14 and found.others == 2
    assert "k=0: 90% of 10,000 sampled rows, cut by time into 14 stretches, 0." in found.describe()
    assert len(found.bounds) == 15 and found.bounds[1][0] is None and found.bounds[14][1] is None


@pytest.mark.parametrize(
    ("its", "cores", "why"),
    [
        (sample(10, 0.2), 4, "which 4 cores can bear"),
        (sample(10), 1, "one task runs at a time"),
        (sample(2_000_000), 4, "they hold for too long for 4 cores"),
        (sample(10).set_column(2, "since", pa.array([5] * 10_000)), 4, "too few different beginnings"),
        (sample(10).slice(0, 0), 4, "the sample is empty"),
    ],
)
def test_what_is_not_cut(its: pa.Table, cores: int, why: str) -> None:
    found = stretches_of(its, ("k",), cores)
    assert isinstance(found, No) and why in found.reason


@pytest.mark.parametrize("budget", [1 << 10, 1 << 26])
@pytest.mark.parametrize("name", ["coalesce", "aggregate", "join"])
def test_a_task_of_few_rows_and_of_many(name: str, budget: int) -> None:
    """As they come; or in the order of their keys, by way of the disk."""
    draw = np.random.default_rng(1)
    since = draw.permutation(3000)
    table = pa.table({"k": draw.integers(0, 40, 3000), "v": since % 5, "since": since, "until": since + 30})
    operation = Join(("k",), "left", (), "_b") if name == "join" else ONE[name]
    tables = [table, table.slice(0, 500)][: 2 if name == "join" else 1]
    schemas = tuple(its.schema for its in tables)
    sides = Sides.of(schemas, [schema.names for schema in schemas], operation.keys(*schemas))
    rows = pa.concat_tables([sides.packed(n, its) for n, its in enumerate(tables)]) if len(tables) > 1 else table
    found = OnTables(operation, sides).run(iter(rows.to_batches(100)), rows.schema, Room(budget, lambda size: None))
    wanted = operation.run(*tables)
    assert bag(pa.Table.from_batches(found, wanted.schema)) == bag(wanted)
