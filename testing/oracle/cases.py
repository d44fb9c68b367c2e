"""A case: a table, some functions over windows, and the query around them; all plain data, so that it can be made smaller."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from inwindow.testing.oracle.functions import FUNCTIONS, Function
from inwindow.testing.oracle.tables import Table
from inwindow.windows.interval import Interval, Size
from inwindow.windows.spec import Groups, Order, Range, Rows, Window

CONDITIONS = {  # of FILTER: as SQL, and as Python
    "b": ("b", lambda row: row["b"] is True),
    "v > 1": ("v > 1", lambda row: row["v"] is not None and row["v"] > 1),
    "v IS NULL": ("v IS NULL", lambda row: row["v"] is None),
}


@dataclass(frozen=True)
class Framed:
    """PARTITION BY, ORDER BY and a frame; ``unit`` None is SQL's default frame. Sizes of time are texts."""

    keys: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    unit: str | None = None
    lower: Any = None
    upper: Any = 0
    exclude: str | None = None
    zeros: bool = False  # 0 is written 0 PRECEDING, not CURRENT ROW

    @property
    def window(self) -> Window:
        """As the definition has it."""
        lower, upper = _size(self.lower), _size(self.upper)
        if self.unit is None:
            return Window(Range(None, 0) if self.orders else Rows(None, None), self.keys, self.orders)
        kinds: dict[str, Any] = {"rows": Rows, "groups": Groups, "range": Range}
        return Window(kinds[self.unit](lower, upper), self.keys, self.orders, exclude=self.exclude)  # type: ignore[arg-type]

    @property
    def has_offsets(self) -> bool:
        """Whether a bound is neither UNBOUNDED nor CURRENT ROW."""
        return self.unit is not None and any(
            bound not in (None, 0) or bound == 0 and self.zeros for bound in (self.lower, self.upper)
        )

    def _bounded(self, side: str, bound: Any) -> "Framed":
        return replace(self, lower=bound) if side == "lower" else replace(self, upper=bound)

    def smaller(self) -> Iterator["Framed"]:
        """A simpler window."""
        if self.exclude:
            yield replace(self, exclude=None)
        if self.keys:
            yield replace(self, keys=())
        if self.zeros:
            yield replace(self, zeros=False)
        if self.unit:
            yield replace(self, unit=None, lower=None, upper=0, exclude=None)
            for name in ("lower", "upper"):
                bound = getattr(self, name)
                if bound is not None:
                    yield self._bounded(name, None)
                if isinstance(bound, (int, float)) and bound not in (-1, 0, 1):
                    yield self._bounded(name, 1 if bound > 0 else -1)
        if not self.has_offsets and self.orders:
            yield replace(self, orders=self.orders[:-1], unit=self.unit if len(self.orders) > 1 else None)
        for at, order in enumerate(self.orders):
            for simpler in (replace(order, ascending=True), replace(order, nulls_first=order.ascending)):
                if simpler != order:
                    yield replace(self, orders=(*self.orders[:at], simpler, *self.orders[at + 1 :]))


def _size(bound: Any) -> Size | None:
    if not isinstance(bound, str):
        return bound
    return -Interval.parse(bound[1:]) if bound.startswith("-") else Interval.parse(bound)


@dataclass(frozen=True)
class Call:
    """A function over a window."""

    function: str
    framed: Framed
    condition: str | None = None

    @property
    def its(self) -> Function:
        return FUNCTIONS[self.function]

    @property
    def columns(self) -> set[str]:
        """What it reads."""
        words = {"b": {"b"}, "v > 1": {"v"}, "v IS NULL": {"v"}}.get(self.condition or "", set())
        return {*self.its.columns, *self.framed.keys, *(order.column for order in self.framed.orders), *words}


def is_determined(call: Call, is_unique: bool = False) -> bool:
    """Whether SQL says what the call gives: no peer's place among its peers shows."""
    framed, its = call.framed, call.its
    is_total = is_unique and bool(framed.orders) or any(order.column == "id" for order in framed.orders)
    if is_total or its.kind == "place" and not its.is_ordered:
        return bool(framed.orders)
    bounded = framed.unit == "rows" and (framed.lower is not None or framed.upper is not None)
    return not bounded and not its.is_ordered


@dataclass(frozen=True)
class Around:
    """The query around the calls: a condition on a result or a column, from outside or by QUALIFY, or ORDER BY id LIMIT n."""

    kind: str = "plain"  # or "where", "qualify", "limit"
    column: str = "x0"
    test: str = ""  # =, <=, >, IS NULL, IS NOT NULL
    value: Any = None

    def keeps(self, row: dict[str, Any]) -> bool:
        """Whether the condition is true of a row."""
        its = row[self.column]
        if self.test.startswith("IS"):
            return (its is None) == (self.test == "IS NULL")
        if its is None:
            return False
        return {"=": its == self.value, "<=": its <= self.value, ">": its > self.value}[self.test]


@dataclass(frozen=True)
class Case:
    """A query that one engine is asked."""

    table: Table
    calls: tuple[Call, ...]
    around: Around = Around()
    inner: Call | None = None  # takes the place of v, in a query of its own
    named: bool = False  # windows by WINDOW
    is_unique: bool = False  # the values of t are unique

    @property
    def columns(self) -> set[str]:
        """The columns of the table that the query reads."""
        found = set[str]().union(
            {"id"}, *(call.columns for call in self.calls), self.inner.columns if self.inner else ()
        )
        return found | ({self.around.column} & {one.name for one in self.table.columns})

    def smaller(self) -> Iterator["Case"]:
        """The same with less, the best guesses first."""
        if self.around.kind != "plain":
            yield replace(self, around=Around())
        if len(self.calls) > 1:
            for at in range(len(self.calls)):
                if self.around.column != "x0" or self.around.kind in ("plain", "limit") or at == 0:
                    yield replace(self, calls=(self.calls[at],))
            for at in range(len(self.calls)):
                if at or self.around.column != "x0" or self.around.kind in ("plain", "limit"):
                    yield replace(self, calls=self.calls[:at] + self.calls[at + 1 :])
        if self.inner is not None:
            yield replace(self, inner=None)
        if self.named:
            yield replace(self, named=False)
        if self.columns < {one.name for one in self.table.columns}:
            yield replace(self, table=self.table.only(self.columns))
        for table in self.table.smaller():
            times = [value for one in table.columns if one.name == "t" for value in one.values]
            if not self.is_unique or len(set(times)) == len(times):
                yield replace(self, table=table)
        for at, call in enumerate(self.calls):
            for simpler in _simpler(call, self.is_unique):
                yield replace(self, calls=(*self.calls[:at], simpler, *self.calls[at + 1 :]))
        for inner in _simpler(self.inner, self.is_unique) if self.inner else ():
            yield replace(self, inner=inner)


def _simpler(call: Call, is_unique: bool) -> Iterator[Call]:
    if call.condition:
        yield replace(call, condition=None)
    for simpler in call.framed.smaller():
        one = replace(call, framed=simpler)
        if is_determined(one, is_unique):
            yield one
