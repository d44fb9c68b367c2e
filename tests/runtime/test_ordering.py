"""Putting tables in order: against a sort in plain Python for every type, and against pyarrow, pandas and DuckDB."""

import doctest
import itertools
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.orderable import KINDS, VALUES, arrays, compare, in_order, made

import inwindow as iw
from inwindow.native import levels
from inwindow.optimizer.plan import Pass
from inwindow.runtime import ordering
from inwindow.runtime.moving import in_one_piece
from inwindow.runtime.ordering import partition_numbers, permutation, permutation_by_value
from inwindow.windows.neighbours import descents, is_sortable
from inwindow.windows.order_key import order_key
from inwindow.windows.spec import Order

WAYS = list(itertools.product([True, False], [True, False]))
TYPES = pytest.mark.parametrize("kind", KINDS, ids=str)
TAKEN = [kind for kind in KINDS if kind != pa.string_view()]  # pyarrow cannot take() those
DECIMALS = (pa.decimal128(10, 2), pa.decimal128(38, 10))


def work_of(keys: Any = (), orders: Any = ()) -> Pass:
    return Pass(tuple(keys), tuple(orders), (), None, None, False)


def rows_in(order: Any, count: int) -> list[int]:
    return list(range(count)) if order is None else order.tolist()


@st.composite
def tables(
    draw: st.DrawFn, keys: list[pa.DataType], orders: list[pa.DataType], most: int = 30
) -> tuple[pa.Table, Pass]:
    rows = draw(st.integers(0, most))
    columns = {f"k{i}": draw(arrays(kind, rows)) for i, kind in enumerate(keys)}
    columns |= {f"o{i}": draw(arrays(kind, rows)) for i, kind in enumerate(orders)}
    ways = [draw(st.sampled_from(WAYS)) for _ in orders]
    table = pa.table(columns)
    cut = draw(st.integers(0, rows))
    table = pa.concat_tables([table.slice(0, cut), table.slice(cut)])
    return table, work_of([f"k{i}" for i in range(len(keys))], [Order(f"o{i}", *way) for i, way in enumerate(ways)])


def groups_of(table: pa.Table, keys: Any) -> list[list[int]]:
    """The rows of each partition, in the order of first appearance, by comparing each with each."""
    values = [table.column(name).to_pylist() for name in keys]
    groups: list[list[int]] = []
    for row in range(len(table)):
        for group in groups:
            if all(compare(its[row], its[group[0]]) == 0 for its in values):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def taken(table: pa.Table, order: Any) -> pa.Table:
    return table.take(pa.array(rows_in(order, len(table)), pa.int64()))


def check(table: pa.Table, work: Pass) -> None:
    """Both orders, and the numbers of partitions."""
    groups = groups_of(table, work.partition_by)
    numbers = np.zeros(len(table), dtype=np.int64)
    for number, group in enumerate(groups):
        numbers[group] = number
    if work.partition_by:
        assert partition_numbers([table.column(name) for name in work.partition_by]).tolist() == numbers.tolist()

    columns = [table.column(order.column) for order in work.order_by]
    ways = [(order.ascending, order.nulls_first) for order in work.order_by]
    groups = [in_order(columns, ways, group) for group in groups]
    assert rows_in(permutation(table, work), len(table)) == [row for group in groups for row in group]

    by_value = rows_in(permutation_by_value(table, work), len(table))
    left, at = {group[0]: group for group in groups}, 0
    while at < len(by_value):
        group = left.pop(by_value[at])
        assert by_value[at : at + len(group)] == group
        at += len(group)
    assert not left


@TYPES
@given(st.data())
def test_every_type(kind, data):
    check(*data.draw(tables([kind], [kind, pa.int8()])))


@given(st.data())
def test_several_columns_of_any_types(data):
    several = st.lists(st.sampled_from(KINDS), max_size=3)
    check(*data.draw(tables(data.draw(several), data.draw(several))))


@given(st.data())
def test_tables_that_were_sorted_apart_are_merged_in_the_order_of_their_concatenation(data):
    table, work = data.draw(tables(data.draw(st.lists(st.sampled_from(TAKEN), min_size=1, max_size=2)), [pa.int16()]))
    cut = data.draw(st.integers(0, len(table)))
    table = table.append_column("row", pa.array(np.arange(len(table))))
    runs = [taken(piece, permutation_by_value(piece, work)) for piece in (table.slice(0, cut), table.slice(cut))]
    merged = pa.concat_tables(runs)
    merged = taken(merged, permutation_by_value(merged, work))
    assert merged["row"].to_pylist() == rows_in(permutation_by_value(table, work), len(table))


@pytest.mark.parametrize("kind", TAKEN, ids=str)
def test_the_order_of_keys_does_not_depend_on_other_rows(kind):
    work, every = work_of(["k"]), made([None, *VALUES[kind]], kind)
    order = permutation_by_value(pa.table({"k": every}), work)
    places = {row: place for place, row in enumerate(rows_in(order, len(every)))}
    for a, b in itertools.permutations(range(len(every)), 2):
        pair = every.take(pa.array([a, b]))
        if compare(*pair.to_pylist()):
            order = permutation_by_value(pa.table({"k": pair}), work)
            assert rows_in(order, 2) == ([0, 1] if places[a] < places[b] else [1, 0])


@pytest.mark.parametrize("kind", [kind for kind in TAKEN if is_sortable(kind)], ids=str)
@given(st.data())
def test_what_was_ordered_passes_the_check_of_readers(kind, data):
    table, work = data.draw(tables([pa.int16()], [kind, pa.int8()]))
    columns = [in_one_piece(column) for column in taken(table, permutation_by_value(table, work)).columns]
    assert not descents(columns[:1], columns[1:], work.order_by).any()


@pytest.mark.parametrize(
    ("keys", "said"),
    [([1, 1, 2], "already in order, fed in slices"), ([1, 2, 1], "put in order, fed in slices")],
)
def test_explain_says_whether_a_table_is_in_order(keys, said):
    table = pa.table({"k": keys, "t": [1, 2, 3], "v": [1.0, 2.0, 3.0]})
    average = iw.avg("v").over(iw.rows(2, partition_by="k", order_by="t"))
    assert iw.explain(table, x=average).place == f"local, pass 1: {said}"
    assert (
        iw.explain(table, x=iw.avg("v").over(iw.rows(2))).place
        == "local, pass 1: in the order of arrival, fed in slices"
    )
    reader = pa.RecordBatchReader.from_batches(table.schema, [])
    assert iw.explain(reader, x=average).place.endswith("must come in order, which is checked; fed as it comes")
    assert "one look whether it is already" in iw.explain(table.schema, x=average).place


@given(st.data())
def test_what_was_ordered_has_ascending_keys(data):
    def has_distances(kind: pa.DataType) -> bool:
        return pa.types.is_integer(kind) or pa.types.is_float64(kind) or pa.types.is_timestamp(kind) or kind in DECIMALS

    kind = data.draw(st.sampled_from([kind for kind in KINDS if has_distances(kind)]))
    table, work = data.draw(tables([], [kind]))
    values = in_one_piece(taken(table, permutation(table, work)).column("o0"))
    keys, side = order_key(work.order_by[0], kind, what="the test").read(values)
    assert (np.diff(side) >= 0).all()
    if keys.ndim == 1:
        assert (keys[1:] >= keys[:-1])[side[1:] == side[:-1]].all()


@pytest.mark.parametrize("kind", [kind for kind in TAKEN if is_sortable(kind)], ids=str)
@given(st.data())
def test_windows_over_an_order_of_every_type(kind, data):
    table, work = data.draw(tables([pa.string()], [kind], most=12))
    table = table.append_column("id", pa.array(np.arange(len(table))))
    (order,) = work.order_by
    by = (iw.asc if order.ascending else iw.desc)("o0", nulls_first=order.nulls_first)
    frames = {"all": iw.rows_between(None, None, partition_by="k0", order_by=by)}
    frames["peers"] = iw.range_between(None, 0, partition_by="k0", order_by=by)
    made = iw.with_columns(table, **{name: iw.collect_list("id").over(frame) for name, frame in frames.items()})
    values, way = table.column("o0").to_pylist(), (order.ascending, order.nulls_first)
    for group in groups_of(table, ["k0"]):
        group = in_order([table.column("o0")], [way], group)
        for row in group:
            assert made["all"][row].as_py() == group
            up_to_peers = [other for other in group if compare(values[other], values[row], *way) <= 0]
            assert made["peers"][row].as_py() == up_to_peers


# --- Against others -----------------------------------------------------------------------------------------------

OTHERS = [pa.int32(), pa.uint64(), pa.float64(), pa.timestamp("us"), pa.string(), pa.decimal128(38, 10), pa.date32()]


@pytest.mark.parametrize("kind", OTHERS, ids=str)
@given(st.data())
def test_as_duckdb_orders(kind, data):
    table, work = data.draw(tables([], [kind, pa.int8()]))
    its = table.append_column("row", pa.array(np.arange(len(table))))
    by = ", ".join(
        f"{order.column} {'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}"
        for order in work.order_by
    )
    given = duckdb.sql(f"SELECT row FROM its ORDER BY {by}, row").fetchnumpy()["row"].tolist() if len(its) else []
    assert rows_in(permutation(table, work), len(table)) == given


@pytest.mark.filterwarnings("ignore:Specifying null_placement")  # how pyarrow 18 has it
@pytest.mark.parametrize("kind", [kind for kind in OTHERS if kind != pa.float64()], ids=str)
@given(st.data())
def test_as_pyarrow_and_pandas_order(kind, data):
    table, _ = data.draw(tables([], [kind]))
    ascending, nulls_first = data.draw(st.sampled_from(WAYS))
    order = rows_in(permutation(table, work_of([], [Order("o0", ascending, nulls_first)])), len(table))
    way, end = ("ascending" if ascending else "descending"), ("at_start" if nulls_first else "at_end")
    assert pc.sort_indices(table, [("o0", way)], null_placement=end).to_pylist() == order
    if kind != pa.uint64() and not pa.types.is_decimal(kind):  # pandas makes them doubles, or fails with None
        by = table.append_column("row", pa.array(np.arange(len(table)))).to_pandas(types_mapper=pd_types.get)
        end = "first" if nulls_first else "last"
        by = by.sort_values("o0", ascending=ascending, na_position=end, kind="stable")
        assert by["row"].tolist() == order


def _pandas_types() -> dict[pa.DataType, Any]:
    import pandas as pd

    return {pa.int32(): pd.Int32Dtype(), pa.string(): pd.StringDtype("pyarrow")}


pd_types = _pandas_types()


def test_doctests():
    for module in (ordering, levels):
        assert doctest.testmod(module).failed == 0
