"""``group_by(...).window(iw.tumble(...)).partials(...)`` saves panes; ``iw.saved`` rolls them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.planning import implementation_of, plan_groups
from inwindow.optimizer.rules import choose
from inwindow.optimizer.strategy import Case
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.query import Part, Query, Verb
from inwindow.runtime.saved_panes import ARGUMENT, UNTIL, VERSION, SavedForm, SavingForm, check_saves
from inwindow.udaf.applied import Applied, apply
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.native import Implementation, Native
from inwindow.udaf.traits import KernelTraits, Traits


class SavingOperator(GroupOperator):
    """A row per group and pane: keys, start, end, the panes of each aggregate."""

    def __init__(self, work: Pass, schema: pa.Schema) -> None:
        super().__init__(work, schema)
        assert work.key is not None
        at, bound = len(work.partition_by), work.key.bound_type
        keys, results = list(self.schema)[:at], list(self.schema)[at + 1 :]
        self.rows, self.schema = (
            self.schema,
            pa.schema([*keys, pa.field("start", bound), pa.field("end", bound), *results]),
        )

    def collect(self) -> pa.RecordBatch:
        if self.done is None:
            return pa.RecordBatch.from_arrays([pa.nulls(0, f.type) for f in self.schema], schema=self.schema)
        (extents, packed), self.done = self.done, None
        start, end = self._bound(extents.begins), self._bound(extents.finishes)
        forms = [_saving(step).form for step in self.work.steps]
        panes = [form.column(column, end) for form, column in zip(forms, packed, strict=True)]
        return pa.RecordBatch.from_arrays([*self.keys.at(extents.start), start, end, *panes], schema=self.schema)


def _saving(step: Step) -> SavingForm:
    assert step.implementation.native is not None
    form: SavingForm = step.implementation.native.saved
    return form


@dataclass(frozen=True)
class Panes(Part):
    """A row per group and pane."""

    def operator(self, schema: pa.Schema) -> SavingOperator:
        return SavingOperator(self.work, schema)


class SavingPanes(Verb):
    """The panes of aggregates, to be stored."""

    rows = "groups"

    def passes(self, query: Query, schema: pa.Schema, **planning: Any) -> list[Pass]:
        work = plan_groups(schema, query.keys, query.extent, query.aggregates, **planning)
        return [replace(work, steps=tuple(_to_save(step, schema, work) for step in work.steps))]

    def stream_pass(self, query: Query, schema: pa.Schema, **planning: Any) -> Pass:
        raise UsageError(
            "partials() on a stream: save the panes of what has come, day by day or in foreachBatch, from batch data; panes that "
            "come twice for a key and a time are merged"
        )

    def part(self, query: Query, work: Pass, passed: Sequence[str] = ()) -> Panes:
        return Panes(work, tuple(passed))

    def titles(self, query: Query) -> list[str]:
        return [*query.keys, "start", "end", *query.aggregates]


SAVE = SavingPanes()


def _to_save(step: Step, schema: pa.Schema, work: Pass) -> Step:
    check_saves(step)
    assert work.key is not None
    form = SavedForm.of(step, [schema.field(name).type for name in step.arguments])
    kind = form.type(work.key.bound_type)
    traits = _traits(step.case.traits.name, None, kind)
    native = Native(kind, _no_kernel, saved=SavingForm(form))
    case = replace(step.case, traits=traits)
    return replace(step, implementation=Implementation(traits, kind, native), case=case, choice=choose(case))


# Rolling


@dataclass(frozen=True)
class Saved:
    """An aggregate over the panes that another has saved."""

    inner: Applied
    trusted: bool
    traits: Traits

    def on(self, label: str, types: list[pa.DataType], ansi: bool) -> Implementation:
        """The implementation over a column of panes."""
        (kind,) = types
        arguments = _arguments_of(kind)
        if arguments is None or len(arguments) != len(self.inner.columns):
            raise UsageError(
                f"{label}: the column is of type {kind}, not one that partials() has made of {self.inner.label}: give "
                "the column in which it was saved"
            )
        implementation = implementation_of(self.inner, arguments, ansi)
        case = Case(implementation.traits)
        step = Step("it", self.inner.label, (), None, implementation, case, choose(case))
        check_saves(step)
        form = SavedForm.of(step, arguments, trusted=self.trusted, label=label)
        result = implementation.result
        return Implementation(replace(self.traits, result=result), result, Native(result, _no_kernel, saved=form))


def saved(column: str, aggregate: Applied, *, trusted: bool = False) -> Applied:
    """Roll the panes that ``partials()`` has saved in a column: give the aggregate that saved them.

    ``trusted=True`` reads states that had to be pickled: only if you trust who wrote them, as a pickle can run any code.

    >>> import pyarrow as pa, inwindow as iw
    >>> sales = pa.table({"day": [1, 1, 2, 5], "price": [1.0, 5.0, 3.0, 7.0]})
    >>> panes = iw.group_by(sales).window(iw.tumble("day", size=1)).partials(mean=iw.avg("price"))
    >>> last_two = iw.hop("start", size=2, every=1)
    >>> iw.group_by(panes).window(last_two).agg(mean=iw.saved("mean", iw.avg("price")))["mean"].to_pylist()
    [3.0, 3.0, 3.0, 7.0, 7.0]
    """
    if not isinstance(aggregate, Applied):
        raise UsageError(
            f"saved({shown(column)}, {shown(aggregate)}): give the aggregate that was saved, as in iw.sum('price')"
        )
    if aggregate.window is not None or aggregate.condition is not None or aggregate.least is not None:
        raise UsageError(
            f"saved({shown(column)}, {aggregate}): give the aggregate without window, filter and min_count: those belong to the "
            "panes, or to what is made of them"
        )
    traits = _traits(f"saved {aggregate.traits.name}", aggregate.traits.empty, None)
    made = apply(Saved(aggregate, trusted, traits), (column,))
    return replace(made, shown=f"saved({made.columns[0]}, {aggregate.label})")


def _traits(name: str, empty: Any, result: pa.DataType | None) -> Traits:
    hooks = frozenset({"iterate", "expire", "terminate"})
    return Traits(name, ("panes",), 1, result, hooks=hooks, empty=empty, kernel=KernelTraits())


def _arguments_of(kind: pa.DataType) -> list[pa.DataType] | None:
    if not pa.types.is_struct(kind) or kind.num_fields < 3 or [kind[0].name, kind[1].name] != [VERSION, UNTIL]:
        return None
    return [one.type for one in kind if one.name.startswith(ARGUMENT)]


def _no_kernel(evicts: bool) -> Any:
    raise AssertionError("panes have evaluators of their own")
