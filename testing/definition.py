"""The definition, on tables: what ``with_columns`` and ``group_by`` must give, formula by formula.

``windows/reference.py`` sees one partition as rows; here tables are cut into partitions, and results made columns.
"""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.native.dictionaries import plain, plain_type
from inwindow.native.equality import canonical, hashable
from inwindow.optimizer.columns import check_columns
from inwindow.runtime.buffer import python_values
from inwindow.runtime.group_by import Grouped
from inwindow.runtime.unpacked import unpacked
from inwindow.udaf.answering import of_its_frame
from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.compiled.aggregate import plain_of
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.types import plain_for
from inwindow.windows import reference as definition
from inwindow.windows.spec import Order, Rows, Window


@says_what_it_takes
def reference(data: Any, **applied: Applied) -> pa.Table:
    """What ``iw.with_columns(table, ...)`` must give by the definition; for ``iw.group_by(...).window(...)`` what ``agg`` must.

    It knows no strategy, works tuple by tuple, and takes the square of the time. Compare with it what you do not trust.

    >>> import pyarrow as pa, inwindow as iw
    >>> class Total(iw.Aggregate):
    ...     def iterate(self, value): self.total = getattr(self, "total", 0.0) + value
    ...     def terminate(self) -> float: return self.total
    >>> table = pa.table({"t": [3, 1, 2], "v": [1.0, 2.0, 4.0]})
    >>> reference(table, x=Total()("v").over(iw.rows(2, order_by="t")))["x"].to_pylist()
    [5.0, 2.0, 6.0]
    >>> by_two = iw.group_by(table).window(iw.tumble("t", size=2))
    >>> reference(by_two, x=Total()("v"))["x"].to_pylist() == by_two.agg(x=Total()("v"))["x"].to_pylist()
    True
    """
    applied = {
        name: replace(one, aggregate=plain_of(one.aggregate)) if isinstance(one, Applied) else one
        for name, one in applied.items()
    }
    for name, one in applied.items():
        if not isinstance(one, Applied) or not isinstance(one.aggregate, Aggregate):
            raise UsageError(
                f"reference({name}={shown(one)}) is not a class of yours applied to columns: MyAvg()('price')"
            )
        if not all(isinstance(column, str) for column in one.columns):
            raise UsageError(f"reference({name}={one}): give names of columns; compute others first")
    if isinstance(data, Grouped):
        return _groups(data, applied)
    if not isinstance(data, pa.Table):
        raise UsageError(f"reference() takes a pyarrow.Table or iw.group_by(table).window(...), not {shown(data)}")
    data = unpacked(data)
    check_columns(data.schema, [name for name in applied if name in data.column_names], "reference")
    for name, one in applied.items():
        column = pa.array(_column(data, one), one.traits.result)
        data = (
            data.set_column(data.schema.get_field_index(name), name, column)
            if name in data.column_names
            else data.append_column(name, column)
        )
    return data


def _column(table: pa.Table, applied: Applied) -> list[Any]:
    window = applied.window or Window(Rows(None, 0))
    applied = applied if window.slide is None else of_its_frame(applied)
    traits = applied.traits
    if traits.emits_many:
        raise UsageError(f"reference(): {applied.label} yields any number of values per tuple, so it makes no column")
    plain = plain_for(traits.result)
    column: list[Any] = [None] * len(table)
    for members in _partitions(table, window.partition_by).values():
        rows, numbers = _in_order(table, members, window.order_by, applied)
        results = definition.results(applied.aggregate, window, rows, traits.nulls, traits.empty)
        for number, result in zip(numbers, results, strict=True):
            column[number] = plain(result)
    return column


def _groups(grouped: Grouped, applied: dict[str, Applied]) -> pa.Table:
    table, extent, keys = grouped.place.data, grouped.extent, grouped.keys
    if extent is None or not isinstance(table, pa.Table):
        raise UsageError("reference() takes groups of a pyarrow.Table with a window: iw.group_by(table).window(extent)")
    found: list[dict[str, Any]] = []
    for members in _partitions(table, keys).values():
        columns: dict[Any, dict[str, Any]] = {}
        for name, one in applied.items():
            one = of_its_frame(one)
            traits, plain = one.traits, plain_for(one.traits.result)
            rows, numbers = _in_order(table, members, (Order(extent.on),), one)
            first = {key: canonical(_array(table, key).slice(numbers[0], 1))[0].as_py() for key in keys}
            for start, end, positions in definition.extents(extent, rows):
                row = columns.setdefault((start, end), {**first, "window": {"start": start, "end": end}})
                row[name] = plain(definition.fold(one.aggregate, rows, positions, traits.nulls, traits.empty))
        found += columns.values()
    names = [*keys, "window", *applied]
    types = {key: plain_type(table.schema.field(key).type) for key in keys}
    types |= {name: one.traits.result for name, one in applied.items()}
    return pa.table({name: pa.array([row[name] for row in found], types.get(name)) for name in names})


def _partitions(table: pa.Table, keys: tuple[str, ...]) -> dict[Hashable, list[int]]:
    """The row numbers of each partition, in the order of first appearance; NaN is a key, 0.0 and -0.0 are one."""
    columns = [table.column(key).to_pylist() for key in keys]
    found: dict[Hashable, list[int]] = {}
    for number in range(len(table)):
        found.setdefault(hashable([column[number] for column in columns]), []).append(number)
    return found


def _array(table: pa.Table, name: str) -> pa.Array:
    array: pa.Array = plain(table.column(name)).combine_chunks()
    return array


def _in_order(
    table: pa.Table, members: list[int], order_by: tuple[Order, ...], applied: Applied
) -> tuple[list[definition.Row], list[int]]:
    """The rows of a partition in its order, and their numbers in the table."""
    its = pa.array(members, pa.int64())

    def values(column: str) -> list[Any]:
        return python_values(_array(table, column).take(its))

    orders = [values(order.column) for order in order_by]
    arguments = [values(column) for column in applied.columns]
    passes = [True] * len(members) if applied.condition is None else [ok is True for ok in values(applied.condition)]
    places = definition.in_order(
        [definition.Row(tuple(order[i] for order in orders), (i,)) for i in range(len(members))], order_by
    )
    at = [place.args[0] for place in places]
    rows = [
        definition.Row(place.order, tuple(argument[i] for argument in arguments), passes[i])
        for i, place in zip(at, places, strict=True)
    ]
    return rows, [members[i] for i in at]
