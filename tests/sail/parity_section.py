"""The section of docs/sail.md on built-ins and types: the table of docs/parity.md, run on Sail.

The test of that table compares the same calls on tables with those on Spark. So results on tables stand for Spark's here,
where there is no Spark.
"""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from spark.parity import BUILT_INS, SCHEMA, VALUES, BuiltIn, same
from spark.parity_table import CLOSE, DIFFERENT, EQUAL, accepts, calls, compared, markdown, rows_of_every_type

import inwindow as iw
from inwindow.udaf.errors import UsageError

# Types that no built-in computes with, but that columns have: their SQL. Intervals ascend with the id (see in_words).
OTHERS = {
    "array": "array(1, null, cast(id as int))",
    "struct": "named_struct('x', id, 'y', timestamp '2020-01-01 00:00:00')",
    "map": "map('a', id)",
    "time": "time '10:00:00'",
    "void": "null",
    "variant": "parse_json('{\"a\": 1}')",
    "interval year to month": "make_ym_interval(0, cast(id as int))",
    "interval": "make_interval(0, cast(id as int) + 1)",
    "string collate utf8_lcase": "'X' collate utf8_lcase",
}
TWO = iw.rows(2, partition_by="k", order_by="id")
CARRIED = "carried along"
DOES: dict[str, Callable[[str], Any]] = {
    CARRIED: lambda column: iw.count().over(TWO),
    "`first`": lambda column: iw.first(column).over(TWO),
    "`collect_list`": lambda column: iw.collect_list(column).over(TWO),
    "`max`": lambda column: iw.max(column).over(TWO),
}


def without_flags(schema: pa.Schema) -> list[tuple[str, str]]:
    """Names and types. Of a list of Sail and Spark the elements are "not null"; a table does not say so."""
    return [(field.name, str(field.type).replace(" not null", "")) for field in schema]


class OnSail:
    """One built-in on all types over all frames."""

    def __init__(self, sail: Any, built_in: BuiltIn) -> None:
        df = sail.createDataFrame(rows_of_every_type(), SCHEMA)
        table = df.toArrow()
        kinds = dict(zip(table.column_names, table.schema.types, strict=True))
        self.shown = built_in.shown
        self.types = [kind for kind in VALUES if accepts(built_in, kind, kinds)]
        its = calls(built_in, self.types)
        named = {f"{column} {shown}": call for (column, shown), call in its.items()}
        found = iw.with_columns(df.repartition(3), **named).toArrow().sort_by("id")
        expected = iw.with_columns(table, **named).sort_by("id")
        cells = zip(its, found.cast(expected.schema).columns[-len(its) :], expected.columns[-len(its) :], strict=True)
        self.marks = {cell: compared(here, there, same) for cell, here, there in cells}
        self.wrong = [f"{built_in.shown} on {cell}" for cell, mark in self.marks.items() if mark == DIFFERENT]
        self.wrong += [] if without_flags(found.schema) == without_flags(expected.schema) else [built_in.shown]
        refused = [kind for kind in VALUES if kind not in self.types]
        self.wrong += [f"{built_in.shown} on {kind}: not refused" for kind in refused if runs(df, built_in, kind)]


def runs(df: Any, built_in: BuiltIn, column: str) -> bool:
    """Whether a call is taken on the driver."""
    try:
        iw.with_columns(df, result=built_in.ours(column).over(TWO))
    except UsageError:
        return False
    return True


def other_types(sail: Any) -> list[list[str]]:
    """For each of OTHERS, what happens: carried along and as an argument."""
    return [[f"`{name}`", *(cell(sail, sql, what) for what in DOES)] for name, sql in OTHERS.items()]


def cell(sail: Any, sql: str, what: str) -> str:
    """One result against the one on a table: "=", or who refuses it."""
    from pyspark.errors import IllegalArgumentException

    try:
        df = sail.sql(f"select id, id % 2 as k, {sql} as c from range(9)")
        kind = df.schema["c"].dataType
    except IllegalArgumentException:
        return "Sail has no such type"
    try:
        made = iw.with_columns(df, result=DOES[what]("c"))
    except UsageError:
        return "refused, as on Spark"
    assert made.schema["c"].dataType == kind
    if "interval" in sql:
        return "= 1" if in_words(df, made, what) else DIFFERENT
    expected = iw.with_columns(df.toArrow(), result=DOES[what]("c")).sort_by("id")
    return EQUAL if made.toArrow().sort_by("id").cast(expected.schema).equals(expected) else DIFFERENT


def in_words(df: Any, made: Any, what: str) -> bool:
    """For what the client cannot fetch: whether its texts are those of the ids that a table has as the result."""
    texts = {row.id: row.text for row in df.selectExpr("id", "cast(c as string) as text").collect()}
    ids = pa.table({"id": list(texts), "k": [one % 2 for one in texts]})
    right = {}
    for row in iw.with_columns(ids, result=DOES[what]("id")).to_pylist():
        several = [texts[one] for one in row["result"]] if isinstance(row["result"], list) else None
        right[row["id"]] = (
            f"[{', '.join(several)}]" if several else texts[row["id"] if what == CARRIED else row["result"]]
        )
    shown = "c" if what == CARRIED else "result"
    return {row.id: row.text for row in made.selectExpr("id", f"cast({shown} as string) as text").collect()} == right


def section(sail: Any) -> str:
    """What docs/sail.md says between its marks."""
    its = [OnSail(sail, built_in) for built_in in BUILT_INS]
    wrong = [one for built_in in its for one in built_in.wrong]
    assert not wrong, wrong[:20]
    rounded = {(one.shown, frame) for one in its for (_, frame), mark in one.marks.items() if mark == CLOSE}
    return TEXT.format(
        forms=len(its),
        pairs=sum(len(one.types) for one in its),
        results=f"{sum(len(one.marks) for one in its):,}",
        rounded=", ".join(f"`{one.shown}`" for one in its if one.shown in {shown for shown, _ in rounded}),
        frames=" and ".join(sorted({f"`{frame}`" for _, frame in rounded})),
        kinds=", ".join(f"`{kind}`" for kind, _ in VALUES.values()),
        others=markdown(["", *DOES], other_types(sail)),
    )


TEXT = """## Built-ins and types

`make sail` runs the table of [parity with Spark](parity.md) on Sail: the same rows, built-ins, types and frames. Each result
and its type are compared with those on a table. `make parity` compares these with Spark's.

- All {forms} calls of the table run, on {pairs} pairs of a call and a type; over all frames these are {results} results.
  Every value and every type is as on Spark, but for the next line.
- Over {frames}, the last places of these may differ: {rounded}.
  Tuples with equal order values are added there in the order in which they come, and neither Sail nor Spark promises one.
- The types: {kinds}.
- What inwindow refuses on Spark, it refuses on Sail, on the driver and in the same words.

Other types of columns (`=` is as on a table):

{others}

1: the client has no Arrow type for it, so `collect()` and `toArrow()` refuse it. `show()` and a cast to a string give it.
"""
