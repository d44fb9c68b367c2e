"""Hypothesis at work: looking for tuples that break a law, then for the smallest that do."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from hypothesis.errors import FlakyFailure

from inwindow.testing.laws import Example, Law
from inwindow.testing.overs import FRAMES, PANES, TRAILING, Over, Whole, strategies_agree, window_of_text
from inwindow.testing.steps import Broken, Steps

_SEARCH = {
    "deadline": None, "database": None, "suppress_health_check": list(HealthCheck), "report_multiple_bugs": False,
    "print_blob": False, "verbosity": hypothesis.Verbosity.quiet, "derandomize": False,
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The smallest example that breaks a law."""

    law: Law
    broken: Broken
    example: Any


def examples(row: st.SearchStrategy[Any], is_plain: bool, *, long: bool = True) -> st.SearchStrategy[Example]:
    """Short streams, now and then a long one; where they are cut, and how the frame moves."""

    @st.composite
    def draw_one(draw: st.DrawFn) -> Example:
        rows = _with_ties(draw(st.lists(st.one_of(row, row, row, st.none()), min_size=1, max_size=8)), draw(row))
        rows = [*rows] * draw(_REPEATS) if long else rows
        first = min(draw(_RUN), len(rows))  # cut independently of the length, or it could not shrink alone
        second = min(first + draw(_RUN), len(rows))
        return Example(tuple(map(tuple, rows)), first, second, tuple(draw(_LEAVING)), is_plain)

    return draw_one()


def _with_ties(rows: Sequence[Any], first: Any) -> list[Any]:
    """Replace None by the tuple before it, so that every example has ties."""
    found: list[Any] = []
    for row in rows:
        found.append(row if row is not None else found[-1] if found else first)
    return found


_RUN = st.integers(1, 5)
_REPEATS = st.sampled_from([1] * 15 + [2, 3, 4, 8, 25])
_LEAVING = st.lists(st.sampled_from([0, 1, 1, 2, 5]), min_size=1, max_size=4)


def wholes(
    row: st.SearchStrategy[Any], kinds: Sequence[Any], overs: Sequence[Over], nulls: bool
) -> st.SearchStrategy[Whole]:
    """Small tables over one of the windows: two partitions, ties and gaps, NULLs where they are skipped."""
    null = [st.just((None,) * len(kinds))] if nulls and kinds else []
    cell = st.one_of(row, row, st.none(), *null)
    line = st.tuples(st.sampled_from(["a", "a", "b"]), st.sampled_from([1, 0, 1, 3]), cell)

    @st.composite
    def draw_one(draw: st.DrawFn) -> Whole:
        over = draw(st.sampled_from(list(overs)))
        moment, rows, drawn = -1, [], draw(st.lists(line, min_size=1, max_size=10))
        cells = _with_ties([values for _, _, values in drawn], draw(row))
        for (key, gap, _), values in zip(drawn, cells, strict=True):
            moment += gap
            rows.append((key, moment, tuple(values)))
        return Whole(tuple(rows), over, tuple(kinds))

    return draw_one()


def overs_for(has_terminate: bool, panes: bool) -> list[Over]:
    """The windows that are tried, smallest first."""
    texts = PANES if panes else FRAMES if has_terminate else TRAILING
    return [Over(text, window_of_text(text)) for text in texts]


def broken_law(
    laws: Sequence[Law],
    drawn: st.SearchStrategy[Any],
    short: st.SearchStrategy[Any],
    steps: Callable[[Any], Steps],
    count: int,
    seed: int | None,
) -> Found | None:
    """The first law that breaks, with the smallest example that was found; None where all hold.

    What is found in a long stream is looked for in the short ones as well.
    """
    seed = random.SystemRandom().getrandbits(32) if seed is None else seed
    law, first = None, None
    asked: Sequence[Law] = laws
    while asked:  # what breaks on the first example may rest on a law that breaks on a later one
        met: list[Law] = []
        found = _failure(partial(_try_all, asked, steps, met), drawn, count, seed, (Phase.generate,))
        if found is None:
            break
        law, first = met[0], found
        asked = asked[: asked.index(law)]
    if law is None or first is None:
        return None

    # Once more, with the same seed and so the same examples, for this law alone: while an example shrinks it must not come
    # to break another law instead.
    def try_it(example: Any) -> None:
        law.tried(steps(example), example)

    smallest = _failure(try_it, drawn, count, seed, _ALL) or first
    if len(smallest[1].rows) > _SHORT:
        smallest = _failure(try_it, short, 4 * count, seed, _ALL) or smallest
    return Found(law, *smallest)


def _try_all(laws: Sequence[Law], steps: Callable[[Any], Steps], met: list[Law], example: Any) -> None:
    for law in laws:
        try:
            law.tried(steps(example), example)
        except Broken:
            met.append(law)
            raise


_ALL = (Phase.generate, Phase.shrink)
_SHORT = 5


def _failure(
    attempt: Callable[[Any], None], drawn: st.SearchStrategy[Any], count: int, seed: int, phases: tuple[Phase, ...]
) -> tuple[Broken, Any] | None:
    seen: list[tuple[Broken, Any]] = []

    @hypothesis.settings(max_examples=count, phases=phases, **_SEARCH)  # type: ignore[arg-type]
    @hypothesis.given(drawn)
    def search(example: Any) -> None:
        try:
            attempt(example)
        except Broken as broken:
            seen.append((broken, example))
            raise

    try:
        hypothesis.seed(seed)(search)()
    except Broken:
        return seen[-1]
    except FlakyFailure:  # chance is at work: none is the last word
        return min(seen, key=lambda one: len(one[1].rows))
    return None


def whole_law(name: str, advice: str) -> Law:
    """The law of whole tables."""
    return Law(name, lambda its: True, strategies_agree, advice, "terminate")
