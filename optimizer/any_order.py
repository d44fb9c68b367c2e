"""Strategies for rows that hold for a while: they leave in the order of their ends, not in the order of arrival.

================  =====================================  =========================================================
strategy          needs                                  cost of an end
================  =====================================  =========================================================
delta             an expire that is right in any order   one hook call, or an addition of a kernel
segment-tree      a merge that commutes                  O(log n) hook calls in, one or two merges per result
recompute         nothing                                a result folds all rows that hold
================  =====================================  =========================================================
"""

from inwindow.optimizer.strategy import Case, No, Strategy, Verdict, Yes


class DeltaInAnyOrder:
    """Rows that end are undone, wherever they are in the frame.

    - needs: an ``expire`` that undoes any tuple (derived from sums and counts, or ``expire_any_order=True``); a kernel that can
    - how: in the order of all ends, ITERATE for each row that begins to hold, EXPIRE for each row that ends
    - time: O(1) per end; space: all rows, sorted twice
    - first appeared: Kline and Snodgrass, Computing temporal aggregates (1995), for sums; ESL's EXPIRE
    """

    name = "delta"

    def applies(self, case: Case) -> Verdict:
        """Possible where tuples can be undone in any order."""
        traits = case.traits
        if not traits.has_terminate:
            return No(
                f"{case.name} has no terminate: its results would depend on the order in which rows begin and end"
            )
        if traits.reads_inwindow:
            return No(f"{case.name} reads inwindow, whose oldest tuple is the next to leave")
        if traits.expire_any_order:
            return Yes(
                f"the kernel of {case.name} takes values out exactly"
                if traits.native
                else f"{case.has('expire')}, right in any order"
            )
        if traits.native:
            return No(f"the kernel of {case.name} undoes the oldest tuple only")
        if traits.has_expire:
            return No(
                f"{case.name} has an expire for the oldest tuple; if it undoes any tuple of the frame, say so: "
                f"class {traits.name}(..., expire_any_order=True)"
            )
        return No(f"{case.name} has no expire")

    def time(self, case: Case) -> str:
        """One step in and one step out."""
        return "O(1): one step in, one step out"

    def memory(self, case: Case) -> str:
        """All is sorted."""
        return "all rows, in the orders of since and of until"


class SegmentTree:
    """A result merges nodes of a tree over pieces of time; nothing is undone.

    - needs: a ``merge`` that commutes (derived, or ``commutative=True``)
    - how: a row is folded into the O(log n) nodes that make up its pieces; a result merges the nodes above its piece
    - time: O(log n) per row; space: that of some ten thousand pieces at a time
    - first appeared: Bentley (1977); for temporal aggregates Yang and Widom, Incremental computation and maintenance (2003)
    """

    name = "segment-tree"

    def applies(self, case: Case) -> Verdict:
        """Possible where order does not matter."""
        traits = case.traits
        if not traits.has_terminate:
            return No(f"{case.name} has no terminate")
        if not traits.has_merge:
            return No(f"{case.name} has no merge")
        if traits.reads_inwindow:
            return No(f"{case.name} reads inwindow, which merged states do not have")
        if traits.partials_grow:
            return No(f"a partial of {case.name} is a list of all that is in it")
        if not traits.commutative:
            return No(f"the merge of {case.name} needs runs in order; if it does not, say so: commutative=True")
        return Yes(f"{case.has('merge')}, which commutes")

    def time(self, case: Case) -> str:
        """By the height of the tree."""
        return "O(log n) steps per row, one or two merges per result"

    def memory(self, case: Case) -> str:
        """All is sorted, and a tree at a time."""
        return "all rows, in two orders, and the states of a tree"


class RecomputeHolding:
    """Each result is folded from all rows that hold, in the order in which they began.

    - needs: nothing
    - time: O(rows that hold) per result; space: all rows, in two orders
    """

    name = "recompute"

    def applies(self, case: Case) -> Verdict:
        """Always, except where there is no result."""
        if not case.traits.has_terminate:
            return No(f"{case.name} has no terminate, so what holds has no result: write one")
        return Yes("nothing better is possible")

    def time(self, case: Case) -> str:
        """All rows that hold are folded."""
        return "O(rows that hold) per result"

    def memory(self, case: Case) -> str:
        """All is sorted."""
        return "all rows, in two orders"


ANY_ORDER: tuple[Strategy, ...] = (DeltaInAnyOrder(), SegmentTree(), RecomputeHolding())
