"""Results over several runs of tuples, put together: of sums, counts, averages, extremes and bits.

::

    run      before  itself  behind        joined
    sum      3.0     NULL    4.0           7.0
    count    2       0       1             3          avg: 7.0 / 3
    max      2.0     NULL    4.0           4.0
"""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.udaf.native import Joined, Native

Two = Callable[[pa.Array, pa.Array], pa.Array]


def by(two: Two) -> Callable[[list[pa.Array]], pa.Array]:
    """A function of two arrays over all runs; a NULL is passed over."""

    def both(one: pa.Array, other: pa.Array) -> pa.Array:
        found = two(one, other)
        return pc.coalesce(found, one, other) if found.null_count else found

    return lambda runs: reduce(both, runs)


added = by(pc.add)
added_exactly = by(pc.add_checked)


def sums(native: Native, *, exactly: bool = False) -> Native:
    """For sums and counts."""
    add = added_exactly if exactly else added
    part = _raw(native)
    return _with(
        native, Joined((part,), lambda given: native.finish(_overflowing(add, given[0])), may_overflow=exactly)
    )


def averages(native: Native, total: Native, count: Native, *, exactly: bool = False) -> Native:
    """For averages of integers and floats."""
    add = added_exactly if exactly else added

    def join(given: list[list[pa.Array]]) -> pa.Array:
        whole, number = _overflowing(add, given[0]), added(given[1])
        return pc.divide(pc.cast(whole, pa.float64(), safe=False), pc.cast(number, pa.float64()))

    return _with(native, Joined((_raw(total), _raw(count)), join, may_overflow=exactly))


def extremes(native: Native, op: Literal["min", "max"]) -> Native:
    """For extremes; NaN is larger than everything."""
    two = pc.min_element_wise if op == "min" else pc.max_element_wise
    larger = by(_larger)
    if native.input == pa.float64() and op == "max":
        return _with(native, Joined((_raw(native),), lambda given: native.finish(larger(given[0]))))
    return _with(native, Joined((_raw(native),), lambda given: native.finish(two(*given[0]))))


def bits(native: Native, op: Literal["and", "or", "xor"]) -> Native:
    """For bits."""
    join = by({"and": pc.bit_wise_and, "or": pc.bit_wise_or, "xor": pc.bit_wise_xor}[op])
    return _with(native, Joined((_raw(native),), lambda given: native.finish(join(given[0]))))


def picks(native: Native, count: Native, *, latest: bool) -> Native:
    """For the first or the last value, where NULL may be one: of the first or the last run that has tuples."""

    def join(given: list[list[pa.Array]]) -> pa.Array:
        runs = list(zip(*given, strict=True))
        (found, _), *others = runs if latest else runs[::-1]
        for values, counts in others:
            found = pc.if_else(pc.greater(counts, 0), values, found)
        return native.finish(found)

    return _with(native, Joined((_raw(native), _raw(count)), join)) if pa.types.is_primitive(native.result) else native


def _larger(one: pa.Array, other: pa.Array) -> pa.Array:
    if one.null_count or other.null_count:
        valid = pc.and_(one.is_valid(), other.is_valid())
        one, other = one.fill_null(-np.inf), other.fill_null(-np.inf)
        return pc.if_else(valid, _larger(one, other), None)
    return pa.array(np.maximum(one.to_numpy(), other.to_numpy()))


def _overflowing(add: Callable[[list[pa.Array]], pa.Array], runs: list[pa.Array]) -> pa.Array:
    try:
        return add(runs)
    except pa.ArrowInvalid as error:
        raise OverflowError(str(error)) from None


def _raw(native: Native) -> Native:
    """The kernel's own results."""
    return Native(native.result, native.kernel, native.input, reads=native.reads, keeps=native.keeps)


def _with(native: Native, joined: Joined) -> Native:
    return replace(native, joined=joined)
