"""The parts of a check, in order: hooks on plain values, hooks on odd values, numbers that overflow, whole tables."""

import math
from collections.abc import Sequence
from typing import Any

from inwindow.testing.laws import Example, Law, laws_of
from inwindow.testing.overs import Over, given_over
from inwindow.testing.refusals import LAW
from inwindow.testing.report import Report, broken_promise
from inwindow.testing.search import broken_law, examples, overs_for, whole_law, wholes
from inwindow.testing.shared import Kept
from inwindow.testing.steps import Steps
from inwindow.testing.sweep import each_value, swept
from inwindow.testing.values import LARGE, arguments_of, is_finite, largest, tuples
from inwindow.udaf.contract import Aggregate
from inwindow.windows.reference_hooks import takes

_WHOLE = (
    "The strategy in the test comes to another result than the definition, which folds every frame afresh: compare the hooks "
    "that it calls with `initialize` and `iterate`."
)
_RUNS = ("merge equals running on", "merge is associative", "unmerge undoes merge")


def climb(
    aggregate: Aggregate,
    values: Any,
    finite: bool,
    window: Any,
    count: int,
    seed: int | None,
    tolerance: float,
    refuses: bool = False,
) -> Report:
    """Try part after part, and raise the first law that breaks; ``refuses``: hooks may raise, which is tried first."""
    traits = aggregate._traits
    assert traits is not None
    in_panes = traits.has_terminate or (traits.algebraic and not traits.has_merge)
    tables = _tables(window, traits.has_terminate, in_panes) if not traits.emits_many else []
    class_level = Kept(aggregate)
    arguments = arguments_of(aggregate, values)

    def steps(example: Any) -> Steps:
        class_level.restore()
        rows = [row[-1] for row in example.rows] if hasattr(example, "over") else example.rows
        size = largest(rows)
        return Steps(aggregate, math.inf if size >= LARGE else tolerance * max(1.0, size), class_level.restore)

    def is_taken(row: Sequence[Any]) -> bool:
        return takes(aggregate, tuple(row))

    def part(laws: list[Law], drawn: Any, share: float, short: Any = None, each: Sequence[Example] = ()) -> None:
        few = max(1, round(count * share))
        found = broken_law(laws, drawn, drawn if short is None else short, steps, few, seed) if laws else None
        found = found or swept(laws, each, steps)
        if found is not None:
            class_level.restore()
            raise broken_promise(aggregate, found)

    def hooks(laws: list[Law], row: Any, is_plain: bool, share: float) -> None:
        each = each_value(arguments) if is_plain else []
        if refuses and laws is not refusals:
            each = [one for one in each if all(map(is_taken, one.rows))]
        part(laws, examples(row, is_plain), share, examples(row, is_plain, long=False), each)

    laws = laws_of(aggregate)
    refusals = [LAW] if refuses and laws else []
    plain = tuples(arguments, "plain", traits.nulls)
    assert plain is not None
    if finite:
        plain = plain.filter(is_finite)
    try:
        if refuses:
            hooks(refusals, plain, True, 1)
            plain = plain.filter(is_taken)
        hooks(laws, plain, True, 1)
        odd, huge = (None if finite else tuples(arguments, which, traits.nulls) for which in ("odd", "huge"))
        if refuses:
            odd, huge = (one if one is None else one.filter(is_taken) for one in (odd, huge))
        if odd is not None:
            hooks(laws, odd, False, 0.5)
        if huge is not None:
            exact = _RUNS if odd is None else ()  # of floats, the order of additions decides whether they overflow
            hooks([law for law in laws if law.name in ("expire undoes iterate", *exact)], huge, False, 0.25)
        # A base version with a terminate answers for a NULL, too, where a class without one has no answer.
        nulls_too = traits.nulls == "skip" and (traits.has_terminate or not traits.has_base)
        kinds = _kinds(arguments, traits.arity)
        for law, overs in tables:
            part([law], wholes(plain, kinds, overs, nulls_too), 0.4 if laws else 1)
    finally:
        class_level.restore()
    return Report(traits.name, (*(law.name for law in (*refusals, *laws)), *(law.name for law, _ in tables)), count)


def _kinds(arguments: Any, arity: int | None) -> list[Any]:
    return [argument.kind for argument in arguments] if isinstance(arguments, list) else [None] * (arity or 1)


def _tables(window: Any, has_terminate: bool, in_panes: bool) -> list[tuple[Law, list[Over]]]:
    frames = whole_law("every strategy gives the definition's result", _WHOLE)
    if window is not None:
        return [(frames, [given_over(window)])]
    found = [(frames, overs_for(has_terminate, panes=False))]
    if in_panes:
        found.append((whole_law("panes change nothing", _WHOLE), overs_for(True, panes=True)))
    return found
