"""Saved panes: what cannot be saved, and what is rolled as something else."""

from typing import Any

import pyarrow as pa
from bad.input import Bad

import inwindow as iw

DAYS = pa.table({"k": ["a", "b"], "day": [1, 5], "x": [2.0, 4.0], "start": [1, 2]})
BY_DAY = iw.group_by(DAYS).window(iw.tumble("day", size=2))
PANES = BY_DAY.partials(total=iw.sum("x"))


BY_FOUR = iw.tumble("start", size=4)


class Middle(iw.WindowAggregate):
    """Reads all tuples."""

    inwindow: iw.InWindow

    def iterate(self, x):
        pass

    def expire(self, x):
        pass

    def merge(self, later):
        pass

    def terminate(self) -> float:
        return sorted(one.x for one in self.inwindow)[len(self.inwindow) // 2]


class Total(iw.Aggregate):
    """Its state holds an object."""

    def iterate(self, x):
        self.total = [getattr(self, "total", [0, object()])[0] + x, object()]

    def merge(self, later):
        self.total[0] += later.total[0]

    def terminate(self) -> float:
        return self.total[0]


class Wrong(iw.Aggregate):
    """Says of its state what it is not."""

    total: int

    def iterate(self, x):
        self.total = getattr(self, "total", 0) + x / 4

    def merge(self, later):
        self.total += later.total

    def terminate(self) -> float:
        return self.total


class Half(Wrong):
    """Says half of it."""

    total: float

    def iterate(self, x):
        self.total, self.count = 0.0, 1


def rolled(column: str, aggregate: Any, panes: pa.Table = PANES, extent: Any = BY_FOUR) -> Any:
    return iw.group_by(panes).window(extent).agg(x=iw.saved(column, aggregate))


ROWS = [
    Bad(
        "panes that overlap",
        lambda: iw.group_by(DAYS).window(iw.hop("day", size=4, every=2)).partials(total=iw.sum("x")),
        iw.UsageError,
        "partials() of (hop day size 4 every 2): panes are extents side by side, of times or numbers: write "
        ".window(iw.tumble(...)), without rows= and fill=",
    ),
    Bad(
        "panes of nothing", lambda: BY_DAY.partials(), iw.UsageError,
        "partials() was given no aggregate: write partials(total=iw.sum('x'))",
    ),
    Bad(
        "a key that is a column of panes",
        lambda: iw.group_by(DAYS, "start").window(iw.tumble("day", size=2)).partials(total=iw.sum("x")),
        iw.UsageError,
        "partials() would give the column 'start' twice: name the key or the aggregate otherwise",
    ),
    Bad(
        "panes of tuples that count",
        lambda: BY_DAY.partials(total=iw.sum("x").min_count(3)),
        iw.UsageError,
        "sum(x) in partials(): min_count is for results, and panes have none yet: drop it",
    ),
    Bad(
        "panes of panes",
        lambda: iw.group_by(PANES).window(iw.tumble("start", size=4)).partials(x=iw.saved("total", iw.sum("x"))),
        iw.UsageError,
        "saved(total, sum(x)) in partials(): it is made of panes already: roll it with agg(), or keep the panes",
    ),
    Bad(
        "panes of inwindow",
        lambda: BY_DAY.partials(x=Middle()("x")),
        iw.UsageError,
        "Middle(x) in partials(): Middle reads inwindow, which states do not have, so its panes cannot be put together: write "
        "`def merge(self, later)`",
    ),
    Bad(
        "panes of a median",
        lambda: BY_DAY.partials(x=iw.median("x")),
        iw.UsageError,
        "median(x) in partials(): median(x) has no merge, so its panes cannot be put together: save one that can, or the tuples",
    ),
    Bad(
        "a state of another type",
        lambda: BY_DAY.partials(x=Wrong()("x")),
        iw.DataError,
        "partials(): Wrong.total is 0.5, which is no int64, as its class annotates it: annotate what it is",
    ),
    Bad(
        "a state that is not all",
        lambda: BY_DAY.partials(x=Half()("x")),
        iw.DataError,
        "partials(): Half annotates its state, total, but hooks have set the attribute 'count': annotate all of it, with float, "
        "int, str, bool or bytes, or nothing",
    ),
    Bad(
        "panes on a stream",
        lambda: iw.testing.replay([DAYS], lambda df: iw.group_by(df).window(iw.tumble("day", 2)).partials(n=iw.count()), delay=1),
        iw.UsageError,
        "partials() on a stream: save the panes of what has come, day by day or in foreachBatch, from batch data; panes that "
        "come twice for a key and a time are merged",
    ),
    Bad(
        "saved what", lambda: iw.saved("total", "sum"), iw.UsageError,
        "saved('total', 'sum'): give the aggregate that was saved, as in iw.sum('price')",
    ),
    Bad(
        "saved over a window",
        lambda: iw.saved("total", iw.sum("x").min_count(2)),
        iw.UsageError,
        "saved('total', sum(x)): give the aggregate without window, filter and min_count: those belong to the panes, or to what is "
        "made of them",
    ),
    Bad(
        "tuples as panes",
        lambda: rolled("x", iw.sum("x"), DAYS),
        iw.UsageError,
        "saved(x, sum(x)): the column is of type double, not one that partials() has made of sum(x): give the column in which it "
        "was saved",
    ),
    Bad(
        "panes through a filter",
        lambda: iw.group_by(PANES).window(iw.tumble("start", 4)).agg(
            x=iw.saved("total", iw.sum("x")).filter(pa.compute.field("start") > 2)
        ),
        iw.UsageError,
        "saved(total, sum(x)): filter() is for tuples, and these are panes: give it in partials(), or drop it",
    ),
    Bad(
        "panes of another aggregate",
        lambda: rolled("total", iw.avg("x")),
        iw.StateError,
        "saved(total, avg(x)): these panes were saved by sum(double) format 1, and here is avg(double) format 1: roll them with "
        "the aggregate that saved them, or save them anew; a class whose new code reads old states right can say so itself: "
        "saved_version = '1', before the first pane is saved",
    ),
    Bad(
        "a row without a pane",
        lambda: rolled("total", iw.sum("x"), pa.concat_tables([PANES, DAYS.select(["start"])], promote_options="default")),
        iw.DataError,
        "saved(total, sum(x)): some rows have no pane in this column, but NULL: filter them out",
    ),
    Bad(
        "extents that cut panes",
        lambda: rolled("total", iw.sum("x"), extent=iw.tumble("start", size=5)),
        iw.DataError,
        "the pane from 4 until 6 in 'total' lies in no whole number of extents: their bounds must be bounds of panes, so give "
        "sizes that are multiples of the panes' own, the same origin and zone, and extents of the column 'start'",
    ),
    Bad(
        "panes of another time",
        lambda: rolled(
            "total", iw.sum("x"), PANES.append_column("at", pa.array([0, 9], pa.timestamp("us"))), iw.tumble("at", "1 day")
        ),
        iw.UsageError,
        "'total' holds panes of another attribute than 'at': group by extents of their start",
    ),
    Bad(
        "pickled states",
        lambda: rolled("total", Total()("x"), BY_DAY.partials(total=Total()("x"))),
        iw.StateError,
        "saved(total, Total(x)): some states are pickles, because an attribute is no plain value; reading a pickle can run any "
        "code: if you trust who wrote these panes, write iw.saved(..., trusted=True)",
    ),
]  # fmt: skip
