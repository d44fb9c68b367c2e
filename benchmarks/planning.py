"""On Spark: what a call costs before any row moves: requests to the JVM, or to the server of Spark Connect, and CPU time.

``python -m benchmarks.planning [--connect] [--calls N]``. A small DataFrame on ``local[2]``; each call is made anew, on a session
that is warm, and its result is not run. CPU is that of the process tree, per call, the least of five rounds; a classic request is
one command of py4j, one of Connect an RPC. ``fresh`` is the first call on a DataFrame of which nothing has been asked yet.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import inwindow as iw
from benchmarks.measure import markdown
from benchmarks.process_tree import seconds
from inwindow.runtime.spark.jvm import ensure_java
from inwindow.runtime.spark.session import is_connect

TIME = {"partition_by": "k", "order_by": "ts"}


def data(spark: Any) -> Any:
    """A DataFrame of which nothing has been asked."""
    columns = "id", "id % 7 AS k", "CAST(id AS double) AS v", "timestamp_seconds(id) AS ts"
    return spark.range(1000).selectExpr(*columns)


CALLS: dict[str, Callable[[Any], Any]] = {
    "with_columns, one pass": lambda df: iw.with_columns(df, a=iw.avg("v").over(iw.rows(10, **TIME))),
    "with_columns, three orders": lambda df: iw.with_columns(
        df, **{by: iw.avg("v").over(iw.rows(10, partition_by="k", order_by=by)) for by in ("ts", "id", "v")}
    ),
    "select": lambda df: iw.select(df, "k", "ts", a=iw.avg("v").over(iw.rows(10, slide=5, **TIME))),
    "group_by, hops": lambda df: iw.group_by(df, "k").window(iw.hop("ts", "10 minutes", "1 minute")).agg(a=iw.avg("v")),
    "explain": lambda df: iw.explain(df, a=iw.avg("v").over(iw.rows(10, **TIME))),
}


@contextmanager
def requests(spark: Any) -> Iterator[list[str]]:
    """The requests that are made meanwhile."""
    made: list[str] = []
    if is_connect(spark):
        from pyspark.sql.connect.client import SparkConnectClient

        kinds: Any = SparkConnectClient
        names = ["_analyze", "config", "_execute", "_execute_and_fetch"]
    else:
        from py4j.java_gateway import GatewayClient

        kinds, names = GatewayClient, ["send_command"]

    def counting(own: Any, self: Any, *given: Any, **named: Any) -> Any:
        asked = str(named.get("method", given[0] if given else own.__name__))
        if not asked.startswith("m\n"):  # py4j lets go of an object, whenever Python collects it
            made.append(asked)
        return own(self, *given, **named)

    patches = [patch.object(kinds, name, _method(partial(counting, getattr(kinds, name)))) for name in names]
    for one in patches:
        one.start()
    try:
        yield made
    finally:
        for one in patches:
            one.stop()


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *given, **named: function(self, *given, **named)


def report(spark: Any, calls: int) -> str:
    """A table."""
    rows = []
    for title, call in CALLS.items():
        df = data(spark)
        with requests(spark) as fresh:
            call(df)
        for _ in range(calls):
            call(df)
        with requests(spark) as known:
            call(df)
        rows.append([title, len(fresh), len(known), min(_cpu(call, df, calls) for _ in range(5))])
    return markdown(["call", "requests, fresh", "requests", "CPU ms"], rows)


def _cpu(call: Callable[[Any], Any], df: Any, calls: int) -> float:
    def repeated() -> None:
        for _ in range(calls):
            call(df)

    return seconds(repeated).cpu / calls * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connect", action="store_true")
    parser.add_argument("--calls", type=int, default=20)
    options = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    ensure_java()
    from pyspark.sql import SparkSession

    if options.connect:
        os.environ["SPARK_TESTING"] = "1"  # a server on any free port
        spark = SparkSession.builder.remote("local[2]").getOrCreate()
    else:
        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(report(spark, options.calls))
    spark.stop()


if __name__ == "__main__":
    main()
