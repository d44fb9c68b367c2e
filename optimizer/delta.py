"""Delta: what leaves is undone."""

from inwindow.optimizer.strategy import Case, No, Verdict, Yes


class Delta:
    """Figure 2, boxes (2) and (5).

    - needs: an ``expire`` hook, or a kernel that can undo (or evict) a tuple
    - how: EXPIRE for each tuple that leaves, ITERATE for each that enters; with a slide, only yields are given out
    - time: O(1) per tuple; space: the tuples of the window
    - first appeared: ESL, section 4 (example 12)
    """

    name = "delta"

    def applies(self, case: Case) -> Verdict:
        """Possible where a tuple can be undone; for a class without terminate, the definition itself."""
        traits = case.traits
        if case.window is None and not case.frames_overlap:
            return No("no tuple leaves a frame that others stay in")
        if not traits.has_terminate and case.restarts:
            return No("slide >= frame: the aggregate restarts for each yield tuple")
        if not traits.has_terminate:
            if traits.has_expire or traits.reads_inwindow:
                return Yes(f"{case.name} has no terminate: its hooks see every tuple come and go")
            return Yes(
                f"{case.name} has no terminate, and no expire to take back what leaves: the frame has no effect on it "
                "(iw.unbounded() would say so), unless it writes `expire` or a `terminate`"
            )
        if case.in_runs:
            return _around_hole(case)
        if traits.kernel is not None and traits.kernel.refolds:
            return Yes(
                f"{case.name} cannot let tuples go: its kernel folds a frame that slides again; with a slide it would merge panes"
            )
        if traits.native:
            return Yes(f"the kernel of {case.name} takes tuples in and out")
        if traits.has_expire:
            return Yes(case.has("expire"))
        return No(f"{case.name} has no expire")

    def time(self, case: Case) -> str:
        """One step in and one step out."""
        if case.in_runs:
            return "O(1): one step in, one step out; and the same again for EXCLUDE, where the hole begins and ends"
        if case.traits.order_statistics:
            return "O(log window): one step in, one step out of an order-statistics structure"
        if case.traits.kernel is not None and case.traits.kernel.refolds:
            return "O(window) where the frame slides, O(1) where it grows"
        if case.traits.reads_inwindow:
            return "O(1) hook calls: one step in, one step out; and what the hooks read of inwindow"
        return "O(1): one step in, one step out"

    def memory(self, case: Case) -> str:
        """The window's tuples."""
        traits = case.traits
        if traits.keeps is not None and case.lower_bound_moves:
            return traits.keeps
        if not (traits.native or traits.has_terminate or traits.has_expire or traits.reads_inwindow):
            return "O(1): the aggregate's state"
        if not case.lower_bound_moves and not case.traits.order_statistics and case.extent is None:
            return "the whole partition (inwindow)" if case.traits.reads_inwindow else "O(1)"
        return case.frame_memory()


def _around_hole(case: Case) -> Verdict:
    """For frames with a hole: tuples come and go at four ends, not at two."""
    traits = case.traits
    if traits.native:
        if not traits.partials_slide:
            return _over_one_sequence(case)
        return Yes(
            f"the kernel of {case.name} takes tuples in and out, before the hole and behind it; a result puts partials together"
        )
    if traits.reads_inwindow:
        return No(f"EXCLUDE: {case.name} reads inwindow, whose oldest tuple is the next to leave")
    if traits.expire_any_order:
        return Yes(f"{case.has('expire')}, right in any order: what EXCLUDE leaves out is expired, and iterated again")
    if traits.has_expire:
        return No(
            f"EXCLUDE: {case.name} has an expire for the oldest tuple; if it undoes any tuple of the frame, say so: "
            f"class {traits.name}(..., expire_any_order=True)"
        )
    return No(f"{case.name} has no expire")


def _over_one_sequence(case: Case) -> Verdict:
    """For kernels that run over tuples as they enter frames, those twice that enter again behind the hole."""
    traits = case.traits
    if not traits.any_order:
        return No(
            f"EXCLUDE: the kernel of {case.name} has no small partials to put together, and needs tuples in order"
        )
    if traits.evicts_any:
        return Yes(f"the kernel of {case.name} takes out any tuple: what EXCLUDE leaves out goes, and comes again")
    if not case.is_even:
        return No(
            f"EXCLUDE: the kernel of {case.name} takes out the oldest tuple only; a frame that reaches as far ahead as back would "
            "let tuples go in the order in which they come"
        )
    return Yes(
        f"the kernel of {case.name} takes out the oldest tuple, and each leaves in the order in which it came, before the hole and "
        "behind it"
    )
