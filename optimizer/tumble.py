"""Tumble: frames that do not overlap."""

from inwindow.optimizer.strategy import Case, No, Verdict, Yes
from inwindow.windows.spec import unit_of

_COUNTED = {"rows": "tuples", "range": "order values", "groups": "groups of peers"}


class Tumble:
    """Figure 2, boxes (3) and (4).

    - needs: frames that do not overlap (slide >= frame, tumbling extents, sessions, whole groups); for a class without
      terminate a slide >= frame, even if the last frame of final='emit', or RANGE frames at their edges, share tuples
    - how: the base aggregate, restarted for each frame; tuples between frames are only counted
    - time: O(1) per tuple; space: O(1), no buffer
    - first appeared: ESL, section 5.1
    """

    name = "tumble"

    def applies(self, case: Case) -> Verdict:
        """Possible where no tuple is in two frames; required where a class without terminate must restart."""
        if not case.traits.has_terminate and case.restarts:
            last = (
                ", the last one of an unfilled slot too"
                if case.window is not None and case.window.final == "emit"
                else ""
            )
            return Yes(f"slide >= frame: the aggregate restarts for each yield tuple{last}")
        if not case.frames_overlap and not case.runs:
            if case.traits.reads_inwindow and not case.traits.has_base and case.window is not None:
                return No(f"{case.name} reads inwindow, and has no base version without it")
            return Yes("no tuple is in two frames")
        window = case.window
        if case.runs and window is not None and window.slide is not None:
            return No("EXCLUDE leaves holes in the frames")
        if window is not None and window.slides_across:
            frame, slide = _COUNTED[unit_of(window.frame)], _COUNTED[window.slide_unit or "rows"]
            return No(f"the frame counts {frame} and the slide {slide}: whether frames overlap depends on the data")
        if case.counts_groups and window is not None and window.slide is not None and not case.restarts:
            return No("frames overlap")
        if case.counts_groups and window is not None and window.slide is not None:
            return No("a group of peers has any number of tuples, so where frames begin is known only when they end")
        if window is not None and case.counts_tuples and window.slide is not None and window.final == "emit":
            return No("final='emit' lets the last frame reach back into the one before")
        if window is not None and window.slide is not None and not case.counts_tuples:
            return No("the lower end of a RANGE frame falls inside a slot, so two frames may share tuples")
        return No("frames overlap")

    def time(self, case: Case) -> str:
        """One step per tuple that a frame sees."""
        return "O(1): one step per tuple in a frame, none for tuples between frames"

    def memory(self, case: Case) -> str:
        """The state alone, unless a tuple may turn out to be in the frame of the next yield tuple."""
        if not case.traits.has_terminate and case.restarts:
            return f"{case.frame_memory()}: any of them may be in the next yield tuple's frame"
        return "O(1): the aggregate's state, no buffer"
