"""Every place where a column may stand: as key, order, argument, result, filter, or passed on."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from samples.typed_columns import KINDS, Kind

import inwindow as iw

PATTERN = (2, 1, None, 3, 2, 1)
FLAGS = (True, True, False, True, False, True)
INTEGERS = next(kind for kind in KINDS if kind.type == pa.int64())


@dataclass(frozen=True)
class Given:
    """The data of a use: a column ``c`` of some kind, or the integers that it stands for."""

    kind: Kind
    plain: bool  # the integers

    @property
    def type(self) -> pa.DataType:
        """Of the column."""
        return pa.int64() if self.plain else self.kind.type

    @property
    def step(self) -> Any:
        """From one value to the next."""
        return 1 if self.plain or self.kind.step is None else self.kind.step

    @property
    def steps(self) -> Any:
        """Twice that."""
        return self.step.replace("1", "2") if isinstance(self.step, str) else 2 * self.step

    def value(self, number: int) -> Any:
        """As a user writes it."""
        return number if self.plain or self.kind.family == "null" else self.kind.values[number - 1]

    @cached_property
    def table(self) -> pa.Table:
        """In no order."""
        return self._table(range(6))

    @property
    def batches(self) -> list[pa.Table]:
        """As a stream."""
        return [self.table.slice(0, 3), self.table.slice(3)]

    @property
    def reader(self) -> pa.RecordBatchReader:
        """As it comes."""
        return self.table.to_reader(max_chunksize=2)

    def sorted(self, *, down: bool = False) -> pa.RecordBatchReader:
        """By the column, NULLs as Spark has them."""
        numbers = self.kind.integers(PATTERN).to_pylist()
        rows = sorted(range(6), key=lambda row: (numbers[row] is not None, numbers[row] or 0))
        if down:
            rows = sorted(range(6), key=lambda row: (numbers[row] is None, -(numbers[row] or 0)))
        return self._table(rows).to_reader(max_chunksize=2)

    def _table(self, rows: Any) -> pa.Table:
        pattern = [PATTERN[row] for row in rows]
        column = self.kind.integers(pattern) if self.plain else self.kind.column(pattern)
        return pa.table({"c": column, "n": [row + 1 for row in rows], "ok": [FLAGS[row] for row in rows]})


@dataclass(frozen=True)
class Use:
    """A use of the column: the call, and how its results follow from those of the integers."""

    name: str
    call: Callable[[Given], Any]
    gives: str = "same"  # "same", "values" of the column, "numbers", nothing to compare: "any"
    plain: Callable[[Given], Any] | None = None  # another call for the integers


def out(result: Any) -> pa.Table:
    """A reader's rows."""
    return result.read_all() if isinstance(result, pa.RecordBatchReader) else result


def replayed(given: Given, query: Callable[[Any], Any], **more: Any) -> pa.Table:
    """The rows of a stream, in the order of n: buckets are in none."""
    table = iw.testing.replay(given.batches, query, **more).table
    return table.take(pc.sort_indices(table["n"])) if "n" in table.column_names else table


class Kept(iw.WindowAggregate, abstract=True, returns="bigint"):
    """The values in the frame."""

    def iterate(self, value):
        self.values = [*getattr(self, "values", []), value]

    def expire(self, value):
        self.values.pop(0)

    def merge(self, later):
        self.values = self.values + later.values


class Size(Kept, returns="bigint"):
    def terminate(self):
        return len(self.values)


class Nulls(Kept, returns="bigint", nulls="pass"):
    def terminate(self):
        return sum(value is None for value in self.values)


class Buffered(iw.WindowAggregate):
    inwindow: iw.InWindow

    def iterate(self, value):
        pass

    def terminate(self) -> int:
        return sum(1 for _ in self.inwindow)


class Leaves(iw.WindowAggregate):
    def iterate(self, value):
        pass

    def expire(self, value) -> int:
        return 1


class Itself(iw.Aggregate, returns="bigint", nulls="pass"):
    def iterate(self, value):
        return value


def newest(kind: pa.DataType) -> Any:
    """The newest value, as the result type of a class."""

    class Newest(Kept, returns=kind):
        def terminate(self):
            return self.values[-1]

    return Newest()


def twice(kind: pa.DataType, *, yields: bool) -> Any:
    """Each value as it comes: returned, or yielded two times."""

    class Returned(iw.Aggregate, returns=kind, nulls="pass"):
        def iterate(self, value):
            return value

    class Yielded(iw.Aggregate, returns=kind):
        def iterate(self, value):
            yield value
            yield value

    return Yielded() if yields else Returned()


BY = {"partition_by": "c"}
TWO = iw.rows(2)
KEYS = [
    Use("with_columns", lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.rows(2, **BY)))),
    Use("a class", lambda g: iw.with_columns(g.table, x=Size()("n").over(iw.rows(2, **BY)))),
    Use("select", lambda g: iw.select(g.table, "c", x=iw.max("n").over(iw.rows(2, slide=1, **BY)))),
    Use("group_by", lambda g: iw.group_by(g.table, "c").agg(x=iw.max("n"))),
    Use("group_by, the second", lambda g: iw.group_by(g.table, "ok", "c").agg(x=iw.max("n"))),
    Use("extents", lambda g: iw.group_by(g.table, "c").window(iw.tumble("n", size=3)).agg(x=iw.max("n"))),
    Use("emit", lambda g: iw.group_by(g.table, "c", order_by="n").emit("n", x=Itself()("n"))),
    Use("reader", lambda g: iw.with_columns(g.sorted(), x=iw.max("n").over(iw.rows(2, **BY)))),
    Use("reader, group_by", lambda g: iw.group_by(g.sorted(), "c").agg(x=iw.max("n"))),
    Use("of", lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.range(9, order_by="n", **BY)), of=g.table)),
    Use("replay", lambda g: replayed(
        g, lambda df: iw.with_columns(df, x=iw.max("n").over(iw.rows(2, order_by="n", **BY))), until=9)),
    Use("replay, extents", lambda g: replayed(
        g, lambda df: iw.group_by(df, "c", "n").window(iw.tumble("n", size=3)).agg(x=iw.count()), until=9)),
]  # fmt: skip


def ordered(order: Any, down: bool) -> list[Use]:
    """Uses of the order column, in a direction."""
    return [
        Use("rows", lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.rows(2, order_by=order("c"))))),
        Use(
            "peers",
            lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.range_between(None, 0, order_by=order("c")))),
        ),
        Use("range", lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.range(g.step, order_by=order("c"))))),
        Use(
            "reader",
            lambda g: iw.with_columns(g.sorted(down=down), x=iw.max("n").over(iw.rows(2, order_by=order("c")))),
        ),
    ]


ORDERS = [
    *(Use(f"ascending {use.name}", use.call) for use in ordered(iw.asc, False)),
    *(Use(f"descending {use.name}", use.call) for use in ordered(iw.desc, True)),
    Use("behind a key", lambda g: iw.with_columns(g.table, x=iw.max("n").over(
        iw.rows(2, partition_by="ok", order_by=["c", "n"])))),
    Use("group_by", lambda g: iw.group_by(g.table, order_by="c").agg(x=iw.first("n"))),
    Use("emit", lambda g: iw.group_by(g.table, order_by="c").emit("n", x=Itself()("n"))),
    Use("reader, range", lambda g: iw.with_columns(g.sorted(), x=iw.max("n").over(iw.range(g.step, order_by="c")))),
    Use("slide", lambda g: iw.select(g.table, "n", x=iw.max("n").over(iw.range(g.step, order_by="c", slide=g.step)))),
    Use("slide of rows by values", lambda g: iw.select(g.table, "n", x=iw.max("n").over(
        iw.rows(2, order_by="c", slide=g.step, slide_by="range")))),
    Use("landmark", lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.landmark(since=g.value(2), order_by="c")))),
    Use("scope", lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.scope(lower=lambda t: t, order_by="c")))),
    Use("active expiration", lambda g: iw.select(g.table, "n", x=Leaves()("n").over(
        iw.range(g.step, order_by="c", active_expiration=True)))),
    Use("of", lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.range(g.step, order_by="c")), of=g.table)),
    Use("replay, rows", lambda g: replayed(
        g, lambda df: iw.with_columns(df, x=iw.max("n").over(iw.rows(2, order_by="c"))), delay=g.steps, until=g.value(3))),
    Use("replay, range", lambda g: replayed(
        g, lambda df: iw.with_columns(df, x=iw.max("n").over(iw.range(g.step, order_by="c"))), delay=g.steps, until=g.value(3))),
    Use("drawing", lambda g: str(iw.range(g.step, order_by="c").draw(g.table.slice(3))), "any"),
    Use("tumble", lambda g: extents(g.table, iw.tumble("c", size=g.step))),
    Use("hop", lambda g: extents(g.table, iw.hop("c", size=g.steps, every=g.step))),
    Use("cumulate", lambda g: extents(g.table, iw.cumulate("c", size=g.step, every=g.step))),
    Use("session", lambda g: extents(g.table, iw.session("c", gap=g.steps))),
    Use("tumble of rows", lambda g: extents(g.table, iw.tumble("c", rows=2))),
    Use("tumble of the stream", lambda g: extents(g.table, iw.tumble("c", rows=2, scope="stream"), "ok")),
    Use("tumble, reader", lambda g: extents(g.sorted(), iw.tumble("c", size=g.step))),
    Use("tumble, replay", lambda g: replayed(
        g, lambda df: iw.group_by(df).window(iw.tumble("c", size=g.step)).agg(x=iw.max("n")), delay=g.steps, until=g.value(3),
    ).sort_by("x").drop_columns("window")),
]  # fmt: skip


def extents(data: Any, extent: Any, *keys: str) -> pa.Table:
    """Without the bounds: the integers begin elsewhere."""
    return out(iw.group_by(data, *keys).window(extent).agg(x=iw.max("n"), n=iw.count())).drop_columns("window")


def argument(name: str, gives: str, make: Callable[[str], iw.Applied], plain: Any = None) -> list[Use]:
    """A built-in over frames, frame by frame, over groups and panes; without and with a filter."""

    def used(made: Callable[[str], iw.Applied]) -> Callable[[Given], Any]:
        def call(g: Given) -> pa.Table:
            both = {"x": made("c"), "y": made("c").filter("ok")}
            frames = (
                iw.with_columns(g.table, **{name: one.over(iw.rows(3)) for name, one in both.items()}),
                iw.with_columns(
                    g.table, **{name: one.over(iw.rows(3), strategy="recompute") for name, one in both.items()}
                ),
                iw.select(g.table, **{name: one.over(iw.rows(4, slide=2)) for name, one in both.items()}),
                iw.group_by(g.table, "ok").agg(**both),
            )
            return pa.concat_tables([frame.select(["x", "y"]) for frame in frames])

        return call

    return [Use(name, used(make), gives, None if plain is None else lambda g: used(plain(g.kind))(g))]


ARGUMENTS = [
    *argument("count", "same", iw.count),
    *argument("count, with another", "same", lambda c: iw.count(c, "n")),
    *argument("count_distinct", "same", iw.count_distinct),
    *argument("count_distinct, with another", "same", lambda c: iw.count_distinct(c, "ok")),
    *argument("sum", "numbers", iw.sum),
    *argument("avg", "numbers", iw.avg),
    *argument("try_sum", "numbers", iw.try_sum),
    *argument("sum_distinct", "numbers", iw.sum_distinct),
    *argument("avg_distinct", "numbers", iw.avg_distinct),
    *argument("ewm_avg", "numbers", lambda c: iw.ewm_avg(c, alpha=0.5)),
    *argument("ewm_avg, times", "numbers", lambda c: iw.ewm_avg("n", half_life=1, times=c)),
    *argument("kll_percentile", "numbers", lambda c: iw.kll_percentile(c, 0.5)),
    *argument("hll_count_distinct", "same", iw.hll_count_distinct, lambda kind: iw.count_distinct),
    *argument("product", "numbers", iw.product),
    *argument("var_samp", "numbers", iw.var_samp),
    *argument("stddev_pop", "numbers", iw.stddev_pop),
    *argument("skewness", "numbers", iw.skewness),
    *argument("kurtosis", "numbers", iw.kurtosis),
    *argument("covar_pop, first", "numbers", lambda c: iw.covar_pop(c, "n")),
    *argument("corr, second", "numbers", lambda c: iw.corr("n", c)),
    *argument("regr_count, second", "numbers", lambda c: iw.regr_count("n", c)),
    *argument("regr_avgx, second", "numbers", lambda c: iw.regr_avgx("n", c)),
    *argument("regr_slope, first", "numbers", lambda c: iw.regr_slope(c, "n")),
    *argument("median", "numbers", iw.median),
    *argument("percentile", "numbers", lambda c: iw.percentile(c, [0.3, 1.0])),
    *argument("percentile_approx", "values", lambda c: iw.percentile_approx(c, 0.5)),
    *argument("decayed_avg", "numbers", iw.decayed_avg),
    *argument("bit_and", "numbers", iw.bit_and),
    *argument("bit_or", "numbers", iw.bit_or),
    *argument("bit_xor", "numbers", iw.bit_xor),
    *argument("ones_in_window", "same", iw.ones_in_window, lambda kind: (
        iw.ones_in_window if kind.numbers == (1, 2, 3) else lambda c: iw.count(pc.if_else(pc.field(c) == 2, 1, None)))),
    *argument("bool_and", "values", iw.bool_and, lambda kind: iw.min),
    *argument("bool_or", "values", iw.bool_or, lambda kind: iw.max),
    *argument("min", "values", iw.min),
    *argument("max", "values", iw.max),
    *argument("max_by, value", "values", lambda c: iw.max_by(c, "n")),
    *argument("max_by, order", "same", lambda c: iw.max_by("n", c)),
    *argument("min_by, both", "values", lambda c: iw.min_by(c, c)),
    *argument("mode", "values", iw.mode),
    *argument("first", "values", iw.first),
    *argument("first that is not NULL", "values", lambda c: iw.first(c, ignorenulls=True)),
    *argument("last", "values", iw.last),
    *argument("nth_value", "values", lambda c: iw.nth_value(c, 2)),
    *argument("rank", "same", iw.rank),
    *argument("dense_rank", "same", iw.dense_rank),
    Use("lag", lambda g: iw.with_columns(g.table, x=iw.lag("c", 2).over(iw.unbounded(order_by="n"))), "values"),
    Use("lead that is not NULL", lambda g: iw.with_columns(
        g.table, x=iw.lead("c", ignorenulls=True).over(iw.unbounded(order_by="n"))), "values"),
    *argument("collect_list", "values", iw.collect_list),
    *argument("collect_set", "values", iw.collect_set),
    *argument("string_agg", "joined", iw.string_agg, lambda kind: iw.collect_list),
    *argument("string_agg_distinct", "joined", iw.string_agg_distinct, lambda kind: iw.collect_set),
    *argument("frequent_items", "values", iw.frequent_items),
    *argument("approx_top_k", "values", iw.approx_top_k),
    *argument("priority_sample", "values", lambda c: iw.priority_sample(c, 2)),
    Use("first, of an expression", lambda g: iw.with_columns(g.table, x=iw.first(pc.field("c")).over(TWO)), "values"),
    Use("first, of", lambda g: iw.with_columns(
        g.table.select(["n"]), x=iw.first("c").over(iw.range(3, order_by="n")), of=g.table), "values"),
    Use("first, replay", lambda g: replayed(
        g, lambda df: iw.with_columns(df, x=iw.first("c").over(iw.rows(3, order_by="n"))), until=9), "values"),
    Use("collect_list, replay", lambda g: replayed(
        g, lambda df: iw.with_columns(df, x=iw.collect_list("c").over(iw.rows(3, order_by="n"))), until=9), "values"),
    Use("count, replay, growing", lambda g: replayed(
        g, lambda df: iw.with_columns(df, x=iw.count("c").over(iw.unbounded(order_by="n"))), until=9)),
]  # fmt: skip

CLASSES = [
    *(Use(strategy, lambda g, s=strategy: iw.with_columns(g.table, x=Size()("c").over(TWO, strategy=s)))  # type: ignore[misc]
      for strategy in ("delta", "two-stacks", "recompute")),
    Use("panes", lambda g: iw.select(g.table, "n", x=Size()("c").over(iw.rows(4, slide=2)))),
    Use("NULLs", lambda g: iw.with_columns(g.table, x=Nulls()("c").over(TWO))),
    Use("inwindow", lambda g: iw.with_columns(g.table, x=Buffered()("c").over(TWO))),
    Use("expirations", lambda g: iw.select(g.table, "n", x=Leaves()("c").over(
        iw.range(2, order_by="n", active_expiration=True)))),
    Use("group_by", lambda g: iw.group_by(g.table, "ok").agg(x=Size()("c"))),
    Use("sentinel", lambda g: iw.with_columns(g.table, x=Size()("c").over(TWO, sentinel=1.0))),
    Use("replay", lambda g: replayed(
        g, lambda df: iw.with_columns(df, x=Size()("c").over(iw.rows(2, order_by="n"))), until=9)),
    Use("replay, growing", lambda g: replayed(
        g, lambda df: iw.with_columns(df, x=Size()("c").over(iw.unbounded(order_by="n"))), until=9)),
    Use("the definition", lambda g: iw.testing.reference(g.table, x=Size()("c").over(TWO))),
]  # fmt: skip

RESULTS = [
    Use("terminate", lambda g: iw.with_columns(g.table, x=newest(g.type)("c").over(TWO)), "values"),
    Use("terminate, group_by", lambda g: iw.group_by(g.table, "ok").agg(x=newest(g.type)("c")), "values"),
    Use("returned", lambda g: iw.with_columns(g.table, x=twice(g.type, yields=False)("c")), "values"),
    Use("yielded", lambda g: iw.select(g.table, "n", x=twice(g.type, yields=True)("c")), "values"),
    Use("returned, replay", lambda g: replayed(g, lambda df: iw.with_columns(
        df, x=twice(g.type, yields=False)("c").over(iw.unbounded(order_by="n"))), until=9), "values"),
]  # fmt: skip

FILTERS = [
    Use("the column", lambda g: iw.with_columns(g.table, x=iw.max("n").filter("c").over(TWO)),
        plain=lambda g: iw.with_columns(g.table, x=iw.max("n").filter(pc.field("c") == 2).over(TWO))),
    Use("an expression", lambda g: iw.with_columns(g.table, x=iw.count().filter(pc.field("c").is_valid()).over(TWO))),
]  # fmt: skip

MOST = iw.max("n").over(iw.rows(2, order_by="n"))
PASSED = [
    Use("with_columns", lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.rows(2, order_by="ok")))),
    Use(
        "with_columns, replaced", lambda g: iw.with_columns(g.table, c=iw.max("n").over(TWO)).rename_columns({"c": "x"})
    ),
    Use("select", lambda g: iw.select(g.table, "c", x=iw.max("n").over(iw.rows(2, slide=2, order_by="ok")))),
    Use("select, all", lambda g: iw.select(g.table, "*", x=iw.max("n").over(iw.rows(2, slide=2)))),
    Use("emit", lambda g: iw.group_by(g.table, "ok", order_by="n").emit("c", x=Itself()("n"))),
    Use("group_by", lambda g: iw.group_by(g.table, "ok").agg(x=iw.max("n"))),
    Use("reader", lambda g: iw.with_columns(g.reader, x=MOST)),
    Use(
        "reader, looking ahead",
        lambda g: iw.with_columns(g.reader, x=iw.max("n").over(iw.rows_between(0, 3, order_by="n"))),
    ),
    Use("reader, select", lambda g: iw.select(g.reader, "c", x=iw.max("n").over(iw.rows(2, order_by="n", slide=2)))),
    Use("reader, group_by", lambda g: iw.group_by(g.reader, order_by="n").agg(x=iw.max("n"))),
    Use(
        "of",
        lambda g: iw.with_columns(g.table, x=iw.max("n").over(iw.range(3, order_by="n")), of=g.table.select(["n"])),
    ),
    Use(
        "of, unused",
        lambda g: iw.with_columns(g.table.select(["n"]), x=iw.max("n").over(iw.range(3, order_by="n")), of=g.table),
    ),
    Use("replay", lambda g: replayed(g, lambda df: iw.with_columns(df, x=MOST), until=9)),
    Use("replay, select", lambda g: replayed(g, lambda df: iw.select(df, "n", "c", x=MOST), until=9)),
    Use("union", lambda g: iw.union(g.table, g.table, order_by="n").select(["c", "n"])),
]

PLACES = {
    "key": KEYS, "order": ORDERS, "argument of": ARGUMENTS, "argument of a class": CLASSES, "result of a class": RESULTS,
    "filter": FILTERS, "passed through": PASSED,
}  # fmt: skip
