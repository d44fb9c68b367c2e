"""A bucket on transformWithState has a turn whenever the watermark moves: also behind the state of a history. Without a JVM.

Spark's rule, played here: a timer at or before the watermark fires once, after the tuples of the micro-batch, and is gone.
"""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.runtime.plain import in_stream
from inwindow.runtime.spark.buckets import BucketProcessor, unpacked
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.stream_job import job_of
from inwindow.runtime.stream.replay_stream import Stream

START = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA = pa.schema([("k", pa.string()), ("ts", pa.timestamp("us", "UTC"))])
KEY = (0,)


def counts(df: Any) -> Any:
    return iw.with_columns(df, n=iw.count().over(iw.range("10 seconds", partition_by="k", order_by="ts")))


def tuples(seconds: list[int]) -> pa.Table:
    times = [START + timedelta(seconds=at) for at in seconds]
    return pa.table({"k": ["a"] * len(times), "ts": pa.array(times, SCHEMA.field("ts").type)}, schema=SCHEMA)


class Handle:
    """What Spark gives a processor, for one bucket: its state, and its timers in milliseconds."""

    def __init__(self) -> None:
        self.value: Any = None
        self.map: dict[Any, Any] = {}
        self.timers: set[int] = set()

    def getValueState(self, *_: Any) -> Any:  # noqa: N802
        return SimpleNamespace(get=lambda: self.value, update=lambda value: setattr(self, "value", value))

    def getMapState(self, *_: Any) -> Any:  # noqa: N802
        return SimpleNamespace(
            getValue=self.map.__getitem__,
            removeKey=self.map.pop,
            updateValue=lambda key, value: self.map.update({key: value}),
        )

    def registerTimer(self, at: int) -> None:  # noqa: N802
        self.timers.add(at)


class Query:
    """Micro-batches over one bucket; each has a new processor, as a task has."""

    def __init__(self, history: list[int] | None, until: int) -> None:
        plan = counts(Stream(SCHEMA))
        self.job, self.handle = shipped(job_of(plan.part, plan.schema, "UTC")), Handle()
        self.until, self.rows = until, 0
        self.state = None
        if history is not None:
            bucket = plan.part.bucket(plan.schema, "UTC")
            bucket.begin(0)
            bucket.step(tuples(history), None)
            bucket.step(None, int((START + timedelta(seconds=until)).timestamp() * 1e6))
            bucket.settle()
            self.state = bucket.state()

    def run(self, arriving: list[int] | None, watermark: int | None) -> int:
        """A micro-batch; how many turns the bucket had."""
        ms = 0 if watermark is None else int((START + timedelta(seconds=watermark)).timestamp() * 1000)
        times = SimpleNamespace(getCurrentWatermarkInMs=lambda: ms)
        processor, given = BucketProcessor(self.job, True), []
        processor.init(self.handle)
        if self.state is not None:
            processor.handleInitialState(KEY, SimpleNamespace(content=self.state), times)
            self.state = None
        fired = {at for at in self.handle.timers if at <= ms}
        if arriving is not None:
            payload = SimpleNamespace(number=0, content=in_stream(tuples(arriving).to_batches()[0]))
            given += processor.handleInputRows(KEY, iter([payload]), times)
        for _ in fired:
            given += processor.handleExpiredTimer(KEY, times, None)
        self.handle.timers -= fired
        self.rows += sum(len(rows) for row in given if row.rows is not None for rows in unpacked(row.rows))
        return len({id(row) for row in given if row.state_bytes})


@given(
    st.none() | st.lists(st.integers(0, 40), min_size=1, max_size=5),
    st.integers(0, 40),
    st.lists(st.none() | st.lists(st.integers(0, 90), min_size=1, max_size=3), min_size=1, max_size=6),
    st.integers(0, 20),
)
def test_each_move_of_the_watermark_is_a_turn(
    history: list[int] | None, until: int, batches: list[list[int] | None], delay: int
) -> None:
    query = Query(history, until)
    batches = [batches[0] or [until], *batches[1:], None]
    newest = before = None
    late, passed = 0, until if history is not None else None  # what the bucket has processed
    for arriving in batches:
        watermark = None if newest is None else newest - delay
        if arriving is None and watermark == before:
            continue  # Spark runs no micro-batch
        assert query.run(arriving, watermark) == 1
        late += sum(passed is not None and at < passed for at in arriving or [])
        passed = max((one for one in (passed, watermark) if one is not None), default=None)
        before, newest = watermark, max([*(arriving or []), *([] if newest is None else [newest])])
    query.run(None, 200)
    waiting = sum(at >= until for at in history or [])
    assert query.rows == sum(len(one or []) for one in batches) + waiting - late
