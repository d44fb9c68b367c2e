"""Temporal operators: rows that hold for a while, against the snapshots of their definition."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.temporal import reference
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.frames import as_test
from inwindow.testing.fuzz.multiples import draw_multiples
from inwindow.testing.fuzz.trial import Difference, Trial, attempt
from inwindow.testing.fuzz.written import IW, Column, Drawn, literal, value_of

Rows = list[reference.Row]
# Types of instants: Arrow type, and the instant of a small number.
INSTANTS: dict[str, tuple[str, Callable[[int], Any]]] = {
    "int64": ("pa.int64()", lambda n: n),
    "int32": ("pa.int32()", lambda n: n - 5),
    "uint64": ("pa.uint64()", lambda n: 2**63 + n - 4),
    "far": ("pa.int64()", lambda n: 2**63 - 1 if n > 11 else -(2**63) if n < 1 else n),
    "date": ("pa.date32()", lambda n: date(1969, 12, 28) + timedelta(days=n)),
    "us": ("pa.timestamp('us')", lambda n: datetime(1970, 1, 1) + timedelta(seconds=n - 4)),
    "zone": ("pa.timestamp('ms', 'UTC')", lambda n: datetime(2026, 3, 29, tzinfo=UTC) + timedelta(hours=n)),
    "decimal": ("pa.decimal128(12, 2)", lambda n: Decimal(n - 4).scaleb(-2)),
    "wide": ("pa.decimal128(30, 2)", lambda n: Decimal(n - 4).scaleb(-2) + 10**20),
}
COPIES: dict[str, Callable[[int, int], int]] = {
    "difference": lambda a, b: max(0, a - b), "intersect": min, "max_union": max, "union": lambda a, b: a + b,
}  # fmt: skip
# Of rows that hold together: whether the first begins before (-1), with (0) or after (1) the second; and the same of their ends.
ALLEN = {
    "equals": (0, 0), "starts": (0, -1), "started_by": (0, 1), "finishes": (1, 0), "finished_by": (-1, 0), "during": (1, -1),
    "contains": (-1, 1), "overlaps": (-1, -1), "overlapped_by": (1, 1),
}  # fmt: skip
# Conditions on values and ends: what is NULL does not hold.
CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "pc.field('x') < pc.field('y')": lambda x, y: None not in (x[0][2], y[0][2]) and x[0][2] < y[0][2],
    "pc.field('left_since') <= pc.field('right_since')": lambda x, y: None not in (x[1], y[1]) and x[1] <= y[1],
}
HOW = ("inner", "left", "right", "full", "semi", "anti")


@dataclass(frozen=True)
class Relations:
    """An operator on one relation or on two; ``g`` is a group, and nothing of one group meets another."""

    a: Drawn
    b: Drawn
    operator: str
    option: str  # how of a join, the instant of at, coalesce of aggregate
    condition: str  # Allen's relation, or nothing

    @property
    def groups(self) -> list[int]:
        return sorted({*self.a.values["g"], *self.b.values["g"]})

    @property
    def cases(self) -> int:
        return len(self.groups)

    @property
    def streams(self) -> int:
        return 0

    @property
    def text(self) -> str:
        """The call."""
        name = f"iw.temporal.{self.operator}"
        if self.operator in COPIES:
            return f"{name}(a, b)"
        if self.operator == "join":
            said = repr(self.condition) if self.condition in ALLEN else self.condition
            condition = f", condition={said}" if said else ""
            return f"{name}(a, b, on=['g', 'v'], how={self.option!r}{condition})"
        if self.operator == "aggregate":
            its = "n=iw.count(), s=iw.sum('x'), m=iw.max('x'), l=iw.collect_list('x')"
            return f"{name}(a, by=['g', 'v'], {its}, coalesce={self.option})"
        if self.operator == "coalesce":
            return f"{name}(a, by=['g', 'v'])"
        return f"{name}(a, {self.option})" if self.operator == "at" else f"{name}(a)"

    # Running

    def difference(self) -> Difference | None:
        given, error = attempt(self._given)
        if error is not None:
            return Difference(self.text, None, None, error=error)
        for group in self.groups:
            a, b = (rows_of(its, group) for its in (self.a, self.b))
            found = [row for row in given if row[0][0] == group]
            if self.operator == "at":
                ours, wanted = Counter(told(row[0]) for row in found), Counter(told(r[0]) for r in self._held(a))
            elif self.operator in ("istream", "dstream"):
                sign = 1 if self.operator == "istream" else -1
                ours = Counter((told(values[:-1]), values[-1]) for values, *_ in found)
                wanted = Counter((told(values), at) for values, at in reference.changes(a, sign))
            else:
                expected = self._expected(a, b)
                instants = reference.cuts(found, expected, a, b)
                if not all(since is None or until is None or since < until for _, since, until in found):
                    return Difference(f"group {group}", found, "rows that hold for a while")
                for at in instants:
                    ours, wanted = (Counter(told(row[0]) for row in reference.at(its, at)) for its in (found, expected))
                    if ours != wanted:
                        return Difference(f"group {group} at {at!r}", dict(ours), dict(wanted))
                if self.operator in ("aggregate", "coalesce") and len(found) != (count := self._rows(a, found)):
                    return Difference(f"group {group}", found, f"{count} rows")
                continue
            if ours != wanted:
                return Difference(f"group {group}", dict(ours), dict(wanted))
        return None

    def _given(self) -> Rows:
        a, b = self.a.table, self.b.table
        if self.operator in COPIES:
            a, b = a.drop_columns(["x"]), b.drop_columns(["x"])
        if self.operator == "join":
            b = b.rename_columns(["g", "v", "y", "since", "until"])
        given = eval(self.text, {"iw": IW, "a": a, "b": b, **_NAMES})
        names = [name for name in given.column_names if name not in ("since", "until")]
        if self.operator in ("istream", "dstream"):
            names = [*(name for name in names if name != "at"), "at"]
        return [(tuple(row[name] for name in names), row.get("since"), row.get("until")) for row in given.to_pylist()]

    def _held(self, a: Rows) -> Rows:
        return reference.at(a, value_of(self.option))

    def _expected(self, a: Rows, b: Rows) -> Rows:
        if self.operator in COPIES:
            copies, a, b = COPIES[self.operator], bare(a), bare(b)
            return reference.reduced(lambda x, y: reference.bags(x, y, copies), a, b)
        if self.operator == "distinct":
            return reference.reduced(reference.distinct, a)
        if self.operator == "coalesce":
            return reference.reduced(lambda held: list(dict.fromkeys(values[:2] for values, *_ in held)), a)
        if self.operator == "aggregate":
            return [
                ((*values[:-1], *values[-1]), since, until)
                for values, since, until in reference.reduced(
                    lambda held: reference.aggregate(held, lambda its: its[:2], _folded), a
                )
            ]
        assert self.operator == "join"
        found = reference.reduced(lambda x, y: reference.join(x, y, self._matches, self.option, (3, 3)), a, b)
        if self.option in ("semi", "anti"):
            return found
        return [((g, v, x, z) if g is not None else (h, w, x, z), s, u) for (g, v, x, h, w, z), s, u in found]

    def _rows(self, a: Rows, found: Rows) -> int:
        """How many rows there must be: equal ones that meet are one, or each lasts as long as the same rows hold."""
        if self.option != "False":
            begins = Counter((str(values), since) for values, since, _ in found)
            return len(found) - sum((begins & Counter((str(values), until) for values, _, until in found
                                                      if until is not None)).values())  # fmt: skip
        held = [(values[1], since, until) for values, since, until in a if since is None or since != until]
        return sum(_pieces([row[1:] for row in held if row[0] == v]) for v in {row[0] for row in held})

    def _matches(self, x: reference.Row, y: reference.Row) -> bool:
        if x[0][1] is None or x[0][1] != y[0][1]:
            return False
        if self.condition in CONDITIONS:
            return CONDITIONS[self.condition](x, y)
        return not self.condition or ALLEN[self.condition] == (_sign(x[1], y[1]), _sign(x[2], y[2]))

    # Smaller, and as a test

    def smaller(self) -> Iterator["Relations"]:
        for group in self.groups if len(self.groups) > 1 else ():
            a, b = (its.rows([i for i, g in enumerate(its.values["g"]) if g == group]) for its in (self.a, self.b))
            yield replace(self, a=a, b=b)
        for a in self.a.smaller():
            yield replace(self, a=a)
        for b in self.b.smaller():
            yield replace(self, b=b)
        if self.condition:
            yield replace(self, condition="")

    def test(self, difference: Difference, name: str) -> str:
        lines = [
            "from inwindow.testing.fuzz.relations import Column, Drawn, Relations",
            "",
            f"a = {_as_drawn(self.a)}",
            f"b = {_as_drawn(self.b)}",
            f"# {self.text}",
            f"trial = Relations(a, b, {self.operator!r}, {self.option!r}, {self.condition!r})",
            "assert trial.difference() is None, trial.difference()",
        ]
        return as_test(name, lines)


_NAMES = {
    "date": date,
    "datetime": datetime,
    "timedelta": timedelta,
    "Decimal": Decimal,
    "UTC": UTC,
    "pa": pa,
    "pc": pc,
}


def _as_drawn(drawn: Drawn) -> str:
    columns = ", ".join(f"Column({one.name!r}, {one.kind!r}, {literal(one.values)})" for one in drawn.columns)
    return f"Drawn(({columns},))"


def rows_of(drawn: Drawn, group: int) -> Rows:
    """The rows of a group."""
    names = [one.name for one in drawn.columns if one.name not in ("since", "until")]
    values, count = drawn.values, len(drawn)
    return [
        (tuple(values[name][i] for name in names), values["since"][i], values["until"][i])
        for i in range(count)
        if values["g"][i] == group
    ]


def bare(rows: Rows) -> Rows:
    """Rows without their last value."""
    return [(values[:-1], since, until) for values, since, until in rows]


def told(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values that can be counted; of a list the order counts only where the definition has one."""
    return tuple(tuple(sorted(value, key=str)) if isinstance(value, list) else value for value in values)


def _pieces(rows: list[tuple[Any, Any]]) -> int:
    """Between how many neighbouring ends something holds."""
    inner = sorted({end for row in rows for end in row if end is not None})
    holding = [sum((s is None or s <= end) and (u is None or u > end) for s, u in rows) for end in inner]
    return sum(count > 0 for count in holding) + any(since is None for since, _ in rows)


def _sign(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


def _folded(rows: list[Any]) -> tuple[Any, ...]:
    """count, sum, max and list of the last value."""
    values = [row[-1] for row in rows if row[-1] is not None]
    return len(rows), sum(values) if values else None, max(values, default=None), values


def draw_relations(draw: Draw) -> Trial:
    """Two relations of eight to sixteen groups, and an operator; or rows and multiples."""
    if draw.once_in(12):
        return draw_multiples(draw)
    kind = draw.one(list(INSTANTS))
    operator = draw.weighed(
        (
            ("join", 6), ("aggregate", 4), ("coalesce", 1), ("distinct", 1), ("at", 1), ("istream", 1), ("dstream", 1),
            *((name, 1) for name in COPIES),
        )
    )  # fmt: skip
    condition = draw.one([*ALLEN, *CONDITIONS]) if operator == "join" and draw.once_in(3) else ""
    groups, made = draw.between(8, 16), INSTANTS[kind][1]
    a, b = (_relation(draw, kind, groups, open_ends=condition not in ALLEN) for _ in "ab")
    option = {
        "join": draw.one(HOW), "aggregate": draw.one(("True", "False")), "at": literal(made(draw.between(0, 12))),
    }.get(operator, "")  # fmt: skip
    return Relations(a, b, operator, option, condition)


def _relation(draw: Draw, kind: str, groups: int, open_ends: bool) -> Drawn:
    """Up to six rows a group, of few values; ends meet, tie and contain one another, some are NULL."""
    text, made = INSTANTS[kind]
    rows: list[tuple[Any, ...]] = []
    for group in range(groups):
        for _ in range(draw.between(0, 6)):
            since, until = sorted((draw.between(0, 12), draw.between(0, 12)))
            ends = [None if open_ends and draw.once_in(10) else made(end) for end in (since, until)]
            rows.append((group, draw.one((None, 0, 1)), draw.one((None, 0, 1, 2)), *ends))
    if not rows:
        rows.append((0, 0, 0, made(1), made(2)))
    kinds = ("pa.int64()", "pa.int64()", "pa.int64()", text, text)
    names = ("g", "v", "x", "since", "until")
    return Drawn(tuple(Column(name, its, tuple(row[i] for row in rows)) for i, (name, its) in
                       enumerate(zip(names, kinds, strict=True))))  # fmt: skip
