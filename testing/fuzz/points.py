"""Point in time: aggregates over the tuples of one table at the rows of another one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from inwindow.optimizer.points import plan_points
from inwindow.optimizer.rules import RULES
from inwindow.runtime import feed
from inwindow.testing.fuzz import definition, tables
from inwindow.testing.fuzz.agree import agree
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.frames import Over, as_test, lone, over
from inwindow.testing.fuzz.kinds import BUILT_INS, CLASSES, KINDS
from inwindow.testing.fuzz.orders import ORDERS, OrderType
from inwindow.testing.fuzz.trial import Difference, Trial, attempt
from inwindow.testing.fuzz.windows import Options, scope_functions
from inwindow.testing.fuzz.written import IW, Call, Column, Drawn, literal
from inwindow.udaf.errors import UsageError
from inwindow.windows.reference_order import Row
from inwindow.windows.reference_points import frames_at

_KEYS: tuple[Options, ...] = ((("partition_by", "'k'"),), (("partition_by", "('l', 'k')"),))
_FRAMES = (
    "rows",
    "rows to here",
    "groups",
    "groups to here",
    "range",
    "range to here",
    "landmark",
    "scope",
    "unbounded",
)


@dataclass(frozen=True)
class Points:
    """Events, the rows at which results are wanted, aggregates over windows."""

    drawn: Drawn
    spine: Drawn
    overs: tuple[Over, ...]
    slice: int  # rows that the operator gets at a time; 0: all

    @property
    def keys(self) -> tuple[str, ...]:
        keys: tuple[str, ...] = self.overs[0].window.made.partition_by
        return keys

    @property
    def cases(self) -> int:
        return len(definition.partitions(self.spine, self.keys)) * len(self.overs)

    @property
    def streams(self) -> int:
        return 0

    def difference(self) -> Difference | None:
        expected, error = attempt(lambda: [self._expected(its) for its in self.overs])
        if error is not None:
            return Difference("the definition", None, None, error=error)
        possible, error = attempt(self._possible)
        if error is not None:
            return Difference("planning", None, None, error=error)
        for run in range(max(map(len, possible))):
            chosen = [its[run % len(its)] if run else None for its in possible]
            applied = {f"x{at}": its.made(one) for at, (its, one) in enumerate(zip(self.overs, chosen, strict=True))}
            with in_slices(self.slice):
                given, error = attempt(lambda applied=applied: IW.with_columns(
                    self.spine.table, of=self.drawn.table, **applied))  # fmt: skip
            if error is not None:
                return Difference(f"{chosen}", None, None, error=error)
            for at, column in enumerate(expected):
                for ours, (theirs, within) in zip(given[f"x{at}"].to_pylist(), column, strict=True):
                    if not agree(ours, theirs, within):
                        return Difference(f"x{at} by {chosen[at] or 'the strategy chosen'}", ours, theirs, within)
        return None

    def _possible(self) -> list[list[str | None]]:
        applied = {f"x{at}": its.made() for at, its in enumerate(self.overs)}
        work = plan_points(self.spine.table.schema, self.drawn.table.schema, applied)
        cases = {step.name: step.case for its in work for step in its.steps}
        return [[None, *(rule.name for rule in RULES if rule.applies(cases[name]))] for name in applied]

    def _expected(self, its: Over) -> list[definition.Wanted]:
        kind, window, values = KINDS[its.kind], its.window.made, self.drawn.values
        given, passes = definition.arguments(self.drawn, kind), kind.nulls == "pass"
        seen = definition.is_seen(self.drawn, kind, its.filtered, passes)
        counted = definition.is_seen(self.drawn, kind, its.filtered, passes and kind.counts_nulls)
        least = window.min_count or 0
        events = dict(self._by_key(self.drawn))
        column: list[definition.Wanted] = [definition.NOTHING] * len(self.spine)
        for key, labels in self._by_key(self.spine):
            members = definition.in_order(self.drawn, events.get(key, []), window.order_by)
            rows = [Row((values["t"][i],)) for i in members]
            times = [self.spine.values["t"][i] for i in labels]
            for label, frame in zip(labels, frames_at(window, rows, times), strict=True):
                held = [members[place] for place in frame]
                if sum(counted[i] for i in held) >= least:
                    column[label] = definition.folded(kind, [given[i] for i in held if seen[i]])
        return column

    def _by_key(self, drawn: Drawn) -> Iterator[tuple[Any, list[int]]]:
        for members in definition.partitions(drawn, self.keys):
            yield tuple(definition.key_of(drawn.values[key][members[0]]) for key in self.keys), members

    def smaller(self) -> Iterator["Points"]:
        if self.slice:
            yield replace(self, slice=0)
        if len(self.overs) > 1:
            for its in self.overs:
                yield replace(self, overs=(its,))
        for drawn in self.spine.smaller():
            if len(drawn):
                yield replace(self, spine=drawn)
        for drawn in self.drawn.smaller():
            if len(drawn):
                yield replace(self, drawn=drawn)
        for at, its in enumerate(self.overs):
            if its.filtered:
                yield replace(self, overs=(*self.overs[:at], replace(its, filtered=False), *self.overs[at + 1 :]))
            for window in its.window.smaller(("partition_by", "order_by")):
                if attempt(lambda window=window: window.made)[1] is None:
                    simpler = replace(its, window=window)
                    yield replace(self, overs=(*self.overs[:at], simpler, *self.overs[at + 1 :]))

    def test(self, difference: Difference, name: str) -> str:
        at = int(difference.where[1:].split(" ")[0]) if difference.where.startswith("x") else 0
        forced = difference.where.split(" by ")[-1] if " by " in difference.where else "the strategy chosen"
        applied = self.overs[at].text(None if forced == "the strategy chosen" else forced)
        lines = [
            "from inwindow.testing.fuzz.points import in_slices",
            "",
            f"events = {self.drawn.text}",
            f"labels = {self.spine.text}",
            f"with in_slices({self.slice}):",
            f"    given = iw.with_columns(labels, of=events, x={applied})['x'].to_pylist()",
            f"expected = {literal([want[0] for want in self._expected(self.overs[at])])}",
            f"assert agree(given, expected, within={difference.within!r}), given",
        ]
        return as_test(name, lines)


@contextmanager
def in_slices(rows: int) -> Iterator[None]:
    """Tables are fed to operators so many rows at a time."""
    full, feed.SLICE = feed.SLICE, rows or feed.SLICE
    try:
        yield
    finally:
        feed.SLICE = full


def draw_points(draw: Draw) -> Trial:
    """Events of many keys, a few labels for each, two to six aggregates."""
    order = ORDERS[draw.one(list(ORDERS))]
    ascending = draw.one(("'t'", "iw.asc('t', nulls_first=False)"))
    at = (*draw.one(_KEYS), ("order_by", ascending))
    its = [_window(draw, order, at) for _ in range(draw.between(1, 2))]
    kinds = [draw.one(list(CLASSES) if draw.once_in(3) else list(BUILT_INS)) for _ in range(draw.between(2, 6))]
    if draw.once_in(6):  # one kind, with nothing else for which tuples are held
        kinds = [lone(draw)] * len(kinds)
    overs = tuple(over(kind, draw.one(its), draw.once_in(4)) for kind in kinds)
    columns = sorted({name for kind in kinds for name in KINDS[kind].columns} | {"ok"})
    drawn = tables.table(draw, order, columns, draw.between(16, 48))
    return Points(drawn, _spine(draw, order, drawn), overs, draw.one((0, 0, 7, 40)))


def _spine(draw: Draw, order: OrderType, drawn: Drawn) -> Drawn:
    """Labels of the events' keys, and of a key that they lack: the NULL of ``l``."""
    count = draw.between(1, 120)
    rows = [draw.below(len(drawn)) for _ in range(count)]
    lacking = [draw.once_in(20) for _ in range(count)]
    times = [None if draw.once_in(12) else order.value(draw) for _ in range(count)]
    keys = [Column(one.name, one.kind, tuple(one.values[i] for i in rows)) for one in drawn.columns if one.name in "kl"]
    keys[1] = replace(
        keys[1], values=tuple(None if no else its for no, its in zip(lacking, keys[1].values, strict=True))
    )
    return Drawn((*keys, Column("t", order.kind, tuple(times)), Column("id", "pa.int64()", tuple(range(count)))))


def _window(draw: Draw, order: OrderType, at: Options) -> Call:
    while True:
        call = _frame(draw, draw.one(_FRAMES), order, at)
        if draw.once_in(6):
            call = replace(call, options=(*call.options, ("min_count", str(draw.between(1, 4)))))
        try:
            _ = call.made
        except UsageError:
            continue
        return call


def _frame(draw: Draw, kind: str, order: OrderType, at: Options) -> Call:
    sizes = [size for size in order.sizes if "month" not in size]
    if kind in ("rows", "groups"):
        return Call(kind, (str(draw.between(1, 5)),), (("lag", str(draw.between(0, 3))), *at))
    if kind in ("rows to here", "groups to here"):
        return Call(f"{kind.split()[0]}_between", ("None", str(-draw.between(0, 3))), at)
    if kind == "range":
        return Call(kind, (draw.one(sizes),), (("lag", draw.one(sizes)), *at) if draw.once_in(2) else at)
    if kind == "range to here":
        return Call("range_between", ("None", "0"), at)
    if kind == "landmark":
        fixed = [(name, order.literal(draw)) for name in draw.one((("since",), ("until",), ("since", "until")))]
        return Call(kind, (), (*fixed, *at))
    if kind == "scope":
        return Call(kind, (), (*scope_functions(draw, order), *at))
    return Call("unbounded", (), at)
