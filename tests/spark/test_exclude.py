"""EXCLUDE on Spark: the rows of a table, in one job; and in text."""

from typing import Any

from samples.aggregates import MyAvg
from samples.ids import Ids, IdsExpire, IdsMerge

import inwindow as iw


def test_as_on_a_table(spark: Any) -> None:
    """Each hole over each kind of frame, by each way to go around it."""
    df = spark.range(0, 240, 1, 3).selectExpr(
        "id", "id % 4 as k", "if(id % 17 = 0, null, timestamp_seconds(id * 7 % 60)) as ts", "double(id % 11) as v"
    )
    by: dict[str, Any] = {"partition_by": "k", "order_by": ["ts", "id"]}
    applied = {}
    for hole in ("current row", "group", "ties"):
        times: dict[str, Any] = {"partition_by": "k", "order_by": "ts", "exclude": hole}
        for name, window in {
            "around": iw.rows_between(-3, 2, exclude=hole, **by),
            "before": iw.rows(4, exclude=hole, **by),
            "range": iw.range("9 seconds", **times),
            "groups": iw.groups_between(-1, 1, **times),
            "all": iw.rows_between(None, None, **times),
        }.items():
            of = [iw.sum("v"), iw.max("v"), iw.median("v"), MyAvg()("v"), iw.count("ts")]
            of += [IdsMerge()("id"), IdsExpire()("id"), Ids()("id")] if name in ("around", "before") else []
            applied |= {f"{hole[0]}_{name}_{number}": one.over(window) for number, one in enumerate(of)}
    ours = iw.with_columns(df, **applied).toArrow().sort_by("id")
    local = iw.with_columns(df.toArrow(), **applied).sort_by("id")
    for name in applied:
        assert ours[name].to_pylist() == local[name].to_pylist(), name
    df.createOrReplaceTempView("with_holes")
    by_rows = "PARTITION BY k ORDER BY ts, id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW"
    by_time = "PARTITION BY k ORDER BY ts RANGE INTERVAL '9' SECOND PRECEDING EXCLUDE TIES"
    text = f"SELECT id, sum(v) OVER ({by_rows}) AS s, max(v) OVER ({by_time}) AS m FROM with_holes ORDER BY id"
    said = iw.sql(spark, text).toArrow()
    assert said["s"].to_pylist() == local["c_around_0"].to_pylist()
    assert said["m"].to_pylist() == local["t_range_1"].to_pylist()
