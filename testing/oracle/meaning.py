"""What the definition gives for a case: the frames of ``windows/reference.py``, the meaning of each function over them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from inwindow.testing.oracle.cases import CONDITIONS, Call, Case
from inwindow.testing.oracle.tables import Table
from inwindow.windows import reference
from inwindow.windows.reference_order import Row


class Wanted(NamedTuple):
    """A result, how far a double may be from it, and how far one whose sums cancel badly is."""

    value: Any
    within: float = 0.0
    reach: float = 0.0


Rows = dict[int, tuple[Wanted, ...]]


def expected(case: Case) -> Rows:
    """The results of each row of the query, by its id."""
    table = case.table
    values = {one.name: list(one.values) for one in table.columns}
    if case.inner is not None:
        values["v"] = [one.value for one in column(table, values, case.inner)]
    found = [column(table, values, call) for call in case.calls]
    rows: Rows = {}
    for at, number in enumerate(values["id"]):
        seen = {name: its[at] for name, its in values.items()} | {f"x{n}": its[at].value for n, its in enumerate(found)}
        if case.around.kind in ("plain", "limit") or case.around.keeps(seen):
            rows[number] = tuple(its[at] for its in found)
    if case.around.kind == "limit":
        rows = {number: rows[number] for number in sorted(rows)[: case.around.value]}
    return rows


def column(table: Table, values: dict[str, list[Any]], call: Call) -> list[Wanted]:
    """A call's result for each row of the table."""
    window = call.framed.window
    results: list[Wanted] = [Wanted(None)] * len(table)
    for members in _partitions(values, call.framed.keys, len(table)):
        rows = [Row(tuple(values[order.column][i] for order in window.order_by), (i,)) for i in members]
        rows = reference.in_order(rows, window.order_by)
        order = [row.args[0] for row in rows]
        if call.its.kind == "place":
            for i, result in zip(
                order, _places(call, window, rows, [_given(call, values, i) for i in order]), strict=True
            ):
                results[i] = Wanted(result)
            continue
        held = reference.frames(window, rows)
        for place, i in enumerate(order):
            results[i] = _over(call, values, [order[other] for other in held[place]], order)
    return results


def _partitions(values: dict[str, list[Any]], keys: Sequence[str], count: int) -> list[list[int]]:
    found: dict[Any, list[int]] = {}
    for i in range(count):
        found.setdefault(tuple(values[name][i] for name in keys), []).append(i)
    return list(found.values())


def _given(call: Call, values: dict[str, list[Any]], i: int) -> Any:
    columns = call.its.columns
    return values[columns[0]][i] if len(columns) == 1 else tuple(values[name][i] for name in columns)


def _places(call: Call, window: Any, rows: list[Row], given: list[Any]) -> list[Any]:
    found: list[Any] = call.its.means(reference.groups(window, rows), given)
    return found


def _over(call: Call, values: dict[str, list[Any]], held: list[int], everyone: list[int]) -> Wanted:
    its = call.its
    given = _seen(call, values, held)
    if not given:
        return Wanted(its.empty)
    within = its.within(given)
    return Wanted(its.means(given), within, max(within, its.within(_seen(call, values, everyone))))


def _seen(call: Call, values: dict[str, list[Any]], held: list[int]) -> list[Any]:
    """The values of the tuples that the function sees."""
    if call.condition is not None:
        passes: Any = CONDITIONS[call.condition][1]
        held = [i for i in held if passes({name: its[i] for name, its in values.items()})]
    given = [_given(call, values, i) for i in held]
    if call.its.kind == "aggregate":
        several = len(call.its.columns) > 1
        return [one for one in given if (None not in one if several else one is not None)]
    return given
