"""Datetimes without a zone, where instants are wanted: UTC on local data, another zone where a plan says so (on Spark)."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.native.instants import in_utc
from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.optimizer.stream import plan_stream
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.row_operators import WithColumns
from inwindow.runtime.stream.row_bucket import RowBucket
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


class Hours(iw.Aggregate):
    """What it gives depends on the zone of what it is given."""

    def iterate(self, at: Any) -> int:
        return int(at.hour)


def _bucket(zone: str, applied: dict[str, iw.Applied]) -> Any:
    kind = pa.timestamp("us", zone)
    fields = {"k": kind, "at": kind, "v": pa.float64(), "all": pa.list_(kind), "row": pa.struct({"at": kind})}
    schema = pa.schema(fields)
    work = plan_stream(schema, applied, "with_columns", zone=zone)
    return RowBucket(work, schema, ("k", "at", "all", "row"), every_row=True, zone=zone), schema


def _tuples(schema: pa.Schema, start: int) -> pa.Table:
    at = [datetime(2026, 3, 29, n // 60, n % 60, tzinfo=UTC) for n in range(start, start + 50)]
    one = datetime(2026, 1, 1, tzinfo=UTC)
    columns = {
        "k": [one] * 50,
        "at": at,
        "v": [1.0] * 50,
        "all": [[t, None] for t in at],
        "row": [{"at": t} for t in at],
    }
    return pa.table([pa.array(columns[field.name], field.type) for field in schema], schema=schema)


BY: dict[str, Any] = {"partition_by": "k", "order_by": "at"}
IN_ANY = {
    "rows": iw.max("at").over(iw.rows(9, **BY)),
    "range": iw.sum("v").over(iw.range("30 minutes", **BY)),
    "all": iw.collect_list("at").over(iw.unbounded(**BY)),
    **{
        f"{one.__name__} of all": one("at").over(iw.unbounded(**BY))
        for one in (iw.first, iw.last, iw.min, iw.max, iw.mode, iw.count_distinct, iw.collect_set, iw.count)
    },
    "max_by of all": iw.max_by("row", "at").over(iw.unbounded(**BY)),
    "a sample of all": iw.priority_sample("at", 3).over(iw.unbounded(**BY)),
    "frequent items of all": iw.frequent_items("at", 0.2).over(iw.unbounded(**BY)),
    "nested": iw.collect_set("all").over(iw.unbounded(**BY)),
}


@pytest.mark.parametrize("name", IN_ANY)
def test_a_stream_goes_on_in_another_zone(name: str) -> None:
    rows = []
    for zones in (("Asia/Tokyo", "Europe/Rome"), ("UTC", "UTC")):
        given = []
        state = None
        for number, zone in enumerate(zones):
            bucket, schema = _bucket(zone, {"x": IN_ANY[name]})
            if state is not None:
                bucket.restore(state)
            for _ in range(2):
                tuples = _tuples(schema, 50 * number)
                latest = tuples["at"].cast(pa.int64()).to_pylist()[-10]
                given += bucket.step(tuples, latest).rows.cast(_in_utc(bucket.schema)).to_pylist()
            state = bucket.state()
        rows.append(given)
    assert rows[0] == rows[1] and len(rows[0]) > 50


def _in_utc(schema: pa.Schema) -> pa.Schema:
    return pa.schema([field.with_type(in_utc(field.type)) for field in schema])


@pytest.mark.parametrize(
    "applied",
    [
        Hours()("at").over(iw.unbounded(**BY)),
        iw.sum("v").over(iw.landmark(since=datetime(2026, 3, 1), **BY)),
        iw.sum("v").over(iw.scope(lower=lambda t: t.replace(hour=0, minute=0), **BY)),
        iw.sum("v").over(iw.range("1 hour", slide="1 day", origin=datetime(2026, 3, 1), **BY)),
    ],
    ids=str,
)
def test_a_zone_that_shows_is_another_query(applied: iw.Applied) -> None:
    (one, _), (same, _), (other, _) = (_bucket(zone, {"x": applied}) for zone in ("UTC", "UTC", "Asia/Tokyo"))
    same.restore(one.state())
    with pytest.raises(iw.StateError, match="the time zone of the session: UTC in the state, Asia/Tokyo in the query"):
        other.restore(one.state())
