"""explain: for each expression the strategy, why, why not the better ones, and what a tuple costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from inwindow.optimizer.plan import UNDOING, Pass, Step
from inwindow.udaf.errors import UsageError


def _sentinel(step: Step) -> str:
    if step.strategy not in UNDOING:
        return "none needed: tuples are folded one by one, as the definition does"
    kept = "; the frame's tuples are held" if step.strategy == "pane-cascade" else ""
    return f"{step.sentinel!r}: such a share of the results costs a fold of its frame{kept}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """Prints as text, at a prompt, too; shows as a table in a notebook."""

    passes: Sequence[Pass]
    place: str
    at_points: bool = False  # results at the rows of another table

    def __str__(self) -> str:
        lines = []
        for number, work in enumerate(self.passes, 1):
            lines.append(f"pass {number} of {len(self.passes)}: {self._sharing(work)}")
            for step in work.steps:
                lines += ["", f"  {step.name} = {self._call(step)}"]
                lines += [f"    {title:<9} {text}" for title, text in self._rows(step)]
            lines.append("")
        return "\n".join([*lines, self.place])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        parts = []
        for number, work in enumerate(self.passes, 1):
            parts.append(f"<p><b>pass {number} of {len(self.passes)}</b>: {escape(self._sharing(work))}</p>")
            for step in work.steps:
                rows = "".join(
                    f"<tr><th style='text-align:left;vertical-align:top'>{escape(title)}</th>"
                    f"<td style='text-align:left'>{escape(text)}</td></tr>"
                    for title, text in self._rows(step)
                )
                parts.append(
                    f"<div style='margin-bottom:1em'><table><caption style='text-align:left'><code>{escape(step.name)} = "
                    f"{escape(self._call(step))}</code></caption>{rows}</table>{self._drawing(step)}</div>"
                )
        return "".join([*parts, f"<p style='white-space:pre-line'>{escape(self.place)}</p>"])

    def _drawing(self, step: Step) -> str:
        """The picture of the window, to be unfolded; none where a frame is cut at the rows of another table."""
        window = step.case.window or step.case.extent
        if window is None or self.at_points:
            return ""
        try:
            return f"<details><summary>the window</summary>{window.draw()}</details>"
        except UsageError:  # too large for a picture, or a scope over values of its own kind
            return ""

    def _sharing(self, work: Pass) -> str:
        count = len(work.steps)
        by = f"partition by {', '.join(work.partition_by)}" if work.partition_by else "no partitioning"
        order = (
            f"order by {', '.join(str(order.column) for order in work.order_by)}" if work.order_by else "arrival order"
        )
        what = "one aggregate" if count == 1 else f"{count} aggregates share one sort and one buffer"
        return f"{by}, {order}; {what}"

    def _call(self, step: Step) -> str:
        where = step.case.window.describe() if step.case.window else ""
        if step.case.extent is not None:
            where = step.case.extent.describe()
        return f"{step.label} {where}".rstrip()

    def _rows(self, step: Step) -> list[tuple[str, str]]:
        choice, case = step.choice, step.case
        native = step.implementation.native is not None
        runs = "native kernel" if native else f"Python hooks of {type(step.prototype).__name__}, called from Cython"
        rows = [
            ("strategy", f"{choice.strategy.name}{' (forced)' if choice.forced else ''}"),
            ("why", choice.verdict.reason),
        ]
        for strategy, verdict in choice.passed_over:
            possible = "possible too" if verdict else "not possible"
            rows.append(("why not" if not verdict else "also", f"{strategy.name}: {possible}, {verdict.reason}"))
        rows += [
            ("time", choice.strategy.time(case)),
            ("memory", choice.strategy.memory(case)),
            ("runs", runs),
            ("result", str(step.implementation.result)),
        ]
        if step.sentinel is not None:
            rows.append(("sentinel", _sentinel(step)))
        return rows
