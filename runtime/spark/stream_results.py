"""DataFrames that know that they come from the result of a call on a stream, to refuse queries that would never give a row.

A result, and what its methods return, are DataFrames of our own subclass of PySpark's class; other DataFrames are not touched.
We cannot follow a result through a method of another DataFrame (``other.union(result)``), or through a view and SQL.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, wraps
from inspect import getmembers, isfunction
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from inwindow.runtime.spark.stream_writers import following_writer
from inwindow.udaf.errors import UsageError

_CALLS = "_inwindow_calls"
_METRICS = "inwindow"
_LOCK = Lock()
_OUTER = re.compile(r"(left|right|full)?_?outer$|(left|right|full)$")


@dataclass(frozen=True)
class StreamCall:
    """A call on a stream."""

    where: str
    timed: bool  # whether it waits for a watermark
    alone: bool  # whether Spark allows only one operator of its kind in a query
    is_behind_state: bool  # whether a stateful step of Spark's stands before it
    metrics: "MetricsName"

    @classmethod
    def new(cls, where: str, *, timed: bool, alone: bool, is_behind_state: bool = False) -> "StreamCall":
        """A call with a new name for its metrics: in one query Spark needs a different name for each result."""
        with _LOCK:
            number, name = 1, _METRICS
            while name in _TAKEN:
                number += 1
                name = f"{_METRICS}_{number}"
            _TAKEN[name] = its = MetricsName(name)
        return cls(where, timed, alone, is_behind_state, its)


class MetricsName(str):
    """A name of metrics; it is in use while an object refers to it, or until its query starts."""


_TAKEN: WeakValueDictionary[str, MetricsName] = WeakValueDictionary()


def tracked(made: Any, *calls: StreamCall) -> Any:
    """The DataFrame (or grouped data), marked as made from the results of these calls."""
    setattr(made, _CALLS, calls)
    kind: Any = type(made)
    made.__class__ = _following(kind)
    return made


def calls_of(made: Any) -> tuple[StreamCall, ...]:
    """The calls whose results a DataFrame contains, as far as is known."""
    calls: tuple[StreamCall, ...] = getattr(made, "__dict__", {}).get(_CALLS, ())
    return calls


@cache
def _following(kind: Any) -> Any:
    if hasattr(kind, "_inwindow_plain"):
        return kind
    methods = {name: _method(given) for name, given in getmembers(kind, isfunction) if not name.startswith("_")}
    methods.pop("transform", None)  # the user's function makes its result: tracked, or not ours
    own = {"_inwindow_plain": kind, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    if hasattr(kind, "withWatermark"):
        own |= {"withWatermark": _with_watermark(kind), "writeStream": _write_stream(kind)}
    return type(kind.__name__, (kind,), methods | own)


def _method(given: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(given)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        _check_together(given.__name__, calls_of(self), _all(map(calls_of, (*args, *kwargs.values()))))
        if given.__name__ == "join":
            _check_join(self, *args, **kwargs)
        made = given(self, *args, **kwargs)
        is_spark = type(made).__module__.startswith("pyspark.sql.")
        if is_spark and type(made).__name__ in ("DataFrame", "GroupedData"):
            return tracked(made, *_all(calls_of(one) for one in (self, *args, *kwargs.values(), made)))
        return made

    return method


def _check_together(method: str, calls: tuple[StreamCall, ...], others: tuple[StreamCall, ...]) -> None:
    if calls and others and any(call.alone for call in (*calls, *others)):
        raise UsageError(
            f"{method}() of the results of {calls[0].where} and of {others[0].where} on a stream: Spark takes two in one query "
            "only with the RocksDB state store: before the calls set spark.sql.streaming.stateStore.providerClass to "
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider, or write them by a query each"
        )


def _check_join(left: Any, other: Any = None, on: Any = None, how: Any = None) -> None:
    """Spark's outer join gives no row for a tuple that meets none, if it comes when the watermark has passed it; ours all do."""
    calls = [call for call in (*calls_of(left), *calls_of(other)) if call.timed]
    if calls and isinstance(how, str) and _OUTER.match(how.casefold()) and left.isStreaming and other.isStreaming:
        where = calls[0].where
        raise UsageError(
            f"join(how={how!r}) of the result of {where} on a stream with another stream: rows would be missing. Those of {where} "
            "come when the watermark has passed them, and for such Spark's outer join gives no row without a partner. Use an inner "
            f"join; or write the rows of {where} by a query of its own, and read them as a stream with a watermark of its own"
        )


def _all(calls: Iterable[tuple[StreamCall, ...]]) -> tuple[StreamCall, ...]:
    return tuple(dict.fromkeys(call for its in calls for call in its))


def _with_watermark(kind: Any) -> Callable[..., Any]:
    following = _method(kind.withWatermark)

    @wraps(kind.withWatermark)
    def withWatermark(self: Any, eventTime: str, delayThreshold: str) -> Any:  # noqa: N802, N803  # Spark's names
        for call in calls_of(self):
            if call.timed:
                raise UsageError(
                    f"withWatermark({eventTime!r}, {delayThreshold!r}) on the result of {call.where} on a stream: the query would "
                    "run and give no row. Spark goes by the slowest watermark of a query; this one waits for a first row, and "
                    f"the rows of {call.where} wait for the watermark. Write the result, and read it as a stream of its own, with "
                    "a watermark and a checkpoint of its own"
                )
        return following(self, eventTime, delayThreshold)

    return withWatermark


def _write_stream(kind: Any) -> property:
    def write_stream(self: Any) -> Any:
        """See PySpark. From now on other results may use the names of the metrics."""
        with _LOCK:
            for call in calls_of(self):
                if _TAKEN.get(call.metrics) is call.metrics:
                    del _TAKEN[call.metrics]
        return following_writer(kind.writeStream.__get__(self), calls_of(self), self.sparkSession.conf)

    return property(write_stream)
