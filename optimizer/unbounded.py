"""Unbounded: nothing ever leaves the frame."""

from inwindow.optimizer.strategy import Case, No, Verdict, Yes


class Unbounded:
    """Figure 2, box (1).

    - needs: a lower bound that never moves (UNBOUNDED PRECEDING, a landmark)
    - how: the base aggregate, TERMINATE after each tuple
    - time: O(1) per tuple; space: O(1), no buffer
    - first appeared: ESL, section 3 (cum_avg, example 10)
    """

    name = "unbounded"

    def applies(self, case: Case) -> Verdict:
        """Possible while no tuple can leave."""
        if case.window is None or case.lower_bound_moves:
            return No("tuples leave the frame")
        if case.in_runs:
            return No("EXCLUDE: a hole moves through the frame")
        if case.traits.reads_inwindow and not case.traits.has_base:
            return No(f"{case.name} reads inwindow, which then holds the whole partition: delta keeps it")
        return Yes("nothing ever leaves the frame")

    def time(self, case: Case) -> str:
        """One step per tuple."""
        return "O(1): one step per tuple"

    def memory(self, case: Case) -> str:
        """The state alone."""
        return "O(1): the aggregate's state, no buffer"
