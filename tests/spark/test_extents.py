"""Extents are those of Spark's ``window()`` and ``session_window()``, row for row, in a zone whose clocks change.

A table of many keys is many cases: each key has its own density, from tuples milliseconds apart to months, so some extents hold
hundreds of tuples and others lie about a gap. All values are multiples of 1/4: their sums are exact, in any order.
"""

import warnings
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

import inwindow as iw
from inwindow.optimizer.strategy import No

KEYS, ROWS = 12, 1500
ORIGIN = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def events(spark: Any) -> Any:
    """Times around both changes of clocks, 1970, the year 1; NULL times, keys and values; ties; fractions of seconds."""
    times = (
        "2026-03-08 01:00:00",
        "2026-11-01 00:30:00",
        "1969-12-31 18:59:00",
        "1883-11-18 12:00:00",
        "0001-01-03 00:00:00",
    )
    around = f"array({', '.join(map(repr, times))})"
    return spark.range(0, ROWS, 1, 3).selectExpr(
        f"if(id % {KEYS} = 0, null, concat('key', id % {KEYS})) as k",
        f"if(id % 41 = 0, null, timestamp_micros(unix_micros(timestamp(get({around}, cast(pmod(xxhash64(id), 5) as int))))"
        # what lies apart grows from key to key: 10 milliseconds to half a year, to whole steps, so that there are ties
        f" + pmod(xxhash64(id, 1), 60) * 10 * cast(power(8, id % {KEYS}) as bigint) * 1000 - 300000)) as ts",
        "if(id % 7 = 0, null, cast(pmod(xxhash64(id, 2), 401) - 200 as double) / 4) as v",
        "pmod(xxhash64(id, 3), 1000) - 500 as n", "cast(pmod(xxhash64(id, 4), 1000) as decimal(9,2)) / 4 as d",
        "concat('t', pmod(xxhash64(id, 5), 50)) as s", "id",
    ).withColumn("at", as_ntz(spark))  # fmt: skip


def as_ntz(spark: Any) -> Any:
    from pyspark.sql import functions as F

    return F.col("ts").cast("timestamp_ntz")


def theirs(F: Any) -> list[Any]:
    return [
        F.sum("v").alias("a"), F.avg("v").alias("b"), F.count("v").alias("c"), F.count("*").alias("d"), F.min("v").alias("e"),
        F.max("s").alias("f"), F.sum("n").alias("g"), F.avg("n").alias("h"), F.sum("d").alias("i"), F.avg("d").alias("j"),
    ]  # fmt: skip


def ours() -> dict[str, iw.Applied]:
    return {
        "a": iw.sum("v"), "b": iw.avg("v"), "c": iw.count("v"), "d": iw.count(), "e": iw.min("v"), "f": iw.max("s"),
        "g": iw.sum("n"), "h": iw.avg("n"), "i": iw.sum("d"), "j": iw.avg("d"),
    }  # fmt: skip


def assert_same(found: Any, expected: Any) -> None:
    """Row for row; bounds by their microseconds, as Python has no year 0."""
    assert [(f.name, f.dataType) for f in found.schema] == [(f.name, f.dataType) for f in expected.schema]
    names = [name for name in found.columns if name != "window"]
    of = "string" if "TimestampNTZ" in str(found.schema["window"].dataType) else "unix_micros"
    bounds = [f"{of}(window.{edge})" for edge in ("start", "end")]
    rows, others = (sorted(map(tuple, df.selectExpr(*names, *bounds).collect()), key=str) for df in (found, expected))
    assert len(rows) > 20
    assert rows == others


EXTENTS = [
    ("ts", "1 hour", "1 hour", None),
    ("ts", "1 hour", "10 minutes", None),
    ("ts", "90 minutes", "20 minutes", "7 minutes"),
    ("ts", "1 day", "1 day", "-5 hours"),
    ("ts", "2 weeks", "3 days", None),
    ("ts", "1500 milliseconds", "400 milliseconds", "-100 milliseconds"),
    ("ts", "7 microseconds", "7 microseconds", "3 microseconds"),
    ("at", "1 day", "6 hours", "30 minutes"),
    ("at", "250 milliseconds", "100 milliseconds", None),
]


@pytest.mark.parametrize("on, size, every, offset", EXTENTS)
def test_windows(events: Any, on: str, size: str, every: str, offset: str | None) -> None:
    from pyspark.sql import functions as F

    origin = None
    if offset is not None:
        number, unit = offset.split()
        origin = ORIGIN + timedelta(**{unit: int(number)})
        origin = origin.replace(tzinfo=None) if on == "at" else origin
    expected = events.groupBy("k", F.window(on, size, every, offset)).agg(*theirs(F))
    grouped = iw.group_by(events, "k").window(iw.hop(on, size=size, every=every, origin=origin))
    assert_same(grouped.agg(**ours()), expected)


def test_tuples_in_order_too(events: Any) -> None:
    from pyspark.sql import functions as F

    expected = events.groupBy(F.window("ts", "90 minutes", "20 minutes")).agg(*theirs(F))
    with warnings.catch_warnings(), patch("inwindow.runtime.spark.plans.panes_first", lambda work: No("not wanted")):
        warnings.filterwarnings("ignore", ".*no partitioning")
        found = iw.group_by(events).window(iw.hop("ts", size="90 minutes", every="20 minutes")).agg(**ours())
    assert_same(found, expected)


@pytest.mark.parametrize(
    "on, gap",
    [
        ("ts", "45 minutes 1 microsecond"), ("ts", "80 milliseconds"), ("at", "640 milliseconds"), ("ts", "5120 milliseconds"),
        ("ts", "24 hours"), ("ts", "1 day"), ("ts", "2 days"), ("ts", "1 week"), ("ts", "1 day 12 hours"), ("at", "3 days"),
    ],
)  # fmt: skip
def test_sessions(events: Any, on: str, gap: str) -> None:
    """Many tuples of the dense keys lie exactly the gap apart; days are of the calendar, and the clocks change."""
    from pyspark.sql import functions as F

    expected = events.groupBy("k", F.session_window(on, gap).alias("window")).agg(*theirs(F))
    found = iw.group_by(events, "k").window(iw.session(on, gap=gap)).agg(**ours())
    assert_same(found, expected)


@pytest.mark.parametrize("size, unit", [("1 day", "day"), ("1 month", "month")])
def test_local_days_and_months(spark: Any, events: Any, size: str, unit: str) -> None:
    """Spark's window() knows neither; its date_trunc does, by the session's zone."""
    from pyspark.sql import functions as F

    zone = spark.conf.get("spark.sql.session.timeZone")
    start = F.date_trunc(unit, "ts")
    window = F.struct(start.alias("start"), (start + F.expr(f"INTERVAL '1' {unit.upper()}")).alias("end")).alias(
        "window"
    )
    expected = events.where("ts is not null").groupBy("k", window).agg(*theirs(F))
    found = iw.group_by(events, "k").window(iw.tumble("ts", size=size, timezone=zone)).agg(**ours())
    assert_same(found.where("window.start >= '1900-01-01'"), expected.where("window.start >= '1900-01-01'"))


def test_sessions_of_own_gaps(events: Any) -> None:
    """Each tuple keeps its session open for its own gap; none, or one that is not positive: it is in no session."""
    from pyspark.sql import functions as F

    seconds = "if(n % 11 = 0, null, cast(pmod(n, 5) * power(8, id % 12) / 100 as decimal(18, 6)))"
    data = events.selectExpr("*", f"make_dt_interval(0, 0, 0, {seconds}) as gap")
    theirs_gap = F.expr(f"make_interval(0, 0, 0, 0, 0, 0, {seconds})")  # Spark wants the other kind of interval
    expected = data.groupBy("k", F.session_window("ts", theirs_gap).alias("window")).agg(*theirs(F))
    assert_same(iw.group_by(data, "k").window(iw.session("ts", gap="gap")).agg(**ours()), expected)


@pytest.mark.parametrize("gap", ["1 day", "24 hours", "23 hours", "25 hours", "2 days", "1 day 1 hour"])
@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date"])
def test_tuples_a_gap_apart(spark: Any, gap: str, kind: str) -> None:
    """Noon and noon, around both changes of clocks, and times that clocks skip or have twice: one session or two, as in Spark."""
    from pyspark.sql import functions as F

    if kind == "date" and "hour" in gap and gap != "24 hours":
        return  # no whole number of days
    days = [f"2026-{month}-{day:02} {time}" for month, first in (("03", 5), ("10", 29)) for day in range(first, first + 3)
            for time in ("01:30", "02:30", "03:10", "12:00")]  # fmt: skip
    texts = (
        "array("
        + ", ".join(f"'{day}'" for day in [*days, "2026-03-08 12:00", "2026-11-01 01:30", "2026-11-01 12:00"])
        + ")"
    )
    data = spark.range(1).select(F.explode(F.expr(texts)).alias("text"))
    data = data.selectExpr("text", f"cast(cast(text as timestamp_ntz) as {kind}) as ts")
    data = data.select("ts", F.explode(F.array(F.substring("text", 12, 5), F.substring("text", 1, 7))).alias("k"))
    found = iw.group_by(data, "k").window(iw.session("ts", gap=gap)).agg(n=iw.count())
    expected = data.groupBy(
        "k", F.session_window(F.col("ts").cast("timestamp") if kind == "date" else "ts", gap).alias("w")
    )
    rows, others = (
        sorted((row.k, str(row.s), row.n) for row in df.collect())
        for df in (
            found.selectExpr("k", "cast(window.start as timestamp_ntz) as s", "n"),
            expected.agg(F.count("*").alias("n")).selectExpr("k", "cast(w.start as timestamp_ntz) as s", "n"),
        )
    )
    assert rows == others
    assert len(rows) > 5


def test_a_day_is_24_hours(spark: Any) -> None:
    """Across a change of clocks windows of a day begin an hour later by the clock, as in Spark, whatever the origin."""
    from pyspark.sql import functions as F

    data = spark.sql("select explode(array(timestamp'2026-03-07 12:00', timestamp'2026-03-09 12:00')) as ts, 1 as k")
    origin = "2026-03-01 00:00:00"  # a midnight in New York
    made = iw.group_by(data, "k").window(iw.tumble("ts", size="1 day", origin=origin)).agg(n=iw.count())
    expected = data.groupBy("k", F.window("ts", "1 day", startTime="5 hours")).agg(F.count("*").alias("n"))
    starts = [{row[0] for row in df.selectExpr("string(window.start)").collect()} for df in (made, expected)]
    assert starts == [{"2026-03-07 00:00:00", "2026-03-09 01:00:00"}] * 2


class Joined(iw.Aggregate):
    """Depends on the order of tuples: merge, but not commutative."""

    def initialize(self, value: str) -> None:
        self.text = value

    def iterate(self, value: str) -> None:
        self.text += value

    def merge(self, later: "Joined") -> None:
        self.text += later.text

    def terminate(self) -> str:
        return self.text


def test_what_depends_on_order_is_sorted_then_cascaded(spark: Any) -> None:
    data = spark.range(0, 300, 1, 3).selectExpr("id % 3 as k", "id * 7919 % 301 as t", "concat('<', id, '>') as s")
    grouped, local = (iw.group_by(d, "k").window(iw.hop("t", size=40, every=15)) for d in (data, data.toArrow()))
    asked = {
        "x": Joined()("s"),
        "f": iw.first("s"),
        "l": iw.last("s"),
        "all": iw.collect_list("t"),
        "text": iw.string_agg("s"),
    }
    text = str(iw.explain(grouped, **asked))
    assert text.count("strategy  pane-cascade") == len(asked)
    assert "no, Joined(s) is not commutative=True; panes of the ordered tuples" in text
    made, expected = (
        sorted(map(str, table.to_pylist())) for table in (grouped.agg(**asked).toArrow(), local.agg(**asked))
    )
    assert len(made) > 30
    assert made == expected
