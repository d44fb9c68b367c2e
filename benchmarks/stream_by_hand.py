"""What one would write without inwindow: sliding averages over 60 s on each of Spark's stateful operators for Python, and operators
that do next to nothing, as floors."""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pyspark.sql import Row, functions
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

F: Any = functions
Build = Callable[[Any], Any]
OUT = "k bigint, id bigint, a double"


class Nothing(StatefulProcessor):
    """Reads its rows; has a state that it does not use."""

    def init(self, handle: Any) -> None:
        """One value of state."""
        self.state = handle.getValueState("s", "b binary")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        """Count."""
        yield Row(k=key[0], a=float(sum(1 for _ in rows)))

    def close(self) -> None:
        """Nothing is open."""


class Trivial(Nothing):
    """Keeps 200 bytes."""

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:
        """Count, read and write."""
        self.state.get()
        self.state.update((b"x" * 200,))
        yield from super().handleInputRows(key, rows, timerValues)


class Average:
    """The average over 60 s: what waits, a deque of what is in the window, a sum; as bytes between micro-batches."""

    def __init__(self, content: bytes | None) -> None:
        self.waiting, self.live, self.total = pickle.loads(content) if content is not None else ([], deque(), 0.0)

    def turn(self, rows: Iterable[tuple[int, int, float]], watermark: int) -> Iterator[tuple[int, float]]:
        """The numbers and averages of the tuples that the watermark has passed."""
        self.waiting += rows
        self.waiting.sort()
        done = 0
        for t, number, value in self.waiting:
            if t >= watermark * 1000:
                break
            done += 1
            while self.live and self.live[0][0] < t - 60_000_000:
                self.total -= self.live.popleft()[1]
            self.live.append((t, value))
            self.total += value
            yield number, self.total / len(self.live)
        del self.waiting[:done]

    def content(self) -> bytes:
        """The state."""
        return pickle.dumps((self.waiting, self.live, self.total))


class ByRows(StatefulProcessor):
    """transformWithState: a value and a timer per key."""

    def init(self, handle: Any) -> None:
        """One value of state, one timer."""
        self.handle = handle
        self.state = handle.getValueState("s", "b binary")

    def _turn(self, key: Any, rows: list[tuple[int, int, float]], watermark: int) -> list[tuple[int, float]]:
        content = self.state.get()
        average = Average(None if content is None else content[0])
        given = list(average.turn(rows, watermark))
        self.state.update((average.content(),))
        if average.waiting:
            self.handle.registerTimer(max(watermark, 0) + 1)
        return given

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:
        """Tuples have come."""
        its = [(row.t, row.id, row.v) for row in rows]
        yield from self._given(key, self._turn(key, its, timerValues.getCurrentWatermarkInMs()))

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:
        """The watermark has moved."""
        yield from self._given(key, self._turn(key, [], timerValues.getCurrentWatermarkInMs()))

    def _given(self, key: Any, given: list[tuple[int, float]]) -> Iterator[Any]:
        for number, average in given:
            yield Row(k=key[0], id=number, a=average)

    def close(self) -> None:
        """Nothing is open."""


class ByFrames(ByRows):
    """transformWithStateInPandas: the same, with DataFrames."""

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:
        """Tuples have come."""
        its = [row for frame in rows for row in zip(frame["t"], frame["id"], frame["v"], strict=True)]
        yield from self._given(key, self._turn(key, its, timerValues.getCurrentWatermarkInMs()))

    def _given(self, key: Any, given: list[tuple[int, float]]) -> Iterator[Any]:
        import pandas as pd

        if given:
            numbers, averages = zip(*given, strict=True)
            yield pd.DataFrame({"k": key[0], "id": numbers, "a": averages})


def by_state(key: Any, frames: Any, state: Any) -> Iterator[Any]:
    """applyInPandasWithState: a state and a time-out per key."""
    import pandas as pd

    average = Average(bytes(state.get[0]) if state.exists else None)
    watermark = state.getCurrentWatermarkMs()
    its = [row for frame in frames for row in zip(frame["t"], frame["id"], frame["v"], strict=True)]
    given = list(average.turn(its, watermark))
    state.update((average.content(),))
    if average.waiting:
        state.setTimeoutTimestamp(max(watermark, 1))
    yield pd.DataFrame([(key[0], *one) for one in given], columns=["k", "id", "a"])


def per_key(processor: Any, out: str, key: str = "k") -> Build:
    """A processor per key, or per what an expression gives."""

    def build(df: Any) -> Any:
        plain = df.selectExpr(f"{key} AS k", "unix_micros(ts) AS t", "v", "id")
        return plain.groupBy("k").transformWithState(processor, out, "append", "eventTime")

    return build


def frames_per_key(df: Any) -> Any:
    """transformWithStateInPandas."""
    plain = df.selectExpr("k", "unix_micros(ts) AS t", "v", "id")
    return plain.groupBy("k").transformWithStateInPandas(ByFrames(), OUT, "append", "eventTime")


def state_per_key(df: Any) -> Any:
    """applyInPandasWithState: it wants the event time."""
    plain = df.selectExpr("k", "ts", "unix_micros(ts) AS t", "v", "id")
    return plain.groupBy("k").applyInPandasWithState(by_state, OUT, "content binary", "append", "EventTimeTimeout")


BY_HAND: dict[str, Build] = {
    "a transformWithState that does nothing, 8 groups": per_key(Nothing(), "k bigint, a double", "pmod(k, 8)"),
    "a trivial transformWithState per key": per_key(Trivial(), "k bigint, a double"),
    "RANGE 60 s average by hand, transformWithState per key": per_key(ByRows(), OUT),
    "RANGE 60 s average by hand, transformWithStateInPandas per key": frames_per_key,
    "RANGE 60 s average by hand, applyInPandasWithState per key": state_per_key,
}
SLOW = ("per key",)  # with many keys: minutes
