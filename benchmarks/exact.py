"""What a window aggregate of doubles is, in exact arithmetic: the values as integers times one power of two.

Doubles of a frame, times 2**k for the smallest exponent among them, are integers; sums of their powers are exact, and
``n * x - total`` are n times the deviations from the mean. The irrational ones (a skewness has a root in it) are rounded
to 60 bits, products and decayed averages to 200.
"""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

Ints = Any  # numpy's arrays of Python's integers


class Exact(NamedTuple):
    """The true value, and what its error is a share of."""

    value: Fraction
    scale: Fraction


class Frame:
    """The finite values of a frame, and what several aggregates need of them."""

    def __init__(self, x: Any, y: Any = None) -> None:
        self.n = len(x)
        self.x, self.power = integers(x)
        self.total = int(self.x.sum())
        self.weight = int(np.abs(self.x).sum())
        self.dx: Ints = self.n * self.x - self.total
        self.squares: Ints = self.dx * self.dx
        self.xx = int(self.squares.sum())
        if y is not None:
            whole, self.y_power = integers(y)
            self.dy: Ints = self.n * whole - int(whole.sum())
            self.yy = int((self.dy * self.dy).sum())
            self.products: Ints = self.dx * self.dy


def integers(x: Any) -> tuple[Ints, int]:
    """``x`` as integers times a power of two."""
    mantissa, exponent = np.frexp(x)
    whole = (mantissa * 2.0**53).astype(np.int64)
    exponent = exponent.astype(np.int64) - 53
    least = int(exponent[whole != 0].min(initial=2000))
    up = np.where(whole == 0, 0, exponent - least)
    return np.left_shift(whole.astype(object), up.astype(object)), least


def two_to(power: int) -> Fraction:
    """A power of two, exactly."""
    return Fraction(2**power) if power >= 0 else Fraction(1, 2**-power)


def root(x: Fraction) -> Fraction:
    """The square root, to 60 bits at least."""
    shift = max(0, 130 - x.numerator.bit_length() + x.denominator.bit_length()) // 2
    return Fraction(isqrt((x.numerator << 2 * shift) // x.denominator), 1 << shift)


def sum_of(f: Frame) -> Exact:
    """Scale: the sum of absolute values."""
    unit = two_to(f.power)
    return Exact(f.total * unit, f.weight * unit)


def avg(f: Frame) -> Exact:
    """Scale: the average of absolute values."""
    total = sum_of(f)
    return Exact(total.value / f.n, total.scale / f.n)


def var_samp(f: Frame) -> Exact:
    """Scale: itself."""
    value = Fraction(f.xx, f.n**2 * (f.n - 1)) * two_to(2 * f.power)
    return Exact(value, value)


def skewness(f: Frame) -> Exact:
    """Scale: the same with the cubes' absolute values."""
    cubes = f.squares * f.dx
    below = root(Fraction(f.xx**3, f.n))
    return Exact(int(cubes.sum()) / below, int(np.abs(cubes).sum()) / below)


def kurtosis(f: Frame) -> Exact:
    """The excess; scale: what it exceeds -3 by."""
    value = Fraction(f.n * int((f.squares * f.squares).sum()), f.xx**2)
    return Exact(value - 3, value)


def covar_samp(f: Frame) -> Exact:
    """Scale: the product of both standard deviations."""
    unit = two_to(f.power + f.y_power) / (f.n**2 * (f.n - 1))
    return Exact(int(f.products.sum()) * unit, root(Fraction(f.xx * f.yy)) * unit)


def corr(f: Frame) -> Exact:
    """Scale: 1."""
    return Exact(int(f.products.sum()) / root(Fraction(f.xx * f.yy)), Fraction(1))


def product(f: Frame) -> Exact:
    """Scale: itself."""
    value, power = 1, f.n * f.power
    for x in f.x.tolist():
        value *= x
        spare = value.bit_length() - 200
        if spare > 0:
            value >>= spare
            power += spare
    exact = value * two_to(power)
    return Exact(exact, abs(exact))


def decayed_avg(f: Frame, decay: float = 0.9) -> Exact:
    """Scale: the same with the absolute values."""
    factor = int(decay * 2**53)  # exact: 1/2 <= decay < 1
    total = weight = scale = 0
    for x in f.x[-20_000:].tolist():  # what is older weighs less than 1e-900
        total = (total * factor >> 53) + (x << 400)
        scale = (scale * factor >> 53) + (abs(x) << 400)
        weight = (weight * factor >> 53) + (1 << 400)
    unit = two_to(f.power)
    return Exact(Fraction(total, weight) * unit, Fraction(scale, weight) * unit)


EXACT: dict[str, Callable[[Frame], Exact]] = {
    "sum": sum_of, "avg": avg, "var_samp": var_samp, "skewness": skewness, "kurtosis": kurtosis,
    "covar_samp": covar_samp, "corr": corr, "product": product, "decayed_avg": decayed_avg,
}  # fmt: skip


def error(got: float, exact: Exact) -> float:
    """The share of the scale that ``got`` is off by. What is beyond the doubles is infinite, or 0."""
    if got != got:
        return float("inf")
    if abs(got) == float("inf"):
        return 0.0 if (got > 0) == (exact.value > 0) and abs(exact.value) >= 2**1024 - 2**970 else float("inf")
    off = abs(Fraction(got) - exact.value)
    if off <= two_to(-1074):
        return 0.0
    share = off / exact.scale if exact.scale else Fraction(2) ** 1024
    return float(share) if share < 2**1023 else float("inf")
