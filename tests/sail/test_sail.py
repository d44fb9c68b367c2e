"""On Sail: the rows, types and errors of the same calls on tables (which are Spark's: tests/spark), in whatever order rows come."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from spark.parity import BUILT_INS, SCHEMA, BuiltIn, differences, tables

import inwindow as iw
from inwindow import temporal
from inwindow.udaf.errors import UsageError

FRAMED = [one for one in BUILT_INS if one.framed]
TOGETHER = [FRAMED[start : start + 3] for start in range(0, len(FRAMED), 3)]
EXAMPLES = settings.get_profile(settings.get_current_profile_name()).max_examples
few = settings(max_examples=max(EXAMPLES // 8, 2), phases=[Phase.explicit, Phase.reuse, Phase.generate])
WINDOWS = {
    "rows": iw.rows(4, partition_by="k", order_by="u"),
    "range": iw.range(3, partition_by="k", order_by="u"),
    "slide": iw.rows(5, slide=2, partition_by="k", order_by="u"),
    "unbounded": iw.unbounded(partition_by="k", order_by="u"),
    "no keys": iw.rows(4, order_by="u"),
}


class Spread(iw.Aggregate):
    """The framework derives merge and expire."""

    def initialize(self, value):
        self.low = self.high = value

    def iterate(self, value):
        self.low = min(self.low, value)
        self.high = max(self.high, value)

    def terminate(self) -> int:
        return self.high - self.low


class MyAvg(iw.WindowAggregate):
    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def expire(self, value):
        self.total -= value
        self.count -= 1

    def merge(self, other):
        self.total += other.total
        self.count += other.count

    def terminate(self) -> float:
        return self.total / self.count


def rows_of(table: pa.Table) -> Counter[str]:
    """The rows in no order: Sail promises none."""
    return Counter(map(repr, table.to_pylist()))


def trades(seed: int, rows: int = 500) -> pa.Table:
    """Trades of some symbols, without two at one time."""
    random = np.random.default_rng(seed)
    times = random.permutation(rows) * 7_000_000 + 1_772_000_000_000_000
    return pa.table({
        "symbol": pa.array([[None, "a", "b", "c"][k] for k in random.integers(0, 4, rows)]),
        "ts": pa.array(times, pa.timestamp("us", "UTC")),
        "price": pa.array(random.integers(1, 1000, rows) / 4.0),
        "size": pa.array([None if n % 9 == 0 else int(n) for n in random.integers(0, 100, rows)], pa.int64()),
    })  # fmt: skip


def on_sail(sail: Any, table: pa.Table) -> Any:
    """Cut into parts, in another order than the table's."""
    return sail.createDataFrame(table).repartition(3)


@pytest.mark.parametrize("built_ins", TOGETHER, ids=lambda some: "-".join(one.name for one in some))
@given(rows=tables(), which=st.sampled_from(sorted(WINDOWS)))
@few
def test_every_built_in_and_type(built_ins: list[BuiltIn], sail: Any, rows: Any, which: str) -> None:
    df = sail.createDataFrame(rows, SCHEMA)
    calls = {f"{one.name} {name}": one.ours(name).over(WINDOWS[which]) for one in built_ins for name in one.types}
    arrived = df.toArrow()
    local = iw.with_columns(arrived, **calls)
    found = iw.with_columns(df.repartition(3), **calls).toArrow().sort_by("id").cast(local.schema)
    assert differences(found, local.sort_by("id"), exact=True) == []


BY = {"partition_by": "symbol", "order_by": "ts"}


class Leaves(iw.WindowAggregate):
    """Says who leaves, and how many remain."""

    inwindow: iw.InWindow

    def iterate(self, value):
        pass

    def expire(self, value) -> str:
        return f"{value} of {len(self.inwindow)}"


CALLS: dict[str, Callable[[Any], Any]] = {
    "a class": lambda df: iw.with_columns(df, m=MyAvg()("price").over(iw.rows(9, **BY))),
    "derived hooks": lambda df: iw.with_columns(df, s=Spread()("size").over(iw.range("5 minutes", **BY))),
    "three orders": lambda df: iw.with_columns(
        df,
        a=iw.avg("price").over(iw.rows(9, **BY)),
        b=iw.max("price").over(iw.rows(9, partition_by="symbol", order_by=["price", "ts"])),
        c=iw.sum("size").over(iw.rows(9, partition_by="symbol", order_by=[iw.desc("size"), "ts"])),
    ),
    "a result in a column's place": lambda df: iw.with_columns(df, price=iw.max("price").over(iw.rows(2, **BY))),
    "a slide": lambda df: iw.select(df, "symbol", "ts", a=iw.avg("price").over(iw.rows(6, slide=3, **BY))),
    "active expiration": lambda df: iw.select(
        df, "symbol", said=Leaves()("price").over(iw.range("2 minutes", active_expiration=True, **BY))
    ),
    "hops": lambda df: (
        iw.group_by(df, "symbol")
        .window(iw.hop("ts", size="10 minutes", every="1 minute"))
        .agg(a=iw.avg("price"), m=MyAvg()("price"), n=iw.count())
    ),
    "tumbles": lambda df: iw.group_by(df, "symbol").window(iw.tumble("ts", "15 minutes")).agg(m=iw.median("price")),
    "days of the zone": lambda df: iw.group_by(df).window(iw.tumble("ts", "1 day")).agg(s=iw.sum("size")),
    "sessions": lambda df: iw.group_by(df, "symbol").window(iw.session("ts", gap="40 seconds")).agg(s=Spread()("size")),
    "coalesce": lambda df: temporal.coalesce(held(df), by="symbol"),
    "how many at a time": lambda df: temporal.aggregate(held(df), by="symbol", n=iw.count(), s=iw.sum("size")),
}


def held(df: Any) -> Any:
    """Each trade holds for five minutes."""
    return temporal.window(df, iw.range("5 minutes", **BY))


@pytest.mark.parametrize("name", CALLS)
def test_the_same_as_on_tables(sail: Any, name: str) -> None:
    table = trades(3)
    wanted = CALLS[name](local(table, sail))
    found = CALLS[name](on_sail(sail, table)).toArrow()
    assert rows_of(found) == rows_of(wanted)
    assert found.schema.names == wanted.schema.names


def local(table: pa.Table, sail: Any) -> pa.Table:
    """The table as it comes from Sail."""
    arrived: pa.Table = sail.createDataFrame(table).toArrow()
    return arrived


def test_points_in_time(sail: Any) -> None:
    events, points = trades(4), trades(5, 90).select(["symbol", "ts"])
    calls = {"a": iw.avg("price").over(iw.range("20 minutes", **BY)), "m": MyAvg()("size").over(iw.rows(5, **BY))}
    wanted = iw.with_columns(local(points, sail), of=local(events, sail), **calls)
    found = iw.with_columns(on_sail(sail, points), of=on_sail(sail, events), **calls)
    assert rows_of(found.toArrow()) == rows_of(wanted)


@pytest.mark.parametrize("how", ["inner", "left", "full", "semi", "anti"])
def test_joins_of_what_holds(sail: Any, how: str) -> None:
    a, b = trades(6, 150), trades(7, 150).rename_columns(["symbol", "ts", "bid", "lot"])
    here = temporal.join(held(local(a, sail)), held(local(b, sail)), on="symbol", how=how)
    there = temporal.join(held(on_sail(sail, a)), held(on_sail(sail, b)), on="symbol", how=how)
    assert rows_of(there.toArrow()) == rows_of(here)


def test_text(sail: Any) -> None:
    on_sail(sail, trades(8)).createOrReplaceTempView("trades")
    found = iw.sql(
        sail,
        "SELECT symbol, avg(price) OVER (PARTITION BY symbol ORDER BY ts ROWS 9 PRECEDING SLIDE 5) AS a FROM trades",
    )
    wanted = iw.select(trades(8), "symbol", a=iw.avg("price").over(iw.rows(10, slide=5, **BY)))
    assert rows_of(found.toArrow()) == rows_of(wanted)


def test_hot_keys(sail: Any) -> None:
    """One key has nearly all rows: it is cut, and the ranges are of several tasks."""
    table = trades(9, 20_000)
    table = table.set_column(0, "symbol", pc.if_else(pc.equal(table["symbol"], "a"), "a", "b"))
    calls = {"a": iw.avg("price").over(iw.rows(50, **BY)), "s": iw.sum("size").over(iw.unbounded(**BY))}
    wanted = iw.with_columns(local(table, sail), **calls)
    found = iw.with_columns(on_sail(sail, table), hot_keys="sample", **calls)
    assert rows_of(found.toArrow()) == rows_of(wanted)


def test_runs_on_disk(sail: Any) -> None:
    """A task that may hold little gives the same rows."""
    table = trades(10, 300_000)
    calls = {"a": iw.avg("price").over(iw.rows(50, **BY))}
    sail.conf.set("spark.inwindow.memory", "1m")
    try:
        found = iw.with_columns(on_sail(sail, table), **calls).toArrow()
    finally:
        sail.conf.unset("spark.inwindow.memory")
    assert rows_of(found) == rows_of(iw.with_columns(local(table, sail), **calls))


def test_what_stands_above_takes_nothing_away(sail: Any) -> None:
    """A filter or a LIMIT above a call sees results over all tuples."""
    table = trades(11)
    made = iw.with_columns(on_sail(sail, table), n=iw.count().over(iw.unbounded(**BY)))
    wanted = iw.with_columns(local(table, sail), n=iw.count().over(iw.unbounded(**BY)))
    some = made.where("symbol = 'a' AND price > 100").toArrow()
    assert rows_of(some) == rows_of(wanted.filter((pc.field("symbol") == "a") & (pc.field("price") > 100)))
    assert not rows_of(made.limit(7).toArrow()) - rows_of(wanted)


def test_explain_names_the_engine(sail: Any) -> None:
    from pysail import __version__

    df = on_sail(sail, trades(1))
    text = str(iw.explain(df, a=iw.avg("price").over(iw.rows(9, **BY))))
    assert f"sail {__version__}, pass 1: shuffle by symbol" in text
    assert "Spark's UI" not in text


def test_streams_are_refused(sail: Any) -> None:
    stream = sail.readStream.format("rate").load()
    with pytest.raises(
        UsageError, match=r"with_columns on a stream: sail [0-9.]+ has no stateful operator .* on Spark"
    ):
        iw.with_columns(stream, n=iw.count().over(iw.rows(3, order_by="timestamp")))


def test_sentinels_are_refused(sail: Any) -> None:
    with pytest.raises(
        UsageError, match=r"with_columns: sentinel= counts with observed metrics, which sail [0-9.]+ does not have"
    ):
        iw.with_columns(on_sail(sail, trades(1)), m=MyAvg()("price").over(iw.rows(3, **BY), sentinel=1.0))


class Broken(iw.Aggregate):
    def initialize(self, value):
        self.value = value

    def iterate(self, value):
        raise ValueError(f"no {value}")

    def terminate(self) -> float:
        return self.value


def test_a_hook_that_raises_is_named(sail: Any) -> None:
    made = iw.with_columns(on_sail(sail, trades(1)), b=Broken()("price").over(iw.rows(3, **BY)))
    with pytest.raises(Exception, match=r"Broken.*iterate.*ValueError"):
        made.collect()


def test_columns_that_are_not_there(sail: Any) -> None:
    with pytest.raises(UsageError, match="prise"):
        iw.with_columns(on_sail(sail, trades(1)), b=iw.avg("prise").over(iw.rows(3, **BY)))


def test_demo() -> None:
    """In a process of its own: the demo starts a server."""
    command = [sys.executable, "-m", "inwindow.commands", "demo", "--engine", "sail", "--rows", "3000"]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert run.returncode == 0, run.stderr
    assert "in this process, batches only" in run.stdout
    assert len(re.findall(r"^    \.\.\. [\d,]+ rows in \d+\.\d\d s: [\d,]+ tuples/s$", run.stdout, re.MULTILINE)) == 6
    assert "the same" not in run.stdout
