"""``explain``: what a query would do, from the same plan that would run."""

from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.runtime.arrow_data import ArrowData
from inwindow.runtime.call_arguments import named_aggregates, or_column
from inwindow.runtime.failed import guarded_query
from inwindow.runtime.group_by import Grouped
from inwindow.runtime.lateness import lateness_of
from inwindow.runtime.operations import seen_by
from inwindow.runtime.places import HotKeys, check_hot_keys, events_of, place_of
from inwindow.runtime.query import Place, Query
from inwindow.runtime.valid import ValidAtPoints, check_hooks_end, valid_window
from inwindow.runtime.with_columns import WITH_COLUMNS
from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError
from inwindow.udaf.failures import OnErrorMode, failures_of


@says_what_it_takes
def explain(
    data: Any,
    *applied: Applied,
    of: Any = None,
    hot_keys: HotKeys | Applied = "auto",
    on_error: OnErrorMode | Applied = "fail",
    allowed_lateness: Any = None,
    **named: Applied,
) -> Explanation:
    """What each aggregate would do on the data: its strategy, the reason, why not the others, time and memory per tuple.

    ``hot_keys=``, ``on_error=``, ``allowed_lateness=`` and ``of=`` are those of :func:`with_columns`; a DataFrame is sampled if
    :func:`with_columns` would do so. For groups, ``explain(iw.group_by(...).window(...), n=...)`` says what
    ``agg(n=...)`` would do.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 2.0]})
    >>> print(iw.explain(table, s=iw.sum("price").over(iw.rows(40000, slide=10000))))
    pass 1 of 1: no partitioning, arrival order; one aggregate
    <BLANKLINE>
      s = sum(price) (rows between 39999 preceding and current row slide 10000)
        strategy  pane-cascade
        why       `sum` has merge
        why not   unbounded: not possible, tuples leave the frame
        why not   tumble: not possible, frames overlap
        time      O(1) per tuple, O(1) merges per pane
        memory    5 partials
        runs      native kernel
        result    double
    <BLANKLINE>
    local, pass 1: in the order of arrival, fed in slices
    """
    named, of = or_column(named, "of", of, None)
    named, search = or_column(named, "hot_keys", hot_keys, "auto")
    named, on_error = or_column(named, "on_error", on_error, "fail")
    named, lateness = or_column(named, "allowed_lateness", allowed_lateness, None)
    failures, bound = failures_of(on_error, "explain"), lateness_of(lateness, "explain")
    check_hot_keys(search, "explain")
    aggregates = named_aggregates(applied, named, "explain")
    if not aggregates:
        given = "no data" if isinstance(data, Applied) else "no aggregate"
        raise UsageError(f"explain() was given {given}: write explain(df, name=iw.avg('x').over(window))")
    if isinstance(data, Grouped):
        if of is not None:
            raise UsageError(
                "explain(of=...): groups are not evaluated at the rows of another table: drop of=, or group_by"
            )
        query = guarded_query(data.place, replace(data.query(aggregates, "explain"), lateness=bound), failures)
        return data.place.plan(query).explanation
    place: Place = ArrowData(data) if isinstance(data, pa.Schema) else place_of(data, "explain")
    valid = None if of is None else valid_window(aggregates)
    if valid is not None:
        check_hooks_end(failures, "explain")
        operation, *schemas = seen_by(ValidAtPoints(valid, tuple(aggregates.items())), data, of)
        explained: Explanation = operation.explanation(*schemas)
        return explained
    if of is not None:
        of = events_of(place, of, "explain")
    query = Query(WITH_COLUMNS, "explain", aggregates, of=of, hot_keys=search, lateness=bound)
    return place.plan(guarded_query(place, query, failures)).explanation
