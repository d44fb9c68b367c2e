"""Slides and extents of classes that answer as tuples come (ESL, examples 13 and 16), on Spark as on tables."""

from typing import Any

import pytest
from samples.esl_aggregates import AlgebraicMax, MaxAsItExpires, MaxAsPrinted

import inwindow as iw


@pytest.mark.parametrize("kind", [MaxAsPrinted, AlgebraicMax])
def test_example_16(spark: Any, kind: Any) -> None:
    df = spark.range(60).selectExpr("id", "id % 3 as k", "cast(id * 7 % 11 as double) as price")
    slide = iw.rows(6, partition_by="k", order_by="id", slide=2)
    extent = iw.hop("id", size=12, every=4)

    def seen(data: Any, its: Any) -> list[Any]:
        frames = iw.select(data, "id", x=its()("price").over(slide))
        hops = iw.group_by(data, "k").window(extent).agg(x=its()("price"))
        return [sorted(map(str, _rows(table))) for table in (frames, hops)]

    expected = seen(df.toArrow(), MaxAsItExpires)
    assert len(expected[0]) == 30 and seen(df, kind) == expected
    explained = str(iw.explain(df, x=kind()("price").over(slide)))
    assert "strategy  pane-cascade" in explained and "derived   def terminate(self):" in explained


def _rows(table: Any) -> list[Any]:
    given = table if hasattr(table, "to_pylist") else table.toArrow()
    return [list(row.values()) for row in given.to_pylist()]
