"""How the tuples come to be in order: the two carriers, and the choice between them.

Shuffled
    ``repartition`` by the keys, ``sortWithinPartitions``. The rows stream through a sort that spills: no operator holds a
    partition, so memory is bounded whatever the size of the largest one. That keys and order values ascend is checked by
    an :class:`~inwindow.runtime.spark.worker.OrderGuard`.

Numbered
    An inline ``row_number()`` over the window is an argument of the UDF. Spark then sees a window and reuses a
    partitioning and a sort that the data have, which ``repartition`` cannot; but its window operator buffers each
    partition before it gives out a row. That the numbers run on is checked by a
    :class:`~inwindow.runtime.spark.worker.NumberGuard`.

So *numbered* for a single pass where that saves the shuffle, *shuffled* elsewhere. Later passes over the same keys as a
shuffled one need no shuffle, nor does a later call on the result: rows do not leave their task.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inwindow.optimizer.hot_keys import Cut, in_ranges
from inwindow.optimizer.plan import Carried, Pass
from inwindow.optimizer.strategy import No
from inwindow.runtime.reserved import HALO, RANGE
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.placed import Placed, Sorted, ordering
from inwindow.runtime.spark.prefix import prefix_of
from inwindow.runtime.spark.ranges import has_tasks_by_number, in_tasks
from inwindow.runtime.spark.session import is_connect


@dataclass(frozen=True)
class Carrier:
    """How a pass gets its order. ``shuffles`` and ``sorts`` say what it costs."""

    shuffles: bool
    sorts: bool
    numbered: bool = False
    cut: Cut | No = No("not looked for")
    carried: Carried | None = None  # what ranges begin with, when it has been made

    def placed(self, df: Any, columns: Columns, work: Pass) -> Any:
        """The data in the order of the pass (for a numbered one, Spark does it where the number is asked for)."""
        if self.numbered:
            return df
        keys = [columns.column(name) for name in work.partition_by]
        if isinstance(self.cut, Cut):
            orders = map(columns.sorted_by, work.order_by)
            cut = in_tasks(df, columns, work, self.cut)
            if not keys and has_tasks_by_number(df):
                return cut.sortWithinPartitions(*orders)  # a single column can be sorted by its bits
            prefix = prefix_of(columns, work, self.cut)
            return cut.sortWithinPartitions(*([] if prefix is None else [prefix]), RANGE, *keys, *orders)
        if self.shuffles:
            # The literal makes it a partitioning that no join or aggregate has: Spark would take theirs instead of ours, and
            # then, as it sees nobody who needs it, read their shuffle locally or split it (AQE), and the keys with it.
            df = df.repartition(*keys, columns.session.F.lit(0)) if keys else df.repartition(1)
        if self.sorts and (keys or work.order_by):
            df = df.sortWithinPartitions(*keys, *map(columns.sorted_by, work.order_by))
        return df

    def worked(self, work: Pass) -> Pass:
        """The pass as it runs in Python: over ranges, where partitions are cut."""
        return in_ranges(work, self.cut.halo(RANGE, HALO, self.carried)) if isinstance(self.cut, Cut) else work

    def leaves(self, placed: Placed, work: Pass) -> Placed:
        """Where the rows lie when the pass has run.

        Behind a numbered pass nothing is known: where nobody reads its results Spark drops it, and the window with it.
        """
        if isinstance(self.cut, Cut):
            return Placed()  # a key is in several tasks
        return Placed() if self.numbered else placed.after(work, shuffled=self.shuffles, sorts=self.sorts)

    def describe(self, work: Pass) -> str:
        """The carrier in words, for explain."""
        keys = ", ".join(work.partition_by)
        if self.numbered:
            return f"Spark's own partitioning by {keys} (row_number() over the window; no shuffle)"
        shuffle = (f"repartition by {keys}" if keys else "one partition") if self.shuffles else "no shuffle"
        by = ", ".join([*work.partition_by, *(f"{o.column}{'' if o.ascending else ' desc'}" for o in work.order_by)])
        sort = f"sort by {by}" if by else "no sort"
        if isinstance(self.cut, Cut):
            others = f"; {self.cut.others} for other keys" if keys else ""
            return f"a task for each range{others}; {sort}"
        return f"{shuffle}, {sort if self.sorts else 'already sorted'}"


def number(columns: Columns, work: Pass) -> Any:
    """``row_number()`` over the pass's partitioning and order."""
    F, Window = columns.session.F, columns.session.Window
    keys = [columns.column(name) for name in work.partition_by]
    orders = [columns.sorted_by(order) for order in work.order_by]
    return F.row_number().over(Window.partitionBy(*keys).orderBy(*orders or [F.lit(1)]))


def in_order_of_sharing(passes: list[Pass]) -> list[Pass]:
    """Passes so that each can use the shuffle, and if possible the sort, of the one before.

    Fewest keys first, as data that are partitioned by fewer keys are partitioned by more; longest order first; the
    unpartitioned ones last, since they bring all rows to one task.
    """
    left = sorted(passes, key=lambda work: (not work.partition_by, len(work.partition_by), -len(work.order_by)))
    result: list[Pass] = []
    while left:
        following = [w for w in left if result and _clustered(result[-1].partition_by, w)]
        first = following[0] if following else left[0]
        first = next((w for w in following if _is_sorted(ordering(result[-1]), w)), first)
        left.remove(first)
        result.append(first)
    return result


def carriers_of(passes: list[Pass], columns: Columns, look: Callable[[Pass], Cut | No] | None = None) -> list[Carrier]:
    """The carrier of each pass, in the order in which they will run over the rows as they lie; ``look`` finds hot keys."""
    result: list[Carrier] = []
    placed = columns.placed
    for work in passes:
        if not _clustered(placed.keys, work):
            numbered = len(passes) == 1 and bool(work.partition_by) and is_placed(columns.df, columns, work)
            cut = look(work) if look is not None and not numbered else No("the rows are not shuffled")
            carrier = Carrier(not numbered, True, numbered, cut)
        else:
            carrier = Carrier(False, not _is_sorted(placed.by, work), cut=No("the rows are not shuffled"))
        result.append(carrier)
        placed = carrier.leaves(placed, work)
    return result


def _clustered(by: tuple[str, ...], work: Pass) -> bool:
    return bool(by) and set(by) <= set(work.partition_by)


def _is_sorted(by: Sorted, work: Pass) -> bool:
    wanted = ordering(work)
    return by[: len(wanted)] == wanted


def is_placed(df: Any, columns: Columns, work: Pass) -> bool:
    """Whether Spark, asked for a window over the data, would not shuffle them. Read from its plan; in doubt, no."""
    lines = plan_text(df.select(number(columns, work).alias("n"))).splitlines()
    at = next((i for i, line in enumerate(lines) if "Window [row_number()" in line), None)
    if at is None:
        return False
    for line in lines[at + 1 :]:
        node = line.lstrip(" +-:*()0123456789")
        if node.startswith(("Sort [", "Project [", "InputAdapter")):
            continue
        return not (node.startswith("Exchange") and "ENSURE_REQUIREMENTS" in node)
    return False


def plan_text(df: Any, mode: str = "simple") -> str:
    """Spark's plan as text, as ``df.explain()`` prints it: the physical one, or all with ``mode="extended"``."""
    if is_connect(df):
        return str(df._explain_string(mode=mode))
    return str(df._sc._jvm.PythonSQLUtils.explainString(df._jdf.queryExecution(), mode))
