"""The grid origin + k*step: the k of a key, and the key of a k. Slots, panes and extents lie on it.

>>> import numpy as np
>>> floor_multiple(np.array([-1, 0, 9, 10]), 10, 0)
array([-1,  0,  0,  1])
>>> grid(np.array([-1, 0, 1]), 10, 3)
array([-7,  3, 13])
"""

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from inwindow.native._bounds import shifted
from inwindow.windows.interval import EXACT

_WHOLE, _POWERS = 2.0**53, 22  # whole numbers, and powers of ten, that are doubles without rounding


def floor_multiple(keys: npt.NDArray[Any], step: Any, origin: Any) -> npt.NDArray[Any]:
    """floor((key - origin) / step), without overflow for any int64 key."""
    if keys.dtype == np.float64:
        with np.errstate(over="ignore", invalid="ignore"):  # too many steps for a double: OrderKey.check_steps says so
            number = np.floor((keys - origin) / step)
            # The quotient is rounded; the slot is the one whose bounds hold the key.
            number += grid(number + 1, step, origin) <= keys
            return number - (grid(number, step, origin) > keys)
    if keys.ndim == 2:
        # Wide keys as Python integers: slow, and used only if such a column is cut into slots.
        low, high = keys[:, 0].copy().view(np.uint64), keys[:, 1]
        numbers = (high.astype(object) << 64) + low.astype(object)
        return (numbers - whole(origin)) // step
    origin = int(origin)
    # (key - origin) // step, with remainders handled separately, so that nothing overflows.
    quotient, remainder = np.divmod(keys, np.int64(step))
    origin_quotient, origin_remainder = divmod(origin, step)
    result: npt.NDArray[Any] = quotient - np.int64(origin_quotient) - (remainder < np.int64(origin_remainder))
    return result


def grid(number: npt.NDArray[Any], step: Any, origin: Any, size: Any = 0) -> npt.NDArray[Any]:
    """origin + number*step + size. Doubles are read as the decimals that one writes: 6 steps of 0.1 are 0.6."""
    if isinstance(step, int):
        return number * step + (origin + size)
    written = [Decimal(repr(float(x))) for x in (step, size, origin)]
    if _digits(written) <= _POWERS and written[2]:
        return _sum(number, written[0], EXACT.add(written[1], written[2]), _digits(written))
    with np.errstate(over="ignore"):  # infinite bounds are refused: OrderKey.room
        return _sum(number, written[0], written[1], _digits(written[:2])) + float(origin)


def _digits(written: list[Decimal]) -> int:
    """How many digits after the point some numbers have."""
    return max(0, *(-int(x.as_tuple().exponent) for x in written if x))


def _sum(number: npt.NDArray[Any], step: Decimal, size: Decimal, digits: int) -> npt.NDArray[Any]:
    """number*step + size, computed with whole numbers."""
    scaled = [float(x.scaleb(digits)) for x in (step, size)]
    most = min(digits, 300)  # a double has no 10**324, though it has 5e-324
    result: npt.NDArray[Any] = (number * scaled[0] + scaled[1]) / 10.0**most / 10.0 ** (digits - most)
    return result


def added(keys: npt.NDArray[Any], size: Any) -> npt.NDArray[Any]:
    """keys + size. Doubles are read as the decimals they are written as, and so is what comes out.

    >>> added(np.array([0.7, 1 / 3]), 0.1).tolist(), (np.array([0.7, 1 / 3]) + 0.1).tolist()
    ([0.8, 0.4333333333333333], [0.7999999999999999, 0.43333333333333335])
    """
    if keys.dtype != np.float64:
        return shifted(keys, size)
    exact = Decimal(repr(float(size)))
    digits = max(0, -int(exact.as_tuple().exponent))
    result, rest = np.empty_like(keys), np.arange(len(keys))
    for tried in range(digits, min(digits + 12, _POWERS) + 1, 3):
        # Most keys have few digits behind the point: then they are whole numbers of some power of ten.
        power, step = float(10**tried), float(exact.scaleb(tried, EXACT))
        with np.errstate(over="ignore"):
            scaled = np.rint(keys[rest] * power)
        found = (scaled / power == keys[rest]) & (np.abs(scaled) + abs(step) < _WHOLE)
        result[rest[found]] = (scaled[found] + step) / power
        rest = rest[~found]
    result[rest] = [float(EXACT.add(Decimal(repr(key)), exact)) for key in keys[rest].tolist()]
    return result


def whole(key: Any) -> int:
    """A key as Python's integer; one of 128 bits is two words."""
    return int(key) if np.ndim(key) == 0 else (int(key[1]) << 64) + int(np.uint64(key[0]))
