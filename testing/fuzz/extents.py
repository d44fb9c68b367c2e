"""Extents: hops, tumbles, cumulates, sessions (also of own gaps and ends), counts of tuples; and whole groups."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from inwindow.testing.fuzz import definition, tables
from inwindow.testing.fuzz.agree import agree
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.frames import as_test, batched
from inwindow.testing.fuzz.kinds import BUILT_INS, CLASSES, KINDS, PICKY, on_error, said_on_error
from inwindow.testing.fuzz.orders import ORDERS, OrderType
from inwindow.testing.fuzz.trial import Difference, Trial, attempt
from inwindow.testing.fuzz.written import IW, Call, Column, Drawn, literal, value_of
from inwindow.udaf.errors import UsageError
from inwindow.windows import reference
from inwindow.windows.own_ends import own_columns
from inwindow.windows.reference_gaps import filled, with_gaps
from inwindow.windows.reference_order import Row
from inwindow.windows.spec import Extent, Hop, Order

Place = tuple[Any, ...]  # the keys, start and end of a row
_KEYS = (("k",), ("k",), ("l", "k"), ())


@dataclass(frozen=True)
class One:
    """An aggregate, maybe with a filter."""

    kind: str
    filtered: bool = False

    @property
    def text(self) -> str:
        return KINDS[self.kind].text + (".filter('ok')" if self.filtered else "")


@dataclass(frozen=True)
class Extents:
    """A table, its groups cut into extents, some aggregates."""

    drawn: Drawn
    keys: tuple[str, ...]
    extent: Call | None  # None: whole groups
    ones: tuple[One, ...]
    cut: int

    @property
    def cases(self) -> int:
        return len(definition.partitions(self.drawn, self.keys)) * len(self.ones)

    @property
    def streams(self) -> int:
        return 0

    # Running

    def difference(self) -> Difference | None:
        expected, error = attempt(self.expected)
        if error is not None:
            return Difference("the definition", None, None, error=error)
        given, error = attempt(self._given)
        if error is not None:
            return Difference("group_by", None, None, error=error)
        if given.keys() != expected.keys():
            return Difference("rows", sorted(map(str, given)), sorted(map(str, expected)))
        for place, row in expected.items():
            for at, (result, within) in enumerate(row):
                if not agree(given[place][at], result, within):
                    return Difference(f"x{at} of {place}", given[place][at], result, within)
        return None

    def _source(self) -> Drawn:
        return in_order_of_groups(self.drawn, self.keys) if self.cut > 0 else self.drawn

    def _given(self) -> dict[Place, list[Any]]:
        grouped = IW.group_by(batched(self._source().table, self.cut), *self.keys)
        if self.extent is not None:
            grouped = grouped.window(self.extent.made)
        applied = {f"x{at}": value_of(one.text) for at, one in enumerate(self.ones)}
        table = grouped.agg(**applied, **on_error(one.kind for one in self.ones))
        rows = (table.read_all() if self.cut > 0 else table).to_pylist()
        found = {self.place(row): [row[f"x{at}"] for at in range(len(self.ones))] for row in rows}
        if len(found) != len(rows):
            raise ValueError("a row comes twice")
        return found

    def place(self, row: dict[str, Any]) -> Place:
        keys = tuple(definition.key_of(row[key]) for key in self.keys)
        return keys if self.extent is None else (*keys, *map(_instant, (row["window"]["start"], row["window"]["end"])))

    def expected(self) -> dict[Place, list[definition.Wanted]]:
        given = self._source()
        extent: Extent | None = None if self.extent is None else self.extent.made
        kinds = [KINDS[one.kind] for one in self.ones]
        values = [definition.arguments(given, kind) for kind in kinds]
        seen = [definition.is_seen(given, kind, one.filtered, kind.nulls == "pass") for kind, one in
                zip(kinds, self.ones, strict=True)]  # fmt: skip
        found: dict[Place, list[definition.Wanted]] = {}
        for members in definition.partitions(given, self.keys):
            keys = tuple(definition.key_of(given.values[key][members[0]]) for key in self.keys)
            rows = list(self._held(given, members, extent))
            columns = [
                _with_gaps(
                    extent,
                    rows,
                    [definition.folded(kind, [its[i] for i in held if ok[i]]) for _, held in rows],
                    kind.empty,
                )
                for kind, its, ok in zip(kinds, values, seen, strict=True)
            ]
            found |= {
                (*keys, *map(_instant, window)): [column[at] for column in columns]
                for at, (window, _) in enumerate(rows)
            }
        return found

    def _held(self, given: Drawn, members: list[int], extent: Extent | None) -> Iterator[tuple[Place, list[int]]]:
        if extent is None:
            yield (), members
            return
        names = (extent.on, *own_columns(extent))
        members = definition.in_order(given, members, (Order(extent.on),))
        rows = [Row(tuple(given.values[name][i] for name in names)) for i in members]
        found = reference.extents(extent, rows)
        if isinstance(extent, Hop) and extent.fill is not None and found:
            found = with_gaps(extent, found, found[0][0])
        for start, end, positions in found:
            yield (start, end), [members[place] for place in positions]

    # Smaller

    def smaller(self) -> Iterator["Extents"]:
        if len(self.ones) > 1:
            for one in self.ones:
                yield replace(self, ones=(one,))
        groups = definition.partitions(self.drawn, self.keys)
        for its in groups if len(groups) > 1 else ():
            yield replace(self, drawn=self.drawn.rows(its))
        for cut in {0, abs(self.cut)} - {self.cut}:
            yield replace(self, cut=cut)
        for keys in {(), self.keys[1:]} - {self.keys}:
            yield replace(self, keys=keys)
        own = set() if self.extent is None else set(own_columns(self.extent.made))
        needed = {"t", "id", "ok", *self.keys, *own, *(name for one in self.ones for name in KINDS[one.kind].columns)}
        if len(needed) < len(self.drawn.columns):
            yield replace(self, drawn=self.drawn.only(needed))
        for drawn in self.drawn.smaller():
            if len(drawn):
                yield replace(self, drawn=drawn)
        for at, one in enumerate(self.ones):
            if one.filtered:
                yield replace(self, ones=(*self.ones[:at], replace(one, filtered=False), *self.ones[at + 1 :]))
        for extent in self.extent.smaller() if self.extent is not None else ():
            if attempt(lambda extent=extent: extent.made)[1] is None:
                yield replace(self, extent=extent)

    # As a test

    def test(self, difference: Difference, name: str) -> str:
        source, read = batched_text(self.cut)
        window = "" if self.extent is None else f".window({self.extent.text})"
        applied = ", ".join(f"x{at}={one.text}" for at, one in enumerate(self.ones))
        rows = [(*place, *(result for result, _ in row)) for place, row in self.expected().items()]
        names = [f"row[{key!r}]" for key in self.keys]
        names += [] if self.extent is None else ["row['window']['start']", "row['window']['end']"]
        names += [f"row['x{at}']" for at in range(len(self.ones))]
        keys = "".join(f", {key!r}" for key in self.keys)
        lines = [
            f"table = {self._source().text}",
            f"rows = iw.group_by({source}{keys}){window}.agg({applied}{said_on_error(one.kind for one in self.ones)}){read}"
            ".to_pylist()",
            f"given = [[{', '.join(names)}] for row in rows]",
            f"expected = {literal([list(row) for row in rows])}",
            f"assert agree(sorted(given, key=str), sorted(expected, key=str), within={difference.within!r}), given",
        ]
        return as_test(name, lines)


def _with_gaps(
    extent: Extent | None, rows: list[tuple[Place, list[int]]], results: list[definition.Wanted], empty: Any
) -> list[definition.Wanted]:
    """Results in which those of extents without tuples are what ``fill=`` says."""
    if not isinstance(extent, Hop) or extent.fill is None or empty is not None:
        return results
    told = [(*window, result, bool(held)) for (window, held), (result, _) in zip(rows, results, strict=True)]
    bounds = [within for _, within in results if within == within]  # NaN where the result is NaN
    widest = max(bounds, default=0.0)  # a gap has the result of another row
    return [(result, widest) for result in filled(extent, told)]


def batched_text(cut: int) -> tuple[str, str]:
    """How a table is given, as text, and how the result is read."""
    if cut > 0:
        return f"pa.Table.from_batches(table.to_batches(max_chunksize={cut})).to_reader()", ".read_all()"
    return (f"pa.Table.from_batches(table.to_batches(max_chunksize={-cut}))" if cut else "table"), ""


def in_order_of_groups(drawn: Drawn, keys: tuple[str, ...]) -> Drawn:
    """The table as a reader must bring it."""
    groups = definition.partitions(drawn, keys)

    def place(members: list[int]) -> list[Any]:
        values = [drawn.values[key][members[0]] for key in keys]
        return [
            (value is not None, value != value, 0 if value is None or value != value else value) for value in values
        ]

    order = (Order("t"),)
    return drawn.rows([i for its in sorted(groups, key=place) for i in definition.in_order(drawn, its, order)])


def draw_extents(draw: Draw) -> Trial:
    """A table of many groups, two to six aggregates, one extent."""
    order = ORDERS[draw.one([name for name, its in ORDERS.items() if its.has_extents])]
    keys = draw.one(_KEYS)
    ones = tuple(One(_kind(draw), draw.once_in(4)) for _ in range(draw.between(2, 6)))
    if draw.once_in(6):
        ones = (*ones, One(draw.one(list(PICKY)), draw.once_in(4)))
    columns = sorted({name for one in ones for name in KINDS[one.kind].columns} | {"ok"})
    small = not keys or draw.once_in(6)
    groups = 1 if not keys else draw.between(1, 4) if small else draw.between(20, 56)
    drawn = tables.table(draw, replace(order, far=order.far if order.kind == "pa.float64()" else ()), columns, groups)
    drawn = with_own_gaps(draw, drawn)
    cut = draw.one((1, 2, 5, -1) if small else (0, 0, 7, len(drawn) // 3 + 1, -(len(drawn) // 4 + 1)))
    return Extents(drawn, keys, None if draw.once_in(12) else extent(draw, order), ones, cut)


def _kind(draw: Draw) -> str:
    return draw.one(list(CLASSES) if draw.once_in(3) else list(BUILT_INS))


def extent(draw: Draw, order: OrderType) -> Call:
    kinds = ["hop", "hop", "tumble", "cumulate", "session", "counts", "counted tumble"]
    kinds += ["own gaps", "own gaps"] if order.kind == "pa.int64()" else []
    while True:
        call = _call(draw, draw.one(kinds), order)
        try:
            _ = call.made
        except UsageError:
            continue
        return call


def _call(draw: Draw, kind: str, order: OrderType) -> Call:
    sizes = order.slides
    if kind != "session" and order.kind in ("pa.date32()", ORDERS["hours of a clock"].kind):
        sizes = (*sizes, "'1 month'")
    size, every = draw.one(sizes), draw.one(sizes)
    origin = (("origin", order.literal(draw)),) if draw.once_in(4) else ()
    if order.kind == ORDERS["hours of a clock"].kind and draw.once_in(2):
        origin = (*origin, ("timezone", draw.one(("'Europe/Vienna'", "'America/New_York'", "'+05:30'"))))
    slow = [ORDERS[name].kind for name in ("date", "timestamp", "hours of a clock")]  # for the definition
    fills = () if order.kind in slow else ("hop", "tumble")
    fill: tuple[tuple[str, str], ...] = (
        (("fill", draw.one(("'null'", "'previous'"))),) if draw.once_in(4) and kind in fills else ()
    )
    if fill and draw.once_in(3):
        low, high = sorted((draw.between(order.low, order.high), draw.between(order.low, order.high)))
        fill = (*fill, ("between", f"({literal(order.near(low))}, {literal(order.near(high))})"))
    elif fill and draw.once_in(2):
        fill = (*fill, ("quiet", draw.one(sizes)))
    origin = (*origin, *fill)
    if kind == "hop":
        return Call("hop", ("'t'",), (("size", size), ("every", every), *origin))
    if kind == "tumble":
        return Call("tumble", ("'t'",), (("size", size), *origin))
    if kind == "cumulate":
        times = draw.between(1, 3)
        size = f"{every} * {times}" if not every.startswith("'") else repr(" ".join([value_of(every)] * times))
        return Call("cumulate", ("'t'",), (("size", size), ("every", every), *origin))
    if kind == "session":
        return Call("session", ("'t'",), (("gap", size),))
    if kind == "own gaps":
        return Call("session", ("'t'",), draw.one(((("gap", "'gap'"),), (("until", "'until'"),))))
    if kind == "counts":
        return Call("hop", ("'t'",), (("rows", str(draw.between(1, 6))), ("every", str(draw.between(1, 4)))))
    return Call("tumble", ("'t'",), (("rows", str(draw.between(1, 5))),))


def _instant(value: Any) -> Any:
    """A local time as UTC: where it exists twice, Python finds it equal to nothing."""
    return value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo is not None else value


def with_own_gaps(draw: Draw, drawn: Drawn) -> Drawn:
    """``gap``: how long each tuple lasts; ``until``: until when; NULL now and then."""
    times = drawn.values["t"]
    if next(one.kind for one in drawn.columns if one.name == "t") != "pa.int64()":
        return drawn
    gaps = tuple(None if draw.once_in(12) else draw.between(-1, 6) for _ in times)
    until = tuple(None if gap is None else (time or 0) + max(gap, 0) for gap, time in zip(gaps, times, strict=True))
    columns = (Column("gap", "pa.int64()", gaps), Column("until", "pa.int64()", until))
    return Drawn((*drawn.columns, *columns))
