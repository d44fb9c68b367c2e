"""What a call asks of Spark before any row moves: a number of requests, which must not creep up."""

from typing import Any

import pytest

from benchmarks.planning import CALLS, data, requests
from inwindow.runtime.spark.session import is_connect

# Classic: commands of py4j. Connect: the settings and the plan; of a fresh DataFrame its schema, and whether it is a stream.
MOST = {
    "with_columns, one pass": (60, 2),
    "with_columns, three orders": (80, 2),
    "select": (80, 2),
    "group_by, hops": (180, 2),
    "explain": (15, 2),
}


@pytest.mark.parametrize("title", CALLS)
def test_requests(spark: Any, title: str) -> None:
    df = data(spark)
    CALLS[title](df)
    with requests(spark) as made:
        CALLS[title](df)
    assert len(made) <= MOST[title][is_connect(spark)], made
    with requests(spark) as fresh:
        CALLS[title](data(spark))
    assert len(fresh) <= MOST[title][is_connect(spark)] + (2 if is_connect(spark) else 12), fresh
