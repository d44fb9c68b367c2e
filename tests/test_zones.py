"""Datetimes without a zone, where instants are wanted: UTC on local data, another zone where a plan says so (on Spark)."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.runtime.groups import GroupOperator
from inwindow.runtime.rows import WithColumns
from inwindow.udaf.types import arrow_type
from inwindow.udaf.zones import localizing, zone_of

NOON = datetime(2026, 1, 1, 12)
TABLE = pa.table(
    {"ts": pa.array([NOON + timedelta(hours=h) for h in range(4)], pa.timestamp("us", "UTC")), "n": [1] * 4}
)


def counted(window: Any, zone: str) -> list[int]:
    """The operator's results, as a plan with this zone has them."""
    (work,) = plan_windows(TABLE.schema, {"n": iw.count().over(window)}, zone=zone)
    operator = WithColumns(work, TABLE.schema, ())
    return [n for batch in (operator.process(TABLE.to_batches()[0]), operator.finish()) for n in batch["n"].to_pylist()]


@pytest.mark.parametrize("since", [NOON, "2026-01-01 12:00", np.datetime64(NOON), NOON.replace(tzinfo=UTC)])
def test_literals(since: Any) -> None:
    window = iw.landmark(since=since, order_by="ts")
    assert counted(window, "UTC") == [1, 2, 3, 4]
    is_aware = isinstance(since, datetime) and since.tzinfo is not None
    assert counted(window, "-02:00") == ([1, 2, 3, 4] if is_aware else [0, 0, 1, 2])
    assert iw.with_columns(TABLE, n=iw.count().over(window))["n"].to_pylist() == [1, 2, 3, 4]


def test_dates_are_midnights_of_the_zone() -> None:
    assert counted(iw.landmark(since=date(2026, 1, 1), order_by="ts"), "-14:00") == [0, 0, 1, 2]


def test_scopes() -> None:
    window = iw.scope(lower=lambda t: t.replace(tzinfo=None), order_by="ts")
    assert counted(window, "UTC") == [1, 1, 1, 1]
    assert counted(window, "+01:00") == [1, 2, 2, 2]


def test_origins() -> None:
    work = plan_groups(
        TABLE.schema, (), iw.tumble("ts", size="1 day", origin="2026-01-01"), {"n": iw.count()}, zone="-13:00"
    )
    operator = GroupOperator(work, TABLE.schema)
    made = [row for batch in (operator.process(TABLE.to_batches()[0]), operator.finish()) for row in batch.to_pylist()]
    assert [(row["window"]["start"].astimezone(UTC).hour, row["n"]) for row in made] == [(13, 1), (13, 3)]


def test_results_at_any_depth() -> None:
    localize = localizing(
        arrow_type("struct<a:array<timestamp>,b:map<string,timestamp>,c:timestamp_ntz,d:int>"), "+02:00"
    )
    assert localize is not None
    there = NOON.replace(tzinfo=timezone(timedelta(hours=2)))
    given = {"a": [NOON, None, NOON.replace(tzinfo=UTC)], "b": {"x": np.datetime64(NOON)}, "c": NOON, "d": 1}
    assert localize(given) == {"a": [there, None, NOON.replace(tzinfo=UTC)], "b": {"x": there}, "c": NOON, "d": 1}
    assert localize(None) is None and localize({"a": None}) == {"a": None}


@pytest.mark.parametrize("kind", ["int", "array<date>", "timestamp_ntz", "struct<a:int>", "map<string,double>"])
def test_nothing_to_do(kind: str) -> None:
    assert localizing(arrow_type(kind), "Europe/Rome") is None
    assert localizing(arrow_type("timestamp"), "UTC") is None


def test_zones() -> None:
    assert str(zone_of("America/New_York")) == "America/New_York"
    for name, hours in (("+02:00", 2), ("-03:00", -3), ("UTC+1", 1), ("GMT-10:00", -10)):
        assert zone_of(name) == timezone(timedelta(hours=hours))
    with pytest.raises(
        iw.UsageError, match="the time zone 'Mars' is not known to Python: give datetimes that have a zone"
    ):
        zone_of("Mars")
