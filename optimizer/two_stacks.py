"""Two-stacks: a queue of aggregates, for classes that can merge but not undo."""

from inwindow.optimizer.strategy import Case, No, Verdict, Yes


class TwoStacks:
    """Figure 2, box (2), without an EXPIRE.

    - needs: ``merge``, in order (it need not be commutative) and associative
    - how: a front stack of suffix aggregates and a back aggregate; a result merges the two
    - time: amortised O(1) merges per tuple, O(window) at a flip; space: the window's tuples and the front's aggregates
    - first appeared: folklore; Tangwongsan, Hirzel, Schneider, Low-latency sliding-window aggregation (2017)
    """

    name = "two-stacks"

    def applies(self, case: Case) -> Verdict:
        """Possible where there is a merge."""
        traits = case.traits
        if traits.native:
            return No(f"the kernel of {case.name} does better")
        if not traits.has_merge:
            return No(f"{case.name} has no merge")
        if traits.reads_inwindow:
            return No(f"{case.name} reads inwindow, which merged states do not have")
        if not traits.has_terminate:
            return No(f"{case.name} has no terminate: its state may depend on tuples before the frame")
        return Yes(case.has("merge"))

    def time(self, case: Case) -> str:
        """Amortised."""
        return "amortised O(1): about two merges per tuple"

    def memory(self, case: Case) -> str:
        """Tuples and suffix aggregates."""
        return f"{case.frame_memory()}, and as many states"
