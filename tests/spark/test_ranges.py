"""RANGE over every type that Spark lets one measure distances in, both directions, NULLs and NaNs among them."""

from itertools import product
from typing import Any

import pytest
from spark.parity import by_id

import inwindow as iw

# The order column, and the frames as Spark's SQL and as ours say them.
NUMBERS = [
    ("2 PRECEDING AND 1 FOLLOWING", -2, 1),
    ("UNBOUNDED PRECEDING AND 1 PRECEDING", None, -1),
    ("CURRENT ROW AND 3 FOLLOWING", 0, 3),
]
TIMES = [
    ("INTERVAL 2 HOURS PRECEDING AND CURRENT ROW", "-2 hours", 0),
    (
        "INTERVAL '1 02:00:00' DAY TO SECOND PRECEDING AND INTERVAL '0 00:05:00' DAY TO SECOND FOLLOWING",
        "-26 hours",
        "5 minutes",
    ),
    ("INTERVAL 1 MONTH PRECEDING AND CURRENT ROW", "-1 month", 0),
]
ORDERS = {
    "cast(n as tinyint)": NUMBERS,
    "cast(n as bigint)": NUMBERS,
    "cast(n / 2 as double)": NUMBERS,
    "cast(n as float)": NUMBERS,
    "if(n = 3, double('NaN'), cast(n as double))": NUMBERS,
    "cast(n / 4 as decimal(10,2))": NUMBERS,
    "cast(n / 4 as decimal(30,10))": NUMBERS,
    "date'2024-02-25' + cast(n as int)": [*NUMBERS, ("INTERVAL 1 MONTH PRECEDING AND CURRENT ROW", "-1 month", 0)],
    "timestamp'2024-05-01 00:00:00' + make_dt_interval(0, cast(n as int) * 3)": TIMES,
    "timestamp_ntz'2024-02-27 00:00:00' + make_dt_interval(0, cast(n as int) * 7, 0)": TIMES,
}


@pytest.mark.parametrize("order", ORDERS)
def test_range(spark: Any, order: str) -> None:
    """All directions in one job."""
    from pyspark.sql import functions as F

    df = spark.range(120).selectExpr(
        "id", "id % 3 as k", "if(id % 13 = 0, null, id * 7 % 40) as n", "cast(id as int) as v"
    )
    df = df.selectExpr("id", "k", "v", f"if(n is null, null, {order}) as t").cache()
    directions = {"ASC": iw.asc("t"), "DESC": iw.desc("t"), "ASC NULLS LAST": iw.asc("t", nulls_first=False)}
    ours, theirs = {}, {}
    for (direction, by), (text, lower, upper) in product(directions.items(), ORDERS[order]):
        over = f"over (partition by k order by t {direction} range between {text})"
        window = iw.range_between(lower, upper, partition_by="k", order_by=by)
        name = f"{direction} {text}"
        ours |= {
            f"sum {name}": iw.sum("v").over(window),
            f"count {name}": iw.count().over(window),
            f"min {name}": iw.min("v").over(window),
        }
        theirs |= {
            f"sum {name}": F.expr(f"sum(v) {over}"),
            f"count {name}": F.expr(f"count(*) {over}"),
            f"min {name}": F.expr(f"min(v) {over}"),
        }
    made, expected = iw.with_columns(df, **ours), df.withColumns(theirs)
    assert made.schema == expected.schema
    assert by_id(made).drop("t") == by_id(expected).drop("t")
