"""Numbers as the nearest doubles: the input of kernels on doubles, and the same as Spark's cast.

Arrow's cast of a decimal multiplies by a rounded power of ten, so 0.03 would become 0.030000000000000002.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_POWERS = 22  # powers of ten up to this one are exact doubles
_WHOLE = 1 << 53  # integers up to this one are exact doubles


def doubles(values: pa.Array) -> pa.Array:
    """A column of numbers as doubles.

    >>> from decimal import Decimal
    >>> doubles(pa.array([Decimal("0.03"), None, Decimal("-1234567890123456789.01")])).to_pylist()
    [0.03, None, -1.2345678901234568e+18]
    """
    kind = values.type
    if not pa.types.is_decimal(kind):
        return pc.cast(values, pa.float64(), safe=False)
    if not pa.types.is_decimal128(kind):
        return pa.array([None if value is None else float(value) for value in values.to_pylist()], pa.float64())
    words = np.frombuffer(values.buffers()[1] or b"", np.int64).reshape(-1, 2)
    low, high = words[values.offset : values.offset + len(values)].T
    # A quotient of two doubles without rounding is rounded once.
    result = low / float(10 ** min(max(kind.scale, 0), _POWERS))
    plain = (high == low >> 63) & (low >= -_WHOLE) & (low <= _WHOLE) & (0 <= kind.scale <= _POWERS)
    if not plain.all():
        rest = np.flatnonzero(~plain)
        unscaled = (high[rest].astype(object) << 64) + low[rest].astype(np.uint64).astype(object)
        # So is that of two of Python's integers, at a tenth of the speed.
        result[rest] = (unscaled * 10 ** max(-kind.scale, 0) / 10 ** max(kind.scale, 0)).astype(np.float64)
    mask = pc.is_null(values).to_numpy(zero_copy_only=False) if values.null_count else None
    return pa.array(result, mask=mask)
