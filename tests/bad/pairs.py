"""Aggregates and windows that do not suit one another, or the strategy that is asked for."""

from bad.input import (
    TABLE,
    Bad,
    Decayed,
    Leaves,
    Longest,
    MyAvg,
)

import inwindow as iw


class Forgot(iw.Aggregate, returns="double"):
    def initialize(self, price):
        self.total = price

    def iterate(self, price):
        self.total += price


ROWS = [
    # Aggregates and windows
    Bad(
        "a blocking aggregate without a window",
        lambda: iw.with_columns(TABLE, a=MyAvg()("price")),
        iw.UsageError,
        "a=MyAvg(price) has no window: MyAvg is blocking (it has a terminate), so say over which tuples: "
        ".over(iw.rows(...)), .over(iw.unbounded()) or, for one row per group, iw.group_by(...).agg",
    ),
    Bad(
        "... and without a name",
        lambda: iw.with_columns(TABLE, iw.max("price")),
        iw.UsageError,
        "max(price) has no window: max is blocking (it has a terminate), so say over which tuples: "
        ".over(iw.rows(...)), .over(iw.unbounded()) or, for one row per group, iw.group_by(...).agg",
    ),
    Bad(
        "a non-blocking aggregate over a frame that is not the current tuple's",
        lambda: iw.with_columns(TABLE, a=Decayed()("price").over(iw.rows_between(-1, 1))),
        iw.UsageError,
        "Decayed(price): Decayed has no terminate, its hooks answer as each tuple arrives; so its frame "
        "must end at the current tuple, not (rows between 1 preceding and 1 following): use iw.rows(...), iw.range(...) or "
        "iw.groups(...), or write a terminate",
    ),
    Bad(
        "... that lags",
        lambda: iw.with_columns(TABLE, a=Decayed()("price").over(iw.rows(2, lag=1))),
        iw.UsageError,
        "Decayed(price): Decayed has no terminate, its hooks answer as each tuple arrives; so its frame "
        "must end at the current tuple, not (rows between 2 preceding and 1 preceding): use iw.rows(...), iw.range(...) or "
        "iw.groups(...), or write a terminate",
    ),
    Bad(
        "a least count for hooks that answer at once",
        lambda: iw.with_columns(TABLE, a=Decayed()("price").over(iw.rows(3), min_count=2)),
        iw.UsageError,
        "Decayed(price): min_count=2 is for results of frames, but Decayed has no terminate, its hooks answer as each tuple "
        "arrives: write a terminate, or drop min_count=",
    ),
    Bad(
        "algebraic=True with a result unlike the argument",
        lambda: iw.with_columns(TABLE, a=Longest()("n").over(iw.rows(4, slide=2))),
        iw.UsageError,
        "Longest(n): algebraic=True feeds the result of a pane (double) to `iterate` as if it were a "
        "tuple, but its argument is int64: make the types equal (cast the column, or returns=), or write "
        "`def merge(self, later)` instead",
    ),
    Bad(
        "something else than a window",
        lambda: iw.max("price").over("item"),
        iw.UsageError,
        "over('item') is not a window: give iw.rows(...), iw.range(...), iw.groups(...), iw.unbounded(), iw.landmark(...), "
        "iw.scope(...) or a pyspark.sql.Window specification",
    ),
    Bad(
        "None as a window",
        lambda: iw.max("price").over(None),
        iw.UsageError,
        "over(None) is not a window: give iw.rows(...), iw.range(...), iw.groups(...), iw.unbounded(), iw.landmark(...), "
        "iw.scope(...) or a pyspark.sql.Window specification",
    ),
    Bad(
        "options without a window",
        lambda: iw.max("price").over(partition_by="item", order_by="ts"),
        iw.UsageError,
        "max(price): over(partition_by='item', order_by='ts') has no window: write "
        ".over(iw.unbounded(partition_by='item', order_by='ts')), or iw.rows, iw.range",
    ),
    Bad(
        "an extent as a window",
        lambda: iw.max("price").over(iw.tumble("ts", size="1 hour")),
        iw.UsageError,
        "over(iw.tumble(...)): an extent gives rows per key and extent, not per tuple: write "
        "iw.group_by(df, keys).window(extent).agg(...)",
    ),
    Bad(
        "a function as a window",
        lambda: iw.max("price").over(iw.rows),
        iw.UsageError,
        "over(iw.rows) has no window yet: call it, as in iw.rows(...)",
    ),
    Bad(
        "a class without terminate whose hooks return nothing",
        lambda: iw.with_columns(TABLE, a=Forgot()("n").over(iw.rows(3))),
        iw.UsageError,
        "Forgot(n): Forgot has no terminate, and its hooks return nothing, so every result would be NULL: write "
        "`def terminate(self)`, or return a tuple's result from `iterate`",
    ),
    Bad(
        "a hole, of a class without terminate",
        lambda: iw.with_columns(TABLE, d=Decayed()("n").over(iw.rows(5, exclude="current row"))),
        iw.UsageError,
        "Decayed(n): Decayed has no terminate, its hooks answer as each tuple arrives; but exclude='current row' leaves out that "
        "tuple, or its peers: write a terminate, or drop exclude=",
    ),
    Bad(
        "active expiration of a built-in",
        lambda: iw.select(TABLE, a=iw.max("n").over(iw.range(3, order_by="t", active_expiration=True))),
        iw.UsageError,
        "max(n): active expiration emits what an `expire` hook gives, and a built-in has no hooks: write "
        "an iw.WindowAggregate whose `expire` returns or yields",
    ),
    Bad(
        "active expiration of a class without expire",
        lambda: iw.select(TABLE, a=Decayed()("n").over(iw.range(3, order_by="t", active_expiration=True))),
        iw.UsageError,
        "Decayed(n): active expiration emits what `expire` gives, but Decayed has none: use an "
        "iw.WindowAggregate whose `expire` returns or yields",
    ),
    Bad(
        "active expiration of a class whose expire gives nothing",
        lambda: iw.select(TABLE, a=MyAvg()("n").over(iw.range(3, order_by="t", active_expiration=True))),
        iw.UsageError,
        "MyAvg(n): active expiration emits what `expire` gives, but MyAvg.expire gives nothing: return or yield a value from it",
    ),
    Bad(
        "active expiration in with_columns",
        lambda: iw.with_columns(TABLE, a=Leaves()("n").over(iw.range(3, order_by="t", active_expiration=True))),
        iw.UsageError,
        "a=Leaves(n): active expiration emits when tuples leave, not when they arrive: use iw.select",
    ),
    Bad(
        "active expiration by months",
        lambda: iw.select(TABLE, a=Leaves()("n").over(iw.range("1 month", order_by="ts", active_expiration=True))),
        iw.UsageError,
        "active expiration in (order by ts range between 1 month preceding and current row active "
        "expiration): months differ in length, so the time at which a tuple leaves would not be that of "
        "the frame: give a size in days or less",
    ),
    Bad(
        "active expiration finer than the column",
        lambda: iw.select(TABLE, a=Leaves()("n").over(iw.range(2.5, order_by="t", active_expiration=True))),
        iw.UsageError,
        "active expiration: size=2.5 is finer than the column 't' of type int64 can tell apart: use a "
        "whole number of its units, or cast the column",
    ),
    Bad(
        "active expiration by a string",
        lambda: iw.select(TABLE, a=Leaves()("n").over(iw.range(0, order_by="item", active_expiration=True))),
        iw.UsageError,
        "(order by item range between current row and current row active expiration) needs distances in "
        "the order column 'item', but string has none: order by a number, a date or a timestamp, or count"
        " tuples (ROWS, rows=); texts that are times become timestamps with pandas.to_datetime, on Spark with F.to_timestamp",
    ),
    # Strategies
    Bad(
        "a strategy that is not known",
        lambda: iw.with_columns(TABLE, a=MyAvg()("price").over(iw.rows(2), strategy="recomputed")),
        iw.StrategyError,
        "strategy='recomputed' is not known: the strategies are 'unbounded', 'tumble', 'pane-cascade', "
        "'delta', 'two-stacks', 'recompute'",
    ),
    Bad(
        "a strategy without its hook",
        lambda: iw.with_columns(TABLE, a=MyAvg()("price").over(iw.rows(2), strategy="two-stacks")),
        iw.StrategyError,
        "strategy='two-stacks' is not possible for MyAvg: `MyAvg` has no merge; possible here: 'delta', 'recompute'",
    ),
    Bad(
        "unbounded where tuples leave",
        lambda: iw.with_columns(TABLE, a=MyAvg()("price").over(iw.rows(2), strategy="unbounded")),
        iw.StrategyError,
        "strategy='unbounded' is not possible for MyAvg: tuples leave the frame; possible here: 'delta', 'recompute'",
    ),
    Bad(
        "tumble where frames overlap",
        lambda: iw.with_columns(TABLE, a=iw.max("price").over(iw.rows(2), strategy="tumble")),
        iw.StrategyError,
        "strategy='tumble' is not possible for max: frames overlap; possible here: 'delta', 'recompute'",
    ),
    Bad(
        "panes of a RANGE",
        lambda: iw.with_columns(TABLE, a=iw.max("n").over(iw.range(5, order_by="t", slide=2), strategy="pane-cascade")),
        iw.StrategyError,
        "strategy='pane-cascade' is not possible for max: the lower end of a RANGE frame falls inside a "
        "pane (iw.hop is the pane-aligned window); possible here: 'delta', 'recompute'",
    ),
    Bad(
        "recompute of a state that outlives the frame",
        lambda: iw.with_columns(TABLE, a=Decayed()("price").over(iw.rows(2), strategy="recompute")),
        iw.StrategyError,
        "strategy='recompute' is not possible for Decayed: `Decayed` has no terminate: its state may "
        "depend on tuples before the frame; possible here: 'delta'",
    ),
]
