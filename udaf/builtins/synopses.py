"""From the papers: ``decayed_avg``, ``frequent_items``, ``priority_sample``, ``ones_in_window``.

All but the first say in little memory something near the truth; each says how near.
"""

import math
from typing import Any

import pyarrow as pa

from inwindow.native._frequent import FloatFrequent, IntFrequent, ObjectFrequent
from inwindow.native._monoids import Decayed
from inwindow.native._ones import OnesInWindow
from inwindow.native.samples import Sample, SampleOfPartials
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import NUMBERS, built_in
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import DOUBLE, INT, back_to, is_float, is_int, is_number, is_whole
from inwindow.udaf.native import Cascade, Kernel, Native, own_panes
from inwindow.udaf.traits import KernelTraits

__all__ = ["decayed_avg", "frequent_items", "ones_in_window", "priority_sample"]


def decayed_avg(column: Any, decay: float = 0.9) -> Applied:
    """The average in which each value weighs ``decay`` times as much as the one after it (ESL, example 8).

    Without a window it goes on for ever, and gives a result per tuple.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [4.0, 1.0, 1.0]})
    >>> iw.with_columns(table, d=iw.decayed_avg("price", 0.5))["d"].to_pylist()
    [4.0, 2.0, 1.4285714285714286]
    """
    _check("decayed_avg", column, "decay", decay, "a factor above 0 and at most 1, as in 0.9", 1.0)

    def kernel(evicts: bool) -> Kernel:
        return Decayed(decay, evicts=evicts)

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        if not is_number(types[0]):
            return None
        return Native(DOUBLE, kernel, DOUBLE, cascade=own_panes(kernel))

    return built_in("decayed_avg", resolve, NUMBERS, column, options=(decay,), kernel=KernelTraits(online=True))


def frequent_items(column: Any, support: float = 0.01, eps: float | None = None, delta: float = 0.01) -> Applied:
    """The items that make at least ``support`` of the frame, with their estimated counts, the most frequent first.

    Counting hash tables (ESL, section 6; Jin et al. 2003): no such item is missing, no count is too small, and with
    probability 1 - ``delta`` a count is too large by ``eps`` (a tenth of ``support``) times the frame's tuples at most.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a", "c"]})
    >>> iw.with_columns(table, f=iw.frequent_items("item", support=0.5).over(iw.rows(4)))["f"].to_pylist()[-1]
    [{'item': 'a', 'count': 2}]
    """
    _check("frequent_items", column, "support", support, "a share of the frame, above 0 and at most 1", 1.0)
    eps = support / 10 if eps is None else eps
    _check("frequent_items", column, "eps", eps, f"above 0 and below support={support}", _below(support))
    _check("frequent_items", column, "delta", delta, "a probability above 0 and below 1", _below(1.0))

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        (kind,) = types
        item = kind.value_type if pa.types.is_dictionary(kind) else kind
        if pa.types.is_nested(item) or isinstance(item, pa.BaseExtensionType):
            return None
        result = pa.list_(pa.field("element", pa.struct([pa.field("item", item), pa.field("count", INT)])))
        if is_float(kind) or is_whole(kind):
            kernel, inner = (FloatFrequent, DOUBLE) if is_float(kind) else (IntFrequent, INT)
            return Native(
                result, lambda evicts: kernel(support, eps, delta, evicts=evicts), inner,
                lambda found: with_items(found, back_to(kind), result),
            )  # fmt: skip
        return Native(result, lambda evicts: ObjectFrequent(support, eps, delta, item, evicts=evicts), reads="objects")

    return built_in(
        "frequent_items", resolve, "any column but nested ones and extension types", column, options=(support, eps, delta),
        empty=[], commutative=True,
    )  # fmt: skip


def with_items(found: pa.Array, back: Any, result: pa.DataType) -> pa.Array:
    """Lists of items and their counts, as lists of items of the column's own type."""
    flat = found.flatten()
    structs = pa.StructArray.from_arrays([back(flat.field(0)), flat.field(1)], fields=list(result.value_type))
    return pa.ListArray.from_arrays(found.offsets, structs, type=result)


def priority_sample(column: Any, k: int, seed: int = 0) -> Applied:
    """``k`` values of the frame, each drawn from all its tuples with the same chance (with replacement).

    Babcock, Datar, Motwani (2002): it keeps O(k log n) tuples of a frame of n. The draw depends on ``seed`` and on the tuples'
    numbers in their partition alone, so that it is the same everywhere.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [5, 5, 5]})
    >>> iw.with_columns(table, s=iw.priority_sample("price", 2).over(iw.rows(2)))["s"].to_pylist()
    [[5, 5], [5, 5], [5, 5]]
    """
    if isinstance(k, bool) or not isinstance(k, int) or not 0 < k < 2**16:
        raise UsageError(
            f"priority_sample({column_text(column)}, {shown(k)}): k is the number of values: give a positive int"
        )
    if isinstance(seed, bool) or not isinstance(seed, int) or not -(2**63) <= seed < 2**63:
        raise UsageError(f"priority_sample({column_text(column)}, {k}, {shown(seed)}): seed is an int of 64 bits")

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        cascade = Cascade(
            lambda: Sample(k, seed, evicts=False),
            lambda: SampleOfPartials(k),
            sliding=lambda evicts: Sample(k, seed, evicts=evicts),
        )
        return Native(
            pa.list_(pa.field("element", types[0])), lambda evicts: Sample(k, seed, evicts=evicts), cascade=cascade,
            reads="numbered", keeps="O(k log(window)) values", gives="values",
        )  # fmt: skip

    options = (k, seed) if seed else (k,)
    return built_in("priority_sample", resolve, "any column", column, options=options, empty=[])


def ones_in_window(column: Any, eps: float = 0.01) -> Applied:
    """How many values are not 0 (or true), to within ``eps`` times the truth, in O(log²(window) / eps) bits.

    Datar, Gionis, Indyk, Motwani's exponential histogram (2002): no tuple of the frame is kept.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"failed": [1, 0, 1, 1]})
    >>> iw.with_columns(table, n=iw.ones_in_window("failed").over(iw.rows(2)))["n"].to_pylist()
    [1, 1, 1, 2]
    """
    _check("ones_in_window", column, "eps", eps, "a relative error above 0 and at most 1", 1.0)

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        if not (is_int(types[0]) or pa.types.is_boolean(types[0])):
            return None
        return Native(INT, lambda evicts: OnesInWindow(eps), INT, keeps="O(log(window) / eps) buckets", remembers=True)

    return built_in("ones_in_window", resolve, "integers and booleans", column, options=(eps,), empty=0)


def _check(name: str, column: Any, option: str, value: Any, what: str, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= most:
        raise UsageError(f"{name}({column_text(column)}, {option}={shown(value)}): {option} is {what}")


def _below(value: float) -> float:
    return math.nextafter(value, 0.0)
