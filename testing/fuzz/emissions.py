"""Rows only where something comes out: yields of a slide, emissions of hooks, expirations; by ``iw.select``."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from inwindow.testing.fuzz import definition, tables, windows
from inwindow.testing.fuzz.agree import agree
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.frames import KEYS, as_test, batched, in_order_of
from inwindow.testing.fuzz.kinds import Kind
from inwindow.testing.fuzz.orders import ORDERS
from inwindow.testing.fuzz.trial import Difference, Trial, attempt
from inwindow.testing.fuzz.written import IW, Call, Drawn, literal, value_of
from inwindow.windows import reference

# Classes that answer with what they emit: whether at expirations, and what a frame without tuples gives.
CLASSES: dict[str, tuple[bool, Any]] = {
    "Running": (False, None), "RunningOr": (False, (-1,)), "Live": (False, None), "Doubling": (False, None),
    "Ids": (False, None), "IdsPunt": (False, None), "Leaving": (True, None), "LeavingTwice": (True, None),
}  # fmt: skip
FILTER = ".filter('ok')"


@dataclass(frozen=True)
class Emissions:
    """A class over a window, by ``iw.select``."""

    drawn: Drawn
    name: str
    window: Call
    filtered: bool
    cut: int

    @property
    def cases(self) -> int:
        return len(definition.partitions(self.drawn, self.window.made.partition_by))

    @property
    def streams(self) -> int:
        return 0

    @property
    def text(self) -> str:
        """The aggregate over its window."""
        return f"classes.{self.name}()('id').over({self.window.text}){FILTER if self.filtered else ''}"

    def _source(self) -> Drawn:
        return in_order_of(self.drawn, self.window.made) if self.cut > 0 else self.drawn

    def difference(self) -> Difference | None:
        expected, error = attempt(self._expected)
        if error is not None:
            return Difference("the definition", None, None, error=error)
        given, error = attempt(self._given)
        if error is not None:
            return Difference("select", None, None, error=error)
        if not agree(given, expected):
            return Difference("select", given, expected)
        return None

    def _given(self) -> list[Any]:
        table = IW.select(batched(self._source().table, self.cut), "id", x=value_of(self.text))
        table = table.read_all() if self.cut > 0 else table
        return _by_id(zip(table["id"].to_pylist(), table["x"].to_pylist(), strict=True))

    def _expected(self) -> list[Any]:
        """(id, value) of each row; of one id in the order in which they come."""
        applied, window, drawn = value_of(self.text), self.window.made, self._source()
        leaves, empty = CLASSES[self.name]
        kind, found = Kind("", ("id",), None, empty=empty), []
        ids = drawn.values["id"]
        for members, rows in definition.Framed(drawn, window).rows(kind, self.filtered):
            if leaves:
                given = [(place, value) for place, _, value in reference.expirations(applied.aggregate, window, rows)]
            else:
                given = reference.emissions(applied.aggregate, window, rows, "skip", empty)
            found += [
                (ids[members[place]], list(value) if isinstance(value, tuple) else value) for place, value in given
            ]
        return _by_id(found)

    def smaller(self) -> Iterator["Emissions"]:
        groups = definition.partitions(self.drawn, self.window.made.partition_by)
        for its in groups if len(groups) > 1 else ():
            yield replace(self, drawn=self.drawn.rows(its))
        for cut in {0, abs(self.cut)} - {self.cut}:
            yield replace(self, cut=cut)
        if self.filtered:
            yield replace(self, filtered=False)
        for drawn in self.drawn.smaller():
            if len(drawn):
                yield replace(self, drawn=drawn)
        for window in self.window.smaller(("order_by", "active_expiration")):
            if attempt(lambda window=window: window.made)[1] is None:
                yield replace(self, window=window)

    def test(self, difference: Difference, name: str) -> str:
        source, read = "table", ""
        if self.cut:
            source = f"pa.Table.from_batches(table.to_batches(max_chunksize={abs(self.cut)}))"
        if self.cut > 0:
            source, read = f"{source}.to_reader()", ".read_all()"
        lines = [
            f"table = {self._source().text}",
            f"rows = iw.select({source}, 'id', x={self.text}){read}",
            "given = sorted(zip(rows['id'].to_pylist(), rows['x'].to_pylist()), key=lambda row: row[0])",
            f"expected = {literal(self._expected())}",
            "assert agree(given, expected), given",
        ]
        return as_test(name, lines)


def _by_id(rows: Any) -> list[Any]:
    return sorted(rows, key=lambda row: row[0])


def draw_emissions(draw: Draw) -> Trial:
    """A table of many partitions, one class."""
    order = ORDERS[draw.one(list(ORDERS))]
    name = draw.one(list(CLASSES))
    at = windows.place(draw, KEYS)
    window = _expiring(draw, order, at) if CLASSES[name][0] else windows.window(draw, order, at, windows.TRAILING)
    small = draw.once_in(3)
    drawn = tables.table(draw, order, ["ok"], draw.between(1, 4) if small else draw.between(16, 40))
    cut = draw.one((1, 2, 5, -1) if small else (0, 0, len(drawn) // 3 + 1, -(len(drawn) // 4 + 1)))
    return Emissions(drawn, name, window, draw.once_in(4), cut)


def _expiring(draw: Draw, order: Any, at: windows.Options) -> Call:
    """A window whose tuples leave at times of the column's type."""
    sizes = [size for size in order.sizes if not any(word in size for word in ("month", "hours", "ms", "."))]
    keys = tuple(option for option in at if option[0] != "order_by")
    ordered = draw.one(("'t'", "iw.asc('t', nulls_first=False)"))  # time goes forward
    return Call("range", (draw.one(sizes),), (*keys, ("order_by", ordered), ("active_expiration", "True")))
