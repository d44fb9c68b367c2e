"""``select`` and ``group_by`` on Spark give the rows that they give on an Arrow table; extents also those of Spark's window()."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from samples.aggregates import Spread

import inwindow as iw

N = 600


class Leaves(iw.WindowAggregate):
    """Says who leaves, and how many remain."""

    inwindow: iw.InWindow

    def iterate(self, value: float) -> None: ...

    def expire(self, value: float) -> str:
        return f"{value} of {len(self.inwindow)}"


class Jumps(iw.Aggregate, returns="double"):
    def initialize(self, value: float) -> None:
        self.last = value

    def iterate(self, value: float) -> Any:
        for _ in range(int(abs(value - self.last)) // 20):
            yield value
        self.last = value


class Longest:
    """As in Spark 4.4."""

    bufferSchema, outputType = "n int", "int"

    def zero(self) -> tuple[int]:
        return (0,)

    def reduce(self, buffer: tuple[int], value: str) -> tuple[int]:
        return (max(buffer[0], len(value)),)

    def merge(self, a: tuple[int], b: tuple[int]) -> tuple[int]:
        return (max(a[0], b[0]),)

    def finish(self, buffer: tuple[int]) -> int:
        return buffer[0]


@pytest.fixture(scope="module")
def events(spark: Any) -> Any:
    return spark.range(0, N, 1, 3).selectExpr(
        "id", "concat('item', id % 4) as item", "id * 7919 % 601 as t", "cast(id * 31 % 101 as double) as v",
        "timestamp'2026-03-07 20:00:00' + make_dt_interval(0, 0, cast(id * 7919 % 601 as int) * 3) as ts",
        "if(id % 11 = 0, null, cast(id * 31 % 101 as decimal(10,2))) as price",
    )  # fmt: skip


@pytest.fixture(scope="module")
def table(events: Any) -> pa.Table:
    """The same on this machine."""
    return events.toArrow()


def rows(data: Any) -> Counter[str]:
    table = data if isinstance(data, pa.Table) else data.toArrow()
    return Counter(map(str, table.to_pylist()))


BY = {"partition_by": "item", "order_by": "t"}
BY_TIME = {"partition_by": "item", "order_by": "ts"}
SELECTS = {
    "a slide in tuples": lambda d: iw.select(
        d, "item", "t", s=iw.sum("v").over(iw.rows(50, slide=10, **BY)), n=iw.count().over(iw.rows(7, slide=10, **BY))
    ),
    "a slide of tuples, the last one too": lambda d: iw.select(
        d, "id", s=iw.sum("price").over(iw.rows(50, slide=40, final="emit", **BY))
    ),
    "a slide in time": lambda d: iw.select(d, "id", "price", s=iw.max("v").over(iw.range("1 hour", slide="10 minutes", **BY_TIME))),
    "a range every 10 tuples": lambda d: iw.select(
        d, "id", s=iw.sum("v").over(iw.range("1 hour", slide=10, slide_by="rows", **BY_TIME)),
        x=Spread()("v").over(iw.range("5 minutes", slide=10, slide_by="rows", final="drop", **BY_TIME)),
    ),
    "tuples every 10 minutes": lambda d: iw.select(
        d, "ts", s=iw.avg("v").over(iw.rows(7, slide="10 minutes", **BY_TIME)),
        m=iw.max("v").over(iw.unbounded(slide="10 minutes", **BY_TIME)),
    ),
    "a tumble of a class": lambda d: iw.select(d, "id", s=Spread()("v").over(iw.rows(10, slide=10, **BY))),
    "panes of a class": lambda d: iw.select(d, at="ts", s=Spread()("v").over(iw.rows(60, slide=10, **BY))),
    "no slide": lambda d: iw.select(d, "id", s=iw.avg("v").over(iw.rows(3, **BY)), m=iw.median("v").over(iw.rows(30, **BY))),
    "all columns": lambda d: iw.select(d, "*", s=iw.avg("v").over(iw.rows(3, **BY))),
    "emissions": lambda d: iw.select(d, "id", j=Jumps()("v").over(iw.unbounded(**BY))),
    "active expiration": lambda d: iw.select(
        d, "item", iw.emitted_at().alias("at"), x=Leaves()("v").over(iw.range(20, active_expiration=True, **BY))
    ),
    "active expiration by time": lambda d: iw.select(
        d, iw.emitted_at(), "id", x=Leaves()("v").over(iw.range("30 seconds", active_expiration=True, **BY_TIME))
    ),
    "a scope": lambda d: iw.select(d, "id", s=iw.sum("v").over(iw.scope(lower=lambda t: t // 50 * 50, **BY))),
    "a landmark": lambda d: iw.select(d, "id", s=iw.sum("v").over(iw.landmark(since=100, until=300, **BY))),
    "Spark's Aggregator": lambda d: iw.select(d, "id", s=iw.udaf(Longest())("item").over(iw.rows(5, slide=5, **BY))),
    "emit": lambda d: iw.group_by(d, "item", order_by="t").emit("t", x=Jumps()("v")),
}  # fmt: skip


@pytest.mark.parametrize("what", SELECTS)
def test_select_as_on_a_table(events: Any, table: pa.Table, what: str) -> None:
    made, local = SELECTS[what](events), SELECTS[what](table)
    assert made.columns == local.column_names
    found = rows(made)
    assert sum(found.values()) > 5
    assert found == rows(local)


EXTENTS = {
    "tumble": iw.tumble("ts", size="1 hour"),
    "hop": iw.hop("ts", size="1 hour", every="10 minutes"),
    "cumulate": iw.cumulate("ts", size="6 hours", every="1 hour"),
    "session": iw.session("ts", gap="20 seconds"),
    "hop over numbers": iw.hop("t", size=50, every=20, origin=3),
    "tuples": iw.hop("ts", rows=20, every=10),
    "tuples of the stream": iw.tumble("t", rows=100, scope="stream"),
    "hop over tuples of the stream": iw.hop("t", rows=100, every=40, scope="stream"),
}
AGGREGATES = {
    "total": iw.sum("v"), "exact": iw.sum("price"), "n": iw.count(), "known": iw.count("price"), "spread": Spread()("v"),
    "all": iw.collect_list("v"),
}  # fmt: skip


@pytest.mark.parametrize("keys", [("item",), ()])
@pytest.mark.parametrize("what", EXTENTS)
@pytest.mark.filterwarnings("ignore:.*no partitioning")
def test_extents_as_on_a_table(events: Any, table: pa.Table, what: str, keys: tuple[str, ...]) -> None:
    made = iw.group_by(events, *keys).window(EXTENTS[what]).agg(**AGGREGATES)
    local = iw.group_by(table, *keys).window(EXTENTS[what]).agg(**AGGREGATES)
    assert made.columns == local.column_names
    found = rows(made)
    assert sum(found.values()) > 2
    assert found == rows(local)


def test_panes_of_spark_and_of_this_machine(events: Any, table: pa.Table, spark: Any, tmp_path: Any) -> None:
    """Saved by both, written to Parquet, and rolled by both."""
    saving = {
        "total": iw.sum("v"),
        "exact": iw.sum("price"),
        "n": iw.count(),
        "spread": Spread()("v"),
        "sd": iw.stddev("v"),
    }
    rolling = {name: iw.saved(name, one) for name, one in saving.items()}

    def panes(data: Any) -> Any:
        return iw.group_by(data, "item").window(iw.tumble("ts", size="1 day")).partials(**saving)

    def rolled(data: Any) -> Any:
        return iw.group_by(data, "item").window(iw.hop("start", size="7 days", every="1 day")).agg(**rolling)

    late = "id % 3 = 0"
    panes(events.where(f"not {late}")).write.parquet(str(tmp_path / "panes"))
    here = panes(events.where(late).toArrow())
    pq.write_table(here, tmp_path / "panes" / "part-of-this-machine.parquet", coerce_timestamps="us")
    stored = spark.read.parquet(str(tmp_path / "panes"))
    expected = iw.group_by(table, "item").window(iw.hop("ts", size="7 days", every="1 day")).agg(**saving)
    assert rounded(rolled(stored).toArrow()) == rounded(expected)
    assert rounded(rolled(stored.toArrow())) == rounded(expected)


def rounded(table: pa.Table) -> Counter[str]:
    """Panes are merged in another order than tuples are added."""
    at = table.schema.get_field_index("sd")
    return rows(table.set_column(at, "sd", pc.round(table["sd"], 9)))


@pytest.mark.parametrize(
    "size, every", [("1 hour", "1 hour"), ("1 hour", "10 minutes"), ("25 minutes", "10 minutes"), ("2 days", "1 day")]
)
def test_extents_as_sparks_window(events: Any, size: str, every: str) -> None:
    from pyspark.sql import functions as F

    ours = (
        iw.group_by(events, "item")
        .window(iw.hop("ts", size=size, every=every))
        .agg(s=iw.sum("price"), n=iw.count(), hi=iw.max("v"))
    )
    spark = events.groupBy("item", F.window("ts", size, every)).agg(
        F.sum("price").alias("s"), F.count("*").alias("n"), F.max("v").alias("hi")
    )
    if size == every:
        assert ours.schema == spark.schema
    else:  # the window of Spark's hops may be NULL, says its schema; ours never is
        assert [field.dataType for field in ours.schema] == [field.dataType for field in spark.schema]
    assert rows(ours) == rows(spark)


@pytest.mark.parametrize("keys", [("item",), ()])
@pytest.mark.filterwarnings("ignore:.*no partitioning")
def test_whole_groups(events: Any, keys: tuple[str, ...]) -> None:
    from pyspark.sql import functions as F

    for data in (events, events.where("id < 0")):
        made = iw.group_by(data, *keys).agg(s=iw.sum("price"), n=iw.count(), spread=Spread()("v"))
        spark = data.groupBy(*keys).agg(
            F.sum("price").alias("s"), F.count("*").alias("n"), (F.max("v") - F.min("v")).alias("spread")
        )
        assert made.schema == spark.schema
        assert rows(made) == rows(spark)


def test_explain_of_groups(events: Any) -> None:
    from pyspark.sql import functions as F

    first = "one Arrow UDF" if hasattr(F, "arrow_udf") else "mapInArrow"  # 4.0 has none
    grouped = iw.group_by(events, "item").window(iw.tumble("ts", size="1 hour"))
    text = str(iw.explain(grouped, s=iw.sum("v")))
    assert "strategy  tumble" in text
    memory = (
        "memory: a task holds at most 64 MB of tuples, or 1/8 of spark.executor.pyspark.memory (spark.inwindow.memory changes it); "
        "more goes to disk, in sorted runs, which Spark's UI shows as the stage's spill"
    )
    assert text.endswith(
        "spark, pass 1: panes before the shuffle: one partial per key and pane of 1 hour; no sort of raw tuples\n"
        f"  {first} over item, ts, v; shuffle by item of the partials; mapInArrow over partials, ordered in the worker\n"
        f"{memory}"
    )
    text = str(iw.explain(grouped, s=iw.sum("v"), m=iw.median("v")))
    assert text.endswith(
        "spark, pass 1: shuffle by item; mapInArrow over item, ts, v, ordered in the worker\n"
        f"  panes before the shuffle: no, median(v) has no merge\n{memory}"
    )


def test_sessions_gap(events: Any) -> None:
    """Spark joins tuples that are exactly a gap apart, ours do not (docs/semantics.md): 18 s, 21 s and 24 s never tie at 20."""
    from pyspark.sql import functions as F

    ours = iw.group_by(events, "item").window(iw.session("ts", gap=timedelta(seconds=20))).agg(n=iw.count())
    spark = events.groupBy("item", F.session_window("ts", "20 seconds").alias("window")).agg(F.count("*").alias("n"))
    assert rows(ours) == rows(spark)
