"""``failed``: the tuples on which hooks raised, of a call with ``on_error="collect"``."""

import logging
import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.runtime.arrow_data import ArrowData
from inwindow.runtime.query import Place, Query
from inwindow.runtime.reader import Reader
from inwindow.runtime.stream.replay import Replayed
from inwindow.runtime.table import Table
from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError
from inwindow.udaf.failures import Failures

_log = logging.getLogger("inwindow")
_results: dict[int, tuple[Any, Place, Failures]] = {}  # by the id of a result that still lives


def run_guarded(place: Place, query: Query, failures: Failures | None) -> Any:
    """Run a query whose hooks may raise; its result is remembered, for :func:`failed`."""
    if failures is None:
        return place.run(query)
    result = place.run(guarded_query(place, query, failures))
    if not isinstance(place, (Table, Reader)):
        return result  # of a stream each micro-batch gives its failures; of Spark the DataFrame knows them
    if failures.collects:
        key = id(result)
        _results[key] = weakref.ref(result, lambda _: _results.pop(key, None)), place, failures
    elif failures.count:
        _log.warning("%s(on_error='skip'): hooks raised %d times", query.where, failures.count)
    return result


def guarded_query(place: Place, query: Query, failures: Failures | None) -> Query:
    """The query with its option; an error where it does not go."""
    if failures is None:
        return query
    if query.of is not None and not isinstance(place, ArrowData):
        raise UsageError(
            f"{query.where}(on_error={failures.mode!r}, of=...) is for tables so far, not for DataFrames of Spark: drop one of them"
        )
    return replace(query, aggregates=guarded(query.aggregates, failures))


def guarded(aggregates: Mapping[str, Applied], failures: Failures) -> dict[str, Applied]:
    """The aggregates of a call, with its option."""
    return {name: replace(one, failures=failures) for name, one in aggregates.items()}


@says_what_it_takes
def failed(result: Any) -> Any:
    """The tuples on which hooks raised, for a result with ``on_error="collect"``: dead letters.

    ``result`` is the very result of :func:`with_columns`, :func:`select`, ``agg`` or ``emit``. A row has the ``aggregate`` (the
    name of its column), the ``call``, the ``hook``, the ``message``, the ``key`` and the ``time`` as text, and in ``tuple`` the
    columns that the call reads. One tuple may have several rows: one for each aggregate that cannot take it. A result that could
    not be made (``terminate`` raised, or a value does not fit) is a row, too; its tuple is the last of the frame.

    Of a streaming DataFrame it is another one, with a query and an operator of its own; :func:`inwindow.outputs` has rows, late
    tuples and bad ones from one.

    >>> import math, pyarrow as pa, inwindow as iw
    >>> class Log(iw.Aggregate):
    ...     def iterate(self, x): self.total = getattr(self, "total", 0.0) + math.log(x)
    ...     def terminate(self) -> float: return self.total
    >>> bids = pa.table({"item": ["a", "a", "b"], "price": [1.0, -4.0, 1.0]})
    >>> logs = Log()("price").over(iw.rows(2, partition_by="item"))
    >>> result = iw.with_columns(bids, logs=logs, on_error="collect")
    >>> result["logs"].to_pylist()
    [0.0, 0.0, 0.0]
    >>> for letter in iw.failed(result).to_pylist():
    ...     print(letter["call"], letter["message"], letter["tuple"])
    Log(price) Log.iterate(-4.0) raised ValueError: math domain error {'item': 'a', 'price': -4.0}
    """
    if isinstance(result, Replayed) and result.failed:
        return pa.concat_tables(result.failed)
    if type(result).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.failed_rows import failed_tuples

        made = failed_tuples(result)
        if made is not None:
            return made
    failures = failures_of_result(result)
    if failures is None:
        raise UsageError(
            f"failed({type(result).__name__}): give the very result of iw.with_columns, iw.select, agg() or emit() that was called "
            "with on_error='collect', before any other operation on it"
        )
    place = _results[id(result)][1]
    assert isinstance(place, (Table, Reader))
    return place.as_given(failures.table())


def failures_of_result(result: Any) -> Failures | None:
    """The failures of a local result with ``on_error="collect"``; None for anything else."""
    return _results[id(result)][2] if id(result) in _results else None
