"""Frames on tables and readers: every window, aggregate, filter, strategy, batch cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.rules import RULES
from inwindow.testing.fuzz import definition, tables, windows
from inwindow.testing.fuzz.agree import agree
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.kinds import (
    BUILT_INS,
    CLASSES,
    EMITTING,
    KINDS,
    PICKY,
    PLACES,
    Kind,
    on_error,
    said_on_error,
)
from inwindow.testing.fuzz.orders import ORDERS
from inwindow.testing.fuzz.tasks import in_a_task
from inwindow.testing.fuzz.trial import Difference, Trial, attempt
from inwindow.testing.fuzz.written import IMPORTS, IW, Call, Drawn, literal, value_of

KEYS = ((("partition_by", "'k'"),), (("partition_by", "'k'"),), (("partition_by", "('l', 'k')"),))
_ALL = ((),)  # one partition
_HOLDING = [name for name in BUILT_INS if name.startswith(("iw.max(", "iw.min(", "iw.bit_"))]


@dataclass(frozen=True)
class Over:
    """An aggregate over a window."""

    kind: str
    window: Call
    filtered: bool = False

    def text(self, strategy: str | None = None) -> str:
        forced = f", strategy={strategy!r}" if strategy else ""
        condition = ".filter('ok')" if self.filtered else ""
        return f"{KINDS[self.kind].text}.over({self.window.text}{forced}){condition}"

    def made(self, strategy: str | None = None) -> Any:
        return value_of(self.text(strategy))

    @property
    def columns(self) -> set[str]:
        """All that it reads."""
        window = self.window.made
        placed = {*window.partition_by, *(order.column for order in window.order_by)}
        return {*KINDS[self.kind].columns, *placed} | ({"ok"} if self.filtered else set())


@dataclass(frozen=True)
class Frames:
    """A table, some aggregates over windows of the same keys and order, and how the table is given."""

    drawn: Drawn
    overs: tuple[Over, ...]
    cut: int  # rows of a batch of a reader; 0: a table; -n: a table of chunks of n rows
    strategies: bool = True  # whether every strategy is forced, too
    budget: int = 0  # as a task that may hold so many bytes, in batches of -cut rows

    @property
    def window(self) -> Any:
        return self.overs[0].window.made

    @property
    def cases(self) -> int:
        return sum(len(definition.partitions(self.drawn, over.window.made.partition_by)) for over in self.overs)

    @property
    def streams(self) -> int:
        return 0

    # Running

    def difference(self) -> Difference | None:
        given = in_order_of(self.drawn, self.window) if self.cut > 0 else self.drawn
        expected, error = attempt(lambda: [self.expected(given, over) for over in self.overs])
        if error is not None:
            return Difference("the definition", None, None, error=error)
        source = given.table
        possible, error = attempt(lambda: self._possible(source.schema))
        if error is not None:
            return Difference("planning", None, None, error=error)
        for run in range(max(map(len, possible)) if self.strategies else 1):
            chosen = [its[run % len(its)] if run else None for its in possible]
            applied = {f"x{at}": over.made(its) for at, (over, its) in enumerate(zip(self.overs, chosen, strict=True))}
            results, error = attempt(lambda applied=applied: self._given(source, applied))
            if error is not None:
                return Difference(f"{chosen}, cut {self.cut}", None, None, error=error)
            for at, column in enumerate(expected):
                found = _first_difference(results[f"x{at}"], column)
                if found is not None:
                    return replace(found, where=f"x{at} by {chosen[at] or 'the strategy chosen'}, cut {self.cut}")
        return None

    def _given(self, source: pa.Table, applied: dict[str, Any]) -> dict[str, list[Any]]:
        if self.budget:
            return in_a_task(source, -self.cut, self.budget, **applied)
        return given_to(source, applied, self.cut, **on_error(over.kind for over in self.overs))

    def expected(self, given: Drawn, over: Over) -> list[definition.Wanted]:
        window = over.window.made
        return definition.framed(given, window).column(KINDS[over.kind], over.made().aggregate, over.filtered)

    def _possible(self, schema: pa.Schema) -> list[list[str | None]]:
        """For each aggregate the strategies that apply; None is the one that is chosen."""
        work = plan_windows(schema, {f"x{at}": over.made() for at, over in enumerate(self.overs)})
        cases = {step.name: step.case for its in work for step in its.steps}
        return [
            [None, *(rule.name for rule in RULES if rule.applies(cases[f"x{at}"]))] for at in range(len(self.overs))
        ]

    # Smaller

    def smaller(self) -> Iterator["Frames"]:
        if len(self.overs) > 1:
            for over in self.overs:
                yield replace(self, overs=(over,))
            for at in range(len(self.overs)):
                yield replace(self, overs=self.overs[:at] + self.overs[at + 1 :])
        members = definition.partitions(self.drawn, self.window.partition_by)
        if len(members) > 1:
            for its in members:
                yield replace(self, drawn=self.drawn.rows(its))
        if self.budget:
            yield replace(self, budget=0)
        for cut in {0, abs(self.cut)} - {self.cut} if not self.budget else ():
            yield replace(self, cut=cut)
        if self.strategies:
            yield replace(self, strategies=False)
        needed = {"id", *(name for over in self.overs for name in over.columns)}
        if len(needed) < len(self.drawn.columns):
            yield replace(self, drawn=self.drawn.only(needed))
        for drawn in self.drawn.smaller():
            if len(drawn):
                yield replace(self, drawn=drawn)
        for at, over in enumerate(self.overs):
            for simpler in self.simpler(over):
                yield replace(self, overs=(*self.overs[:at], simpler, *self.overs[at + 1 :]))

    def simpler(self, over: Over, kept: tuple[str, ...] = ()) -> Iterator[Over]:
        """Without its filter, or over a simpler window."""
        if over.filtered:
            yield replace(over, filtered=False)
        alone = len(self.overs) == 1
        for window in over.window.smaller(kept if alone else ("partition_by", "order_by")):
            _, error = attempt(lambda window=window: window.made)
            if error is None:
                yield replace(over, window=window)

    # As a test

    def test(self, difference: Difference, name: str) -> str:
        given = in_order_of(self.drawn, self.window) if self.cut > 0 else self.drawn
        column = int(difference.where[1:].split(" ")[0]) if difference.where.startswith("x") else 0
        forced = difference.where.split(" by ")[-1].split(",")[0] if difference.where.startswith("x") else ""
        forced = "" if forced == "the strategy chosen" else forced
        source, read = "table", ""
        if self.cut > 0:
            source, read = (
                f"pa.Table.from_batches(table.to_batches(max_chunksize={self.cut})).to_reader()",
                ".read_all()",
            )
        elif self.cut < 0:
            source = f"pa.Table.from_batches(table.to_batches(max_chunksize={-self.cut}))"
        applied = ", ".join(f"x{at}={over.text(forced or None if at == column else None)}" for at, over in
                            enumerate(self.overs))  # fmt: skip
        expected = [want[0] for want in self.expected(given, self.overs[column])]
        lines = [
            f"table = {given.text}",
            f"given = iw.with_columns({source}, {applied}{said_on_error(over.kind for over in self.overs)}){read}"
            f"['x{column}'].to_pylist()",
            f"expected = {literal(expected)}",
            f"assert agree(given, expected, within={difference.within!r}), given",
        ]
        if self.budget:
            lines[1] = f"given = in_a_task(table, {-self.cut}, {self.budget}, {applied})['x{column}']"
            lines.insert(0, "from inwindow.testing.fuzz.tasks import in_a_task\n")
        return as_test(name, lines)


def as_test(name: str, lines: Sequence[str]) -> str:
    """Statements as a test, with its imports."""
    body = "\n".join("    " + line for text in lines for line in text.split("\n"))
    return f"{IMPORTS}\n\ndef test_{name}() -> None:\n{body}\n"


def _first_difference(given: Sequence[Any], wanted: Sequence[definition.Wanted]) -> Difference | None:
    for ours, (theirs, within) in zip(given, wanted, strict=True):
        if not agree(ours, theirs, within):
            return Difference("", ours, theirs, within)
    return None


def in_order_of(drawn: Drawn, window: Any) -> Drawn:
    """The table as a reader must bring it: key after key, ascending, each in order."""
    groups = definition.partitions(drawn, window.partition_by)
    columns = [drawn.values[name] for name in window.partition_by]

    def place(members: list[int]) -> list[Any]:
        values = [column[members[0]] for column in columns]
        return [
            (value is not None, value != value, 0 if value is None or value != value else value) for value in values
        ]

    return drawn.rows(
        [i for its in sorted(groups, key=place) for i in definition.in_order(drawn, its, window.order_by)]
    )


def given_to(table: pa.Table, applied: dict[str, Any], cut: int, **options: Any) -> dict[str, list[Any]]:
    """What the product gives, for a table or for a reader in batches."""
    given = IW.with_columns(batched(table, cut), **applied, **options)
    given = given.read_all() if cut > 0 else given
    return {name: given[name].to_pylist() for name in applied}


def batched(table: pa.Table, cut: int) -> Any:
    """The table as it is given: whole, in chunks, or as a reader of batches."""
    if cut:
        table = pa.Table.from_batches(table.to_batches(max_chunksize=abs(cut)), table.schema)
    return table.to_reader(max_chunksize=cut) if cut > 0 else table


def draw_frames(draw: Draw) -> Trial:
    """A table of up to 40 partitions, three to eight aggregates over one to three windows."""
    order = ORDERS[draw.one(list(ORDERS))]
    keys = _ALL if draw.once_in(24) else KEYS
    at = windows.place(draw, keys)
    alone = draw.once_in(6)  # one kind, with nothing else for which tuples are held
    emits = not alone and draw.once_in(8)
    its = [windows.window(draw, order, at) for _ in range(draw.between(1, 2))]
    kinds = [_kind(draw) for _ in range(draw.between(3, 8))]
    kinds = [lone(draw)] * len(kinds) if alone else kinds
    overs = [over(kind, draw.one(its), draw.once_in(4)) for kind in kinds]
    if emits:
        trailing = windows.window(draw, order, at, windows.TRAILING)
        overs[0] = Over(draw.one(list(EMITTING)), trailing, draw.once_in(4))
    if not alone and draw.once_in(4):
        overs.append(Over(draw.one(list(PLACES)), windows.window(draw, order, at, windows.UNBOUNDED)))
    if not alone and draw.once_in(6):
        overs.append(over(draw.one(list(PICKY)), draw.one(its), draw.once_in(4)))
        overs = [without_conflicts(one) for one in overs]
    columns = sorted({name for over in overs for name in KINDS[over.kind].columns} | {"ok"})
    if keys is _ALL or draw.once_in(6):
        drawn = tables.table(draw, order, columns, 1 if keys is _ALL else draw.between(1, 4))
        return Frames(drawn, tuple(overs), draw.one((1, 2, 5, -1, -5)))
    drawn = tables.table(draw, order, columns, draw.between(24, 64))
    return Frames(drawn, tuple(overs), draw.one((0, 0, 0, 7, len(drawn) // 3 + 1, -(len(drawn) // 4 + 1))))


def draw_ordering(draw: Draw) -> Trial:
    """The same, of two passes with orders of their own, as a task whose tuples do not fit into its memory."""
    order = ORDERS[draw.one(list(ORDERS))]
    places = [windows.place(draw, KEYS) for _ in range(2)]
    by_two = draw.one(("['t', 'i']", "[iw.desc('t'), 's']", "['f']", "[iw.desc('s'), iw.asc('d', nulls_first=False)]"))
    others = tuple((name, by_two) if name == "order_by" else (name, text) for name, text in places[1])
    overs = [over(_kind(draw), windows.window(draw, order, places[0]), draw.once_in(4)) for _ in range(2)]
    overs += [over(_kind(draw), _by_rows(draw, others), draw.once_in(4)) for _ in range(2)]
    columns = {name for one in overs for name in KINDS[one.kind].columns} | {"ok", "i", "s", "f", "d"}
    drawn = tables.table(draw, order, sorted(columns), draw.between(4, 24))
    return Frames(drawn, tuple(overs), -draw.between(1, 1 + len(drawn) // 3), False, draw.one((40, 400, 4000, 40000)))


def _by_rows(draw: Draw, at: windows.Options) -> Call:
    low, high = sorted((draw.between(-5, 2), draw.between(-5, 2)))
    return Call("rows_between", (str(draw.one((low, None))), str(high)), at)


def over(kind: str, window: Call, filtered: bool) -> Over:
    """The aggregate over the window, without a hole if it has none."""
    if not KINDS[kind].holes:
        window = window.without("exclude")
    return Over(kind, window, filtered)


def without_conflicts(over: Over) -> Over:
    """The aggregate over its window without the options that do not go with on_error=."""
    return replace(over, window=over.window.without("exclude").without("min_count"))


def lone(draw: Draw) -> str:
    """A kind for all aggregates of a pass: often one whose kernel holds tuples itself, so that nothing else holds them."""
    return draw.one(_HOLDING) if draw.once_in(2) else _kind(draw)


def _kind(draw: Draw) -> str:
    return draw.one(list(CLASSES)) if draw.once_in(3) else draw.one(list(BUILT_INS))


def kinds_of(overs: Sequence[Over]) -> list[Kind]:
    """The kinds of some aggregates."""
    return [KINDS[over.kind] for over in overs]
