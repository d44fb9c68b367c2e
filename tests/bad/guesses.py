"""What somebody tries first who knows pandas, Polars, Spark or Flink: names, options, methods, hooks."""

from typing import Any

import pandas
import polars
from bad.classes import GOOD, define
from bad.input import TABLE, Bad, MyAvg, SparkColumn

import inwindow as iw
from inwindow.udaf.errors import UnknownNameError

FRAME = (
    "partition_by=None, order_by=None, slide=None, every=None, slide_by=None, origin=None, final='drop', "
    "active_expiration=False, strategy=None, min_count=None, exclude=None)"
)
OVER = iw.avg("price").over(iw.rows(2))


class Bare:
    """No aggregate: its base class is missing."""

    def iterate(self, v: float) -> None:
        self.total = v

    def terminate(self) -> float:
        return self.total


class Extent(SparkColumn):
    """``F.window("ts", "1 hour")``, as far as inwindow looks at it."""

    def __str__(self) -> str:
        return "Column<'window(ts, 3600000000, 3600000000, 0)'>"

    __repr__ = __str__


def assign(frame: Any) -> None:
    """As ``df["a"] = ...``, for a library that loops over what it gets."""
    list(frame)


ROWS = [
    # Calls
    Bad(
        "both bounds of rows",
        lambda: iw.rows(-49, 0),
        iw.UsageError,
        f"rows(-49, 0): with both bounds it is iw.rows_between(-49, 0); it takes rows(size, *, lag=0, {FRAME}",
    ),
    Bad(
        "both bounds of range",
        lambda: iw.range("-1 hour", 0),
        iw.UsageError,
        "range('-1 hour', 0): with both bounds it is iw.range_between('-1 hour', 0); it takes range(size, *, lag=None, "
        + FRAME,
    ),
    Bad(
        "a session's timeout",
        lambda: iw.session("ts", timeout="1 hour"),
        iw.UsageError,
        "session('ts', timeout='1 hour'): there is no 'timeout' here; write gap=; it takes session(on, gap=None, *, until=None)",
    ),
    Bad(
        "an option of another spelling",
        lambda: iw.first("x", ignore_nulls=True),
        iw.UsageError,
        "first('x', ignore_nulls=True): there is no 'ignore_nulls' here; write ignorenulls=; it takes first(column, "
        "ignorenulls=False)",
    ),
    Bad(
        "a built-in of nothing",
        lambda: iw.avg(),
        iw.UsageError,
        "avg(): missing a required argument: 'column'; it takes avg(column)",
    ),
    Bad(
        "no data",
        lambda: iw.with_columns(a=OVER),
        iw.UsageError,
        "with_columns(a=avg(price) over (rows between 1 preceding and current row)): missing a required argument: 'data'; it "
        "takes with_columns(data, *applied, of=None, hot_keys='auto', on_error='fail', allowed_lateness=None, **named)",
    ),
    Bad(
        "PySpark's orderBy as an option",
        lambda: iw.rows(3, orderBy="ts"),
        iw.UsageError,
        "there is no window option 'orderBy'; did you mean 'order_by'?",
    ),
    Bad(
        "by=",
        lambda: iw.rows(3, by="item"),
        iw.UsageError,
        "there is no window option 'by'; did you mean 'partition_by'?",
    ),
    Bad(
        "a slide by two names",
        lambda: iw.hop("ts", size=4, every=2, slide=2),
        iw.UsageError,
        "slide=2 and every=2 say the same: give one of them",
    ),
    Bad(
        "cumulate without steps",
        lambda: iw.cumulate("ts", size=4),
        iw.UsageError,
        "cumulate() needs every=, the distance between the ends of two extents",
    ),
    Bad(
        "over without a window",
        lambda: iw.avg("x").over(partition_by="item"),
        iw.UsageError,
        "avg(x): over(partition_by='item') has no window: write .over(iw.unbounded(partition_by='item')), or iw.rows, iw.range",
    ),
    # Methods
    Bad(
        "a cast",
        lambda: iw.avg("x").cast("int"),
        UnknownNameError,
        "an applied aggregate has no 'cast': write iw.with_columns(df, a=...), and then compute on the column 'a'",
    ),
    Bad(
        "PySpark's rowsBetween of a window",
        lambda: iw.rows(3).rowsBetween(-1, 0),
        UnknownNameError,
        "a window has no 'rowsBetween': write iw.rows_between(-49, 0, partition_by='item', order_by='ts')",
    ),
    Bad(
        "an aggregate as a method",
        lambda: iw.group_by(TABLE, "item").avg("price"),
        UnknownNameError,
        "group_by(...) has no 'avg': write .agg(a=iw.avg('x'))",
    ),
    Bad(
        "no method of any",
        lambda: iw.rows(3).frobnicate(),
        UnknownNameError,
        "a window has no 'frobnicate'",
    ),
    # Names
    Bad(
        "nunique",
        lambda: iw.nunique("price"),
        UnknownNameError,
        "module 'inwindow' has no attribute 'nunique': write iw.count_distinct('x')",
    ),
    Bad(
        "rowsBetween",
        lambda: iw.rowsBetween(-1, 0),
        UnknownNameError,
        "module 'inwindow' has no attribute 'rowsBetween': did you mean iw.rows_between?",
    ),
    Bad(
        "Window",
        lambda: iw.Window.partitionBy("item"),
        UnknownNameError,
        "module 'inwindow' has no attribute 'Window': write iw.rows(50, partition_by='item', order_by='ts'), or take "
        "pyspark.sql.Window",
    ),
    # What no call has
    Bad(
        "descending=",
        lambda: iw.rows(3, order_by="ts", descending=True),
        iw.UsageError,
        "there is no window option 'descending'; for a descending order write order_by=iw.desc('ts')",
    ),
    Bad(
        "an extent in group_by",
        lambda: iw.group_by(TABLE, "item", window=iw.tumble("t", size=5)),
        iw.UsageError,
        "group_by(a pyarrow.Table, 'item', window=(tumble t size 5)): there is no 'window' here; an extent goes behind group_by: "
        "iw.group_by(df, 'item').window(iw.tumble('ts', size='1 hour')); it takes group_by(data, *keys, order_by=())",
    ),
    # What is given as an aggregate
    Bad(
        "a class without our base",
        lambda: iw.with_columns(TABLE, a=Bare),
        iw.UsageError,
        "with_columns(a=<class 'bad.guesses.Bare'>) is not an aggregate applied to columns: derive Bare from iw.WindowAggregate, "
        "and write Bare()('price')",
    ),
    Bad(
        "a dict, as for PySpark's withColumns",
        lambda: iw.with_columns(TABLE, {"a": OVER}),
        iw.UsageError,
        "with_columns({'a': avg(price) over (rows between 1 preceding and current row)}): give the names as keywords, with two "
        "stars before the dict: **{...}",
    ),
    Bad(
        "a loop",
        lambda: assign(OVER),
        iw.UsageError,
        "iteration on avg(price) over (rows between 1 preceding and current row): nothing is computed with an aggregate before it "
        "is a column: add it as one, df = iw.with_columns(df, name=...), then compute on the column 'name'",
    ),
    Bad(
        "Spark's window() as a key",
        lambda: iw.group_by(TABLE, Extent()),
        iw.UsageError,
        "group_by(Column<'window(ts, 3600000000, 3600000000, 0)'>): a key is a column name, and an extent goes into "
        ".window(iw.tumble('ts', size='1 hour')) behind group_by(...)",
    ),
    Bad(
        "a function as an Aggregator",
        lambda: iw.udaf(lambda values: sum(values)),
        iw.DefinitionError,
        "udaf(<function <lambda>.<locals>.<lambda>>) takes an Aggregator of Spark, not a function: an aggregate of your own is a "
        "class, class MyAvg(iw.WindowAggregate), with the hooks iterate and terminate",
    ),
    Bad(
        "one of our classes as an Aggregator",
        lambda: iw.udaf(MyAvg),
        iw.DefinitionError,
        "udaf(MyAvg): this is an aggregate of inwindow: drop iw.udaf, and write MyAvg()",
    ),
    Bad(
        "a Series of pandas as an argument",
        lambda: iw.avg(pandas.Series([1.0, 2.0], name="price")),
        iw.UsageError,
        "avg(a pandas.Series): an argument is a column name or a column expression, not Series: give its name, 'price'; "
        "if it is computed, add it as a column first, df.assign(...), or write pyarrow.compute.field('a') * 2",
    ),
    Bad(
        "a difference of two Series of pandas as an argument",
        lambda: iw.avg(pandas.Series([1.0, 2.0], name="price") - pandas.Series([1.0, 2.0], name="fee")),
        iw.UsageError,
        "avg(a pandas.Series): an argument is a column name or a column expression, not Series: add it as a column first, "
        "df.assign(...), or write pyarrow.compute.field('a') * 2",
    ),
    Bad(
        "an expression of Polars as an argument",
        lambda: iw.avg(polars.col("price") * 2),
        iw.UsageError,
        "avg(a polars.Expr): an argument is a column name or a column expression, not Expr: add it as a column first, "
        "df.with_columns(...), or write pyarrow.compute.field('a') * 2",
    ),
    # Hooks
    Bad(
        "a return that was forgotten",
        lambda: define("def iterate(self, v): self.v = v\ndef terminate(self) -> float: self.v / 2"),
        iw.DefinitionError,
        "A.terminate is said to give a result, and has no `return`: every result would be NULL",
    ),
    Bad(
        "... of a class without terminate",
        lambda: define("def iterate(self, v) -> float: self.v = v"),
        iw.DefinitionError,
        "A.iterate is said to give a result, and has no `return`: every result would be NULL",
    ),
    Bad(
        "Flink's retract",
        lambda: define(GOOD + "def retract(self, v): pass", iw.WindowAggregate),
        iw.DefinitionError,
        "A.retract is no hook, and no hook calls it: is it meant to be `expire`? (if you call it yourself, name it otherwise; the "
        "hooks are initialize, iterate, expire, terminate, merge, unmerge)",
    ),
]
