"""A sentinel that is told wrong, cannot look, or finds something and is to fail the job."""

from bad.input import TABLE, Bad, Decayed, MyAvg

import inwindow as iw

WINDOW = iw.rows(2)


class Forgetful(iw.WindowAggregate):
    """Zero never leaves."""

    def iterate(self, value):
        self.seen = [*getattr(self, "seen", []), value]

    def expire(self, value):
        self.seen = self.seen[1:] if value > 1 else self.seen

    def terminate(self) -> int:
        return len(self.seen)


ROWS = [
    Bad(
        "a sentinel over frames with a hole",
        lambda: iw.with_columns(
            TABLE, a=MyAvg()("n").over(iw.rows_between(-2, 2, exclude="current row"), sentinel=0.5)
        ),
        iw.UsageError,
        "MyAvg(n): sentinel() folds frames that are one run of tuples, but exclude= leaves a hole in them: drop one of them",
    ),
    Bad(
        "a share that is none",
        lambda: MyAvg()("x").over(WINDOW, sentinel=0),
        iw.UsageError,
        "Sentinel(0): give a share of the results, such as 0.001; at most 1, which is all",
    ),
    Bad(
        "a share in percent",
        lambda: MyAvg()("x").sentinel(5),
        iw.UsageError,
        "Sentinel(5): give a share of the results, such as 0.001; at most 1, which is all",
    ),
    Bad(
        "True as a share",
        lambda: iw.Sentinel(True),
        iw.UsageError,
        "Sentinel(True): give a share of the results, such as 0.001; at most 1, which is all",
    ),
    Bad(
        "a tolerance that is none",
        lambda: iw.Sentinel(0.1, tolerance="1e-6"),
        iw.UsageError,
        "Sentinel(tolerance='1e-6'): give a small positive number, such as 1e-6",
    ),
    Bad(
        "fails= that is no bool",
        lambda: iw.Sentinel(0.1, fails=1),
        iw.UsageError,
        "Sentinel(fails=1): write True or False",
    ),
    Bad(
        "a sentinel for a built-in",
        lambda: iw.with_columns(TABLE, a=iw.sum("n").over(WINDOW, sentinel=0.1)),
        iw.UsageError,
        "sum(n): sentinel() looks after classes of yours; sum is a built-in: drop it",
    ),
    Bad(
        "a sentinel for a class without terminate",
        lambda: iw.with_columns(TABLE, a=Decayed()("n").sentinel(0.1).over(WINDOW)),
        iw.UsageError,
        "Decayed(n): sentinel() folds a frame's tuples afresh, but what hooks return or yield depends on all that they have seen: "
        "give the class a terminate, or drop sentinel",
    ),
    Bad(
        "a deviation where the job is to fail",
        lambda: iw.with_columns(
            TABLE.append_column("one", [[1] * len(TABLE)]).select(["one"]).slice(0, 3),
            a=Forgetful()("one").over(WINDOW, sentinel=iw.Sentinel(1, fails=True)),
        ),
        iw.DeviationError,
        "Forgetful(one) gave 3 for the frame that ends at tuple 3, but its tuples give 2\n"
        "  found by Sentinel(1, tolerance=1e-06, fails=True); the strategy is delta: check the class with iw.testing.check, or "
        "force strategy='recompute'",
    ),
]
