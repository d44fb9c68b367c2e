"""``iw.testing``: what cannot be checked, or has no definition."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.compute as pc
from bad.input import TABLE, Bad, MyAvg

import inwindow as iw
from inwindow.testing.fuzz.command import shard_of
from inwindow.testing.fuzz.night import Done, Night, Plan
from inwindow.testing.fuzz.rounds import FAMILIES, families

_RUN = Path(tempfile.gettempdir()) / "inwindow_a_run.json"


def _another_run() -> None:
    try:
        Night(Plan(1, ("frames",)), Done(), _RUN).save()
        Night.begun(Plan(2, ("frames",)), _RUN)
    finally:
        _RUN.unlink()


class TopK(iw.Aggregate):
    def __init__(self, k: int) -> None:
        self.k = k

    def iterate(self, x):
        self.last = x

    def terminate(self) -> float:
        return self.last


class Each(iw.Aggregate):
    def iterate(self, x) -> Iterator[float]:
        yield x


class OfTwo(iw.Aggregate):
    def iterate(self, x, y):
        self.last = x

    def terminate(self) -> float:
        return self.last


ROWS = [
    Bad(
        "no aggregate",
        lambda: iw.testing.check(3),
        iw.UsageError,
        "check(3): give an aggregate, iw.testing.check(MyAvg()): a class derived from iw.Aggregate or "
        "iw.WindowAggregate, or a Spark Aggregator",
    ),
    Bad(
        "a built-in",
        lambda: iw.testing.check(iw.sum("price")),
        iw.UsageError,
        "check(sum(...)): a built-in has no hooks of yours; check classes that you wrote",
    ),
    Bad(
        "a class that needs arguments",
        lambda: iw.testing.check(TopK),
        iw.UsageError,
        "check(TopK): make one first: check(TopK(k=...)); for `inwindow check`, in the module: topk = TopK(k=...)",
    ),
    Bad(
        "no examples",
        lambda: iw.testing.check(MyAvg(), examples=0),
        iw.UsageError,
        "check(examples=0): give a number of examples, 1 or more",
    ),
    Bad(
        "a tolerance below zero",
        lambda: iw.testing.check(MyAvg(), tolerance=-1),
        iw.UsageError,
        "check(tolerance=-1): give a small positive number, such as 1e-6",
    ),
    Bad(
        "a window that it cannot make tuples for",
        lambda: iw.testing.check(MyAvg(), window=iw.landmark(since=3, order_by="t")),
        iw.UsageError,
        "check(window=(order by t since 3)): give iw.rows(...), iw.range(...), iw.groups(...) or an extent, or none for a "
        "choice of them",
    ),
    Bad(
        "a window of time",
        lambda: iw.testing.check(MyAvg(), window=iw.range("5 minutes", order_by="ts")),
        iw.UsageError,
        "check(window=(order by ts range between 5 minutes preceding and current row)): check() orders by "
        "whole numbers: give sizes as numbers (the frame (partition by k order by t range between 5 minutes "
        "preceding and current row) is a time, 5 minutes, but the order column 't' is of type int64: give a "
        "number in the column's unit, or order by a timestamp or a date)",
    ),
    Bad(
        "values for one of two arguments",
        lambda: iw.testing.check(OfTwo(), values=[float]),
        iw.UsageError,
        "values= has 1 of 2 arguments: OfTwo takes (x, y); give a list of types or Hypothesis strategies, "
        "one for each, or one strategy of whole tuples",
    ),
    Bad(
        "values of no type",
        lambda: iw.testing.check(MyAvg(), values="nothing"),
        iw.UsageError,
        "values='nothing': give a Hypothesis strategy, such as st.integers(0, 9), a Python type or DDL "
        "('nothing' is not a type: did you mean 'string'? write DDL such as 'double', 'array<string>', "
        "'decimal(10,2)' or 'struct<a:int,b:string>')",
    ),
    Bad(
        "the definition of a built-in",
        lambda: iw.testing.reference(TABLE, x=iw.sum("price").over(iw.rows(2))),
        iw.UsageError,
        "reference(x=sum(price) over (rows between 1 preceding and current row)) is not a class of yours "
        "applied to columns: MyAvg()('price')",
    ),
    Bad(
        "the definition over an expression",
        lambda: iw.testing.reference(TABLE, x=MyAvg()(pc.field("price")).over(iw.rows(2))),
        iw.UsageError,
        "reference(x=MyAvg(price) over (rows between 1 preceding and current row)): give names of columns; "
        "compute others first",
    ),
    Bad(
        "the definition on a list",
        lambda: iw.testing.reference([1, 2], x=MyAvg()("price").over(iw.rows(2))),
        iw.UsageError,
        "reference() takes a pyarrow.Table or iw.group_by(table).window(...), not [1, 2]",
    ),
    Bad(
        "the definition of groups without a window",
        lambda: iw.testing.reference(iw.group_by(TABLE, "item"), x=MyAvg()("price")),
        iw.UsageError,
        "reference() takes groups of a pyarrow.Table with a window: iw.group_by(table).window(extent)",
    ),
    Bad(
        "the definition of a class that yields",
        lambda: iw.testing.reference(TABLE, x=Each()("price").over(iw.unbounded())),
        iw.UsageError,
        "reference(): Each(price) yields any number of values per tuple, so it makes no column",
    ),
    Bad(
        "a family that the fuzzer has not",
        lambda: families("frame"),
        iw.UsageError,
        f"fuzz: --only frame: 'frame' is not known: there are {', '.join(FAMILIES)}",
    ),
    Bad(
        "a shard that is none",
        lambda: shard_of("3/2"),
        iw.UsageError,
        "fuzz: --shard 3/2: write which of how many shards, as in 1/4",
    ),
    Bad(
        "the file of another run",
        _another_run,
        iw.UsageError,
        f"fuzz: --resume {_RUN} is a run of Plan(seed=1, families=('frames',), shard=0, shards=1), not of Plan(seed=2, "
        "families=('frames',), shard=0, shards=1): give the same options, or another file",
    ),
]
