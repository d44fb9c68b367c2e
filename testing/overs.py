"""The last laws: whole tables, by the product under every strategy, against the definition.

Here are ties in the order column, partitions, NULLs, frames in which nothing was seen, slides and extents. A class that
reads ``inwindow`` is asked for these alone, since its buffer is the framework's.
"""

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.optimizer.rules import RULES
from inwindow.runtime.group_by import group_by
from inwindow.runtime.with_columns import with_columns
from inwindow.testing.definition import reference
from inwindow.testing.equality import same
from inwindow.testing.steps import Broken, Steps, Tuple, literal
from inwindow.udaf.builtins.counts import count
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import HookError, InWindowError, ResultTypeError, UsageError, shown
from inwindow.windows.extents import hop, session, tumble
from inwindow.windows.frames import groups, groups_between, range_between, rows, rows_between, unbounded
from inwindow.windows.frames import range as range_
from inwindow.windows.spec import Extent, Groups, Order, Range, Rows, Window

_PLACE = "partition_by='k', order_by='t'"
FRAMES = (
    f"iw.rows(2, {_PLACE})", f"iw.rows(3, {_PLACE})", f"iw.range(2, {_PLACE})", f"iw.unbounded({_PLACE})",
    f"iw.rows(1, {_PLACE})", f"iw.rows_between(-3, -2, {_PLACE})", f"iw.range_between(-1, 1, {_PLACE})",
    f"iw.groups(2, {_PLACE})", f"iw.groups_between(-1, 1, {_PLACE})",
)  # fmt: skip
TRAILING = FRAMES[:5]  # that end at the current tuple: for classes without terminate
PANES = (
    f"iw.rows(4, slide=2, {_PLACE})", "iw.hop('t', size=4, every=2)", f"iw.rows(5, slide=2, {_PLACE})",
    f"iw.rows(2, slide=3, {_PLACE})", "iw.tumble('t', size=2)", "iw.session('t', gap=2)", f"iw.range(3, slide=2, {_PLACE})",
)  # fmt: skip


# What the texts above are written in; `inwindow` itself is not to be imported from inside.
_IW = SimpleNamespace(
    rows=rows, range=range_, unbounded=unbounded, rows_between=rows_between, range_between=range_between,
    groups=groups, groups_between=groups_between,
    hop=hop, tumble=tumble, session=session,
)  # fmt: skip


@cache
def window_of_text(text: str) -> Any:
    """The window or extent that a text describes."""
    return eval(text, {"iw": _IW})


@dataclass(frozen=True)
class Over:
    """A window or an extent, and how it is written."""

    text: str
    it: Window | Extent


def given_over(window: Any) -> Over:
    """The window that a user gave, over the columns that are made up here: k, and t in whole numbers."""
    moved: Any
    if isinstance(window, Window) and isinstance(window.frame, (Rows, Range, Groups)):
        moved = replace(window, partition_by=("k",), order_by=(Order("t"),), strategy=None)
    elif isinstance(window, Extent):
        moved = replace(window, on="t")
    else:
        raise UsageError(
            f"check(window={_shown(window)}): give iw.rows(...), iw.range(...), iw.groups(...) or an extent, or none for a "
            "choice of them"
        )
    text = _written(moved)
    try:
        plan_of(moved)
    except InWindowError as error:
        raise UsageError(
            f"check(window={_shown(window)}): check() orders by whole numbers: give sizes as numbers ({error})"
        ) from None
    return Over(text, moved)


def _written(value: Any) -> str:
    """A window as the call that makes it: what it prints is in words."""
    if not is_dataclass(value):
        return repr(value)
    parts = [f"{field.name}={_written(getattr(value, field.name))}" for field in fields(value)]
    return f"{type(value).__name__}({', '.join(parts)})"


def _shown(window: Any) -> str:
    return window.describe() if isinstance(window, (Window, Extent)) else shown(window)


def plan_of(window: Any) -> None:
    """Check that the window fits an order column of whole numbers."""
    schema = pa.schema([("k", pa.string()), ("t", pa.int64())])
    if isinstance(window, Window):
        plan_windows(schema, {"n": count().over(window)})
    else:
        plan_groups(schema, ("k",), window, {"n": count()})


@dataclass(frozen=True)
class Whole:
    """A generated table: partition, order value and tuple of each row."""

    rows: tuple[tuple[str, int, Tuple], ...]
    over: Over
    kinds: tuple[pa.DataType | None, ...]
    is_plain: bool = True

    def table(self, parameters: tuple[str, ...]) -> tuple[pa.Table, str]:
        """The table, and how it is written. Its order values ascend within a partition as they come."""
        columns: dict[str, Any] = {"k": pa.array([k for k, _, _ in self.rows], pa.string())}
        columns["t"] = pa.array([t for _, t, _ in self.rows], pa.int64())
        texts = [f'"{name}": pa.array({column.to_pylist()!r}, pa.{column.type}())' for name, column in columns.items()]
        for index, name in enumerate(parameters):
            values = [row[index] for _, _, row in self.rows]
            kind = self.kinds[index]
            columns[name] = pa.array(values, kind) if kind is not None else pa.array(values)
            texts.append(f'"{name}": pa.array({literal(values)}, {_arrow_text(columns[name].type)})')
        return pa.table(columns), "pa.table({" + ", ".join(texts) + "})"


def _arrow_text(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"pa.list_({_arrow_text(kind.value_type)})"
    if pa.types.is_struct(kind):
        return f"pa.struct([{', '.join(f'({field.name!r}, {_arrow_text(field.type)})' for field in kind)}])"
    if pa.types.is_decimal(kind):
        return f"pa.decimal128({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return f"pa.timestamp({kind.unit!r}{'' if kind.tz is None else f', tz={kind.tz!r}'})"
    if pa.types.is_duration(kind):
        return f"pa.duration({kind.unit!r})"
    if pa.types.is_time(kind):
        return f"pa.time{kind.bit_width}({kind.unit!r})"
    names = {"bool": "bool_", "double": "float64", "float": "float32", "halffloat": "float16", "date32[day]": "date32"}
    return f"pa.{names.get(str(kind), str(kind))}()"


def strategies_agree(steps: Steps, whole: Whole) -> None:
    """Every possible strategy gives the result of the definition."""
    aggregate: Aggregate = steps.aggregate
    names = columns_of(aggregate, len(whole.kinds))
    table, text = whole.table(names)
    window, applied = whole.over.it, aggregate(*names)
    arguments = ", ".join(map(repr, names))
    steps.lines.append((f"table = {text}", ()))
    steps.lines.append((f"window = {whole.over.text}", ()))
    if not isinstance(window, Window):
        groups = group_by(table, "k").window(window)
        expected = _by_extent(reference(groups, x=applied))
        steps.lines.append((f'groups, applied = iw.group_by(table, "k").window(window), aggregate({arguments})', ()))
        steps.lines.append(("given = groups.agg(x=applied).to_pylist()", ()))
        steps.lines.append(("expected = iw.testing.reference(groups, x=applied).to_pylist()", ()))
        _compare(steps, lambda: _by_extent(groups.agg(x=applied)), expected)
        return
    expected = reference(table, x=applied.over(window))["x"].to_pylist()
    case = plan_windows(table.schema, {"x": applied.over(window)})[0].steps[0].case
    written = len(steps.lines)
    for strategy in (strategy.name for strategy in RULES if strategy.applies(case)):
        forced = applied.over(window, strategy=strategy)
        steps.lines[written:] = [
            (f'applied = aggregate({arguments}).over(window, strategy="{strategy}")', ()),
            ('given = iw.with_columns(table, x=applied)["x"].to_pylist()', ()),
            ('expected = iw.testing.reference(table, x=applied)["x"].to_pylist()', ()),
        ]
        _compare(steps, lambda forced=forced: with_columns(table, x=forced)["x"].to_pylist(), expected)


def columns_of(aggregate: Aggregate, width: int) -> tuple[str, ...]:
    """Names for the columns of the arguments: those of the hooks, if they are free."""
    parameters = aggregate._traits.parameters if aggregate._traits else ()
    if len(parameters) == width and not {"k", "t", "x"} & set(parameters):
        return parameters
    return tuple(f"value{number}" for number in range(1, width + 1))


def _compare(steps: Steps, run: Any, expected: Any) -> None:
    try:
        given = run()
    except (HookError, ResultTypeError) as error:
        cause = getattr(error, "error", None) or error
        raise Broken(steps, call="iw.with_columns(...)", error=cause) from error
    if not same(given, expected, steps.tolerance):
        steps.lines.append(("assert iw.testing.same(given, expected), (given, expected)", ()))
        raise Broken(steps, given=given, expected=expected)


def _by_extent(groups: pa.Table) -> list[Any]:
    found: list[Any] = groups.to_pylist()
    return found
