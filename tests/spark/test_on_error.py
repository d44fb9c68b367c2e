"""``on_error=`` on batch DataFrames: the rows and the bad tuples of the same call on a table."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

import inwindow as iw

START = datetime(2026, 1, 1, tzinfo=UTC)
TABLE = pa.table(
    {
        "k": ["a", "b", None] * 20,
        "ts": pa.array([START + timedelta(seconds=n) for n in range(60)], pa.timestamp("us", "UTC")),
        "v": [float(n * 7 % 10) for n in range(60)],
    }
)


class Low(iw.WindowAggregate):
    """Takes small numbers alone; its result is NULL if they come to nothing."""

    def initialize(self, v):
        self.total = v
        self.check(v)

    def iterate(self, v):
        self.total += v
        self.check(v)

    def expire(self, v):
        self.total -= v

    def check(self, v):
        if v > 7:
            raise ValueError(f"{v} is high")

    def terminate(self) -> float:
        return 100 / self.total


class Odd(iw.Aggregate):
    """Answers as tuples arrive; takes odd numbers alone."""

    def iterate(self, v) -> float:
        self.count = getattr(self, "count", 0) + 1
        if v % 2 == 0:
            raise ValueError(f"{v} is even")
        return v + self.count


def queries(df: Any, on_error: str) -> dict[str, Any]:
    own = {"partition_by": "k", "order_by": "ts"}
    return {
        "columns": iw.with_columns(
            df,
            x=Low()("v").over(iw.rows(2, **own)),
            y=Odd()("v").over(iw.rows(5, order_by="ts")),
            n=iw.count().over(iw.rows(2, order_by=["v", "ts"])),
            on_error=on_error,
        ),
        "select": iw.select(df, "k", "v", x=Low()("v").over(iw.rows(6, slide=3, **own)), on_error=on_error),
        "emit": iw.group_by(df, "k", order_by="ts").emit("v", x=Odd()("v"), on_error=on_error),
        "hops": iw.group_by(df, "k")
        .window(iw.hop("ts", size="10 seconds", every="5 seconds"))
        .agg(x=Low()("v"), on_error=on_error),
        "all": iw.group_by(df, order_by="ts").agg(x=Low()("v"), on_error=on_error),
    }


def shown(rows: list[dict[str, Any]]) -> list[str]:
    """Rows without times, which depend on the session's zone; sums to six digits."""
    times = ("ts", "window", "time")
    kept = [{k: round(v, 6) if isinstance(v, float) else v for k, v in row.items() if k not in times} for row in rows]
    return sorted(map(repr, kept))


def crossings(df: Any) -> int:
    """How often tuples cross to Python."""
    return str(df._jdf.queryExecution().optimizedPlan()).count("inwindow(")


def check_outputs(made: Any, local: pa.Table) -> None:
    """Both from one run: those of the table."""
    outputs = iw.outputs(made)
    assert outputs.columns == local.column_names == ["kind", "row", "failed"]
    assert crossings(outputs) == crossings(made) > 0
    found, wanted = [row.asDict(recursive=True) for row in outputs.collect()], local.to_pylist()
    for kind in ("row", "failed"):
        ours, theirs = ([one[kind] for one in rows if one["kind"] == kind] for rows in (found, wanted))
        if kind == "failed":
            for one in (*ours, *theirs):
                one["tuple"].pop("ts", None)
        assert shown(ours) == shown(theirs) and len(ours) > 1
    assert all((one["row"] is None) != (one["failed"] is None) for one in found)


def test_rows_and_bad_tuples_of_a_table(spark: Any) -> None:
    df = spark.createDataFrame(TABLE.to_pandas()).repartition(3)
    df = df.selectExpr("nullif(k, 'None') AS k", "ts", "v")
    expected = queries(TABLE, "collect")
    for name, made in queries(df, "collect").items():
        local = expected[name]
        if name == "columns":
            assert made.columns == local.column_names
        assert shown([row.asDict(recursive=True) for row in made.collect()]) == shown(local.to_pylist()), name
        failed = iw.failed(made)
        assert failed.columns == ["aggregate", "call", "hook", "message", "key", "time", "tuple"]
        ours = [row.asDict(recursive=True) for row in failed.collect()]
        theirs = iw.failed(local).to_pylist()
        for one in (*ours, *theirs):
            one["tuple"].pop("ts", None)
        assert shown(ours) == shown(theirs) and len(ours) > 1, name
        if name in ("columns", "hops"):
            check_outputs(made, iw.outputs(local))
    for name, made in queries(df, "skip").items():
        if name in ("columns", "select"):
            assert iw.metrics(made) == {"failed_tuples": 0}
            assert len(made.collect()) == len(expected[name])
            assert iw.metrics(made) == {"failed_tuples": len(iw.failed(expected[name]))}
