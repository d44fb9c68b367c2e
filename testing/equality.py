"""When two results are the same: to the last digit, but for floats."""

import math
from decimal import Decimal
from typing import Any

import numpy as np

from inwindow.udaf.types import record_values

TOLERANCE = 1e-6


def same(given: Any, expected: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether two results are the same: floats and decimals up to ``tolerance * max(1, |given|, |expected|)``, all else exactly.

    NaN is NaN, an infinity only itself. With ``tolerance=math.inf`` any two finite numbers are the same.

    >>> same(0.1 + 0.2, 0.3), same(1.0, 1.1), same(float("nan"), float("nan")), same(1.0, float("inf"))
    (True, False, True, False)
    >>> same({"a": [0.1 + 0.2]}, {"a": [0.3]}), same([1, 2], [2, 1]), same(10**18, 10**18 + 1)
    (True, False, False)
    """
    return _same(record_values(given), record_values(expected), tolerance)


def _same(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _same(np.asarray(a).tolist(), np.asarray(b).tolist(), tolerance)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key], tolerance) for key in a)
    if _is_number(a) and _is_number(b):
        return _near(a, b, tolerance)
    return bool(a == b) and (a is None) == (b is None)


def _near(a: Any, b: Any, tolerance: float) -> bool:
    if a != a or b != b:
        return a != a and b != b
    if a == b:
        return True
    inexact = isinstance(a, (float, np.floating, Decimal)) or isinstance(b, (float, np.floating, Decimal))
    if not inexact or not (_is_finite(a) and _is_finite(b)):
        return False
    return tolerance == math.inf or bool(abs(float(a) - float(b)) <= tolerance * max(1.0, abs(float(a)), abs(float(b))))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal, np.number)) and not isinstance(value, bool)


def _is_finite(number: Any) -> bool:
    return isinstance(number, int) or bool(number.is_finite() if isinstance(number, Decimal) else math.isfinite(number))
