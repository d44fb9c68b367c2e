"""A pyspark.sql.WindowSpec is a window: classic (needs a JVM) and Connect (plain Python), read alike, usable on a table."""

import sys
from typing import Any

import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.windows.frames import window_of
from inwindow.windows.spec import Order, Range, Rows


def specs(Window: Any, F: Any) -> list[tuple[Any, Any, tuple[str, ...], tuple[Order, ...]]]:
    """Specs, and what they must be read as."""
    w = Window.partitionBy("item").orderBy("ts")
    ts = (Order("ts"),)
    return [
        (w.rowsBetween(-49, 0), Rows(-49, 0), ("item",), ts),
        (w.rowsBetween(Window.unboundedPreceding, Window.currentRow), Rows(None, 0), ("item",), ts),
        (w.rowsBetween(-1, Window.unboundedFollowing), Rows(-1, None), ("item",), ts),
        (w.rangeBetween(-10, 5), Range(-10, 5), ("item",), ts),
        (w.rangeBetween(-(1 << 62), (1 << 63) - 2), Range(-(1 << 62), (1 << 63) - 2), ("item",), ts),  # no UNBOUNDED
        (w.rangeBetween(-sys.maxsize, sys.maxsize), Range(None, None), ("item",), ts),
        (w.rowsBetween(-(1 << 64), 1 << 64), Rows(None, None), ("item",), ts),  # to PySpark itself
        (w, Range(None, 0), ("item",), ts),
        (Window.partitionBy("item", "k"), Rows(None, None), ("item", "k"), ()),
        (
            Window.orderBy(F.col("ts").desc(), F.col("v").asc_nulls_last()).rowsBetween(-2, 2),
            Rows(-2, 2), (), (Order("ts", False, False), Order("v", True, False)),
        ),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def classic(spark: Any) -> tuple[Any, Any]:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    return Window, F


@pytest.fixture(scope="module")
def connect() -> tuple[Any, Any]:
    from pyspark.sql.connect import functions as F
    from pyspark.sql.connect.window import Window

    return Window, F


@pytest.mark.parametrize("mode", ["classic", "connect"])
def test_specs_are_read(mode: str, request: pytest.FixtureRequest) -> None:
    Window, F = request.getfixturevalue(mode)
    for spec, frame, partition_by, order_by in specs(Window, F):
        window = window_of(spec)
        assert (window.frame, window.partition_by, window.order_by) == (frame, partition_by, order_by)
        assert window_of(spec, slide=10 if isinstance(frame, Rows) else "1 day").slide is not None or order_by == ()


@pytest.mark.parametrize("mode", ["classic", "connect"])
def test_a_spark_window_works_on_a_table(mode: str, request: pytest.FixtureRequest) -> None:
    Window, _ = request.getfixturevalue(mode)
    table = pa.table({"item": ["a", "b", "a", "a"], "ts": [1, 2, 3, 4], "price": [1.0, 7.0, 3.0, 8.0]})
    window = Window.partitionBy("item").orderBy("ts").rowsBetween(-1, 0)
    ours = iw.with_columns(table, avg2=iw.avg("price").over(window), total=iw.sum("price").over(window, slide=2))
    assert ours["avg2"].to_pylist() == [1.0, 7.0, 2.0, 5.5]
    assert ours["total"].to_pylist() == [None, None, 4.0, None]


@pytest.mark.parametrize("mode", ["classic", "connect"])
def test_an_expression_needs_spark(mode: str, request: pytest.FixtureRequest) -> None:
    Window, F = request.getfixturevalue(mode)
    table = pa.table({"ts": [1, 2], "price": [1.0, 7.0]})
    with pytest.raises(iw.UsageError, match="on local data use a column name"):
        iw.with_columns(table, x=iw.avg("price").over(Window.orderBy(F.col("ts") + 1).rowsBetween(-1, 0)))
