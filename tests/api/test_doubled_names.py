"""A column that is there twice: what reads, replaces or passes it says so; what does not works. Never a third one, nor KeyError."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import inwindow as iw

TWICE = pa.table([[1, 2, 3], [4, 5, 6], [1, 2, 3], [7, 8, 9]], names=["a", "a", "t", "n"])
OTHER = pa.table({"t": [1, 2, 3], "n": [1, 2, 3]})
OVER = iw.rows(2, order_by="t")
N = iw.max("n")
MOST = N.over(OVER)
BEFORE = iw.max("n").over(iw.range(2, order_by="t"))


class Itself(iw.Aggregate):
    def iterate(self, value) -> int:
        return value


READS: dict[str, Callable[[Any], Any]] = {
    "replaced": lambda df: iw.with_columns(df, a=MOST),
    "replaced by alias": lambda df: iw.with_columns(df, MOST.alias("a")),
    "argument": lambda df: iw.with_columns(df, x=iw.max("a").over(OVER)),
    "in an expression": lambda df: iw.with_columns(df, x=iw.max(pc.field("a") * 2).over(OVER)),
    "filter": lambda df: iw.with_columns(df, x=N.filter("a").over(OVER)),
    "key": lambda df: iw.with_columns(df, x=N.over(iw.rows(2, partition_by="a"))),
    "order": lambda df: iw.with_columns(df, x=N.over(iw.range(2, order_by="a"))),
    "selected": lambda df: iw.select(df, "a", x=MOST),
    "selected otherwise": lambda df: iw.select(df, b="a", x=MOST),
    "all selected": lambda df: iw.select(df, "*", x=MOST),
    "grouped by": lambda df: iw.group_by(df, "a").window(iw.tumble("t", size=2)).agg(x=N),
    "extents": lambda df: iw.group_by(df).window(iw.tumble("a", size=2)).agg(x=N),
    "emitted": lambda df: iw.group_by(df, order_by="t").emit("a", x=Itself()("n")),
    "all emitted": lambda df: iw.group_by(df, order_by="t").emit("*", x=Itself()("n")),
}
OF_TABLES: dict[str, Callable[[Any], Any]] = {
    "replaced at points": lambda df: iw.with_columns(df, a=BEFORE, of=OTHER),
    "argument of events": lambda df: iw.with_columns(OTHER, x=iw.max("a").over(iw.range(2, order_by="t")), of=df),
    "order of both": lambda df: iw.with_columns(df, x=N.over(iw.range(2, order_by="a")), of=df),
    "union": lambda df: iw.union(df, df, order_by="t"),
    "reference": lambda df: iw.testing.reference(df, a=Itself()("n").over(OVER)),
}
DOES_NOT: dict[str, Callable[[Any], Any]] = {
    "selected": lambda df: iw.select(df, "t", x=MOST),
    "a result of its name": lambda df: iw.select(df, "t", a=MOST),
    "grouped by": lambda df: iw.group_by(df, "t").agg(a=N),
    "extents": lambda df: iw.group_by(df).window(iw.tumble("t", size=2)).agg(x=N),
    "emitted": lambda df: iw.group_by(df, order_by="t").emit("t", x=Itself()("n")),
}
MESSAGE = "the column 'a' is there 2 times; rename them apart"


def out(result: Any) -> pa.Table:
    return result.read_all() if isinstance(result, pa.RecordBatchReader) else result


@pytest.mark.parametrize("call", [*READS.values(), *OF_TABLES.values()], ids=[*READS, *OF_TABLES])
def test_a_table(call: Callable[[Any], Any]) -> None:
    with pytest.raises(iw.UnknownColumnError, match=MESSAGE):
        call(TWICE)


@pytest.mark.parametrize("call", READS.values(), ids=list(READS))
def test_a_reader(call: Callable[[Any], Any]) -> None:
    with pytest.raises(iw.UnknownColumnError, match=MESSAGE):
        call(TWICE.to_reader())


@pytest.mark.parametrize("call", [*READS.values(), *DOES_NOT.values()])
def test_a_stream_holds_all_columns(call: Callable[[Any], Any]) -> None:
    with pytest.raises(iw.UnknownColumnError, match=MESSAGE):
        iw.testing.replay([TWICE], call)


@pytest.mark.parametrize("call", DOES_NOT.values(), ids=list(DOES_NOT))
def test_what_does_not_look_at_it(call: Callable[[Any], Any]) -> None:
    once = TWICE.select([1, 2, 3])
    assert out(call(TWICE)).equals(out(call(once)))
    assert out(call(TWICE.to_reader())).equals(out(call(once)))


def test_another_column_is_added() -> None:
    added = iw.with_columns(TWICE, x=MOST)
    assert added.column_names == ["a", "a", "t", "n", "x"]
    assert iw.with_columns(TWICE, x=BEFORE, of=OTHER).column_names == ["a", "a", "t", "n", "x"]
    assert iw.with_columns(OTHER, a=BEFORE, of=TWICE).column_names == ["t", "n", "a"]


def test_a_stream_is_no_table_of_events() -> None:
    with pytest.raises(iw.UsageError, match="on a stream: results at points in time need both tables whole"):
        iw.testing.replay([OTHER], lambda df: iw.with_columns(OTHER, x=BEFORE, of=df))
