"""Mistakes with relations on Spark: the driver says what to write. And what explain says of a stream."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import inwindow as iw
from inwindow import temporal

SCHEMA = "host string, v int, since timestamp, until timestamp"
TABLE = pa.table({"host": ["a"], "since": [1], "until": [2]})


@pytest.fixture(scope="module")
def at(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("relation") / "x")
    spark.sql(
        "SELECT 'a' AS host, 1 AS v, timestamp'2026-01-01' AS since, timestamp'2026-01-02' AS until"
    ).write.parquet(path)
    return path


@pytest.fixture
def batch(spark: Any, at: str) -> Any:
    return spark.read.schema(SCHEMA).parquet(at)


@pytest.fixture
def stream(spark: Any, at: str) -> Any:
    return spark.readStream.schema(SCHEMA).parquet(at)


@pytest.fixture
def marked(stream: Any) -> Any:
    return stream.withWatermark("since", "1 minute")


ON_BATCH: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no until": (
        lambda a: temporal.aggregate(a.drop("until"), n=iw.count()),
        "there is no column 'until': name the columns with",
    ),
    "no key": (
        lambda a: temporal.aggregate(a, by="hots", n=iw.count()),
        "there is no column 'hots'; did you mean 'host'?",
    ),
    "no argument": (lambda a: temporal.aggregate(a, by="host", n=iw.sum("w")), "sum(w): there is no column 'w'"),
    "no key on one side": (
        lambda a: temporal.join(a, a.drop("host"), on="host", suffix="_b"),
        "there is no column 'host'",
    ),
    "a date and a timestamp": (
        lambda a: temporal.coalesce(a.selectExpr("v", "since", "date(until) AS until")),
        "'since' is of type timestamp[us, tz=America/New_York], but 'until' of type date32[day]: ends are compared, so cast them",
    ),
    "a zone and none": (
        lambda a: temporal.coalesce(a.selectExpr("v", "since", "CAST(until AS timestamp_ntz) AS until")),
        "'since' has a time zone and 'until' has none: they cannot be compared; cast one of them",
    ),
    "zones of two tables": (
        lambda a: temporal.join(
            a,
            a.selectExpr("host", "CAST(since AS timestamp_ntz) AS since", "CAST(until AS timestamp_ntz) AS until"),
            on="host",
        ),
        "the validity of the first table has a time zone and the validity of the second table has none",
    ),
    "types of two tables": (
        lambda a: temporal.join(a, a.selectExpr("host", "1 AS since", "2 AS until"), on="host"),
        "but the validity of the second table of type int32: ends are compared, so cast them to one type",
    ),
    "types of keys": (
        lambda a: temporal.join(a, a.selectExpr("1 AS host", "since", "until"), on="host"),
        "temporal.join(on='host'): it is of type string in the first table and int32 in the second: cast one of them",
    ),
    "no instants": (
        lambda a: temporal.coalesce(a.selectExpr("1.5D AS since", "2.5D AS until")),
        "'since' is of type double; a row holds",
    ),
    "columns that one lacks": (
        lambda a: temporal.difference(a, a.drop("v")),
        "the second table has no column 'v': both need the same",
    ),
    "a condition of Spark": (
        lambda a: temporal.join(a, a, on="host", condition=a["v"] > 1),
        "write an Arrow expression",
    ),
    "a table and a DataFrame": (
        lambda a: temporal.join(TABLE, a, on="host"),
        "got a Table and a DataFrame: give both as tables",
    ),
}


@pytest.mark.parametrize("name", ON_BATCH)
def test_on_tables(batch: Any, name: str) -> None:
    call, message = ON_BATCH[name]
    with pytest.raises(iw.UsageError, match=re.escape(message)):
        call(batch)


ON_STREAM: dict[str, tuple[Callable[[Any, Any, Any], Any], str]] = {
    "a stream and a table": (
        lambda a, _, c: temporal.join(a, c, on="host", suffix="_b"),
        "one is a stream and the other is not: read both as streams",
    ),
    "a union with a table": (
        lambda a, _, c: temporal.union(c, a),
        "temporal.union: one is a stream and the other is not",
    ),
    "no watermark": (
        lambda _, b, c: temporal.coalesce(b),
        "'since' has no watermark, so no tuple would ever be known to be in order",
    ),
    "no watermark on one side": (
        lambda a, b, _: temporal.join(a, b, on="host", suffix="_b"),
        "temporal.join on a stream: 'since' has no watermark",
    ),
    "a watermark elsewhere": (
        lambda _, b, c: temporal.coalesce(b.withWatermark("until", "1 minute")),
        "(that of the stream is on 'until'), so no tuple would ever be known to be in order: move it",
    ),
    "days": (
        lambda a, *_: temporal.coalesce(a.selectExpr("v", "date(since) AS since", "date(until) AS until")),
        "the column 'since' is of type date32[day], but Spark's watermark is on a timestamp: make both ends timestamps before that",
    ),
    "pieces": (lambda a, *_: temporal.aggregate(a, n=iw.count(), coalesce=False), "coalesce=False) on a stream"),
    "two calls": (lambda a, *_: temporal.coalesce(temporal.distinct(a)), "a query is one call"),
}


@pytest.mark.parametrize("name", ON_STREAM)
def test_on_streams(marked: Any, stream: Any, batch: Any, name: str) -> None:
    call, message = ON_STREAM[name]
    with pytest.raises(iw.UsageError, match=re.escape(message)):
        call(marked, stream, batch)


def test_explain_raises_what_the_call_would(marked: Any, stream: Any, batch: Any) -> None:
    with pytest.raises(iw.UsageError, match="'since' has no watermark"):
        temporal.explain(temporal.coalesce, stream)
    with pytest.raises(iw.UsageError, match="one is a stream and the other is not"):
        temporal.explain(temporal.join, marked, batch, on="host", suffix="_b")
    with pytest.raises(iw.UsageError, match="since or until, and rows are cut wherever"):
        late = pc.field("since") > pc.scalar(datetime(2026, 1, 1, tzinfo=UTC))
        temporal.explain(lambda a: temporal.coalesce(temporal.aggregate(a, by="v", n=iw.count()).where(late)), marked)


def test_explain_of_several_operators_on_a_stream(marked: Any) -> None:
    """They share a state, so it is said once."""
    said = str(temporal.explain(lambda a: temporal.dstream(temporal.aggregate(a, by="v", n=iw.count())), marked))
    assert said.count("  stream: ") == said.count("state: ") == 1
    assert "state: what all operators hold: rows that have not ended, tuples that windows see, and open results" in said


def test_explain_says_what_a_stream_waits_for_and_holds(marked: Any) -> None:
    said = str(temporal.explain(temporal.coalesce, marked, by="host"))
    assert "  stream: a row comes out when the watermark on 'since' has passed its until\n" in said
    assert "  state: rows that have not ended, and open results; what ends leaves it\n" in said
    assert "  spark: mapInArrow packs tuples by bucket; " in said
    said = str(temporal.explain(temporal.join, marked, marked, on="host", how="left", suffix="_b"))
    assert (
        "has passed both beginnings, of a pair; the end of a time in which it has no partner, of a row by itself"
        in said
    )
    assert "state: rows of both sides that have not ended, and open results" in said
    tuples = marked.drop("until").withColumnRenamed("since", "ts")
    query = lambda a: temporal.aggregate(temporal.window(a, iw.range("1 hour", order_by="ts")), n=iw.count())  # noqa: E731
    said = str(temporal.explain(query, tuples))
    assert "    stream: a row comes out at once; nothing is held\n" in said
    said = str(temporal.explain(temporal.window, tuples, window=iw.rows(3, partition_by="host", order_by="ts")))
    assert (
        "when the watermark on 'ts' has passed the tuple that pushes it out\n  state: tuples that the window still sees"
        in said
    )
