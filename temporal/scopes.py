"""The inverse of scopes: a window gives lower(T) <= t <= upper(T) for an instant T; here we need the instants T for a tuple at t.

Both functions never decrease, so the instants are [first T with upper(T) >= t, first T with lower(T) > t). Each is found by
doubling steps from t, and then by halving, for all tuples at once: a call of the function per tuple and step.
"""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN
from inwindow.runtime.intervals import Keys
from inwindow.udaf.errors import DataError, HookError, UsageError
from inwindow.windows.order_key import PLAIN, OrderKey

_DAYS = ((date(1, 1, 1) - date(1970, 1, 1)).days, (date(9999, 12, 31) - date(1970, 1, 1)).days)
_EPOCH = datetime(1970, 1, 1)


def first_instants(
    function: Callable[[Any], Any], option: Literal["lower", "upper"], times: Keys, key: OrderKey
) -> Keys:
    """The first instant at which upper reaches each time, or lower passes it; the end of time where none does."""
    low, high = _room(key)
    begin, end = np.full(len(times), low - 1), np.full(len(times), high + 1)  # not yet; already

    def reached(which: Any, instants: Keys) -> Any:
        values = _called(function, option, instants, key)
        if (instants[1:] > instants[:-1]).all() and (values[1:] < values[:-1]).any():
            raise DataError(
                f"scope({option}=...) goes backwards: both functions of a scope must never decrease along the order"
            )
        return values >= times[which] if option == "upper" else values > times[which]

    now = reached(np.ones(len(times), dtype=bool), times)
    end[now], begin[~now] = times[now], times[~now]
    step, running = 1, np.ones(len(times), dtype=bool)
    while running.any():
        probe = np.where(now, times - step, times + step)
        running &= (probe > begin) & (probe < end) & (probe >= low) & (probe <= high)
        if not running.any():
            break
        found = reached(running, probe[running])
        at = np.flatnonzero(running)
        end[at[found]], begin[at[~found]] = probe[at[found]], probe[at[~found]]
        running[at[found != now[at]]] = False
        step *= 2
    while (running := end - begin > 1).any():
        probe = begin + (end - begin) // 2
        found = reached(running, probe[running])
        at = np.flatnonzero(running)
        end[at[found]], begin[at[~found]] = probe[at[found]], probe[at[~found]]
    return np.where(end > high, FOR_EVER, np.where(end <= low, NEVER_BEGAN, end))


def _room(key: OrderKey) -> tuple[int, int]:
    """The first and the last instant with which a function can be called."""
    kind = key.type
    if pa.types.is_date(kind):
        return _DAYS
    if pa.types.is_timestamp(kind):
        ticks = 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
        most = 2**62
        return max(_DAYS[0] * ticks, -most), min(_DAYS[1] * ticks, most)
    if pa.types.is_decimal(kind):
        return -(10**kind.precision) + 1, 10**kind.precision - 1
    bits = min(kind.bit_width, 62)
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _called(function: Callable[[Any], Any], option: str, instants: Keys, key: OrderKey) -> Keys:
    """The function's values as keys: a value between two of the column rounds into the frame."""
    results = []
    for instant in key.column_of(instants).to_pylist():
        try:
            results.append(function(instant))
        except OverflowError:  # beyond the calendar: as late, or as early, as the instant itself
            results.append(instant)
        except Exception as error:
            raise HookError(
                f"scope({option}=...): {option}({instant!r}) raised {type(error).__name__}: {error}; {_WHY}"
            ) from None
    keys, side = key.read(key.array(results, what=f"scope({option}=...)", up=option == "lower"))
    if (side != PLAIN).any():
        raise UsageError(f"scope({option}=...) gave NULL or NaN, which lies nowhere in the order")
    return keys


_WHY = "temporal.window asks for instants around each tuple's time, at which the window may see it"
