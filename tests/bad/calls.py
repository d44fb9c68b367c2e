"""with_columns, select and group_by called wrong; data of the wrong kind, or that break a promise."""

import pandas
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
from bad.input import (
    LARGE,
    LEAVING,
    TABLE,
    UNSORTED,
    Bad,
    Configured,
    Decayed,
    Each,
    Leaves,
    MyAvg,
    SparkColumn,
    operator,
)

import inwindow as iw
from inwindow.udaf.errors import NotAppliedError

FAR = pa.table({"day": pa.array([2_000_000_000, 1], pa.int32()).cast(pa.date32()), "n": [1, 2]})

ROWS = [
    # with_columns, select, explain
    Bad(
        "a pandas DataFrame of mixed values",
        lambda: iw.with_columns(pandas.DataFrame({"x": [1, "a"]}), a=iw.count().over(iw.rows(2))),
        iw.UsageError,
        "with_columns: this pandas DataFrame has no form in Arrow: (\"Could not convert 'a' with type str: tried to convert to "
        "int64\", 'Conversion failed for column x with type object')",
    ),
    Bad(
        "a dict",
        lambda: iw.with_columns({"x": [1]}, a=iw.count().over(iw.rows(2))),
        iw.UsageError,
        "with_columns: got a dict; give pyarrow.table(columns)",
    ),
    Bad(
        "a list of rows",
        lambda: iw.with_columns([{"x": 1}], a=iw.count().over(iw.rows(2))),
        iw.UsageError,
        "with_columns: got a list; give pyarrow.Table.from_pylist(rows)",
    ),
    Bad(
        "a file of another kind",
        lambda: iw.with_columns("bids.csv", a=iw.count().over(iw.rows(2))),
        iw.UsageError,
        "with_columns: got a text, 'bids.csv': a path is that of a Parquet file, or of a folder of them; of any other file "
        "give its table, as pyarrow.csv.read_csv(path)",
    ),
    Bad(
        "a file that is not there",
        lambda: iw.with_columns("bids.parquet", a=iw.count().over(iw.rows(2))),
        iw.UsageError,
        "with_columns: 'bids.parquet' cannot be read: there is no such file",
    ),
    Bad(
        "None as data",
        lambda: iw.select(None, a=iw.count().over(iw.rows(2))),
        iw.UsageError,
        "select: got a NoneType; give a DataFrame of PySpark, pandas or Polars, a pyarrow.Table or RecordBatchReader, "
        "or a path to Parquet",
    ),
    Bad(
        "no aggregate",
        lambda: iw.with_columns(TABLE),
        iw.UsageError,
        "with_columns() was given no aggregate: write with_columns(df, name=iw.avg('x').over(window))",
    ),
    Bad(
        "no aggregate to select",
        lambda: iw.select(TABLE, "item"),
        iw.UsageError,
        "select() was given no aggregate: for columns alone use the table's own select()",
    ),
    Bad(
        "nothing to explain",
        lambda: iw.explain(TABLE),
        iw.UsageError,
        "explain() was given no aggregate: write explain(df, name=iw.avg('x').over(window))",
    ),
    Bad(
        "an aggregate that is not applied",
        lambda: iw.with_columns(TABLE, a=MyAvg()),
        iw.UsageError,
        "with_columns(a=MyAvg()): MyAvg is not applied to columns yet: call it, as in MyAvg()('price')",
    ),
    Bad(
        "a class",
        lambda: iw.with_columns(TABLE, a=MyAvg),
        iw.UsageError,
        "with_columns(a=MyAvg): MyAvg is a class: make one and apply it, as in MyAvg()('price')",
    ),
    Bad(
        "a window before the columns",
        lambda: MyAvg().over(iw.rows(2)),
        NotAppliedError,
        "MyAvg().over(...): MyAvg() is not applied to columns yet: write MyAvg()('price').over(window)",
    ),
    Bad(
        "a window for a class",
        lambda: MyAvg.over(iw.rows(2)),
        NotAppliedError,
        "MyAvg.over(...): MyAvg is a class: write MyAvg()('price').over(window)",
    ),
    *[
        Bad(
            f"computing with an aggregate: {sign}",
            call,
            iw.UsageError,
            f"{sign} on sum(n): nothing is computed with an aggregate before it is a column: add it as one, "
            "df = iw.with_columns(df, name=...), then compute on the column 'name'",
        )
        for sign, call in {
            "/": lambda: iw.sum("n") / 2,
            "*": lambda: 2 * iw.sum("n"),
            "-": lambda: -iw.sum("n"),
            ">": lambda: iw.sum("n") > 2,
            "<": lambda: iw.sum("n") < 2,
            "&": lambda: iw.sum("n") & iw.sum("n"),
            "[]": lambda: iw.sum("n")[0],
        }.items()
    ],
    Bad(
        "a result without a name",
        lambda: iw.with_columns(TABLE, **{"": iw.max("n").over(iw.rows(2))}),
        iw.UsageError,
        "with_columns(**{'': max(n) over (rows between 1 preceding and current row)}): '' is not a column name",
    ),
    Bad(
        "a column without a name",
        lambda: iw.select(TABLE, a=iw.max("n").over(iw.rows(2)), **{"": "item"}),
        iw.UsageError,
        "select(**{'': 'item'}): '' is not a column name",
    ),
    Bad(
        "the time of emission in with_columns",
        lambda: iw.with_columns(TABLE, at=iw.emitted_at()),
        iw.UsageError,
        "with_columns(at=emitted_at()): the time at which a tuple leaves is a column of iw.select, over a window with "
        "active_expiration=True",
    ),
    Bad(
        "all columns, and one of them again",
        lambda: iw.select(TABLE, "*", "n", a=iw.max("n").over(iw.rows(2))),
        iw.UsageError,
        "select() gives the column 'n' twice: use alias() to rename one of them",
    ),
    Bad(
        "a Spark column kept in an aggregate",
        lambda: iw.with_columns(TABLE, a=Configured(SparkColumn())("price").over(iw.rows(2))),
        iw.UsageError,
        "Configured: each partition works on a copy of the aggregate, but its attribute 'k' is a Spark Column, which lives "
        "on the driver alone: keep plain values, such as those that df.collect() gives",
    ),
    Bad(
        "a built-in that is not called",
        lambda: iw.with_columns(TABLE, a=iw.sum),
        iw.UsageError,
        "with_columns(a=<function sum>) is not an aggregate applied to columns: write iw.sum('price'), "
        "with .over(window) where one is needed",
    ),
    Bad(
        "a window instead of an aggregate",
        lambda: iw.with_columns(TABLE, a=iw.rows(2)),
        iw.UsageError,
        "with_columns(a=(rows between 1 preceding and current row)) is not an aggregate applied to "
        "columns: write my_avg('price'), with .over(window) where one is needed",
    ),
    Bad(
        "a column name instead of an aggregate",
        lambda: iw.with_columns(TABLE, a="price"),
        iw.UsageError,
        "with_columns(a='price') is not an aggregate applied to columns: write my_avg('price'), with "
        ".over(window) where one is needed",
    ),
    Bad(
        "a generator in with_columns",
        lambda: iw.with_columns(TABLE, a=Each()("n").over(iw.rows(2))),
        iw.UsageError,
        "a=Each(n): Each yields any number of values per tuple, but with_columns keeps the number of "
        "rows: use iw.select, or return a list",
    ),
    Bad(
        "two results of one name",
        lambda: iw.with_columns(TABLE, iw.max("n").over(iw.rows(2)), iw.max("n").over(iw.rows(3))),
        iw.UsageError,
        "with_columns() gives the column 'max(n)' twice: use alias() to rename one of them",
    ),
    Bad(
        "a column twice",
        lambda: iw.select(TABLE, "item", item=iw.max("n").over(iw.rows(2))),
        iw.UsageError,
        "select() gives the column 'item' twice: use alias() to rename one of them",
    ),
    Bad(
        "an item that is none",
        lambda: iw.select(TABLE, a=pc.field("n"), b=iw.max("n").over(iw.rows(2))),
        iw.UsageError,
        "select(a=<pyarrow.compute.Expression n>): an item is a column name, an aggregate over a window, "
        "or iw.emitted_at()",
    ),
    Bad(
        "different slides",
        lambda: iw.select(TABLE, a=iw.max("n").over(iw.rows(4, slide=2)), b=iw.max("n").over(iw.rows(4))),
        iw.UsageError,
        "select() gives a row per yield tuple, so all its windows must have the same slide; got a: 2 tuples, b: none",
    ),
    Bad(
        "different partitionings",
        lambda: iw.select(TABLE, a=iw.max("n").over(iw.rows(4)), b=iw.max("n").over(iw.rows(4, partition_by="item"))),
        iw.UsageError,
        "select needs windows with the same partitioning and order, since a row is given where they "
        "yield; got 2 different ones: add the others with iw.with_columns (on a table) first",
    ),
    Bad(
        "... on a reader",
        lambda: iw.with_columns(
            TABLE.to_reader(), a=iw.max("n").over(iw.rows(4)), b=iw.max("n").over(iw.rows(4, order_by="t"))
        ),
        iw.UsageError,
        "with_columns on a reader needs windows with the same partitioning and order, since a row is "
        "given where they yield; got 2 different ones: add the others with iw.with_columns (on a table) "
        "first",
    ),
    Bad(
        "two generators",
        lambda: iw.select(TABLE, a=Each()("n").over(iw.rows(2)), b=Each()("n").over(iw.rows(3))),
        iw.UsageError,
        "select() has 2 aggregates that yield any number of values per tuple (a, b): which of them would "
        "make the rows? Use one select() for each",
    ),
    Bad(
        "active expiration beside another window",
        lambda: iw.select(TABLE, a=Leaves()("n").over(LEAVING), b=iw.max("n").over(iw.range(3, order_by="t"))),
        iw.UsageError,
        "select() mixes windows with and without active expiration, or of different sizes; their rows "
        "appear at different times: use one select() for each",
    ),
    Bad(
        "emitted_at without active expiration",
        lambda: iw.select(TABLE, iw.emitted_at(), a=iw.max("n").over(iw.rows(2))),
        iw.UsageError,
        "emitted_at() is the time at which a tuple leaves: it needs active_expiration=True on the window",
    ),
    Bad(
        "emitted_at twice",
        lambda: iw.select(TABLE, iw.emitted_at(), iw.emitted_at().alias("at"), a=Leaves()("n").over(LEAVING)),
        iw.UsageError,
        "select() has emitted_at() 2 times (emitted_at, at): once is enough",
    ),
    Bad(
        "emitted_at without a name",
        lambda: iw.emitted_at().alias(""),
        iw.UsageError,
        "emitted_at().alias('') is not a column name: write alias('name')",
    ),
    # group_by
    Bad(
        "a key that is no name",
        lambda: iw.group_by(TABLE, 3),
        iw.UsageError,
        "group_by(3): a key is a column name",
    ),
    Bad(
        "an extent as a key",
        lambda: iw.group_by(TABLE, "item", iw.tumble("t", size=5)),
        iw.UsageError,
        "group_by(iw.tumble(...)): an extent is no key: write iw.group_by(df, keys).window(iw.tumble(...)).agg(...)",
    ),
    Bad(
        "a key twice",
        lambda: iw.group_by(TABLE, "item", "item"),
        iw.UsageError,
        "group_by() is given the key 'item' twice",
    ),
    Bad(
        "a frame instead of an extent",
        lambda: iw.group_by(TABLE).window(iw.rows(2)),
        iw.UsageError,
        "window((rows between 1 preceding and current row)) is not an extent: use iw.tumble, iw.hop, "
        "iw.cumulate or iw.session (a frame such as iw.rows goes into .over(...) of iw.with_columns)",
    ),
    Bad(
        "a name instead of an extent",
        lambda: iw.group_by(TABLE).window("ts"),
        iw.UsageError,
        "window('ts') is not an extent: use iw.tumble, iw.hop, iw.cumulate or iw.session (a frame such as"
        " iw.rows goes into .over(...) of iw.with_columns)",
    ),
    Bad(
        "an order beside an extent",
        lambda: iw.group_by(TABLE, order_by="t").window(iw.tumble("ts", size="1 hour")),
        iw.UsageError,
        "group_by(order_by=...) and window(): the tuples of an extent are ordered by 'ts'; drop order_by=",
    ),
    Bad(
        "no aggregate to agg",
        lambda: iw.group_by(TABLE).agg(),
        iw.UsageError,
        "agg() was given no aggregate: write agg(total=iw.sum('x'))",
    ),
    Bad(
        "agg over a window",
        lambda: iw.group_by(TABLE).agg(iw.max("n").over(iw.rows(2))),
        iw.UsageError,
        "max(n) has a window of its own, (rows between 1 preceding and current row), but agg() aggregates"
        " the groups: drop .over(...), or use iw.with_columns",
    ),
    Bad(
        "agg of a non-blocking aggregate",
        lambda: iw.group_by(TABLE).agg(a=Decayed()("n")),
        iw.UsageError,
        "Decayed(n) in agg(): Decayed has no terminate, so a group has no result: give it one, or use .emit(...) for one "
        "row per emission",
    ),
    Bad(
        "agg named like a key",
        lambda: iw.group_by(TABLE, "item").agg(item=iw.max("n")),
        iw.UsageError,
        "agg() would give the column 'item' twice: name the aggregate otherwise",
    ),
    Bad(
        "agg named like the extent",
        lambda: iw.group_by(TABLE).window(iw.tumble("t", size=3)).agg(window=iw.max("n")),
        iw.UsageError,
        "agg() would give the column 'window' twice: name the aggregate otherwise",
    ),
    Bad(
        "a key named like the extent",
        lambda: (
            iw.group_by(pa.table({"window": [1], "t": [1]}), "window").window(iw.tumble("t", size=3)).agg(n=iw.count())
        ),
        iw.UsageError,
        "agg() would give the column 'window' twice, as a key and as the extent: rename the key",
    ),
    Bad(
        "emit of a blocking aggregate",
        lambda: iw.group_by(TABLE).emit(a=MyAvg()("n")),
        iw.UsageError,
        "emit(a=MyAvg(n)): MyAvg is blocking (it has a terminate): use agg(...) for one row per group",
    ),
    Bad(
        "emit over a window",
        lambda: iw.group_by(TABLE).emit(a=Decayed()("n").over(iw.rows(2))),
        iw.UsageError,
        "emit(a=Decayed(n)) has a window of its own, (rows between 1 preceding and current row), but "
        "emit() runs over the whole group: drop .over(...), or use iw.select",
    ),
    Bad(
        "emit of an extent",
        lambda: iw.group_by(TABLE).window(iw.tumble("t", size=3)).emit(a=Decayed()("n")),
        iw.UsageError,
        "emit() is for groups without window(...): an extent gives its results with agg(...), of aggregates that have a terminate",
    ),
    Bad(
        "agg of extents, of a non-blocking aggregate",
        lambda: iw.group_by(TABLE).window(iw.tumble("t", size=3)).agg(a=Decayed()("n")),
        iw.UsageError,
        "Decayed(n) in agg(): Decayed has no terminate, so a group has no result: give it one, or use iw.with_columns over a frame",
    ),
    Bad(
        "select at the rows of another table",
        lambda: iw.select(TABLE, "t", a=MyAvg()("n").over(iw.rows(2)), of=TABLE),
        iw.UsageError,
        "select(of=a pyarrow.Table): results at the rows of another table are made by iw.with_columns(labels, of=events)",
    ),
    Bad(
        "emit of nothing",
        lambda: iw.group_by(TABLE).emit("ts"),
        iw.UsageError,
        "emit() was given no aggregate: write emit('ts', name=decayed('price'))",
    ),
    Bad(
        "a stream's count of a reader",
        lambda: iw.group_by(TABLE.to_reader()).window(iw.tumble("t", rows=2, scope="stream")).agg(n=iw.count()),
        iw.UsageError,
        "scope='stream' counts tuples over the whole stream, but a reader comes sorted by its keys: use a table",
    ),
    # Data
    Bad(
        "a reader that is not sorted",
        lambda: iw.with_columns(
            TABLE.to_reader(), a=iw.max("n").over(iw.rows(2, partition_by="item", order_by="t"))
        ).read_all(),
        iw.DataError,
        "the reader is not sorted by item, t nulls first: row 1 is {'item': 'b', 't': 2}, row 2 is "
        "{'item': 'a', 't': 5}; sort it first, or give a table (reader.read_all()), which is sorted for "
        "you",
    ),
    Bad(
        "... beyond the year 9999",
        lambda: iw.with_columns(FAR.to_reader(), a=iw.max("n").over(iw.rows(2, order_by="day"))).read_all(),
        iw.DataError,
        "the reader is not sorted by day nulls first: row 0 is {'day': '2000000000 as a date32[day]'}, row 1 is {'day': "
        "datetime.date(1970, 1, 2)}; sort it first, or give a table (reader.read_all()), which is sorted for you",
    ),
    Bad(
        "... within a partition",
        lambda: iw.with_columns(
            UNSORTED.to_reader(1), a=iw.max("n").over(iw.rows(2, order_by=iw.desc("t")))
        ).read_all(),
        iw.DataError,
        "the reader is not sorted by t descending nulls last: row 1 is {'t': 5}, row 2 is {'t': 6}; sort "
        "it first, or give a table (reader.read_all()), which is sorted for you",
    ),
    Bad(
        "an integer sum beyond 64 bits",
        lambda: iw.with_columns(pa.table({"n": [2**62, 2**62]}), a=iw.sum("n").over(iw.rows(2))),
        iw.ArithmeticOverflowError,
        "sum(n): the result of a frame does not fit int64; cast the argument to a decimal or a double "
        "(ANSI semantics, as in Spark)",
    ),
    Bad(
        "a decimal sum beyond 38 digits",
        lambda: iw.with_columns(LARGE, a=iw.sum("d").over(iw.rows(2))),
        iw.ArithmeticOverflowError,
        "sum(d): the result of a frame does not fit decimal128(38, 0); cast the argument to a decimal of a smaller "
        "scale or a double (ANSI semantics, as in Spark)",
    ),
    Bad(
        "the state of another window",
        lambda: operator(iw.rows(2)).restore(operator(iw.rows(3)).state()),
        iw.StateError,
        "this state is not of this operator:\n  the window of a: (rows between 2 preceding and current row) in the state, "
        "(rows between 1 preceding and current row) in the query\nstate can only be restored into the same aggregates over the "
        "same windows",
    ),
    Bad(
        "a state that is none",
        lambda: operator(iw.rows(2)).restore(b""),
        iw.StateError,
        "this is not the state of an operator of inwindow: it begins with b''",
    ),
    Bad(
        "a state that is a path",
        lambda: operator(iw.rows(2)).restore("state.bin"),  # type: ignore[arg-type]
        iw.StateError,
        "a state of inwindow is bytes, not str",
    ),
    Bad(
        "a state that has been changed",
        lambda: operator(iw.rows(2)).restore(operator(iw.rows(2)).state()[:-1]),
        iw.StateError,
        "the bytes of this state are not those that were written: they have been changed, or cut off; go on from a copy (an "
        "earlier checkpoint, another replica), or begin anew",
    ),
    Bad(
        "a batch of something else",
        lambda: operator(iw.rows(2)).process(pa.record_batch({"x": [1]})),
        iw.UnknownColumnError,
        "a batch: there is no column 'price'; there are 'x'",
    ),
]
