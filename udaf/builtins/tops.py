"""The most frequent values by a sketch that merges: ``approx_top_k``, as Spark SQL has it."""

from typing import Any

import pyarrow as pa

from inwindow.native.sketching import SketchingNulls, SketchOfPanes
from inwindow.native.top_sketches import FrequentItems, Held
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import built_in
from inwindow.udaf.builtins.sketches import check_installed
from inwindow.udaf.builtins.synopses import with_items
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import DOUBLE, INT, back_to, is_float, is_whole
from inwindow.udaf.native import Cascade, Native
from inwindow.udaf.traits import KernelTraits

__all__ = ["approx_top_k"]

_MOST_TRACKED = 1_000_000  # Spark's limit


def approx_top_k(column: Any, k: int = 5, maxItemsTracked: int = 10_000) -> Applied:  # noqa: N803 - as Spark spells it
    """The ``k`` most frequent values with their counts, by a sketch of ``maxItemsTracked`` counters; NULL is a value, too.

    Exact while a frame has at most ``maxItemsTracked`` distinct values. Beyond, a count is never too small, and too large by
    2.7 / ``maxItemsTracked`` times the frame's tuples at most.

    >>> import pyarrow as pa, inwindow as iw
    >>> visits = pa.table({"page": ["home", "cart", "home", "help"], "day": [1, 1, 2, 2]})
    >>> iw.group_by(visits).window(iw.hop("day", size=2, every=1)).agg(top=iw.approx_top_k("page", 1))["top"].to_pylist()[1]
    [{'item': 'home', 'count': 2}]
    """
    call = f"approx_top_k({column_text(column)}"
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise UsageError(f"{call}, k={shown(k)}): k is how many values are given: write a positive int")
    tracked = maxItemsTracked
    if isinstance(tracked, bool) or not isinstance(tracked, int) or not k <= tracked <= _MOST_TRACKED:
        raise UsageError(
            f"{call}, {k}, maxItemsTracked={shown(tracked)}): maxItemsTracked is an int from k={k} to {_MOST_TRACKED}"
        )
    check_installed("approx_top_k")

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        (kind,) = types
        held = _held(kind)
        if held is None:
            return None
        family = FrequentItems(_lg_size(tracked), held)
        inner = {"text": kind, "digits": pa.string(), "whole": INT, "double": DOUBLE}[held]
        result, within = _tops(kind), _tops(inner)

        def give(tally: Any) -> list[dict[str, Any]]:
            return family.top(tally, k)

        def finish(found: Any) -> pa.Array:
            if held == "text":
                return found
            back = (lambda items: items.cast(kind)) if held == "digits" else back_to(kind)
            return with_items(found, back, result)

        cascade = Cascade(lambda: SketchingNulls(family, give, within), lambda: SketchOfPanes(family, give, within))
        return Native(
            result, lambda evicts: SketchingNulls(family, give, within), inner, finish, cascade=cascade, reads="all"
        )

    return built_in(
        "approx_top_k", resolve, "numbers, strings, booleans, dates and times", column, options=(k, tracked),
        nulls="pass", empty=[], commutative=True, kernel=KernelTraits(refolds=True),
    )  # fmt: skip


def _held(kind: pa.DataType) -> Held | None:
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    if is_float(kind):
        return "double"
    if is_whole(kind):
        return "whole"
    return "digits" if pa.types.is_decimal(kind) or pa.types.is_uint64(kind) else None


def _lg_size(tracked: int) -> int:
    """The sketch's size, of which it uses three quarters, as a power of 2: as Spark chooses it."""
    return max(3, (-(-tracked * 4 // 3) - 1).bit_length())


def _tops(item: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", pa.struct([pa.field("item", item), pa.field("count", INT)])))
