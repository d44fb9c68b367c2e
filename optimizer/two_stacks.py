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
            better = "has no two stacks" if case.in_runs else "does better"
            return No(f"the kernel of {case.name} {better}")
        if not traits.has_merge:
            return No(f"{case.name} has no merge")
        if traits.reads_inwindow:
            return No(f"{case.name} reads inwindow, which merged states do not have")
        if not traits.has_terminate:
            return No(f"{case.name} has no terminate: its state may depend on tuples before the frame")
        if case.in_runs:
            return Yes(
                f"{case.has('merge')}: each run of a frame with a hole has its own stacks, and a result merges them"
            )
        return Yes(case.has("merge"))

    def time(self, case: Case) -> str:
        """Amortised."""
        if case.in_runs:
            return f"amortised O(1): about two merges per tuple in each of {len(case.runs)} runs, and {len(case.runs)} per result"
        return "amortised O(1): about two merges per tuple"

    def memory(self, case: Case) -> str:
        """Tuples and suffix aggregates."""
        return f"{case.frame_memory()}, and as many states"
