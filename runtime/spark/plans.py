"""What will be done on Spark: passes, each with its carrier; and what is said of it."""

import sys
import warnings
from dataclasses import dataclass

from inwindow.optimizer.plan import Pass
from inwindow.runtime.spark.carriers import Carrier, carriers_of
from inwindow.runtime.spark.columns import Columns


@dataclass(frozen=True)
class SparkPlan:
    """Passes in the order in which they will run, each with its carrier."""

    columns: Columns
    passes: list[Pass]
    carriers: list[Carrier]

    @classmethod
    def of(cls, columns: Columns, passes: list[Pass]) -> "SparkPlan":
        """The passes, each with the carrier that suits where the rows lie then."""
        return cls(columns, passes, carriers_of(passes, columns))

    def describe(self, crossing: str) -> str:
        """The plan's shape in Spark, for explain; ``crossing`` is what hands the tuples to Python."""
        lines = []
        for at, (work, carrier) in enumerate(zip(self.passes, self.carriers, strict=True), 1):
            over = ", ".join(needed(work)) or "no column"
            lines.append(f"spark, pass {at}: {carrier.describe(work)}; {crossing} over {over}")
        return "\n".join(lines)

    def warn_of_one_task(self) -> None:
        """All rows in one task is right, but seldom meant."""
        for work, carrier in zip(self.passes, self.carriers, strict=True):
            if carrier.shuffles and not work.partition_by:
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
