"""Recompute: the definition, and the last resort."""

from inwindow.optimizer.strategy import Case, No, Verdict, Yes


class Recompute:
    """Figure 2's default version of a window aggregate (ESL, example 11).

    - needs: ``terminate``, so that the result is a function of the frame's contents
    - how: every frame is folded afresh
    - time: O(window) per result; space: the window's tuples
    """

    name = "recompute"

    def applies(self, case: Case) -> Verdict:
        """Always right for a class with terminate."""
        if not case.traits.has_terminate:
            return No(f"{case.name} has no terminate: its state may depend on tuples before the frame")
        return Yes("always possible")

    def time(self, case: Case) -> str:
        """The whole frame, and which hook would help."""
        if case.in_runs and not case.traits.native:
            return "O(window) per result; write `merge`, or an `expire` that is right in any order, to make it O(1)"
        hint = "" if case.traits.native else "; write `expire` or `merge` to make it O(1)"
        return f"O(window) per result{hint}"

    def memory(self, case: Case) -> str:
        """The window's tuples."""
        return case.frame_memory()
