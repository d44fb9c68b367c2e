"""Point in time: windows and tables that make no sense with ``of=``, or would see the future."""

from typing import Any

import pyarrow as pa
from bad.input import TABLE, Bad, MyAvg

import inwindow as iw

SPINE = TABLE.select(["item", "ts", "t"])


class Running(iw.WindowAggregate):
    """Without a terminate."""

    def iterate(self, value) -> float:
        return value


class Refuses(iw.WindowAggregate):
    """Raises at a price."""

    def iterate(self, price):
        if price == 6.0:
            raise ValueError("six")

    def expire(self, price): ...

    def terminate(self) -> float:
        return 0.0


def at(window: Any, spine: Any = SPINE, of: Any = TABLE, aggregate: Any = None) -> Any:
    """Use a window at points in time."""
    return iw.with_columns(spine, a=(aggregate or MyAvg())("price").over(window), of=of)


ROWS = [
    Bad(
        "a frame with FOLLOWING",
        lambda: at(iw.rows_between(-1, 1, order_by="t")),
        iw.UsageError,
        "MyAvg(price) with of=: (order by t rows between 1 preceding and 1 following) reaches beyond the current row; but a row "
        "at time t must not see what comes at t or later: end the frame at the current row or before (PRECEDING, lag=)",
    ),
    Bad(
        "a frame without an end",
        lambda: at(iw.range_between("-1 hour", None, order_by="ts")),
        iw.UsageError,
        "MyAvg(price) with of=: (order by ts range between 1 hour preceding and unbounded following) reaches beyond the current "
        "row; but a row at time t must not see what comes at t or later: end the frame at the current row or before (PRECEDING, "
        "lag=)",
    ),
    Bad(
        "a slide",
        lambda: at(iw.rows(4, order_by="t", slide=2)),
        iw.UsageError,
        "MyAvg(price) with of=: (order by t rows between 3 preceding and current row slide 2) slides, which picks the tuples that "
        "yield; but with of= the other table's rows say where results are: drop slide=",
    ),
    Bad(
        "active expiration",
        lambda: at(iw.range(5, order_by="t", active_expiration=True)),
        iw.UsageError,
        "MyAvg(price) with of=: (order by t range between 5 preceding and current row active expiration) gives results when tuples "
        "leave; but with of= the other table's rows say where results are: drop active_expiration=",
    ),
    Bad(
        "a hole",
        lambda: at(iw.rows(4, order_by="t", exclude="group")),
        iw.UsageError,
        "MyAvg(price) with of=: (order by t rows between 3 preceding and current row exclude group) leaves out the current tuple "
        "or its peers; but with of= the other table's rows are no tuples, and see none of their own time: drop exclude=",
    ),
    Bad(
        "a class without terminate",
        lambda: at(iw.rows(2, order_by="t"), aggregate=Running()),
        iw.UsageError,
        "Running(price) with of=: Running has no terminate, its hooks answer as each tuple arrives; but the rows of the result are "
        "no tuples: write a terminate",
    ),
    Bad(
        "no window",
        lambda: iw.with_columns(SPINE, a=iw.avg("price"), of=TABLE),
        iw.UsageError,
        "avg(price) with of= has no window: say which events a row at time t may see, as in .over(iw.range('7 days', "
        "partition_by='user', order_by='ts'))",
    ),
    Bad(
        "no order",
        lambda: at(iw.rows(2, partition_by="item")),
        iw.UsageError,
        "MyAvg(price) with of=: (partition by item rows between 1 preceding and current row) has no order columns; but before and "
        "after a row of another table are told by one time: give order_by= one column, which both tables have",
    ),
    Bad(
        "two order columns",
        lambda: at(iw.rows(2, order_by=["ts", "t"])),
        iw.UsageError,
        "MyAvg(price) with of=: (order by ts, t rows between 1 preceding and current row) has 2 order columns; but before and "
        "after a row of another table are told by one time: give order_by= one column, which both tables have",
    ),
    Bad(
        "downwards",
        lambda: at(iw.rows(2, order_by=iw.desc("ts"))),
        iw.UsageError,
        "MyAvg(price) with of=: (order by ts desc rows between 1 preceding and current row) is ordered downwards, so it would see "
        "the future and not the past: order ascending",
    ),
    Bad(
        "months",
        lambda: at(iw.range("1 month", order_by="ts")),
        iw.UsageError,
        "MyAvg(price) with of=: (order by ts range between 1 month preceding and current row) reaches back by months, which differ "
        "in length: on 30 and on 31 March a month goes back to the same day, and frames must not go backwards from one row to the "
        "next: give a size in days or less",
    ),
    Bad(
        "an order that is no time",
        lambda: at(iw.rows(2, order_by="item")),
        iw.UsageError,
        "with_columns(of=...): the order column 'item' is of type string, but it must be a number, a date or a timestamp, to say "
        "what is before a row and what is not: cast it",
    ),
    Bad(
        "a spine without the key",
        lambda: at(iw.rows(2, partition_by="item", order_by="t"), SPINE.drop_columns("item")),
        iw.UnknownColumnError,
        "the rows at which MyAvg(price) is wanted: there is no column 'item'; there are 'ts', 't' (both tables need the keys and "
        "the time, under the same names)",
    ),
    Bad(
        "events without the time",
        lambda: at(iw.rows(2, order_by="t"), of=TABLE.drop_columns("t")),
        iw.UnknownColumnError,
        "the table in of=, for MyAvg(price): there is no column 't'; did you mean 'ts'? (both tables need the keys and the time, "
        "under the same names)",
    ),
    Bad(
        "an argument that only the spine has",
        lambda: at(iw.rows(2, order_by="t"), TABLE, SPINE),
        iw.UnknownColumnError,
        "MyAvg(price): there is no column 'price'; there are 'item', 'ts', 't'",
    ),
    Bad(
        "times of two types",
        lambda: at(iw.rows(2, order_by="ts"), SPINE.set_column(1, "ts", SPINE["ts"].cast(pa.timestamp("us", "UTC")))),
        iw.UsageError,
        "with_columns(of=...): 'ts' is of type timestamp[us, tz=UTC], but of type timestamp[us] in of=: cast one of them, so that "
        "keys and times can be compared",
    ),
    Bad(
        "a reader",
        lambda: at(iw.rows(2, order_by="t"), SPINE.to_reader()),
        iw.UsageError,
        "with_columns(of=...): a reader cannot be sorted together with another table: give pyarrow.Tables (reader.read_all())",
    ),
    Bad(
        "events that are a reader",
        lambda: at(iw.rows(2, order_by="t"), of=TABLE.to_reader()),
        iw.UsageError,
        "with_columns(of=...): a reader cannot be sorted together with another table: give pyarrow.Tables (reader.read_all())",
    ),
    Bad(
        "events that are no table",
        lambda: at(iw.rows(2, order_by="t"), of=5),
        iw.UsageError,
        "with_columns(of=...): got a int; give a DataFrame of PySpark, pandas or Polars, a pyarrow.Table or RecordBatchReader, "
        "or a path to Parquet",
    ),
    Bad(
        "a size of another kind",
        lambda: at(iw.range("1 hour", order_by="t")),
        iw.UsageError,
        "the frame (order by t range between 1 hour preceding and current row) is a time, 1 hour, but the order column 't' is of "
        "type int64: give a number in the column's unit, or order by a timestamp or a date",
    ),
    Bad(
        "a hook that raises",
        lambda: at(iw.rows(2, partition_by="item", order_by="t"), SPINE.slice(3), aggregate=Refuses()),
        iw.HookError,
        "Refuses.iterate(6.0) raised ValueError: six\n"
        "  in Refuses(price), at item='a', t=5, tuple 2 of its partition\n"
        '  File "points.py", in iterate\n'
        '    raise ValueError("six")',
    ),
    Bad(
        "groups explained with of=",
        lambda: iw.explain(iw.group_by(TABLE, "item"), n=iw.count(), of=TABLE),
        iw.UsageError,
        "explain(of=...): groups are not evaluated at the rows of another table: drop of=, or group_by",
    ),
]
