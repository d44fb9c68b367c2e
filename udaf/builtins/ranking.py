"""A tuple's place in its partition: ``row_number``, ``rank``, ``dense_rank``, ``percent_rank``, ``cume_dist``, ``ntile``."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._totals import Count
from inwindow.native.places import Numbers, Share, ShareOfPartition
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import Resolve, built_in
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import DOUBLE
from inwindow.udaf.native import Native, Reads, own_panes
from inwindow.udaf.traits import KernelTraits, OwnFrame

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


def rank() -> Applied:
    """The tuple's place in the order, from 1; peers share the first of their places.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"points": [9, 7, 7, 5]})
    >>> iw.with_columns(table, place=iw.rank().over(iw.unbounded(order_by=iw.desc("points"))))["place"].to_pylist()
    [1, 2, 2, 4]
    """
    return _place("rank", ("groups", None, -1), _counted("marks", 1))


def dense_rank() -> Applied:
    """The number of the tuple's group of peers, from 1: a rank without gaps.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"points": [9, 7, 7, 5]})
    >>> iw.with_columns(table, place=iw.dense_rank().over(iw.unbounded(order_by=iw.desc("points"))))["place"].to_pylist()
    [1, 2, 2, 3]
    """
    return _place("dense_rank", ("groups", None, 0), _counted("firsts", 0))


def percent_rank() -> Applied:
    """The share of the partition's other tuples that come before the tuple and its peers: (rank - 1) / (tuples - 1).

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"points": [5, 7, 7, 9, 9]})
    >>> iw.with_columns(table, share=iw.percent_rank().over(iw.unbounded(order_by="points")))["share"].to_pylist()
    [0.0, 0.25, 0.25, 0.75, 0.75]
    """
    return _place("percent_rank", ("groups", 0, None), _share(_percent_rank))


def cume_dist() -> Applied:
    """The share of the partition's tuples that do not come after the tuple and its peers.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"points": [5, 7, 7, 9]})
    >>> iw.with_columns(table, share=iw.cume_dist().over(iw.unbounded(order_by="points")))["share"].to_pylist()
    [0.25, 0.75, 0.75, 1.0]
    """
    return _place("cume_dist", ("groups", 1, None), _share(np.divide))


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


def _place(name: str, frame: OwnFrame, resolve: Resolve, options: tuple[Any, ...] = ()) -> Applied:
    traits = KernelTraits(frame=frame)
    return built_in(
        name, resolve, "no column", parameters=(), options=options, empty=0,  # which says: never NULL
        commutative=True, kernel=traits,
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
