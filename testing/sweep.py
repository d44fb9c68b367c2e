"""Every value of the pools, once: what chance has left out, in streams of five tuples, each of which but the last one leaves.

A fault at one value of sixty would be met by chance in most checks, but not in all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from inwindow.testing.laws import Example, Law
from inwindow.testing.search import Found
from inwindow.testing.steps import Broken, Steps
from inwindow.testing.values import Values

_AT_ONCE = 4


def each_value(arguments: Any) -> list[Example]:
    """Streams in which each value of each argument's pool comes once; none where the user gave a strategy."""
    if not isinstance(arguments, list) or any(not argument.pool for argument in arguments):
        return []
    rows = list(_rows(arguments))
    simplest = tuple(argument.pool[0] for argument in arguments)
    chunks = [rows[at : at + _AT_ONCE] for at in range(0, len(rows), _AT_ONCE)]
    return [Example((*chunk, simplest), 2, 3, (0, 1)) for chunk in chunks]


def _rows(arguments: Sequence[Values]) -> Iterator[tuple[Any, ...]]:
    for at, argument in enumerate(arguments):
        for number, value in enumerate(dict.fromkeys(argument.pool)):
            others = (other.pool[number % len(other.pool)] for other in arguments)
            yield tuple(value if index == at else other for index, other in enumerate(others))


def swept(laws: Sequence[Law], examples: Sequence[Example], steps: Callable[[Any], Steps]) -> Found | None:
    """The first law that one of the streams breaks, with as few and as simple tuples as still break it."""
    for law in laws:
        for example in examples:
            broken = _broken(law, example, steps)
            if broken is not None:
                return _smallest(Found(law, broken, example), steps)
    return None


def _broken(law: Law, example: Example, steps: Callable[[Any], Steps]) -> Broken | None:
    try:
        law.tried(steps(example), example)
    except Broken as broken:
        return broken
    return None


def _smallest(found: Found, steps: Callable[[Any], Steps]) -> Found:
    """Tuples are left out, then made simple, one after the other, as long as the law stays broken."""
    for smaller in _simpler(found.example):
        broken = _broken(found.law, smaller, steps)
        if broken is not None:
            return _smallest(Found(found.law, broken, smaller), steps)
    return found


def _simpler(example: Example) -> Iterator[Example]:
    rows, simplest = example.rows, example.rows[-1]
    for at in range(len(rows)):
        for first in {example.first, max(example.first - 1, 1)}:
            if len(rows) > 1:
                yield replace(
                    example, rows=rows[:at] + rows[at + 1 :], first=first, second=max(first, example.second - 1)
                )
    for at in range(len(rows) - 1):
        if repr(rows[at]) != repr(simplest):
            yield replace(example, rows=(*rows[:at], simplest, *rows[at + 1 :]))
