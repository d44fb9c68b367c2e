"""The plan of a query on Spark: passes, each with its shuffle; and the plan in words."""

import sys
import warnings
from dataclasses import dataclass

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.hot_keys import Cut
from inwindow.optimizer.panes_first import panes_first
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.strategy import No, Verdict
from inwindow.runtime.memory_budget import described
from inwindow.runtime.query import Query
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.engine import engine_of
from inwindow.runtime.spark.observations import sentinels_of
from inwindow.runtime.spark.sample import hot_key_finder
from inwindow.runtime.spark.shuffles import Shuffle, in_order_of_sharing, shuffles_of, sorts
from inwindow.udaf.errors import UsageError
from inwindow.windows.own_ends import own_columns


@dataclass(frozen=True)
class SparkPlan:
    """Passes in the order in which they will run, each with its shuffle."""

    query: Query  # over names
    columns: Columns
    passes: list[Pass]
    shuffles: list[Shuffle]
    crossing: str  # how tuples go to Python, in words
    panes_first: Verdict = No("only extents have panes")  # whether partials are shuffled in place of tuples

    @classmethod
    def of(cls, query: Query, columns: Columns) -> "SparkPlan":
        """The passes, each with the shuffle that it needs after the passes before it."""
        session = columns.session
        passes = in_order_of_sharing(query.verb.passes(query, columns.schema(), **session.planning))
        if not session.is_spark and sentinels_of(*passes):
            engine = engine_of(session, columns.df.sparkSession)
            raise UsageError(
                f"{query.where}: sentinel= counts with observed metrics, which {engine} does not have: drop "
                "sentinel= here, or try it on a table or on Spark"
            )
        if query.verb.rows == "groups":
            return cls._of_groups(query, columns, passes)
        crossing = (
            "one Arrow UDF (in select: mapInArrow)"
            if session.has_iterator_udf
            else f"mapInArrow ({session.why_no_udf})"
        )
        return cls(
            query, columns, passes, shuffles_of(passes, columns, hot_key_finder(columns, query.hot_keys)), crossing
        )

    @classmethod
    def _of_groups(cls, query: Query, columns: Columns, passes: list[Pass]) -> "SparkPlan":
        """The plan over extents; with panes before the shuffle, if that is possible and there is a shuffle."""
        shuffles = shuffles_of(passes, columns)
        verdict = panes_first(passes[0])
        if verdict and not shuffles[0].needed:
            verdict = No("the rows lie together by the keys already")
        return cls(query, columns, passes, shuffles, "mapInArrow", verdict)

    @property
    def explanation(self) -> Explanation:
        return Explanation(self.passes, self._described(self.crossing), at_points=self.query.of is not None)

    def crossings(self) -> list[tuple[list[Pass], Shuffle]]:
        """The passes after one shuffle: they cross to Python together."""
        made: list[tuple[list[Pass], Shuffle]] = []
        for work, shuffle in zip(self.passes, self.shuffles, strict=True):
            if made and not shuffle.needed:
                made[-1][0].append(work)
            else:
                made.append(([work], shuffle))
        return made

    def _described(self, crossing: str) -> str:
        lines, engine = [], engine_of(self.columns.session, self.columns.df.sparkSession)
        for at, (work, shuffle) in enumerate(zip(self.passes, self.shuffles, strict=True), 1):
            over = ", ".join(needed(work)) or "no column"
            if self.panes_first:
                first = "one Arrow UDF" if self.columns.session.has_iterator_udf else crossing
                lines.append(f"{engine}, pass {at}: panes before the shuffle: {self.panes_first.reason}")
                lines.append(
                    f"  {first} over {over}; {shuffle.describe(work)} of the partials; {crossing} over partials, ordered in "
                    "the worker"
                )
                continue
            how = self._ordered(work, at) if work.position_columns else "in the order of arrival"
            lines.append(f"{engine}, pass {at}: {shuffle.describe(work)}; {crossing} over {over}, {how}")
            if shuffle.needed and isinstance(shuffle.cut, Cut):
                lines.append(f"  hot keys: {shuffle.cut.describe()}")
            elif isinstance(shuffle.cut, No) and shuffle.needed and work.extent is None:
                lines.append(f"  hot keys: none, {shuffle.cut.reason}")
            if work.extent is not None:
                behind = any(step.strategy == "pane-cascade" for step in work.steps)
                ordered_panes = "; panes of the ordered tuples" if behind else ""
                lines.append(f"  panes before the shuffle: no, {self.panes_first.reason}{ordered_panes}")
        shown = ", which Spark's UI shows as the stage's spill" if self.columns.session.is_spark else ""
        lines.append(
            f"memory: a task holds {described(self.columns.session.memory)}; more goes to disk, in sorted runs{shown}"
        )
        return "\n".join(lines)

    def _ordered(self, work: Pass, at: int) -> str:
        """How the rows of a pass, the ``at``-th, come into its order: where nothing is shuffled, the data may be sorted."""
        if self.shuffles[at - 1].needed:
            return "ordered in the worker"
        if not any(shuffle.needed for shuffle in self.shuffles[:at]) and sorts(self.columns.explained, work):
            return "already in order: the data are sorted, the worker looks once"
        return "ordered in the worker (one look where already in order)"

    def warn_of_one_task(self) -> None:
        """Warn that all rows go to one task: it is correct, but seldom what the user wants."""
        if self.panes_first:
            return  # only the partials go to one task
        for work, shuffle in zip(self.passes, self.shuffles, strict=True):
            if shuffle.needed and not work.partition_by and not isinstance(shuffle.cut, Cut):
                labels = ", ".join(step.label for step in work.steps)
                warnings.warn(
                    f"{labels}: the window has no partitioning, so all rows go to one task, in bounded memory but without "
                    "parallelism; give partition_by= a key if the result allows it",
                    UserWarning,
                    stacklevel=_level_of_the_user(),
                )
                return


def _level_of_the_user() -> int:
    """How many frames up the stack the user's own call is, so that the warning points to it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("inwindow."):
        level, frame = level + 1, frame.f_back
    return level


def needed(work: Pass) -> list[str]:
    """The columns that a pass reads, position columns first."""
    names = [*work.position_columns, *own_columns(work.extent)]
    for step in work.steps:
        names += step.arguments
        names += [] if step.condition is None else [step.condition]
    return list(dict.fromkeys(names))
