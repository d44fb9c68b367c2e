"""The value some tuples before or after: ``lag``, ``lead``."""

from datetime import datetime
from typing import Any

import pyarrow as pa

from inwindow.native._picks import Pick
from inwindow.native.places import Defaulted, NthLast
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import Resolve, built_in, check_flag
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.native import Native
from inwindow.udaf.traits import KernelTraits, OwnFrame

__all__ = ["lag", "lead"]


def lag(column: Any, offset: int = 1, default: Any = None, ignorenulls: bool = False) -> Applied:
    """The value ``offset`` tuples before, or ``default`` where the partition has none; with ``ignorenulls`` NULLs are not counted.

    Of the window it takes partitions, order and slide.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ts": [1, 2, 3], "price": [5.0, None, 7.0]})
    >>> before = iw.lag("price", 1, default=0.0).over(iw.unbounded(order_by="ts"))
    >>> iw.with_columns(table, before=before)["before"].to_pylist()
    [0.0, 5.0, None]
    """
    return _neighbour("lag", column, offset, default, ignorenulls, -1)


def lead(column: Any, offset: int = 1, default: Any = None, ignorenulls: bool = False) -> Applied:
    """The value ``offset`` tuples after, or ``default`` where the partition has none; with ``ignorenulls`` NULLs are not counted.

    Of the window it takes partitions, order and slide. On a stream a tuple waits for the one that it reads.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ts": [1, 2, 3], "price": [5.0, None, 7.0]})
    >>> after = iw.lead("price", ignorenulls=True).over(iw.unbounded(order_by="ts"))
    >>> iw.with_columns(table, after=after)["after"].to_pylist()
    [7.0, 7.0, None]
    """
    return _neighbour("lead", column, offset, default, ignorenulls, 1)


def _neighbour(name: str, column: Any, offset: Any, default: Any, ignorenulls: Any, sign: int) -> Applied:
    call = f"{name}({column_text(column)}"
    if isinstance(offset, bool) or not isinstance(offset, int) or abs(offset) >= 2**31:
        raise UsageError(f"{call}, {shown(offset)}): the offset is a number of tuples, an int such as 1")
    check_flag(call, ignorenulls, "ignorenulls")
    ahead = sign * offset
    options = (offset, default, True) if ignorenulls else (offset,) if default is None else (offset, default)
    its = f"{call}, {', '.join(map(shown, options))})"
    skips = ignorenulls and offset != 0
    frame: OwnFrame = ("rows", ahead, ahead)
    if skips:
        frame = ("rows", 1, None) if ahead > 0 else ("rows", None, -1)
    return built_in(
        name, _resolve(its, ahead, default, skips), "any column", column, options=options,
        nulls="skip" if skips else "pass", kernel=KernelTraits(frame=frame),
    )  # fmt: skip


def _resolve(its: str, ahead: int, default: Any, skips: bool) -> Resolve:
    def plain() -> Any:
        if not skips:
            return Pick(1)
        return Pick(ahead) if ahead > 0 else NthLast(-ahead)

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        kernel = plain
        if default is not None:
            value = _as(types[0], default, its)
            kernel = lambda: Defaulted(plain(), value, null_is_none=skips)  # noqa: E731
        return Native(types[0], lambda evicts: kernel(), reads="counted" if skips else "all", gives="a value")

    return resolve


def _as(kind: pa.DataType, default: Any, its: str) -> pa.Scalar:
    """The default as a value of the column's type."""
    if pa.types.is_timestamp(kind) and isinstance(default, datetime) and (kind.tz is None) != (default.tzinfo is None):
        lacks = "has no time zone" if default.tzinfo is None else "has a time zone"
        raise UsageError(f"{its}: the default {lacks}, but the column is of type {kind}: give a datetime that fits")
    try:
        return pa.scalar(default, kind)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        pass
    try:
        if isinstance(default, (int, float)) and not pa.types.is_temporal(kind):
            return pa.scalar(default).cast(kind)
    except pa.ArrowException:
        pass
    raise UsageError(f"{its}: the default {shown(default)} is no value of the column's type, {kind}: give one that is")
