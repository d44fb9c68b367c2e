"""The definition of functions that give a tuple's place, or the value at another one: formula by formula, as in SQL:2011.

Part of :mod:`inwindow.windows.reference`; section 10 of the semantics. A partition at a time, in order; ``groups`` has for each
tuple the number of its group of peers::

    order value     5     7     7     9
    groups          0     1     1     2
    row_number      1     2     3     4
    rank            1     2     2     4
    dense_rank      1     2     2     3
    percent_rank    0/3   1/3   1/3   3/3
    cume_dist       1/4   3/4   3/4   4/4
    ntile(2)        1     1     2     2
"""

from collections.abc import Sequence
from typing import Any


def row_numbers(groups: Sequence[int]) -> list[int]:
    return [i + 1 for i in range(len(groups))]


def ranks(groups: Sequence[int]) -> list[int]:
    return [1 + sum(other < its for other in groups) for its in groups]


def dense_ranks(groups: Sequence[int]) -> list[int]:
    return [1 + len({other for other in groups if other < its}) for its in groups]


def percent_ranks(groups: Sequence[int]) -> list[float]:
    return [(rank - 1) / (len(groups) - 1) if len(groups) > 1 else 0.0 for rank in ranks(groups)]


def cume_dists(groups: Sequence[int]) -> list[float]:
    return [sum(other <= its for other in groups) / len(groups) for its in groups]


def ntiles(groups: Sequence[int], n: int) -> list[int]:
    """Parts as equal as can be, the larger ones first."""
    sizes = [len(groups) // n + (part < len(groups) % n) for part in range(n)]
    return [part + 1 for part, size in enumerate(sizes) for _ in range(size)]


def neighbours(values: Sequence[Any], ahead: int, default: Any, ignore_nulls: bool) -> list[Any]:
    """The value ``ahead`` tuples after each (before, if negative), of those that are not NULL if that is asked for."""
    found = []
    for i, value in enumerate(values):
        behind, step = list(values[i + 1 :] if ahead > 0 else values[:i][::-1]), abs(ahead)
        if ignore_nulls:
            behind = [other for other in behind if other is not None]
        found.append(value if not step else behind[step - 1] if step <= len(behind) else default)
    return found
