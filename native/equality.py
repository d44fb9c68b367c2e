"""Which values are equal: the one notion that all who compare keys and distinct values share. It is that of Spark's grouping.

NULL equals NULL, NaN equals NaN whatever its bits, -0.0 equals 0.0: at any depth of lists and structs, for floats of any width.
A dictionary is its values. Lists are equal if their values are, one by one; structs, field by field.

::

    values      -0.0   0.0   NaN   NaN'  NULL     [1.0, -0.0]   [1.0, 0.0]
    canonical    0.0   0.0   NaN   NaN   NULL     [1.0, 0.0]    [1.0, 0.0]       equal values are the same bits
    codes         0     0     1     1     2            0             0           equal values are the same number
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native.dictionaries import is_or_has, plain, rebuilt
from inwindow.native.levels import as_levels, coded, numbers

Codes = npt.NDArray[np.int64]


def canonical(values: pa.Array) -> pa.Array:
    """The values without dictionaries, of equal ones all the same: no -0.0, and one NaN.

    >>> str(canonical(pa.array([[-0.0, 1.0], None]))[0])
    '[0.0, 1.0]'
    """
    values = plain(values)
    return rebuilt(values, _one_zero) if is_or_has(values.type, pa.types.is_floating) else values


def _one_zero(values: pa.Array) -> pa.Array:
    if not pa.types.is_floating(values.type):
        return values
    floats = values.to_numpy(zero_copy_only=False) + values.type.to_pandas_dtype()(0)  # -0.0 + 0.0 is 0.0
    floats[np.isnan(floats)] = np.nan
    mask = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    return pa.array(floats, values.type, mask=mask)


def codes_of(values: pa.Array) -> Codes:
    """A number per value, in the order in which values first appear: equal numbers, equal values.

    >>> codes_of(pa.array([[float("nan")], [0.0], [-0.0], None, [float("nan")], None])).tolist()
    [0, 1, 1, 2, 0, 2]
    """
    return codes_of_rows([values])


def codes_of_rows(columns: Sequence[pa.Array]) -> Codes:
    """A number per row of some columns, in the order in which rows first appear: equal numbers, equal rows.

    >>> codes_of_rows([pa.array([7, 5, 7, 7]), pa.array(["x", "x", None, "x"])]).tolist()
    [0, 1, 2, 0]
    """
    levels = [coded(level, numbers) for column in columns for level in as_levels(column, number=numbers)]
    return numbers(levels, len(columns[0]))


def hashable(value: Any) -> Any:
    """A Python value, as Arrow gives it, as something that can be a key of a dict: equal where the values are."""
    if isinstance(value, dict):
        return tuple((name, hashable(item)) for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(hashable, value))
    return "NaN" if isinstance(value, (float, np.floating)) and value != value else value
