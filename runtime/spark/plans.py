"""What will be done on Spark: passes, each with its carrier; and what is said of it."""

import sys
import warnings
from dataclasses import dataclass

from inwindow.optimizer.hot_keys import Cut
from inwindow.optimizer.panes_first import panes_first
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.strategy import No, Verdict
from inwindow.runtime.spark.carriers import Carrier, carriers_of
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.sampled import look


@dataclass(frozen=True)
class SparkPlan:
    """Passes in the order in which they will run, each with its carrier."""

    columns: Columns
    passes: list[Pass]
    carriers: list[Carrier]
    panes_first: Verdict = No("only extents have panes")  # whether partials are shuffled in place of tuples

    @classmethod
    def of(cls, columns: Columns, passes: list[Pass], hot_keys: str) -> "SparkPlan":
        """The passes, each with the carrier that suits where the rows lie then; ``hot_keys`` says how to look for those."""
        return cls(columns, passes, carriers_of(passes, columns, look(columns, hot_keys)))

    @classmethod
    def of_groups(cls, columns: Columns, work: Pass) -> "SparkPlan":
        """The one pass of groups; over extents, with panes before the shuffle where that is possible and there is one."""
        carriers = carriers_of([work], columns)
        verdict = panes_first(work)
        if verdict and not carriers[0].shuffles:
            verdict = No("the rows are partitioned by the keys already")
        return cls(columns, [work], carriers, verdict)

    def describe(self, crossing: str) -> str:
        """The plan's shape in Spark, for explain; ``crossing`` is what hands the tuples to Python."""
        lines = []
        for at, (work, carrier) in enumerate(zip(self.passes, self.carriers, strict=True), 1):
            over = ", ".join(needed(work)) or "no column"
            if self.panes_first:
                lines.append(f"spark, pass {at}: panes before the shuffle: {self.panes_first.reason}")
                lines.append(
                    f"  {crossing} over {over}; {carrier.describe(work)} of the partials; {crossing} over partials"
                )
                continue
            lines.append(f"spark, pass {at}: {carrier.describe(work)}; {crossing} over {over}")
            if carrier.shuffles and isinstance(carrier.cut, Cut):
                lines.append(f"  hot keys: {carrier.cut.describe()}")
            elif isinstance(carrier.cut, No) and carrier.shuffles and work.extent is None:
                lines.append(f"  hot keys: none, {carrier.cut.reason}")
            if work.extent is not None:
                behind = any(step.strategy == "pane-cascade" for step in work.steps)
                sorted_panes = "; panes of the sorted tuples" if behind else ""
                lines.append(f"  panes before the shuffle: no, {self.panes_first.reason}{sorted_panes}")
        return "\n".join(lines)

    def warn_of_one_task(self) -> None:
        """All rows in one task is right, but seldom meant."""
        if self.panes_first:
            return  # it is but the partials
        for work, carrier in zip(self.passes, self.carriers, strict=True):
            if carrier.shuffles and not work.partition_by and not isinstance(carrier.cut, Cut):
                labels = ", ".join(step.label for step in work.steps)
                warnings.warn(
                    f"{labels}: the window has no partitioning, so all rows go to one task, in bounded memory but without "
                    "parallelism; give partition_by= a key if the result allows it",
                    UserWarning,
                    stacklevel=_level_of_the_user(),
                )
                return


def _level_of_the_user() -> int:
    """How many calls up the user's own is, for the warning to point at it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("inwindow."):
        level, frame = level + 1, frame.f_back
    return level


def needed(work: Pass) -> list[str]:
    """The columns that a pass reads, places first."""
    names = work.places
    for step in work.steps:
        names += step.arguments
        names += [] if step.condition is None else [step.condition]
    return list(dict.fromkeys(names))
