"""What starts a query: where Spark refuses what stands behind a call on a stream, the error says what to write instead."""

from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

from inwindow.udaf.errors import UsageError

if TYPE_CHECKING:
    from inwindow.runtime.spark.stream_results import StreamCall

_CALLS, _CONF = "_inwindow_calls", "_inwindow_conf"
_STARTS = ("start", "toTable", "table")
# Parts of what Spark says of a plan; it also refuses a sink without a path, or a second query of the same name.
_OF_THE_PLAN = ("not supported", "UNSUPPORTED", "'correctness' issue", "watermark", "Multiple streaming")
_REUSE = "spark.sql.exchange.reuse"
_SAID = 200  # characters of Spark's own message


def following_writer(writer: Any, calls: "tuple[StreamCall, ...]", conf: Any) -> Any:
    """A ``DataStreamWriter`` that knows whose rows it will write, and the session's settings."""
    setattr(writer, _CALLS, calls)
    setattr(writer, _CONF, conf)
    kind: Any = type(writer)
    writer.__class__ = _following(kind)
    return writer


@cache
def _following(kind: Any) -> Any:
    methods = {name: _start(getattr(kind, name)) for name in _STARTS if hasattr(kind, name)}
    return type(kind.__name__, (kind,), {"__module__": kind.__module__, "__qualname__": kind.__qualname__, **methods})


def _start(given: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(given)
    def start(self: Any, *args: Any, **kwargs: Any) -> Any:
        from pyspark.errors import AnalysisException

        _check_sharing(getattr(self, _CALLS), getattr(self, _CONF))
        try:
            return given(self, *args, **kwargs)
        except AnalysisException as error:
            said = _first_sentence(str(error))
            if any(part in str(error) for part in _OF_THE_PLAN):
                raise UsageError(_advice(getattr(self, _CALLS), said)) from None
            raise

    return start


def _check_sharing(calls: "tuple[StreamCall, ...]", conf: Any) -> None:
    """Two halves of a query share a shuffle if they can; behind a shared one Spark's (4.3) second half sees no watermark."""
    waiting = [call for call in calls if call.timed]
    if len(waiting) < 2 or not any(call.is_behind_state for call in waiting):
        return
    if str(conf.get(_REUSE, "true")).lower() != "false":
        raise UsageError(
            f"{waiting[0].where} and {waiting[1].where} on streams in one query, behind a stateful step of Spark's: if both read "
            f"that step, Spark would let them share it, and one would see no watermark and give no row: set {_REUSE} to false "
            "before the query starts, or write the results by a query each"
        )


def _advice(calls: "tuple[StreamCall, ...]", said: str) -> str:
    store = ""
    if any(call.alone for call in calls):
        store = (
            "; some steps go with the RocksDB state store: before the calls set spark.sql.streaming.stateStore.providerClass to "
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        )
    where = calls[0].where
    return (
        f"{where} on a stream, and what stands around it, are no query for Spark ({said}): write the rows of {where} by a query of "
        "its own, and read them as a stream with a watermark and a checkpoint of its own; or do in foreachBatch what stands behind "
        f"it{store}"
    )


def _first_sentence(said: str) -> str:
    """Spark's message without its plan.

    >>> _first_sentence("[SOME.CLASS] Not supported without watermark; ~Plan [k#1]")
    'Not supported without watermark'
    """
    text = said.partition("] ")[2] if said.startswith("[") else said
    text = " ".join(text.partition(";")[0].partition("SQLSTATE")[0].split()).rstrip(". ")
    return text if len(text) <= _SAID else f"{text[:_SAID].rpartition(' ')[0]} ..."
