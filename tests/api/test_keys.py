"""Keys that are equal: NULL with NULL, NaN with NaN whatever its bits, -0.0 with 0.0, at any depth, in every place."""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.native.dictionaries import plain
from inwindow.native.equality import canonical, codes_of, codes_of_rows
from inwindow.udaf.unpacked import unpacked_type
from inwindow.windows.neighbours import changes

NAN, OTHER_NAN = float("nan"), struct.unpack("<d", struct.pack("<Q", 0xFFF8_0000_0000_0123))[0]
VALUES = [0.0, NAN, None, -0.0, OTHER_NAN, None, 1.0]
SAME = [0, 1, 2, 0, 1, 2, 3]


def _halves(values: list[Any]) -> pa.Array:
    return pa.array([None if v is None else np.float16(v) for v in values], pa.float16())


KEYS: dict[str, pa.Array] = {
    "double": pa.array(VALUES),
    "float": pa.array(VALUES, pa.float32()),
    "dictionary": pa.DictionaryArray.from_arrays([0, 1, 2, 3, 4, None, 5], pa.array([0.0, NAN, None, -0.0, OTHER_NAN, 1.0])),
    "list": pa.array([[v] for v in VALUES]),
    "list of floats": pa.array([[v] for v in VALUES], pa.list_(pa.float32())),
    "list of half floats": pa.ListArray.from_arrays(list(range(8)), _halves(VALUES)),
    "large list": pa.array([[v, 1.0] for v in VALUES], pa.large_list(pa.float64())),
    "fixed-size list": pa.array([[1.0, v] for v in VALUES], pa.list_(pa.float64(), 2)),
    "list view": pa.array([[v] for v in VALUES], pa.list_view(pa.float64())),
    "struct": pa.array([{"a": v, "b": "x"} for v in VALUES]),
    "struct of a list": pa.array([{"a": [v]} for v in VALUES]),
    "list of structs": pa.array([[{"a": v}, None] for v in VALUES]),
    "list of lists": pa.array([[[], None, [v]] for v in VALUES]),
    "list of dictionaries": pa.ListArray.from_arrays(list(range(8)), pa.array(VALUES).dictionary_encode()),
    "map": pa.array([[("a", v)] for v in VALUES], pa.map_(pa.string(), pa.float64())),
}  # fmt: skip


def table_of(keys: pa.Array) -> pa.Table:
    return pa.table({"k": keys, "i": np.arange(len(keys))})


def groups_of(same: list[int]) -> list[list[int]]:
    return [[i for i, number in enumerate(same) if number == one] for one in dict.fromkeys(same)]


def sorted_reader(table: pa.Table, same: list[int]) -> pa.RecordBatchReader:
    """NULL first, or a NULL struct; then by value; some batches."""
    order = sorted(range(len(same)), key=lambda i: ([1, 3, 0, 2][same[i]], i))
    return pa.RecordBatchReader.from_batches(table.schema, table.take(pa.array(order)).to_batches(max_chunksize=2))


@pytest.mark.parametrize("kind", KEYS)
def test_equal_keys_are_one_partition(kind: str) -> None:
    table = table_of(KEYS[kind])
    window = iw.rows_between(None, None, partition_by="k", order_by="i")
    expected = [next(group for group in groups_of(SAME) if i in group) for i in range(len(SAME))]
    made = iw.with_columns(table, x=iw.collect_list("i").over(window))
    assert made["x"].to_pylist() == expected
    assert repr(made["k"].to_pylist()) == repr(table["k"].to_pylist())  # the row's own column stays as it was
    read = iw.with_columns(sorted_reader(table, SAME), x=iw.collect_list("i").over(window)).read_all()
    assert read.select(["i", "x"]).sort_by("i")["x"].to_pylist() == expected
    definition = iw.testing.reference(table, x=Kept()("i").over(window))
    assert definition["x"].to_pylist() == expected


class Kept(iw.Aggregate, returns="array<bigint>"):
    """collect_list, plainly."""

    def initialize(self, value: int) -> None:
        self.values = [value]

    def iterate(self, value: int) -> None:
        self.values.append(value)

    def terminate(self) -> list[int]:
        return self.values


GROUPINGS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "groups": lambda t: iw.group_by(t, "k").agg(x=iw.collect_list("i")),
    "two keys": lambda t: iw.group_by(t.append_column("g", t["k"]), "g", "k").agg(x=iw.collect_list("i")),
    "extents": lambda t: iw.group_by(t, "k").window(iw.tumble("i", size=100)).agg(x=iw.collect_list("i")),
    "counted extents": lambda t: iw.group_by(t, "k").window(iw.tumble("i", rows=100)).agg(x=iw.collect_list("i")),
    "reader": lambda t: iw.group_by(sorted_reader(t, SAME), "k").agg(x=iw.collect_list("i")).read_all(),
    "stream of extents": lambda t: iw.testing.replay(
        [t.slice(0, 3), t.slice(3)],
        lambda df: iw.group_by(df, "k").window(iw.tumble("i", size=100)).agg(x=iw.collect_list("i")), until=100,
    ).table,
    "definition": lambda t: iw.testing.reference(iw.group_by(t, "k").window(iw.tumble("i", size=100)), x=Kept()("i")),
}  # fmt: skip


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("kind", KEYS)
def test_equal_keys_are_one_group_with_0_for_its_zeros(kind: str, grouping: str) -> None:
    keys = KEYS[kind].take(pa.array([3, 4, 5, 0, 1, 2, 6])) if kind != "list view" else KEYS[kind]  # -0.0 first
    table = GROUPINGS[grouping](table_of(keys))
    assert sorted(table["x"].to_pylist()) == groups_of(SAME)
    if kind not in ("map", "list view"):
        assert "-0.0" not in repr(table["k"].to_pylist())
    if grouping != "definition" and (kind, grouping) != ("list of dictionaries", "stream of extents"):
        assert table.schema.field("k").type == unpacked_type(keys.type)


@pytest.mark.parametrize("kind", KEYS)
def test_equal_keys_meet_at_points(kind: str) -> None:
    table = table_of(KEYS[kind])
    events = table.set_column(1, "i", pa.array(np.full(len(table), -1)))
    window = iw.unbounded(partition_by="k", order_by="i")
    made = iw.with_columns(table, n=iw.count().over(window), of=events)
    assert made["n"].to_pylist() == [SAME.count(number) for number in SAME]


@pytest.mark.parametrize("kind", KEYS)
def test_equal_keys_are_in_one_bucket_of_a_stream(kind: str) -> None:
    table = table_of(KEYS[kind])
    batches = [table.slice(i, 1) for i in range(len(table))]
    window = iw.unbounded(partition_by="k", order_by="i")

    def query(df: Any) -> Any:
        return iw.select(df, "i", n=iw.count().over(window))

    replayed = iw.testing.replay(batches, query, until=100, buckets=7).table.sort_by("i")
    assert replayed["n"].to_pylist() == [1, 1, 1, 2, 2, 2, 1]


LEAVES = st.sampled_from(VALUES)
SHAPES = [
    pa.list_(pa.float64()), pa.list_(pa.list_(pa.float64())), pa.list_(pa.float64(), 2), pa.map_(pa.string(), pa.float64()),
    pa.struct([("a", pa.float64()), ("b", pa.list_(pa.float64()))]), pa.large_list(pa.struct([("a", pa.float32())])),
]  # fmt: skip


def _values(kind: pa.DataType) -> st.SearchStrategy[Any]:
    if pa.types.is_struct(kind):
        return st.none() | st.fixed_dictionaries({field.name: _values(field.type) for field in kind})
    if pa.types.is_map(kind):
        return st.none() | st.lists(st.tuples(st.sampled_from("ab"), LEAVES), max_size=2)
    if pa.types.is_nested(kind):
        most = kind.list_size if pa.types.is_fixed_size_list(kind) else None
        return st.none() | st.lists(_values(kind.value_type), min_size=most or 0, max_size=most or 2)
    return LEAVES


def _text(value: Any) -> str:
    return repr(value).replace("-0.0", "0.0")


@given(
    st.sampled_from(SHAPES).flatmap(lambda kind: st.tuples(st.just(kind), st.lists(_values(kind), max_size=8))),
    st.integers(0, 3),
)
def test_codes_neighbours_and_canonical_values_agree(drawn: tuple[pa.DataType, list[Any]], skipped: int) -> None:
    kind, values = drawn
    array = pa.array([None, None, *values], kind).slice(min(skipped, 2))
    texts = [_text(value) for value in array.to_pylist()]
    codes = codes_of(array).tolist()
    assert [codes.index(code) for code in codes] == [texts.index(text) for text in texts]
    assert changes([array], None)[1:].tolist() == [a != b for a, b in zip(texts, texts[1:], strict=False)]
    same = canonical(array)
    same.validate(full=True)
    assert same.type == array.type and [repr(value) for value in same.to_pylist()] == texts
    rows = codes_of_rows([array, pa.array(texts)]).tolist()
    assert rows == [list(dict.fromkeys(texts)).index(text) for text in texts]
    encoded = pa.DictionaryArray.from_arrays(pa.array([*range(len(array)), None], pa.int8()), array)
    assert repr(plain(encoded).to_pylist()) == repr([*array.to_pylist(), None])
    again = codes_of(encoded).tolist()
    assert [again.index(code) for code in again] == [[*texts, "None"].index(text) for text in [*texts, "None"]]
