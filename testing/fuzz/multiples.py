"""``split`` and ``rstream``: rows cut, or looked at, at the multiples of a distance. Their results are known row by row."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.frames import as_test
from inwindow.testing.fuzz.trial import Difference, attempt
from inwindow.testing.fuzz.written import IW, Column, Drawn, literal

# Types of instants: Arrow type, the instant of a small number, and so many of its steps as a size.
STEPS: dict[str, tuple[str, Any, Any]] = {
    "int64": ("pa.int64()", lambda n: n, str),
    "int32": ("pa.int32()", lambda n: n - 5, str),
    "date": ("pa.date32()", lambda n: date(1969, 12, 28) + timedelta(days=n), lambda n: f"'{n} days'"),
    "us": ("pa.timestamp('us')", lambda n: datetime(1970, 1, 1) + timedelta(seconds=n - 4), lambda n: f"'{n} seconds'"),
    "zone": (
        "pa.timestamp('ms', 'UTC')", lambda n: datetime(2026, 3, 29, tzinfo=UTC) + timedelta(hours=n), lambda n: f"'{n} hours'",
    ),
    "decimal": ("pa.decimal128(12, 2)", lambda n: Decimal(n - 4).scaleb(-2), lambda n: f"Decimal('{n / 100}')"),
}  # fmt: skip
_NAMES = {"date": date, "datetime": datetime, "timedelta": timedelta, "Decimal": Decimal, "UTC": UTC}
_ENDS = (-1, 14)  # of what always held, and what holds for ever: beyond all numbers that are drawn


@dataclass(frozen=True)
class Multiples:
    """Rows as (since, until), small numbers or None; their place is their value."""

    rows: tuple[tuple[int | None, int | None], ...]
    kind: str
    operator: str
    every: int
    origin: int
    between: tuple[int | None, int | None]

    @property
    def cases(self) -> int:
        return len(self.rows)

    @property
    def streams(self) -> int:
        return 0

    @property
    def drawn(self) -> Drawn:
        type_ = STEPS[self.kind][0]
        ends = [tuple(map(self._made, column)) for column in zip(*self.rows, strict=True)]
        columns = (
            ("v", "pa.int64()", tuple(range(len(self.rows)))),
            ("since", type_, ends[0]),
            ("until", type_, ends[1]),
        )
        return Drawn(tuple(Column(*one) for one in columns))

    @property
    def text(self) -> str:
        """The call."""
        between = ", ".join(literal(self._made(end)) for end in self.between)
        size, origin = STEPS[self.kind][2](self.every), literal(self._made(self.origin))
        return f"iw.temporal.{self.operator}(a, {size}, origin={origin}, between=({between}))"

    def _made(self, number: int | None) -> Any:
        return None if number is None else STEPS[self.kind][1](number)

    def difference(self) -> Difference | None:
        given, error = attempt(lambda: eval(self.text, {"iw": IW, "a": self.drawn.table, **_NAMES}).to_pylist())
        if error is not None:
            return Difference(self.text, None, None, error=error)
        names = ("v", "at") if self.operator == "rstream" else ("v", "since", "until")
        ours = [tuple(row[name] for name in names) for row in given]
        wanted = [(row[0], *map(self._made, row[1:])) for row in self._wanted()]
        if Counter(ours) != Counter(wanted):
            return Difference(self.text, ours, wanted)
        if self.operator == "rstream" and [row[1] for row in ours] != sorted(row[1] for row in ours):
            return Difference(self.text, ours, "rows in the order of time")
        return None

    def _wanted(self) -> Iterator[tuple[int, ...]]:
        low, high = (bound if end is None else end for end, bound in zip(self.between, _ENDS, strict=True))
        for value, (since, until) in enumerate(self.rows):
            first, last = max(low, low if since is None else since), min(high, high if until is None else until)
            at = [number for number in range(first, last) if (number - self.origin) % self.every == 0]
            if self.operator == "rstream":
                yield from ((value, number) for number in at)
            elif first < last:
                ends = [first, *(number for number in at if number > first), last]
                yield from ((value, *piece) for piece in zip(ends, ends[1:], strict=False))

    def smaller(self) -> Iterator["Multiples"]:
        for at in range(len(self.rows) if len(self.rows) > 1 else 0):
            yield replace(self, rows=self.rows[:at] + self.rows[at + 1 :])
        if self.origin:
            yield replace(self, origin=0)

    def test(self, difference: Difference, name: str) -> str:
        trial = f"Multiples({self.rows}, {self.kind!r}, {self.operator!r}, {self.every}, {self.origin}, {self.between})"
        lines = [
            "from inwindow.testing.fuzz.multiples import Multiples",
            "",
            f"# {self.text}",
            f"assert {trial}.difference() is None",
        ]
        return as_test(name, lines)


def draw_multiples(draw: Draw) -> Multiples:
    """Up to twelve rows; those that hold for ever are there only where a bound is given."""
    low, high = sorted((draw.between(0, 12), draw.between(0, 12)))
    between = (None if draw.once_in(2) else low, None if draw.once_in(2) else high)
    rows: list[tuple[int | None, int | None]] = []
    for _ in range(draw.between(1, 12)):
        since, until = sorted((draw.between(0, 12), draw.between(0, 12)))
        always, for_ever = (end is not None and draw.once_in(8) for end in between)
        rows.append((None if always else since, None if for_ever else until))
    operator = draw.one(("split", "rstream"))
    return Multiples(tuple(rows), draw.one(list(STEPS)), operator, draw.between(1, 5), draw.between(-9, 20), between)
