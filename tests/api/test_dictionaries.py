"""A dictionary is its values: what is dictionary-encoded (pandas' categoricals) gives what its plain column gives, in every place.

Each dictionary here has a NULL among its entries, a NULL among its indices, and an entry that is there twice.
"""

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import inwindow as iw
from inwindow.udaf.unpacked import unpacked_type

NAN = float("nan")
INDICES = [0, 1, 3, 2, None, 0, 3, 2, 1, 4, 0, 4]  # of which 1 and None are NULL, and 0 and 3 the same value

ENTRIES: dict[str, pa.Array] = {
    "string": pa.array(["b", None, "a", "b", ""]),
    "large_string": pa.array(["b", None, "a", "b", ""], pa.large_string()),
    "string_view": pa.array(["b", None, "a", "b", ""], pa.string_view()),
    "binary": pa.array([b"b", None, b"a", b"b", b""]),
    "int8": pa.array([2, None, 1, 2, 3], pa.int8()),
    "uint64": pa.array([2, None, 1, 2, 2**63], pa.uint64()),
    "int64": pa.array([2, None, 1, 2, 3]),
    "float16": pa.array(np.array([2, 0, 1, 2, -0.0], np.float16), mask=np.arange(5) == 1),
    "float": pa.array([0.0, None, 1.0, -0.0, NAN], pa.float32()),
    "double": pa.array([0.0, None, 1.0, -0.0, NAN]),
    "bool": pa.array([True, None, False, True, True]),
    "decimal": pa.array([Decimal("2.50"), None, Decimal("-1.00"), Decimal("2.50"), Decimal("0.01")]),
    "wide decimal": pa.array([2, None, 1, 2, 3], pa.decimal128(38, 0)),
    "date": pa.array([date(2024, 1, 2), None, date(2024, 1, 1), date(2024, 1, 2), date(1969, 1, 1)]),
    "time": pa.array([time(2), None, time(1), time(2), time(3)]),
    "timestamp": pa.array([datetime(2024, 1, day, tzinfo=UTC) if day else None for day in (2, 0, 1, 2, 3)]),
    "nanoseconds": pa.array([2001, None, 1001, 2001, 3001], pa.timestamp("ns")),
    "duration": pa.array([timedelta(n) if n else None for n in (2, 0, 1, 2, 3)]),
    "null": pa.nulls(5),
    "list": pa.array([[0.0, NAN], None, [1.0], [-0.0, NAN], []]),
    "struct": pa.array([{"a": 0.0}, None, {"a": None}, {"a": -0.0}, {"a": NAN}]),
}

BUILT_INS: dict[str, Callable[..., iw.Applied]] = {
    **{
        name: getattr(iw, name)
        for name in (
            "count", "count_distinct", "sum", "avg", "min", "max", "var_samp", "var_pop", "stddev_samp", "stddev_pop",
            "skewness", "kurtosis", "first", "last", "median", "mode", "collect_list", "collect_set", "bool_and", "bool_or",
            "bit_and", "bit_or", "bit_xor", "product", "string_agg", "listagg", "ones_in_window",
        )
    },
    "first, no NULL": lambda c: iw.first(c, ignorenulls=True),
    "last, no NULL": lambda c: iw.last(c, ignorenulls=True),
    "nth_value": lambda c: iw.nth_value(c, 2),
    "nth_value, no NULL": lambda c: iw.nth_value(c, 2, ignoreNulls=True),
    "percentile": lambda c: iw.percentile(c, 0.3),
    "percentile_approx": lambda c: iw.percentile_approx(c, 0.7),
    "decayed_avg": lambda c: iw.decayed_avg(c, 0.5),
    "frequent_items": lambda c: iw.frequent_items(c, 0.3),
    "count of two": lambda c: iw.count(c, "w"),
    "count_distinct of two": lambda c: iw.count_distinct(c, "w"),
    "max_by": lambda c: iw.max_by("w", c),
    "min_by of it": lambda c: iw.min_by(c, "w"),
    "corr": lambda c: iw.corr(c, "w"),
    "covar_pop": lambda c: iw.covar_pop("w", c),
    "string_agg by it": lambda c: iw.string_agg(c, "-"),
}  # fmt: skip


class Seen(iw.WindowAggregate, returns="array<string>"):
    """What hooks are handed."""

    def initialize(self, value: Any) -> None:
        self.seen = [repr(value)]

    def iterate(self, value: Any) -> None:
        self.seen.append(repr(value))

    def terminate(self) -> list[str]:
        return self.seen


class SeenNulls(Seen, nulls="pass", returns="array<string>"):
    """With None for NULL."""


BUILT_INS["hooks"] = Seen()
BUILT_INS["hooks that take NULL"] = SeenNulls()


def tables(kind: str) -> tuple[pa.Table, pa.Table]:
    """The same rows, with dictionaries and without."""
    encoded = pa.DictionaryArray.from_arrays(pa.array(INDICES, pa.int8()), ENTRIES[kind])
    rows = len(INDICES)
    whole = pa.table({
        "i": np.arange(rows), "g": pa.array(["x", "y"] * (rows // 2)), "c": encoded, "w": np.arange(rows) % 5 * 1.0,
        "d": pa.array([i % 3 for i in range(rows)]).dictionary_encode(),
    })  # fmt: skip
    entries = ENTRIES[kind] if kind != "string_view" else ENTRIES[kind].cast(pa.string())
    plain = whole.set_column(2, "c", entries.take(pa.array(INDICES, pa.int8())))
    return whole, plain.set_column(4, "d", plain["d"].cast(pa.int64()))


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, as rows and types, where -0.0 is not 0.0; or its error."""
    try:
        table = call()
    except iw.InWindowError as error:
        return type(error).__name__, str(error)
    table = table.read_all() if isinstance(table, pa.RecordBatchReader) else table
    return [(field.name, field.type) for field in table.schema], repr(table.to_pylist())


PLACES: dict[str, Callable[..., Any]] = {
    "rows": lambda t, one: iw.with_columns(t, x=one.over(iw.rows(3, partition_by="g", order_by="i"))).select(["x"]),
    "growing": lambda t, one: iw.with_columns(t, x=one.over(iw.unbounded(order_by="i"))).select(["x"]),
    "slide": lambda t, one: iw.select(t, "i", x=one.over(iw.rows(5, slide=2, order_by="i"))),
    "reader": lambda t, one: iw.select(batches(t), "i", x=one.over(iw.range(4, order_by="i"))),
    "group": lambda t, one: iw.group_by(t, "g").agg(x=one),
    "reader of groups": lambda t, one: iw.group_by(batches(t)).agg(x=one),
    "hop": lambda t, one: iw.group_by(t, "g").window(iw.hop("i", size=6, every=2)).agg(x=one),
    "at points": lambda t, one: iw.with_columns(t.select(["i"]), x=one.over(iw.range(5, order_by="i")), of=t),
    "replay": lambda t, one: iw.testing.replay(
        [t.slice(0, 7), t.slice(7)],
        lambda df: iw.select(df, "i", x=one.over(iw.range(4, partition_by="g", order_by="i"))), until=99,
    ).table,
}  # fmt: skip


def batches(table: pa.Table) -> pa.RecordBatchReader:
    """A reader with some batches, one of them empty; each has dictionaries of its own."""
    pieces = [table.slice(0, 5), table.slice(5, 0), table.slice(5)]
    own = [piece.to_batches()[0] if len(piece) else table.schema.empty_table().to_batches() for piece in pieces]
    listed = [batch for one in own for batch in (one if isinstance(one, list) else [one])]
    return pa.RecordBatchReader.from_batches(table.schema, map(with_own_dictionaries, listed))


def with_own_dictionaries(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch, the entries of its dictionaries in another order."""
    for at, field in enumerate(batch.schema):
        if pa.types.is_dictionary(field.type) and batch.num_rows:
            column = batch.column(at)
            last = len(column.dictionary) - 1
            turned = column.dictionary.take(pa.array(range(last, -1, -1))) if not view(column) else column.dictionary
            indices = (
                pc.subtract(pa.scalar(last, column.indices.type), column.indices)
                if not view(column)
                else column.indices
            )
            batch = batch.set_column(at, field.name, pa.DictionaryArray.from_arrays(indices, turned))
    return batch


def view(column: pa.DictionaryArray) -> bool:
    """Arrow takes no rows of views."""
    return column.dictionary.type == pa.string_view()


FEW = ("count", "max", "mode", "collect_list", "count_distinct of two", "string_agg", "sum", "hooks that take NULL")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ENTRIES)
def test_arguments_are_the_values(kind: str, place: str) -> None:
    encoded, plain = tables(kind)
    for name in BUILT_INS if place == "rows" else FEW:
        made = BUILT_INS[name]
        ours = outcome(partial(PLACES[place], encoded, made("c")))
        assert ours == outcome(partial(PLACES[place], plain, made("c"))), name


ROLES: dict[str, Callable[..., Any]] = {
    "key": lambda t: iw.with_columns(t, x=iw.collect_list("i").over(iw.rows(3, partition_by="c", order_by="i"))).select(["x"]),
    "keys": lambda t: iw.with_columns(t, x=iw.collect_list("i").over(iw.rows(3, partition_by=["g", "c", "d"]))).select(["x"]),
    "order": lambda t: iw.with_columns(t, x=iw.collect_list("i").over(iw.rows(3, partition_by="g", order_by="c"))).select(["x"]),
    "descending": lambda t: iw.with_columns(
        t, x=iw.collect_list("i").over(iw.range_between(None, 0, order_by=iw.desc("c")))).select(["x"]),
    "range": lambda t: iw.with_columns(t, x=iw.collect_list("i").over(iw.range(1, order_by="c"))).select(["x"]),
    "range of time": lambda t: iw.with_columns(t, x=iw.count().over(iw.range("1 day", order_by="c"))).select(["x"]),
    "filter": lambda t: iw.with_columns(t, x=iw.collect_list("i").filter("c").over(iw.rows(4))).select(["x"]),
    "groups": lambda t: iw.group_by(t, "c").agg(x=iw.collect_list("i")).select(["x"]),
    "order of groups": lambda t: iw.group_by(t, "g", order_by="c").agg(x=iw.collect_list("i")),
    "extents": lambda t: iw.group_by(t, "g").window(iw.tumble("c", size=2)).agg(x=iw.collect_list("i")),
    "extents of time": lambda t: iw.group_by(t).window(iw.tumble("c", size="1 day")).agg(x=iw.collect_list("i")),
    "extents of groups": lambda t: iw.group_by(t, "c").window(iw.tumble("i", size=5)).agg(x=iw.collect_list("i")).select(["x"]),
    "counted extents": lambda t: iw.group_by(t).window(iw.tumble("c", rows=3, scope="stream")).agg(x=iw.collect_list("i")),
    "emitted": lambda t: iw.group_by(t, "c", order_by="i").emit("i", x=iw.decayed_avg("w", 0.5)).select(["i", "x"]),
    "expression": lambda t: iw.with_columns(t, x=iw.max(pc.is_valid(pc.field("c"))).over(iw.rows(2))).select(["x"]),
    "computed filter": lambda t: iw.with_columns(
        t, x=iw.count().filter(pc.field("c") == pc.field("c")).over(iw.rows(2))).select(["x"]),
    "computed": lambda t: iw.with_columns(t, x=iw.max(pc.field("c")).over(iw.rows(2))).select(["x"]),
    "point in time": lambda t: iw.with_columns(
        t.slice(3), x=iw.collect_list("i").over(iw.range(9, partition_by="c", order_by="i")), of=t).select(["x"]),
    "time of points": lambda t: iw.with_columns(
        t.slice(3), x=iw.collect_list("i").over(iw.unbounded(partition_by="g", order_by="c")), of=t).select(["x"]),
    "replayed": lambda t: iw.testing.replay(
        [t.slice(0, 7), t.slice(7)],
        lambda df: iw.select(df, "i", x=iw.collect_list("i").over(iw.range(8, partition_by="c", order_by="i"))), until=99,
    ).table.sort_by("i"),
    "time of a stream": lambda t: iw.testing.replay(
        [t.slice(0, 7), t.slice(7)],
        lambda df: iw.select(df, "i", x=iw.count().over(iw.range("2 days", partition_by="g", order_by="c"))), delay="3 days",
    ).table,
    "sorted reader": lambda t: iw.select(
        batches(t.take(np.argsort(t["w"], kind="stable"))), "i",
        x=iw.collect_list("c").filter("c").over(iw.rows(3, partition_by="w")),
    ),
    "reader of keys": lambda t: iw.group_by(batches(by_its(t)), "c").agg(x=iw.collect_list("i")).read_all().select(["x"]),
    "explained": lambda t: pa.table({"t": [str(iw.explain(t, x=iw.max("c").over(iw.rows(2, partition_by="c"))))]}),
    "definition": lambda t: iw.testing.reference(
        t, x=Seen()("c").over(iw.rows(3, partition_by=["c", "d"], order_by="i"))).select(["x"]),
}  # fmt: skip


def by_its(table: pa.Table) -> pa.Table:
    """The rows with equal keys side by side, in an order that a reader may have."""
    places = {}
    values = table["c"].to_pylist()
    for row, value in enumerate(values):
        places.setdefault(repr(value), []).append(row)
    smallest = sorted(places.values(), key=lambda rows: order_of(values[rows[0]]))
    return table.take(pa.array([row for rows in smallest for row in rows]))


def order_of(value: Any) -> tuple[Any, ...]:
    """NULL before all others, NaN behind; lists and structs by what is in them."""
    if value is None:
        return (0,)
    if isinstance(value, (list, dict)):
        return 1, [order_of(its) for its in (value.values() if isinstance(value, dict) else value)]
    return (2, 0) if value != value else (1, value)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", ENTRIES)
def test_wherever_a_column_is_read(kind: str, role: str) -> None:
    encoded, plain = tables(kind)
    ours, theirs = outcome(lambda: ROLES[role](encoded)), outcome(lambda: ROLES[role](plain))
    assert ours == theirs
    if role not in ("sorted reader", "reader of keys"):  # pyarrow itself cannot sort it
        chunked = pa.Table.from_batches(list(map(with_own_dictionaries, encoded.to_batches(max_chunksize=5))))
        assert outcome(lambda: ROLES[role](chunked)) == theirs


# What is handed on


def passed_on(table: pa.Table) -> dict[str, Any]:
    """Tables in which the columns of a table come back, or keys of groups."""
    window = iw.rows(2, partition_by="c", order_by="i")
    replayed = iw.testing.replay(
        [table.slice(0, 7), table.slice(7)],
        lambda df: iw.with_columns(df, x=iw.count().over(iw.range(3, partition_by="c", order_by="i"))), until=99,
    )  # fmt: skip
    rows = by_its(table)
    return {
        "with_columns": iw.with_columns(table, x=iw.max("c").over(window)),
        "select": iw.select(table, "*", x=iw.max("c").over(window)),
        "renamed": iw.select(table, "i", "g", "w", "d", "c", x=iw.max("c").over(window)),
        "at points": iw.with_columns(table, x=iw.max("c").over(iw.unbounded(partition_by="d", order_by="i")), of=table),
        "reader": iw.with_columns(batches(table), x=iw.max("c").over(iw.rows(2))).read_all(),
        "reader of keys": iw.with_columns(batches(rows), x=iw.max("i").over(iw.rows(2, partition_by="c"))).read_all(),
        "select of a reader": iw.select(batches(table), "*", x=iw.max("c").over(iw.rows(2))).read_all(),
        "replay": replayed.table,
    }


@pytest.mark.parametrize("kind", [kind for kind in ENTRIES if kind not in ("float16",)])
def test_columns_that_are_handed_on_are_as_they_came(kind: str) -> None:
    encoded, plain = tables(kind)
    theirs = passed_on(plain)
    for name, ours in passed_on(encoded).items():
        for column in encoded.column_names:
            its = encoded.schema.field(column).type
            # Dictionaries of what Arrow cannot compare are unpacked at the door; only with_columns on a table keeps them.
            assert ours.schema.field(column).type in (its, unpacked_type(its)), name
        expected = theirs[name].select([*plain.column_names, "x"]).to_pylist()
        assert repr(ours.select([*plain.column_names, "x"]).to_pylist()) == repr(expected), name


@pytest.mark.parametrize("kind", [kind for kind in ENTRIES if kind not in ("float16",)])
def test_keys_of_groups_are_as_they_came(kind: str) -> None:
    encoded, plain = tables(kind)
    for made in (
        lambda t: iw.group_by(t, "c", "d").agg(n=iw.count()),
        lambda t: iw.group_by(batches(by_its(t)), "c").agg(n=iw.count()).read_all(),
        lambda t: iw.group_by(t, "d", "c").window(iw.tumble("i", size=4)).agg(n=iw.count()),
        lambda t: iw.testing.replay(
            [t.slice(0, 7), t.slice(7)],
            lambda df: iw.group_by(df, "c").window(iw.tumble("i", size=4)).agg(n=iw.count()), until=99,
        ).table,
    ):  # fmt: skip
        ours, theirs = made(encoded), made(plain)
        assert repr(ours.to_pylist()) == repr(theirs.to_pylist())
        for name in {"c", "d"} & set(ours.column_names):
            assert ours.schema.field(name).type == unpacked_type(encoded.schema.field(name).type)


def test_small_batches_wait_whatever_their_dictionaries() -> None:
    indices = np.arange(4000) % 7
    words = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), ["a", "b", None, "c", "", "d", "e"])
    table = pa.table({"c": words, "i": np.arange(4000)})
    pieces = list(map(with_own_dictionaries, table.to_batches(max_chunksize=10)))
    turned = pieces[0].column(0).dictionary
    assert turned.to_pylist() != words.dictionary.to_pylist()
    read = pa.RecordBatchReader.from_batches(table.schema, [*table.to_batches(max_chunksize=1000), *pieces])
    made = iw.with_columns(read, n=iw.count("c").over(iw.rows(1000))).read_all()
    assert (
        made["n"].to_pylist()
        == iw.with_columns(pa.concat_tables([table, table]), n=iw.count("c").over(iw.rows(1000)))["n"].to_pylist()
    )
    assert made["c"].to_pylist() == words.to_pylist() * 2


def test_an_ordered_categorical_keeps_its_order() -> None:
    sizes = pa.DictionaryArray.from_arrays(
        pa.array([2, 0, 2, None], pa.int8()), ["small", "medium", "large"], ordered=True
    )
    table = pa.table({"size": sizes, "n": [1, 2, 3, 4]})
    groups = iw.group_by(table, "size").agg(n=iw.sum("n"))
    assert groups.to_pydict() == {"size": ["large", "small", None], "n": [4, 2, 4]}
    assert groups.schema.field("size").type == sizes.type
    assert groups["size"].chunk(0).dictionary.to_pylist() == ["small", "medium", "large"]


def test_dictionaries_within_lists_and_structs() -> None:
    words = pa.DictionaryArray.from_arrays([0, 1, 2, 0, None, 1], ["a", None, "b"])
    lists, structs = pa.ListArray.from_arrays([0, 2, 2, 4, 6], words), pa.StructArray.from_arrays([words[:4]], ["w"])
    table = pa.table({"l": lists, "s": structs, "n": [1, 2, 3, 4]})
    plain = pa.table({"l": lists.to_pylist(), "s": structs.to_pylist(), "n": [1, 2, 3, 4]})
    for column in "ls":
        for one in (iw.max, iw.first, iw.collect_list, iw.collect_set, iw.mode, iw.count, Seen()):
            over = one(column).over(iw.rows(3, partition_by="s"))
            ours, theirs = (outcome(partial(values_of, data, over)) for data in (table, plain))
            assert ours == theirs
    again = iw.with_columns(table.to_reader(), x=iw.count("l").over(iw.rows(2))).read_all()
    assert again.select(["l", "s"]) == table.select(["l", "s"])


def values_of(table: pa.Table, over: iw.Applied) -> pa.Table:
    return iw.with_columns(table, x=over).select(["x"])


def test_one_table_has_a_dictionary_and_the_other_has_not() -> None:
    clicks = pa.table({"user": pa.array(["ann", "bob", None]), "t": [1, 2, 3], "v": [1.0, 2.0, 4.0]})
    users = pa.DictionaryArray.from_arrays(pa.array([2, 1, 0], pa.int16()), ["ann", None, "bob"])
    labels = pa.table({"user": users, "t": pa.array([9, 9, 9]).dictionary_encode()})
    window = iw.unbounded(partition_by="user", order_by="t")
    made = iw.with_columns(labels, spent=iw.sum("v").over(window), of=clicks)
    assert made["spent"].to_pylist() == [2.0, 4.0, 1.0]
    assert made.schema.field("user").type == users.type
    times = pa.array([1, 2], pa.timestamp("s")).dictionary_encode()
    points = pa.table({"t": pa.array([1_500_000], pa.timestamp("us"))})
    of = pa.table({"t": times, "v": [1, 2]})
    assert iw.with_columns(points, n=iw.sum("v").over(iw.unbounded(order_by="t")), of=of)["n"].to_pylist() == [1]


def _structs(its: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays([its], ["a"], mask=pa.array([False] * 4 + [True] + [False] * 3))


def _lists(its: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, 2, 2, None, 3, 6, 7, 8], pa.int32()), its)


@pytest.mark.parametrize("within", [_structs, _lists, lambda its: _structs(_lists(its).take([*range(7), 0]))])
@pytest.mark.parametrize("cut", [1, 3, 100])
def test_dictionaries_with_a_null_within_others(within: Callable[[pa.Array], pa.Array], cut: int) -> None:
    """Arrow joins no batches of them."""
    entries = pa.array([None, -1.0, 0.0, -0.0, math.nan, 2.0, None, 5.0])
    column = within(pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None, 5, 6, 1], pa.int8()), entries))
    table = pa.table({"c": column, "i": range(len(column))})
    got = iw.with_columns(table.to_reader(max_chunksize=cut), x=iw.last("c").over(iw.rows(2, order_by="i"))).read_all()
    assert got.schema.field("c").type == column.type
    assert repr(got["c"].to_pylist()) == repr(got["x"].to_pylist()) == repr(column.to_pylist())
