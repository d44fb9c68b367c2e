"""Everything that is drawn is kept as the text that makes it: so it can be made smaller, and pasted into a test."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cached_property, lru_cache
from math import inf, nan
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from inwindow import temporal
from inwindow.runtime.call_arguments import emitted_at
from inwindow.runtime.group_by import group_by
from inwindow.runtime.outputs import outputs
from inwindow.runtime.select import select
from inwindow.runtime.stream.replay import replay
from inwindow.runtime.union import union
from inwindow.runtime.with_columns import with_columns
from inwindow.runtime.with_watermark import with_watermark
from inwindow.testing.fuzz import classes
from inwindow.udaf import builtins
from inwindow.udaf.contract import PUNT
from inwindow.windows import extents, frames
from inwindow.windows.columns import asc, desc

FRAMES = (
    "groups", "groups_between", "landmark", "range", "range_between", "rows", "rows_between", "scope",
    "unbounded",
)  # fmt: skip

# What texts are written in: `inwindow` itself is not to be imported from inside.
IW: Any = SimpleNamespace(
    **{name: getattr(builtins, name) for name in builtins.NAMES},
    **{name: getattr(frames, name) for name in FRAMES},
    **{name: getattr(extents, name) for name in ("cumulate", "hop", "session", "tumble")},
    asc=asc, desc=desc,
    with_columns=with_columns, select=select, group_by=group_by, union=union, outputs=outputs,
    with_watermark=with_watermark, emitted_at=emitted_at, temporal=temporal,
    testing=SimpleNamespace(replay=replay), PUNT=PUNT,
)  # fmt: skip
NAMES = {
    "iw": IW, "pa": pa, "UTC": UTC, "date": date, "datetime": datetime, "timedelta": timedelta, "Decimal": Decimal,
    "ZoneInfo": ZoneInfo, "inf": inf, "nan": nan, "classes": classes,
}  # fmt: skip
IMPORTS = """\
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import inf, nan
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw
from inwindow.testing.fuzz import agree, classes
"""


@lru_cache(maxsize=8192)
def value_of(text: str) -> Any:
    """What a text makes."""
    return eval(text, NAMES)


def literal(value: Any) -> str:
    """A value as a text that makes it."""
    return re.sub(r"\b(?:datetime|zoneinfo)\.(?=datetime|date|timedelta|timezone|ZoneInfo)", "", repr(value)).replace(
        "timezone.utc", "UTC"
    )


@dataclass(frozen=True)
class Call:
    """A call such as ``iw.rows(3, lag=1, partition_by='k')``: a window, an extent."""

    function: str
    positional: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    @cached_property
    def text(self) -> str:
        return (
            f"iw.{self.function}({', '.join([*self.positional, *(f'{name}={text}' for name, text in self.options)])})"
        )

    @property
    def made(self) -> Any:
        return value_of(self.text)

    def option(self, name: str) -> str | None:
        """The text of an option; None without it."""
        return dict(self.options).get(name)

    def without(self, name: str) -> "Call":
        """The call without an option."""
        return replace(self, options=tuple(one for one in self.options if one[0] != name))

    def smaller(self, kept: tuple[str, ...] = ()) -> Iterator["Call"]:
        """The same call with an option less, or a simpler number."""
        for at, (name, _) in enumerate(self.options):
            if name not in kept:
                yield replace(self, options=self.options[:at] + self.options[at + 1 :])
        for at, text in enumerate(self.positional):
            for simpler in _simpler(text):
                yield replace(self, positional=(*self.positional[:at], simpler, *self.positional[at + 1 :]))
        for at, (name, text) in enumerate(self.options):
            for simpler in _simpler(text):
                yield replace(self, options=(*self.options[:at], (name, simpler), *self.options[at + 1 :]))


def _simpler(text: str) -> Iterator[str]:
    if re.fullmatch(r"-?\d+", text):
        number = int(text)
        yield from dict.fromkeys(str(one) for one in (0, 1, -1, number // 2, number - (number > 0) + (number < 0)) if
                                 abs(one) < abs(number))  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, the text of its Arrow type, its values."""

    name: str
    kind: str
    values: tuple[Any, ...]


_NUMBERS = ("id", "at", "source")  # by which rows are known


@dataclass(frozen=True)
class Drawn:
    """A table."""

    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0].values)

    @cached_property
    def table(self) -> pa.Table:
        return pa.table({one.name: pa.array(one.values, value_of(one.kind)) for one in self.columns})

    @cached_property
    def values(self) -> dict[str, tuple[Any, ...]]:
        return {one.name: one.values for one in self.columns}

    @property
    def text(self) -> str:
        """The table as a call of ``pa.table``."""
        lines = [f"    {one.name!r}: pa.array({literal(list(one.values))}, {one.kind})," for one in self.columns]
        return "pa.table({\n" + "\n".join(lines) + "\n})"

    def rows(self, kept: list[int]) -> "Drawn":
        """Some of the rows, in this order."""
        return Drawn(tuple(replace(one, values=tuple(one.values[i] for i in kept)) for one in self.columns))

    def only(self, names: set[str]) -> "Drawn":
        """Some of the columns."""
        return Drawn(tuple(one for one in self.columns if one.name in names))

    def smaller(self) -> Iterator["Drawn"]:
        """Fewer rows: halves, then one less; then simpler values."""
        count = len(self)
        for size in (count // 2, count // 4, 1):
            for start in range(0, count, size) if size else ():
                yield self.rows([i for i in range(count) if not start <= i < start + size])
        for at, one in enumerate(self.columns):
            if one.name in _NUMBERS:
                continue
            for row, value in enumerate(one.values):
                for simpler in simpler_values(value):
                    values = (*one.values[:row], simpler, *one.values[row + 1 :])
                    yield Drawn((*self.columns[:at], replace(one, values=values), *self.columns[at + 1 :]))


def simpler_values(value: Any) -> list[Any]:
    """Values that are simpler than a value: toward 0, 1, the empty text."""
    if isinstance(value, bool) or value is None:
        return [] if value is not False else [True]
    if isinstance(value, int):
        return [one for one in (0, 1, value // 2) if abs(one) < abs(value)]
    if isinstance(value, float):
        return [one for one in (0.0, 1.0, float(round(value)) if abs(value) < 1e15 else 1.0) if repr(one) != repr(value) and
                not abs(one) > abs(value)]  # fmt: skip
    if isinstance(value, str):
        return ["a"] if value not in ("", "a") else []
    return []
