"""Panes before the shuffle: when tuples can be reduced to one partial per (key, pane) before they are shuffled.

::

    task 1    a a b a b ...   ->   (a, pane 1) (b, pane 1) (a, pane 2)  \\   shuffle by key,      extents, rolled
    task 2    b a a b b ...   ->   (a, pane 1) (b, pane 1) (b, pane 2)  /   sort by (key, pane)  over partials

Only the partials are shuffled and sorted. Their number does not grow with the number of tuples, or with the overlap of extents,
and all tasks work on a key that has most of the tuples. In a pane, tuples are folded in the order of arrival, and the panes of
several tasks are merged in any order: so each aggregate must promise that order does not matter.

First appeared: Li et al., No Pane, No Gain (2005), for one stream; partial aggregation before an exchange: Gray et al., Data
Cube (1996).
"""

from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.strategy import No, Verdict, Yes
from inwindow.windows.interval import exact
from inwindow.windows.spec import Cumulate, Extent, Hop, extent_name


def panes_first(work: Pass) -> Verdict:
    """Whether the pass can be cut in two: partials of panes, then extents over partials."""
    extent = work.extent
    if extent is None:
        return No("a whole group has no panes")
    if not isinstance(extent, (Hop, Cumulate)):
        return No(f"where a {extent_name(extent)} ends is known from neighbouring tuples alone")
    if isinstance(extent, Hop) and extent.rows:
        return No("a tuple's number in its partition is known only behind the sort")
    for step in work.steps:
        if step.least is not None:
            return No(f"min_count of {step.label} counts the tuples")
        if step.sentinel is not None:
            return No(f"the sentinel of {step.label} wants the tuples")
        if step.failures is not None:
            return No(f"a hook of {step.label} that raises is tried again on its tuples")
        verdict = merges(step)
        if not verdict:
            return verdict
    return Yes(f"one partial per key and {pane_text(extent)}; no sort of raw tuples")


def merges(step: Step) -> Verdict:
    """Whether partials of the step's panes can be made and merged in any order."""
    traits, native = step.case.traits, step.implementation.native
    if not traits.has_merge or (native is not None and native.cascade is None):
        return No(f"{step.label} has no merge")
    if not traits.commutative:
        return No(f"{step.label} depends on the order of tuples" if native else f"{step.label} is not commutative=True")
    if native is not None and (native.gives == "values" or native.reads == "numbered"):
        return No(f"{step.label} gives values in the order of their tuples")
    if native is None and traits.reads_inwindow:
        return No(f"{step.label} reads inwindow, which merged states do not have")
    return Yes("its partials merge in any order")


def pane_text(extent: Extent) -> str:
    """The panes of an extent, in words."""
    assert isinstance(extent, (Hop, Cumulate))
    size, every = exact(extent.size), exact(extent.every)
    if every >= size:
        return f"pane of {extent.size}"
    if size % every == 0:
        return f"pane of {extent.every}"
    return f"pane, two in {extent.every}"
