"""A tuple's place in its partition: ``row_number``, ``rank``, ``dense_rank``, ``percent_rank``, ``cume_dist``, ``ntile``.

With a column, ``rank("price")`` and its kin are aggregates: the rank of the frame's newest value among the frame's values.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._rolling_ranks import RollingRank
from inwindow.native._totals import Count
from inwindow.native.places import Numbers, Share, ShareOfPartition
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import Resolve, built_in, check_flag
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import DOUBLE, INT, is_float, is_whole
from inwindow.udaf.native import Native, Reads, as_it_is, own_panes
from inwindow.udaf.traits import KernelTraits, OwnFrame

_METHODS = ("min", "max", "average", "dense")
_DENSE = ", over a frame; without one iw.rank() is the first place of peers, and iw.dense_rank() counts them once"
__all__ = ["cume_dist", "dense_rank", "ntile", "percent_rank", "rank", "row_number"]


def row_number() -> Applied:
    """The tuple's number in its partition, from 1.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a"], "ts": [1, 1, 2]})
    >>> number = iw.row_number().over(iw.unbounded(partition_by="item", order_by="ts"))
    >>> iw.with_columns(table, number=number)["number"].to_pylist()
    [1, 1, 2]
    """
    return _place("row_number", ("rows", None, 0), _counted("marks", 0))


def rank(
    column: Any = None, *, method: Literal["min", "max", "average", "dense"] = "min", ascending: bool = True
) -> Applied:
    """The tuple's place in the order, from 1; peers share the first of their places.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"points": [9, 7, 7, 5]})
    >>> iw.with_columns(table, place=iw.rank().over(iw.unbounded(order_by=iw.desc("points"))))["place"].to_pylist()
    [1, 2, 2, 4]

    With a column, over any frame: the place of the newest tuple's value among the frame's values; NULL where it is NULL. Of equal
    values it is the first place, or by ``method`` the last or the average, or equal values count once (``"dense"``).

    >>> iw.with_columns(table, place=iw.rank("points").over(iw.rows(3)))["place"].to_pylist()
    [1, 1, 1, 1]
    >>> iw.with_columns(table, place=iw.rank("points", method="average", ascending=False).over(iw.rows(3)))["place"].to_pylist()
    [1.0, 2.0, 2.5, 3.0]
    """
    if not isinstance(method, str) or method not in _METHODS:
        raise UsageError(
            f"rank(method={shown(method)}): equal values share a place: 'min', 'max', 'average' or 'dense'"
        )
    if column is None:
        if method != "min":
            raise UsageError(f"rank(method={method!r}) needs a column, rank('price', method={method!r}){_DENSE}")
        return _place("rank", ("groups", None, -1), _counted("marks", 1), ascending)
    return _rolling("rank", column, method, ascending, () if method == "min" else (method,))


def dense_rank(column: Any = None, *, ascending: bool = True) -> Applied:
    """The number of the tuple's group of peers, from 1: a rank without gaps. With a column, as :func:`rank`, over any frame.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"points": [9, 7, 7, 5]})
    >>> iw.with_columns(table, place=iw.dense_rank().over(iw.unbounded(order_by=iw.desc("points"))))["place"].to_pylist()
    [1, 2, 2, 3]
    >>> iw.with_columns(table, place=iw.dense_rank("points", ascending=False).over(iw.rows(4)))["place"].to_pylist()
    [1, 2, 2, 3]
    """
    if column is None:
        return _place("dense_rank", ("groups", None, 0), _counted("firsts", 0), ascending)
    return _rolling("dense_rank", column, "dense", ascending)


def percent_rank(column: Any = None, *, ascending: bool = True) -> Applied:
    """The share of the partition's other tuples that come before the tuple and its peers: (rank - 1) / (tuples - 1).

    With a column, over any frame: (rank - 1) / (values - 1) of the newest tuple's value.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"points": [5, 7, 7, 9, 9]})
    >>> iw.with_columns(table, share=iw.percent_rank().over(iw.unbounded(order_by="points")))["share"].to_pylist()
    [0.0, 0.25, 0.25, 0.75, 0.75]
    >>> iw.with_columns(table, share=iw.percent_rank("points").over(iw.rows(3)))["share"].to_pylist()
    [0.0, 1.0, 0.5, 1.0, 0.5]
    """
    if column is None:
        return _place("percent_rank", ("groups", 0, None), _share(_percent_rank), ascending)
    return _rolling("percent_rank", column, "percent", ascending)


def cume_dist(column: Any = None, *, ascending: bool = True) -> Applied:
    """The share of the partition's tuples that do not come after the tuple and its peers.

    With a column, over any frame: the share of values that are not larger than the newest tuple's.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"points": [5, 7, 7, 9]})
    >>> iw.with_columns(table, share=iw.cume_dist().over(iw.unbounded(order_by="points")))["share"].to_pylist()
    [0.25, 0.75, 0.75, 1.0]
    >>> iw.with_columns(table, share=iw.cume_dist("points", ascending=False).over(iw.rows(2)))["share"].to_pylist()
    [1.0, 0.5, 1.0, 0.5]
    """
    if column is None:
        return _place("cume_dist", ("groups", 1, None), _share(np.divide), ascending)
    return _rolling("cume_dist", column, "share", ascending)


def ntile(n: int) -> Applied:
    """Which of ``n`` parts of the partition the tuple is in, from 1; the first parts have one tuple more if need be.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ts": [1, 2, 3, 4, 5]})
    >>> iw.with_columns(table, half=iw.ntile(2).over(iw.unbounded(order_by="ts")))["half"].to_pylist()
    [1, 1, 1, 2, 2]
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 0 < n < 2**31:
        raise UsageError(f"ntile({shown(n)}): n is the number of parts: give a positive int")

    def part(number: Numbers, size: Numbers) -> Any:
        small, larger = np.divmod(size, n)  # the tuples of a part, and how many parts have one more
        in_larger = larger * (small + 1)
        of_others = larger + (number - in_larger) // np.maximum(small, 1)
        return (np.where(number < in_larger, number // (small + 1), of_others) + 1).astype(np.int32)

    return _place("ntile", ("rows", 0, None), _share(part, pa.int32()), options=(n,))


def _percent_rank(number: Numbers, size: Numbers) -> Any:
    return number / np.maximum(size - 1, 1)


def _place(
    name: str, frame: OwnFrame, resolve: Resolve, ascending: bool = True, options: tuple[Any, ...] = ()
) -> Applied:
    if ascending is not True:
        raise UsageError(
            f"{name}(ascending={shown(ascending)}) needs a column; without one the window says how it is ordered: "
            "order_by=iw.desc('price')"
        )
    traits = KernelTraits(frame=frame)
    return built_in(
        name, resolve, "no column", parameters=(), options=options, empty=0,  # which says: never NULL
        commutative=True, kernel=traits,
    )  # fmt: skip


def _rolling(name: str, column: Any, result: str, ascending: Any, options: tuple[Any, ...] = ()) -> Applied:
    """The rank of the newest tuple's value, by the kernel's name of the result."""
    check_flag(f"{name}({column_text(column)}", ascending, "ascending")

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        if not (is_whole(types[0]) or is_float(types[0])):
            return None
        floating = is_float(types[0])

        def kernel(evicts: bool) -> RollingRank:
            return RollingRank(result, floating=floating, evicts=evicts, descending=not ascending)

        counts = result in ("min", "max", "dense")
        finish: Callable[[Any], pa.Array] = (lambda ranks: pc.cast(ranks, pa.int32())) if counts else as_it_is
        return Native(pa.int32() if counts else DOUBLE, kernel, DOUBLE if floating else INT, finish, reads="all")

    return built_in(
        name, resolve, "numbers, dates, times, durations, booleans and decimals of up to 18 digits", column,
        options=options if ascending else (*options, "descending"), nulls="pass",
        kernel=KernelTraits(order_statistics=True, in_order=True),
    )  # fmt: skip


def _counted(reads: Reads, more: int) -> Resolve:
    """How many tuples the frame has, as an int; ``more`` are added."""

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        cascade = own_panes(lambda evicts: Count()) if reads == "marks" else None
        finish: Callable[[Any], pa.Array] = lambda counts: pc.cast(pc.add(counts, more), pa.int32())  # noqa: E731
        return Native(pa.int32(), lambda evicts: Count(), finish=finish, cascade=cascade, reads=reads)

    return resolve


def _share(share: Share, result: pa.DataType = DOUBLE) -> Resolve:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        return Native(result, lambda evicts: ShareOfPartition(share), reads="numbered")

    return resolve
