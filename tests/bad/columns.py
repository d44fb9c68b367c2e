"""Columns that are not there, or not of use where they stand; arguments that are no columns."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from bad.classes import GOOD, define
from bad.input import (
    HALVES,
    TABLE,
    TWICE,
    WIDE,
    Bad,
    Decayed,
    MyAvg,
    SparkColumn,
)

import inwindow as iw


def is_cheap(price):
    """What a user may take for a condition."""
    return price < 3


MAPS = pa.table({"m": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))})
UNION = pa.table({"u": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1]), pa.array(["a"])])})
# The second text is from byte 9 to byte 2, of 3.
OFFSETS = pa.py_buffer(np.array([0, 9, 2, 3], np.int32))
DAMAGED = pa.table({"c": pa.Array.from_buffers(pa.string(), 3, [None, OFFSETS, pa.py_buffer(b"abc")])})
PERIODS = pd.DataFrame({"m": pd.period_range("2026-01", periods=2, freq="M")})

ROWS = [
    # Columns
    Bad(
        "buffers that lead to other memory",
        lambda: iw.with_columns(DAMAGED, a=iw.max("c").over(iw.rows(2))),
        iw.DataError,
        "with_columns: the Arrow buffers of column 'c' are wrong: value 1 is from 9 to 2, of 3: who made them has to make them "
        "anew (table.validate(full=True) looks for such faults)",
    ),
    Bad(
        "a column that is not there",
        lambda: iw.with_columns(TABLE, a=MyAvg()("prise").over(iw.rows(2))),
        iw.UnknownColumnError,
        "MyAvg(prise): there is no column 'prise'; did you mean 'price'?",
    ),
    Bad(
        "an expression as a string",
        lambda: iw.with_columns(TABLE, a=iw.max("price * 2").over(iw.rows(2))),
        iw.UnknownColumnError,
        "max(price * 2): there is no column 'price * 2'; a string names a column: write an expression as "
        "pyarrow.compute.field('a') * 2, on Spark F.col('a') * 2",
    ),
    Bad(
        "... as a filter",
        lambda: iw.with_columns(TABLE, a=iw.max("price").filter("price > 3").over(iw.rows(2))),
        iw.UnknownColumnError,
        "the filter of max(price): there is no column 'price > 3'; a string names a column: write an expression as "
        "pyarrow.compute.field('a') * 2, on Spark F.col('a') * 2",
    ),
    Bad(
        "... of a built-in",
        lambda: iw.with_columns(TABLE, a=iw.max("Price").over(iw.rows(2))),
        iw.UnknownColumnError,
        "max(Price): there is no column 'Price'; did you mean 'price'?",
    ),
    Bad(
        "... to partition by",
        lambda: iw.with_columns(TABLE, a=iw.max("price").over(iw.rows(2, partition_by="itme"))),
        iw.UnknownColumnError,
        "the window of max(price): there is no column 'itme'; did you mean 'item'?",
    ),
    Bad(
        "... to order by",
        lambda: iw.with_columns(TABLE, a=iw.max("price").over(iw.rows(2, order_by=iw.desc("tss")))),
        iw.UnknownColumnError,
        "the window of max(price): there is no column 'tss'; did you mean 'ts'?",
    ),
    Bad(
        "... to filter by",
        lambda: iw.with_columns(TABLE, a=iw.max("price").filter("okay").over(iw.rows(2))),
        iw.UnknownColumnError,
        "the filter of max(price): there is no column 'okay'; did you mean 'ok'?",
    ),
    Bad(
        "... in an expression",
        lambda: iw.with_columns(TABLE, a=iw.max(pc.field("prise") * 2).over(iw.rows(2))),
        iw.UnknownColumnError,
        "multiply_checked(prise, 2): there is no column 'prise'; did you mean 'price'?",
    ),
    Bad(
        "... in select",
        lambda: iw.select(TABLE, "itme", a=iw.max("price").over(iw.rows(2))),
        iw.UnknownColumnError,
        "select: there is no column 'itme'; did you mean 'item'?",
    ),
    Bad(
        "... as a key",
        lambda: iw.group_by(TABLE, "itme").agg(iw.max("price")),
        iw.UnknownColumnError,
        "group_by: there is no column 'itme'; did you mean 'item'?",
    ),
    Bad(
        "... as a key of emit",
        lambda: iw.group_by(TABLE, "itme").emit("ts", a=Decayed()("price")),
        iw.UnknownColumnError,
        "emit: there is no column 'itme'; did you mean 'item'?",
    ),
    Bad(
        "... as the attribute of an extent",
        lambda: iw.group_by(TABLE).window(iw.tumble("tss", size="1 hour")).agg(iw.max("price")),
        iw.UnknownColumnError,
        "tumble: there is no column 'tss'; did you mean 'ts'?",
    ),
    Bad(
        "... of a reader",
        lambda: iw.with_columns(TABLE.to_reader(), a=iw.max("prise").over(iw.rows(2))),
        iw.UnknownColumnError,
        "max(prise): there is no column 'prise'; did you mean 'price'?",
    ),
    Bad(
        "nothing comes near",
        lambda: iw.with_columns(TABLE, a=iw.max("zzzzzz").over(iw.rows(2))),
        iw.UnknownColumnError,
        "max(zzzzzz): there is no column 'zzzzzz'; there are 'item', 'ts', 't', 'price', 'n', 'ok', "
        "'tags', 'length', 'big'",
    ),
    Bad(
        "a table of many columns",
        lambda: iw.with_columns(WIDE, a=iw.max("zzzzzz").over(iw.rows(2))),
        iw.UnknownColumnError,
        "max(zzzzzz): there is no column 'zzzzzz'; there are 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', "
        "'c7', 'c8', 'c9', 'c10', 'c11', 'c12', 'c13', 'c14', 'c15', 'c16', 'c17', 'c18', 'c19' and 80 "
        "more",
    ),
    Bad(
        "a table of none",
        lambda: iw.with_columns(pa.table({}), a=iw.max("price").over(iw.rows(2))),
        iw.UnknownColumnError,
        "max(price): there is no column 'price'; there are none at all",
    ),
    Bad(
        "a column that is there twice",
        lambda: iw.with_columns(TWICE, a=iw.max("x").over(iw.rows(2))),
        iw.UnknownColumnError,
        "max(x): the column 'x' is there 2 times; rename them apart",
    ),
    Bad(
        "... and is only passed through a reader",
        lambda: iw.with_columns(TWICE.to_reader(), a=iw.max("y").over(iw.rows(2))),
        iw.UnknownColumnError,
        "with_columns on a reader: the column 'x' is there 2 times; rename them apart",
    ),
    Bad(
        "a name that inwindow keeps for itself",
        lambda: iw.with_columns(pa.table({"__inwindow_row": [1]}), a=iw.count().over(iw.rows(2))),
        iw.UsageError,
        "with_columns: the column '__inwindow_row' has a name that inwindow keeps for itself: rename it",
    ),
    Bad(
        "a key that cannot be compared",
        lambda: iw.group_by(HALVES, "x").agg(iw.count()),
        iw.UsageError,
        "group_by: cannot partition by 'x' of type halffloat: cast it, or give another column",
    ),
    Bad(
        "an order that is none",
        lambda: iw.with_columns(MAPS, a=iw.count().over(iw.rows(2, order_by="m"))),
        iw.UsageError,
        "the window of count(): cannot order by 'm' of type map<string, int64>: cast it, or give another column",
    ),
    Bad(
        "an extent's order that is none",
        lambda: iw.group_by(MAPS).window(iw.tumble("m", rows=2)).agg(iw.count()),
        iw.UsageError,
        "tumble: cannot order by 'm' of type map<string, int64>: cast it, or give another column",
    ),
    Bad(
        "a Spark column on local data",
        lambda: iw.with_columns(TABLE, a=iw.max(SparkColumn()).over(iw.rows(2))),
        iw.UsageError,
        "max(price + 1): Column<'price + 1'> is a Spark column; on local data use a column name"
        " or an Arrow expression, as in pyarrow.compute.field('a') * 2",
    ),
    Bad(
        "... to order by",
        lambda: iw.with_columns(TABLE, a=iw.max("price").over(iw.rows(2, order_by=SparkColumn()))),
        iw.UsageError,
        "the window of max(price): Column<'price + 1'> is a Column; on local data use a column name",
    ),
    # Arguments
    Bad(
        "an instance was meant",
        lambda: MyAvg("price"),
        iw.UsageError,
        "MyAvg('price'): MyAvg has no __init__ to configure it; to apply it to columns, make one first: "
        "MyAvg()('price')",
    ),
    Bad(
        "a configuration that the class does not take",
        lambda: MyAvg(half_life=3),
        iw.UsageError,
        "MyAvg(half_life=3): MyAvg has no __init__ to configure it",
    ),
    Bad(
        "too many columns",
        lambda: MyAvg()("price", "n"),
        iw.UsageError,
        "MyAvg takes 1 column (value) but got 2: price, n",
    ),
    Bad("too few columns", lambda: MyAvg()(), iw.UsageError, "MyAvg takes 1 column (value) but got 0: none"),
    Bad(
        "an argument that is no column",
        lambda: MyAvg()(3),
        iw.UsageError,
        "MyAvg(3): an argument is a column name or a column expression, not int",
    ),
    Bad(
        "None as an argument",
        lambda: iw.sum(None),
        iw.UsageError,
        "sum(None): an argument is a column name or a column expression, not NoneType",
    ),
    Bad(
        "an array as an argument",
        lambda: iw.max(pa.array([1.0, 2.0])),
        iw.UsageError,
        "max(<pyarrow.lib.DoubleArray object> [ 1, 2 ]): an argument is a column name or a column "
        "expression, not DoubleArray",
    ),
    Bad(
        "a list of columns",
        lambda: MyAvg()(["price"]),
        iw.UsageError,
        "MyAvg(['price']): an argument is a column name or a column expression, not list",
    ),
    Bad(
        "an aggregate of an aggregate",
        lambda: iw.max(MyAvg()("price")),
        iw.UsageError,
        "max(MyAvg(price)): an aggregate cannot be an argument of another; add the inner one as a column "
        "first, with iw.with_columns",
    ),
    Bad(
        "count_distinct of nothing",
        lambda: iw.count_distinct(),
        iw.UsageError,
        "count_distinct() needs a column: write count_distinct('item'), or count() for the tuples",
    ),
    Bad(
        "a type that a built-in is not for",
        lambda: iw.with_columns(TABLE, a=iw.sum("item").over(iw.rows(2))),
        iw.UsageError,
        "sum(item): sum is for integers, floats, decimals and durations, not string: cast the column",
    ),
    Bad(
        "... that has no order",
        lambda: iw.with_columns(MAPS, a=iw.max("m").over(iw.rows(2))),
        iw.UsageError,
        "max(m): max is for what can be ordered, not map<string, int64>: cast the column",
    ),
    Bad(
        "a filter that is not boolean",
        lambda: iw.with_columns(TABLE, a=iw.max("price").filter("n").over(iw.rows(2))),
        iw.UsageError,
        "max(price): the filter 'n' is of type int64; it must be a boolean column or expression: compare its values, or cast it",
    ),
    Bad(
        "an expression that is not boolean",
        lambda: iw.with_columns(TABLE, a=iw.max("price").filter(pc.field("n") + 1).over(iw.rows(2))),
        iw.UsageError,
        "max(price): the filter is of type int64; it must be a boolean column or expression: compare its values, or cast it",
    ),
    Bad(
        "a filter that is no condition",
        lambda: iw.max("price").filter(None),
        iw.UsageError,
        "max(price): filter(None) is not a condition: give the name of a boolean column or a column "
        "expression, as in pyarrow.compute.field('price') > 0",
    ),
    Bad(
        "a Python function as a filter",
        lambda: iw.max("price").filter(is_cheap),
        iw.UsageError,
        "max(price): filter(<function is_cheap>) is not a condition: give the name of a boolean column or"
        " a column expression, as in pyarrow.compute.field('price') > 0",
    ),
    Bad(
        "a filter twice",
        lambda: iw.max("price").filter("ok").filter("ok"),
        iw.UsageError,
        "max(price) filter (where ok): filter() is given twice; combine the conditions with & in one filter()",
    ),
    Bad(
        "an expression over the wrong types",
        lambda: iw.with_columns(TABLE, a=iw.max(pc.field("item") * 2).over(iw.rows(2))),
        iw.UsageError,
        "cannot compute multiply_checked(item, 2): Function 'multiply_checked' has no kernel matching "
        "input types (string, int8)",
    ),
    Bad(
        "an expression that fails on the data",
        lambda: iw.with_columns(TABLE, a=iw.max(pc.divide(pc.scalar(1), pc.field("n"))).over(iw.rows(2))),
        iw.DataError,
        "cannot compute divide(1, n): divide by zero",
    ),
    Bad(
        "an alias that is no name",
        lambda: iw.max("price").alias(""),
        iw.UsageError,
        "max(price): alias('') is not a column name: write alias('name')",
    ),
    Bad(
        "an aggregate where a value is meant",
        lambda: bool(iw.max("price")),
        iw.UsageError,
        "max(price) is an expression, not a value: apply it with iw.with_columns(df, name=...)",
    ),
    Bad(
        "a union as an argument",
        lambda: iw.with_columns(UNION, a=iw.count("u").over(iw.rows(2))),
        iw.UsageError,
        "count(u): the argument 'u' holds values of several types, sparse_union<0: int64=0, 1: string=1>, among which Arrow marks "
        "no NULL: give the values of one type as a column, such as table['c'].combine_chunks().field(0)",
    ),
    Bad(
        "a union as a key",
        lambda: iw.group_by(UNION, "u").agg(n=iw.count()),
        iw.UsageError,
        "group_by: cannot partition by 'u' of type sparse_union<0: int64=0, 1: string=1>: give the values of one type as a "
        "column, such as table['c'].combine_chunks().field(0)",
    ),
    Bad(
        "somebody's own type as a key",
        lambda: iw.group_by(pa.table({"u": pa.array([b"a" * 16], pa.uuid())}), "u").agg(n=iw.count()),
        iw.UsageError,
        "group_by: cannot partition by 'u' of type extension<arrow.uuid>: cast it to what it stores, fixed_size_binary[16]",
    ),
    Bad(
        "periods of pandas as the order",
        lambda: iw.with_columns(PERIODS, n=iw.count().over(iw.rows(2, order_by="m"))),
        iw.UsageError,
        "the window of count(): cannot order by 'm' of type extension<pandas.period<ArrowPeriodType>>: make timestamps of it, "
        "with .dt.to_timestamp()",
    ),
    Bad(
        "a result that Arrow makes of no values",
        lambda: define(GOOD, returns=pa.dictionary(pa.int32(), pa.timestamp("us"))),
        iw.DefinitionError,
        "A(returns=...): Arrow makes no column of type dictionary<values=timestamp[us], indices=int32, ordered=0> of Python "
        "values: declare a plain type, such as timestamp[us]",
    ),
    Bad(
        "a result for a column that is there twice",
        lambda: iw.with_columns(TWICE, x=iw.max("y").over(iw.rows(2))),
        iw.UnknownColumnError,
        "with_columns: the column 'x' is there 2 times; rename them apart",
    ),
    Bad(
        "... of a reader",
        lambda: iw.with_columns(TWICE.to_reader(), x=iw.max("y").over(iw.rows(2))),
        iw.UnknownColumnError,
        "with_columns: the column 'x' is there 2 times; rename them apart",
    ),
    Bad(
        "... of a stream",
        lambda: iw.testing.replay([TWICE], lambda df: iw.with_columns(df, x=iw.max("y").over(iw.rows(2)))),
        iw.UnknownColumnError,
        "replay: the column 'x' is there 2 times; rename them apart",
    ),
    Bad(
        "... at the rows of another table",
        lambda: iw.with_columns(TWICE, x=iw.max("t").over(iw.range(2, order_by="y")), of=TABLE),
        iw.UnknownColumnError,
        "with_columns: the column 'x' is there 2 times; rename them apart",
    ),
]
