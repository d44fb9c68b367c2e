"""Columns of doubles that are hard to aggregate over a sliding window: pairs (v, w), made of seeded noise."""

from collections.abc import Callable
from typing import Any

import numpy as np

BURST = 100  # huge values


def period(n: int) -> int:
    """The tuples from one burst to the next: for 10 million, more than the largest window."""
    return min(400_000, n // 4)


def bursts(base: Any, huge: float, draw: Any) -> Any:
    """``base``, and now and then a burst of values of the size of ``huge``."""
    at = np.arange(len(base))
    size = huge * draw.uniform(0.5, 1.0, len(base)) * np.where(at % 2, -1.0, 1.0)
    return np.where(at % period(len(base)) < BURST, size, base)


def huge_beside_small(n: int, draw: Any) -> Any:
    """1e16 now and then beside values around 1."""
    return bursts(draw.normal(size=n), 1e16, draw)


def tiny_after_huge(n: int, draw: Any) -> Any:
    """1e60 now and then, then values of 1e-10."""
    return bursts(1e-10 * draw.normal(size=n), 1e60, draw)


def alternating_signs(n: int, draw: Any) -> Any:
    """Each value nearly undoes the one before; their size swings between 1e-8 and 1e8."""
    at = np.arange(n)
    return np.where(at % 2, -1.0, 1.0) * 10.0 ** (8 * np.sin(at / 1e5)) * (1 + 1e-6 * draw.normal(size=n))


def far_from_zero(n: int, draw: Any) -> Any:
    """Noise of 1e-3, around 0 first and around 1e9 after 1,000 tuples."""
    return np.where(np.arange(n) < 1_000, 0.0, 1e9) + 1e-3 * draw.normal(size=n)


def random_walk(n: int, draw: Any) -> Any:
    """Steps of about 1, from 1e6 on."""
    return 1e6 + np.cumsum(draw.normal(size=n))


HARD: dict[str, Callable[[int, Any], Any]] = {
    "1e16 beside 1": huge_beside_small,
    "1e-10 after 1e60": tiny_after_huge,
    "alternating signs": alternating_signs,
    "1e9 + 1e-3 noise": far_from_zero,
    "random walk": random_walk,
}


def sprinkled(special: tuple[float, ...], n: int, draw: Any) -> Any:
    """Values around 1, and 20 times one of the ``special`` ones; half of them early, a second soon after a first."""
    values = 1.0 + draw.random(n)
    at = np.arange(20) // 2 * (n // 10) + n // 50 + np.arange(20) % 2 * 40
    values[at] = np.resize(special, 20)
    return values


def pair(make: Callable[[int, Any], Any], n: int) -> tuple[Any, Any]:
    """v, and w which mostly follows it: their correlation is near 1."""
    v = make(n, np.random.default_rng(7))
    return v, 2.0 * v + make(n, np.random.default_rng(8)) / 16
