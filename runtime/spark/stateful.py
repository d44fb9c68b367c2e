"""Spark's stateful operators for buckets: transformWithState if the session supports it, else applyInPandasWithState.

======================  =================================================  =================================
operator                needs                                              a timer fires when the watermark
======================  =================================================  =================================
transformWithState      the RocksDB state store, protobuf >= 6.33.5        is at it, or past it
applyInPandasWithState  nothing                                            is past it
======================  =================================================  =================================
"""

from collections.abc import Iterator
from typing import Any

from inwindow.runtime.spark.buckets import BucketProcessor, Turns, received
from inwindow.runtime.spark.state_text import STORED, as_bytes, as_text
from inwindow.runtime.spark.worker import without_our_frames
from inwindow.udaf.errors import UsageError

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_TIME = "_inwindow_time"


class TransformWithState:
    """Rows in, rows out, with a value, a map and a timer per bucket."""

    name = "transformWithState"
    goes_with_others = True  # a query may have several such operators

    def check(self) -> None:
        """Python's protobuf must be as new as the code that Spark generated with it."""
        import google.protobuf

        found = tuple(int(part) for part in google.protobuf.__version__.split(".")[:3])
        if found < (6, 33, 5):
            raise UsageError(
                f"a stream with the RocksDB state store needs protobuf >= 6.33.5, but {google.protobuf.__version__} is installed: "
                "pip install 'protobuf>=6.33.5', on the workers too"
            )

    def run(self, packed: Any, job: bytes, output: str, *, timed: bool, F: Any, start: Any = None) -> Any:
        """The buckets' output, with these columns; ``timed`` if results wait for a watermark; ``start``: states of a history."""
        mode = "eventTime" if timed else "none"
        initial = None if start is None else start.select("bucket", "content").groupBy("bucket")
        return packed.groupBy("bucket").transformWithState(
            BucketProcessor(job, timed), output, "append", mode, initialState=initial
        )


class ApplyInPandas:
    """A state of bytes and a time-out per bucket."""

    name = "applyInPandasWithState"
    goes_with_others = False

    def check(self) -> None:
        """There is nothing to check."""

    def run(self, packed: Any, job: bytes, output: str, *, timed: bool, F: Any, start: Any = None) -> Any:
        """The buckets' output, with these columns. Spark wants an event time: it gets a constant in the far future, never late."""
        if start is not None:
            raise UsageError(
                "continued() with applyInPandasWithState, which cannot begin with a state: before the calls set "
                "spark.sql.streaming.stateStore.providerClass to "
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
            )
        if timed:
            far = F.lit("2200-01-01").cast("timestamp").alias(_TIME, metadata={"spark.watermarkDelayMs": 0})
            packed = packed.select("*", far)
        timeout = "EventTimeTimeout" if timed else "NoTimeout"
        return packed.groupBy("bucket").applyInPandasWithState(
            turns_function(job, timed), output, STORED, "append", timeout
        )


def turns_function(job: bytes, timed: bool):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """The function that Spark calls for a bucket's turn."""
    made: list[Turns] = []

    def inwindow(key: Any, frames: Any, state: Any) -> Iterator[Any]:
        yield from without_our_frames(turn(int(key[0]), frames, state))

    def turn(label: int, frames: Any, state: Any) -> Iterator[Any]:
        import pandas as pd

        if not made:
            made.append(Turns(job))
        payloads = received(pair for frame in frames for pair in zip(frame["number"], frame["content"], strict=True))
        watermark = state.getCurrentWatermarkMs() if timed else 0
        content = as_bytes(state.get[0]) if state.exists else None
        taken = made[0].take(label, content, payloads, watermark)
        if content is None or taken.has_changed:
            content = taken.bucket.state()
            state.update((as_text(content),))
        if timed:
            state.setTimeoutTimestamp(max(watermark, 1))
        yield pd.DataFrame(list(made[0].output.of(taken, len(content))))

    return inwindow


def operator_of(conf: Any) -> TransformWithState | ApplyInPandas:
    """The operator for a session with these settings."""
    rocks = "RocksDB" in (conf.get(_PROVIDER, "") or "")
    return TransformWithState() if rocks else ApplyInPandas()
