"""Pane-cascade: the tumble version feeds the window version."""

import math

from inwindow.optimizer.strategy import Case, No, Verdict, Yes
from inwindow.windows.interval import exact
from inwindow.windows.spec import Cumulate, Rows


class PaneCascade:
    """Figure 2, box (4).

    - needs: a slide smaller than the frame, counted in tuples, or hops; and ``merge`` or ``algebraic=True``
    - how: each pane is reduced to a partial by a tumble, the frame is folded over its panes' partials
    - time: O(1) per tuple and O(1) per pane; space: the partials of a frame, not its tuples
    - first appeared: Li et al., No Pane, No Gain (2005); for user-defined aggregates: ESL, section 5.1, example 15
    """

    name = "pane-cascade"

    def applies(self, case: Case) -> Verdict:
        """Possible where frames are runs of whole panes and partials can be put together."""
        traits, window = case.traits, case.window
        if not case.frames_overlap:
            return No("frames do not overlap: there is nothing to share")
        if case.slide is None or (window is not None and window.is_unbounded_below):
            return No("without a slide every pane would be a single tuple")
        if case.runs:
            return No("EXCLUDE: a hole is inside a pane")
        if case.counts_groups:
            return No("a group of peers has any number of tuples: frames of GROUPS have no panes of so many tuples")
        if window is not None and not isinstance(window.frame, Rows):
            return No("the lower end of a RANGE frame falls inside a pane (iw.hop is the pane-aligned window)")
        if window is not None and window.slides_across:
            return No("slots of order values hold any number of tuples: a ROWS frame begins inside a pane")
        if window is not None and (case.size is None or window.final == "emit"):
            return No("a frame may end inside a pane")
        if case.counts_tuples and case.slide == 1:
            return No("with slide 1 every pane would be a single tuple")
        if not (traits.has_merge or traits.algebraic):
            return No(f"{case.name} has no merge" + ("" if traits.native else " (and is not algebraic=True)"))
        if traits.reads_inwindow and traits.has_merge:
            return No(f"{case.name} reads inwindow, which merged states do not have")
        if not traits.has_terminate:
            return No(f"{case.name} has no terminate: its state may depend on tuples before the frame")
        return Yes(case.has("merge") if traits.has_merge else f"{case.name} is algebraic")

    def time(self, case: Case) -> str:
        """One step per tuple, one merge per pane."""
        return "O(1) per tuple, O(1) merges per pane"

    def memory(self, case: Case) -> str:
        """The closed panes of a frame and the open one."""
        keeps_tuples = case.traits.reads_inwindow and not case.traits.has_base
        return f"{panes_held(case)} partials{', and the tuples of the open pane (inwindow)' if keeps_tuples else ''}"


def panes_held(case: Case) -> int:
    """The partials of a frame: its closed panes, and the open one (ESL: 4 + 1 for 40,000 by 10,000)."""
    assert case.size is not None and case.slide is not None
    whole = exact(case.size) / exact(case.slide)
    if isinstance(case.extent, Cumulate):
        return int(whole) + 1
    # One edge per slide where the frame is a multiple of it, else two.
    return math.floor(whole) * (1 if whole.denominator == 1 else 2) + 1 + (whole.denominator != 1)
