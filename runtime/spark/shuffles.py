"""Bring tuples with equal keys to one task: the only thing that Spark must do for a pass. Workers sort them.

This is a shuffle by the keys, or nothing if equal keys are together already: after an earlier pass of ours (rows stay in their
task), or after a shuffle by these keys that nothing can split.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inwindow.optimizer.hot_keys import Cut, in_shards
from inwindow.optimizer.plan import Carried, Pass
from inwindow.optimizer.strategy import No
from inwindow.runtime.reserved import HALO, SHARD
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.session import explained
from inwindow.runtime.spark.shards import in_tasks

# The operators that may stand between our pass and an existing shuffle of the data. Not a join: AQE may split the shuffles below it
# (skew) or read them locally, because it does not know that we need the keys together. Not a window: Spark drops it, and its
# shuffle, if nobody reads its result.
_LEAVES_ROWS_TOGETHER = (
    "Sort [", "Project [", "Filter ", "InputAdapter", "HashAggregate(", "ObjectHashAggregate(", "SortAggregate(",
    "AQEShuffleRead",
)  # fmt: skip

_KEEPS_ORDER = ("AdaptiveSparkPlan ", "Project [", "Filter ", "InputAdapter", "WholeStageCodegen")
_SORTED_BY = re.compile(r"([^\s\[,]+)#\d+L? (ASC|DESC) NULLS (FIRST|LAST)")


@dataclass(frozen=True)
class Shuffle:
    """The shuffle of a pass; ``needed`` is False if equal keys are together already."""

    needed: bool
    cut: Cut | No = No("not looked for")
    carried: Carried | None = None  # the partials with which shards start, once they have been made

    def done(self, df: Any, columns: Columns, work: Pass) -> Any:
        """The data with equal keys in one task; with hot keys in shards, a task for each."""
        keys = [columns.column(name) for name in work.partition_by]
        if isinstance(self.cut, Cut):
            return in_tasks(df, columns, work, self.cut)
        if not self.needed:
            return df
        # The literal makes this a partitioning that no join or aggregate has. Otherwise Spark would use theirs instead of ours, and
        # then read it locally or split it (AQE), because it does not know that we need the keys together.
        return df.repartition(*keys, columns.session.expr("0")) if keys else df.repartition(1)

    def worked(self, work: Pass) -> Pass:
        """The pass as it runs in Python: over shards, if partitions are cut."""
        return in_shards(work, self.cut.halo(SHARD, HALO, self.carried)) if isinstance(self.cut, Cut) else work

    def leaves(self, clustering: tuple[str, ...], work: Pass) -> tuple[str, ...]:
        """The keys by which rows lie together after the pass; none after shards, because then a key is in several tasks."""
        if isinstance(self.cut, Cut):
            return ()
        return work.partition_by if self.needed else clustering

    def describe(self, work: Pass) -> str:
        """The shuffle in words, for explain."""
        keys = ", ".join(work.partition_by)
        if isinstance(self.cut, Cut):
            return f"a task for each shard{f'; {self.cut.others} for other keys' if keys else ''}"
        if not self.needed:
            return f"no shuffle, the rows lie together by {keys}"
        return f"shuffle by {keys}" if keys else "all rows to one task"


def in_order_of_sharing(passes: list[Pass]) -> list[Pass]:
    """Order passes so that each can use the shuffle of the one before.

    Passes with the fewest keys come first, because rows that are together by some keys are together by more keys as well. Passes
    without keys come last, because they bring all rows to one task.
    """
    left = sorted(passes, key=lambda work: (not work.partition_by, len(work.partition_by)))
    result: list[Pass] = []
    while left:
        following = [work for work in left if result and lie_together(result[-1].partition_by, work)]
        first = following[0] if following else left[0]
        left.remove(first)
        result.append(first)
    return result


def shuffles_of(
    passes: list[Pass], columns: Columns, hot_key_finder: Callable[[Pass], Cut | No] | None = None
) -> list[Shuffle]:
    """The shuffle of each pass, in the order in which they run; ``look`` finds hot keys."""
    result: list[Shuffle] = []
    clustering = columns.clustering
    for work in passes:
        if lie_together(clustering, work):
            shuffle = Shuffle(False, No("the rows are not shuffled"))
        elif not result and work.partition_by and are_together(columns, work):
            shuffle, clustering = Shuffle(False, No("the rows are not shuffled")), work.partition_by
        else:
            shuffle = Shuffle(True, No("not looked for") if hot_key_finder is None else hot_key_finder(work))
        result.append(shuffle)
        clustering = shuffle.leaves(clustering, work)
    return result


def lie_together(by: tuple[str, ...], work: Pass) -> bool:
    """Whether rows that lie together by these keys do so for the pass."""
    return bool(by) and set(by) <= set(work.partition_by)


def are_together(columns: Columns, work: Pass) -> bool:
    """Whether an existing shuffle of the data brings the keys together, and nothing above it can split them.

    We let Spark plan a window over the keys, and look whether it would shuffle again. If unsure, the answer is no.
    """
    if "Exchange hashpartitioning(" not in columns.explained:
        return False
    F, Window = columns.session.F, columns.session.Window
    keys = [columns.column(name) for name in work.partition_by]
    number = F.row_number().over(Window.partitionBy(*keys).orderBy(F.lit(1)))
    lines = plan_text(columns.df.select(number.alias("n"))).splitlines()
    at = next((i for i, line in enumerate(lines) if "Window [row_number()" in line), None)
    if at is None:
        return False
    for line in lines[at + 1 :]:
        node = line.lstrip(" +-:*()0123456789")
        if not node.startswith(_LEAVES_ROWS_TOGETHER):
            # The first shuffle in the plan: either made for the window (then the rows are not together), or part of the data.
            wanted = lines[at + 1 : lines.index(line)]
            return node.startswith("Exchange hashpartitioning(") and not (
                "ENSURE_REQUIREMENTS" in node and not _grouped(wanted)
            )
    return False


def _grouped(lines: list[str]) -> bool:
    """Whether an aggregate of the data is above a shuffle: then the shuffle belongs to that aggregate, not to our window."""
    return any("Aggregate(" in line for line in lines)


def sorts(plan: str, work: Pass) -> bool:
    """Whether the plan of the data ends with a sort by the order of a pass, or by a finer order."""
    for line in plan.partition("== Physical Plan ==")[2].strip().splitlines():
        node = line.lstrip(" +-:*()0123456789")
        if node.startswith("Sort ["):
            given = [(name, way == "ASC", nulls == "FIRST") for name, way, nulls in _SORTED_BY.findall(node)]
            wanted = [(name, True, True) for name in work.partition_by]
            wanted += [(order.column, order.ascending, order.nulls_first) for order in work.order_by]
            return given[: len(wanted)] == wanted
        if not node.startswith(_KEEPS_ORDER):
            return False
    return False


def plan_text(df: Any) -> str:
    return explained(df, "simple")
