"""The definition: cut time at all ends, run the ordinary relational operator on each piece.

A relation is a list of rows ``(values, since, until)``; an end may be None. It holds in [since, until). ::

    a   x  [1 ------ 5)                 cuts     1     3   5     7
    b        y [3 ------- 7)            pieces   [1,3)  [3,5) [5,7)
    join(a, b)                                    -      xy    -       = the join of the rows that hold in each piece

Two relations are equal if their snapshots are, as bags, at every instant: :func:`snapshots` is what tests compare.
It is slow, knows no kernel, and nothing but tests may import it.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any

Row = tuple[tuple[Any, ...], Any, Any]  # values, since, until
Rows = Sequence[Row]


def holds(row: Row, instant: Any) -> bool:
    """Whether a row holds at an instant; None is the time before all ends."""
    _, since, until = row
    if instant is None:
        return since is None
    return (since is None or since <= instant) and (until is None or instant < until)


def cuts(*relations: Rows) -> list[Any]:
    """All ends, and None for the time before them: between two of them, the relations do not change."""
    return [None, *sorted({end for rows in relations for _, *ends in rows for end in ends if end is not None})]


def at(rows: Rows, instant: Any) -> list[Row]:
    """The rows that hold."""
    return [row for row in rows if row[1] is None or row[1] != row[2] if holds(row, instant)]


def snapshots(rows: Rows, instants: Iterable[Any], told: Callable[[Any], Hashable] = lambda value: value) -> list[Any]:
    """The bag of values that hold at each instant; ``told`` maps equal values to the same value."""
    return [Counter(tuple(map(told, values)) for values, *_ in at(rows, instant)) for instant in instants]


def reduced(operator: Callable[..., list[tuple[Any, ...]]], *relations: Rows) -> list[Row]:
    """The rule: apply the operator to the rows that hold in each piece of time."""
    edges = cuts(*relations)
    result: list[Row] = []
    for instant, following in [*pairwise(edges), (edges[-1], None)]:
        given = operator(*(at(rows, instant) for rows in relations))
        result += [(values, instant, following) for values in given]
    return result


# --- The relational operators, on what holds -----------------------------------------------------------------


def join(a: Rows, b: Rows, matches: Callable[[Row, Row], bool], how: str, widths: tuple[int, int]) -> list[Any]:
    """Nested loops; a row without a partner gets NULLs."""
    pairs = [(i, j) for i, left in enumerate(a) for j, right in enumerate(b) if matches(left, right)]
    lonely = [left[0] for i, left in enumerate(a) if all(i != its for its, _ in pairs)]
    if how == "anti":
        return lonely
    if how == "semi":
        return [left[0] for i, left in enumerate(a) if any(i == its for its, _ in pairs)]
    result = [a[i][0] + b[j][0] for i, j in pairs]
    if how in ("left", "full"):
        result += [values + (None,) * widths[1] for values in lonely]
    if how in ("right", "full"):
        result += [(None,) * widths[0] + r[0] for j, r in enumerate(b) if all(j != its for _, its in pairs)]
    return result


def bags(a: Rows, b: Rows, copies: Callable[[int, int], int]) -> list[Any]:
    """Each row as many times as ``copies`` says for its numbers on both sides."""
    left, right = (Counter(values for values, *_ in rows) for rows in (a, b))
    return [values for values in {**left, **right} for _ in range(copies(left[values], right[values]))]


def distinct(a: Rows) -> list[Any]:
    """Each row once."""
    return list(dict.fromkeys(values for values, *_ in a))


def aggregate(a: Rows, key: Callable[[Any], Any], fold: Callable[[list[Any]], Any]) -> list[Any]:
    """A row per group: its key, and what the fold makes of its rows in the order in which they began to hold."""
    ordered = sorted(a, key=lambda row: (row[1] is not None, row[1]))  # stable: then as they came
    groups: dict[Any, list[Any]] = {}
    for values, *_ in ordered:
        groups.setdefault(key(values), []).append(values)
    return [(*its, fold(rows)) for its, rows in groups.items()]


# --- Streams of changes ----------------------------------------------------------------------------------------


def changes(rows: Rows, sign: int) -> list[Any]:
    """CQL's istream (sign 1) and dstream (-1): (values, instant), as often as the multiplicity grows (falls) there."""
    edges = cuts(rows)
    held = snapshots(rows, edges)
    result = []
    for (_, before), (instant, after) in pairwise(zip(edges, held, strict=True)):
        for values in {**before, **after}:
            result += [(values, instant)] * max(0, sign * (after[values] - before[values]))
    return result
