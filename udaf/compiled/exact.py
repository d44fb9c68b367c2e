"""Python's arithmetic on 64-bit integers and doubles: the first part of each generated module, as text.

numba's integers wrap, and its ``//`` and ``**`` differ slightly from Python's. These functions give Python's result to the last
bit, or raise ``Bail``. Then the plain hooks repeat the call: they have integers of any size, and raise Python's usual errors.
"""

EXACT = '''\
import math
import numpy as np
from numba import njit, types

_njit = njit(cache=True, error_model="numpy", nogil=True)


class Bail(Exception):
    pass


_inf, _nan = math.inf, math.nan
_MOST = 1 << 53  # integers of at most this size are doubles


@_njit
def _add(a, b):
    c = a + b
    if ((a ^ c) & (b ^ c)) < 0:
        raise Bail
    return c


@_njit
def _sub(a, b):
    c = a - b
    if ((a ^ b) & (a ^ c)) < 0:
        raise Bail
    return c


@_njit
def _mul(a, b):
    if -2147483648 <= a <= 2147483647 and -2147483648 <= b <= 2147483647:
        return a * b
    # Asked before: the compiler takes it that a product does not overflow, and would drop a test of the result.
    if abs(float(a) * float(b)) > 9.223372036854774e18:
        raise Bail
    return a * b


@_njit
def _neg(a):
    if a == -9223372036854775808:
        raise Bail
    return -a


@_njit
def _iabs(a):
    return _neg(a) if a < 0 else a


@_njit
def _same(i):
    """An integer as the double that it equals."""
    if i > _MOST or i < -_MOST:
        raise Bail
    return float(i)


@_njit
def _div(a, b):
    if b == 0.0:
        raise Bail
    return a / b


@_njit
def _ifloordiv(a, b):
    if b == 0 or (b == -1 and a == -9223372036854775808):
        raise Bail
    return a // b


@_njit
def _imod(a, b):
    if b == 0 or b == -1:
        if b == 0:
            raise Bail
        return a * 0
    return a % b


@_njit
def _fmod(a, b):
    if b == 0.0:
        raise Bail
    m = np.fmod(a, b)
    if m != 0.0:
        if (b < 0.0) != (m < 0.0):
            m += b
    else:
        m = math.copysign(0.0, b)
    return m


@_njit
def _floor(d):
    """As C has it."""
    if not -4503599627370496.0 < d < 4503599627370496.0:
        return d
    f = float(int(d))
    return f - 1.0 if f > d else f


@_njit
def _ffloordiv(a, b):
    if b == 0.0:
        raise Bail
    m = np.fmod(a, b)
    d = (a - m) / b
    if m != 0.0 and (b < 0.0) != (m < 0.0):
        d -= 1.0
    if d != 0.0:
        f = _floor(d)
        if d - f > 0.5:
            f += 1.0
        return f
    return math.copysign(0.0, a / b)


@_njit
def _pow(a, b):
    c = math.pow(a, b)
    if math.isnan(c) and not (math.isnan(a) or math.isnan(b)):
        raise Bail
    if math.isinf(c) and not (math.isinf(a) or math.isinf(b)):
        raise Bail
    return c


@_njit
def _checked(y, x):
    """What a function of math gave for x, where Python would raise no error."""
    if math.isnan(y) and not math.isnan(x):
        raise Bail
    if math.isinf(y) and not math.isinf(x):
        raise Bail
    return y


@_njit
def _checked2(y, a, b):
    if math.isnan(y) and not (math.isnan(a) or math.isnan(b)):
        raise Bail
    if math.isinf(y) and not (math.isinf(a) or math.isinf(b)):
        raise Bail
    return y


@_njit
def _int(x):
    if not -9223372036854775808.0 <= x < 9223372036854775808.0:
        raise Bail
    return int(x)


@_njit
def _ifloor(x):
    i = _int(x)
    return i - 1 if float(i) > x else i


@_njit
def _iceil(x):
    i = _int(x)
    return i + 1 if float(i) < x else i


@_njit
def _min(a, b):
    return b if b < a else a


@_njit
def _max(a, b):
    return b if b > a else a
'''
