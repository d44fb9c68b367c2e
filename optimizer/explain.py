"""``explain``: for each aggregate the strategy, the reason, why not the better ones, and the cost of a tuple."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from inwindow.optimizer.plan import UNDOING, Pass, Step
from inwindow.udaf.errors import UsageError


@dataclass(frozen=True, repr=False)
class Explanation:
    """Prints as text, and shows as a table in a notebook."""

    passes: Sequence[Pass]
    place: str
    at_points: bool = False  # results at the rows of another table
    on_states: Callable[[Step], bool] = lambda step: (
        False
    )  # whether each key has a state from which its aggregate goes on

    def __str__(self) -> str:
        lines = []
        for number, work in enumerate(self.passes, 1):
            lines.append(f"pass {number} of {len(self.passes)}: {self._sharing(work)}")
            for step in work.steps:
                lines += ["", f"  {step.name} = {self._call(step)}"]
                lines += [f"    {title:<9} {_indented(text)}" for title, text in self._rows(step)]
            lines.append("")
        return "\n".join([*lines, self.place])

    def __repr__(self) -> str:
        return str(self)

    def as_data(self) -> dict[str, Any]:
        """The same as plain data, for JSON.

        >>> import pyarrow as pa, inwindow as iw
        >>> plan = iw.explain(pa.table({"v": [1.0]}), s=iw.sum("v").over(iw.rows(9))).as_data()
        >>> plan["passes"][0]["results"][0]["strategy"]
        'delta'
        """
        return {"passes": [self._pass_as_data(work) for work in self.passes], "place": self.place}

    def _pass_as_data(self, work: Pass) -> dict[str, Any]:
        results = []
        for step in work.steps:
            passed_over = [
                {"strategy": strategy.name, "possible": bool(verdict), "reason": verdict.reason}
                for strategy, verdict in step.choice.passed_over
            ]
            rows = {title: text for title, text in self._rows(step) if title not in ("strategy", "why not", "also")}
            results.append({
                "name": step.name, "call": self._call(step), "strategy": step.strategy, "forced": step.choice.forced,
                **rows, "others": passed_over,
            })  # fmt: skip
        orders = [order.describe() for order in work.order_by]
        return {"partition_by": list(work.partition_by), "order_by": orders, "results": results}

    def _repr_html_(self) -> str:
        parts = []
        for number, work in enumerate(self.passes, 1):
            parts.append(f"<p><b>pass {number} of {len(self.passes)}</b>: {escape(self._sharing(work))}</p>")
            for step in work.steps:
                rows = "".join(
                    f"<tr><th style='text-align:left;vertical-align:top'>{escape(title)}</th>"
                    f"<td style='text-align:left'>{_in_html(text)}</td></tr>"
                    for title, text in self._rows(step)
                )
                parts.append(
                    f"<div style='margin-bottom:1em'><table><caption style='text-align:left'><code>{escape(step.name)} = "
                    f"{escape(self._call(step))}</code></caption>{rows}</table>{self._drawing(step)}</div>"
                )
        return "".join([*parts, f"<p style='white-space:pre-line'>{escape(self.place)}</p>"])

    def _drawing(self, step: Step) -> str:
        """The picture of the window, folded; none if frames end at the rows of another table."""
        window = step.case.asked or step.case.window or step.case.extent
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
        window = step.case.asked or step.case.window
        where = window.describe() if window else ""
        if step.case.extent is not None:
            where = step.case.extent.describe()
        return f"{step.label} {where}".rstrip()

    def _rows(self, step: Step) -> list[tuple[str, str]]:
        choice, case = step.choice, step.case
        runs = step.machine.runs_on_states if step.machine is not None and self.on_states(step) else _what_runs(step)
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
        if case.asked is not None or case.runs:
            rows.append(("exclude", _hole(step)))
        if step.sentinel is not None:
            rows.append(("sentinel", _sentinel(step)))
        if step.failures is not None:
            rows.append(("on_error", _ON_ERROR[step.failures.mode]))
        if step.implementation.aggregate is not None:
            rows += [*_derived(step), *getattr(step.prototype, "explained", ())]
        return rows


def _hole(step: Step) -> str:
    """What EXCLUDE costs."""
    case = step.case
    assert case.window is not None
    if case.asked is not None:
        return f"nothing: the frame is {replace(case.window, partition_by=(), order_by=()).describe()[1:-1]}"
    if not case.in_runs:
        return (
            "nothing: the frame ends where the hole begins"
            if case.runs == ("before",)
            else "nothing: the frame begins behind the hole"
        )
    where = {"before": "before the hole", "itself": "the tuple itself", "behind": "behind the hole"}
    return f"a frame is {len(case.runs)} runs of tuples: {', '.join(where[run] for run in case.runs)}"


def _what_runs(step: Step) -> str:
    if step.implementation.native is not None:
        return "native kernel"
    if step.machine is not None:
        return step.machine.runs
    hooks = f"Python hooks of {type(step.prototype).__name__}, called from Cython"
    why = _uncompiled(step)
    return f"{hooks}; not compiled: {why}" if why else hooks


_LOOPS = ("unbounded", "tumble", "delta", "recompute")


def _uncompiled(step: Step) -> str:
    """Why Python hooks run, where compiled ones might have."""
    of, window = step.implementation, step.case.window
    if step.case.in_runs and not step.case.is_even and step.strategy != "recompute" and (of.machine or of.uncompiled):
        return "frames with a hole have no compiled loop"
    if of.uncompiled and step.strategy not in _LOOPS:
        return f"{step.strategy} has no compiled loop"
    if of.machine is None or (window is not None and window.active_expiration):
        return of.uncompiled
    if step.strategy in of.machine.strategies:
        return "its base runs"
    return "expire is derived" if step.strategy == "delta" else f"{step.strategy} has no compiled loop"


_ON_ERROR = {
    "skip": "a tuple on which a hook raises is left out of this aggregate, and counted; tuples around it are folded again",
    "collect": "a tuple on which a hook raises is left out of this aggregate, and iw.failed(result) has it; tuples around it are "
    "folded again",
}


def _sentinel(step: Step) -> str:
    if step.strategy not in UNDOING:
        return "none needed: tuples are folded one by one, as the definition does"
    kept = "; the frame's tuples are held" if step.strategy == "pane-cascade" else ""
    return f"{step.sentinel!r}: such a share of the results costs a fold of its frame{kept}"


def _derived(step: Step) -> list[tuple[str, str]]:
    """The hooks that the framework wrote, or why it did not."""
    of = step.implementation
    hooks = _CALLED.get(step.strategy, ())
    rows = [("derived", text) for hook, text in of.derived.items() if hook in (*hooks, "terminate")]
    reasons: dict[str, list[str]] = {}
    for hook in _WANTED.get(step.strategy, ()):
        if hook in of.why_not:
            reasons.setdefault(of.why_not[hook], []).append(hook)
    return [*rows, *(("underived", f"{' and '.join(hooks)}: {why}") for why, hooks in reasons.items())]


_CALLED = {  # which of the derived hooks a strategy calls
    "delta": ("initialize", "iterate", "expire"),
    "two-stacks": ("initialize", "iterate", "merge"),
    "pane-cascade": ("initialize", "iterate", "merge", "unmerge"),
}
_WANTED = {
    "recompute": ("expire", "merge"),
    "two-stacks": ("expire",),
}  # the hooks with which a better strategy would apply


def _in_html(text: str) -> str:
    """A text of several lines is code."""
    return f"<pre style='margin:0'>{escape(text)}</pre>" if "\n" in text else escape(text)


def _indented(text: str) -> str:
    """Further lines of a text under its first."""
    return text.replace("\n", "\n" + " " * 14)
