"""Run an operator on relations: on tables here, on Spark (workers run it on the rows of some keys), or on a stream."""

from typing import Any

import pyarrow as pa

from inwindow.runtime.arrow_data import ArrowData
from inwindow.runtime.layouts import in_layouts_of
from inwindow.runtime.operation import Operation, Unread
from inwindow.runtime.places import place_of
from inwindow.runtime.progress import Run, shown
from inwindow.runtime.reader import Reader
from inwindow.runtime.stream.operations import carried_out_on_streams
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.runtime.table import Table
from inwindow.udaf.errors import UsageError


def carried_out(operation: Operation, *data: Any) -> Any:
    """The operation's result on data of any kind; the result is of the kind of the first input."""
    where = operation.where
    unread = [one for one in data if isinstance(one, Unread)]
    if unread:
        if len(unread) < len(data):
            raise UsageError(
                f"{where}: one is a relation of the query and the other is not: give the query all its data"
            )
        return unread[0].under(operation, *unread[1:])
    places = [place_of(one, where) for one in data]
    here = [place for place in places if isinstance(place, (Table, Reader))]
    if len(here) == len(places):
        first, *others = map(_table, here)
        others = [in_layouts_of(first.schema, table) for table in others]
        with shown(Run(where, sum(map(len, (first, *others))), known=False)):
            made = operation.run(first, *others)
        return here[0].as_given(made)
    if any(isinstance(place, ArrowData) for place in places):
        kinds = [f"a {type(one).__name__}" for one in data]
        if len(data) > 1 and len(set(kinds)) > 1:
            raise UsageError(f"{where}: got {' and '.join(kinds)}: give both as tables, or both as DataFrames")
        return carried_out_on_streams(operation, [place for place in places if isinstance(place, Stream)])
    from inwindow.runtime.spark.operations import carried_out_on

    return carried_out_on(operation, [place.data for place in places])


def seen_by(operation: Operation, *data: Any) -> tuple[Any, ...]:
    """The operation over names only, and the schemas of its inputs: for explain."""
    places = [place_of(one, operation.where) for one in data]
    if all(isinstance(place, ArrowData) for place in places):
        return operation, *(place.schema for place in places if isinstance(place, ArrowData))
    from inwindow.runtime.spark.operations import named_over

    return named_over(operation, [place.data for place in places])


def is_lazy(data: Any) -> bool:
    """Whether an operator over the data makes a plan, and computes nothing: a DataFrame of Spark."""
    return not isinstance(place_of(data, "temporal.explain"), ArrowData)


def placed(operation: Operation, *data: Any) -> list[str]:
    """How it runs where the data are, for explain; nothing on tables."""
    places = [place_of(one, operation.where) for one in data]
    if any(isinstance(place, ArrowData) for place in places):
        return []
    from inwindow.runtime.spark.operations import placed_on

    return placed_on(operation, [place.data for place in places])


def _table(place: Any) -> pa.Table:
    data = place.data
    return data.read_all() if isinstance(data, pa.RecordBatchReader) else data
