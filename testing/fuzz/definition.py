"""What the definition gives for drawn tables: frames by ``windows/reference.py``, results by what each kind means.

Frames are computed once for a partition and its window, for all aggregates over it.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from inwindow.testing.fuzz.kinds import Kind
from inwindow.testing.fuzz.written import Drawn
from inwindow.windows import reference
from inwindow.windows.reference_order import Row
from inwindow.windows.spec import Order, Window

Wanted = tuple[Any, float]  # a result, and how far a double may be from it
NOTHING: Wanted = (None, 0.0)


def key_of(value: Any) -> Any:
    """Values that name one partition are equal."""
    if isinstance(value, float):
        return "NaN" if value != value else value + 0.0
    return (type(value).__name__, value) if isinstance(value, bool) else value


def partitions(drawn: Drawn, keys: Sequence[str]) -> list[list[int]]:
    """The row numbers of each partition, in the order of arrival."""
    columns = [drawn.values[name] for name in keys]
    found: dict[Any, list[int]] = {}
    for i in range(len(drawn)):
        found.setdefault(tuple(key_of(column[i]) for column in columns), []).append(i)
    return list(found.values())


def in_order(drawn: Drawn, members: Sequence[int], orders: Sequence[Order]) -> list[int]:
    """The row numbers of a partition in its order; ties stay as they came."""
    columns = [drawn.values[order.column] for order in orders]
    rows = [Row(tuple(column[i] for column in columns), (i,)) for i in members]
    return [row.args[0] for row in reference.in_order(rows, orders)]


def is_seen(drawn: Drawn, kind: Kind, filtered: bool, nulls: bool) -> list[bool]:
    """Whether each tuple is seen: it passes the filter, and has no NULL argument unless NULLs are seen."""
    seen = [ok is True for ok in drawn.values["ok"]] if filtered else [True] * len(drawn)
    if not nulls:
        for name in kind.columns:
            seen = [one and value is not None for one, value in zip(seen, drawn.values[name], strict=True)]
    return seen


def arguments(drawn: Drawn, kind: Kind) -> list[Any]:
    """What a kind's meaning is told of each tuple: its value, or a tuple of values."""
    if len(kind.columns) == 1:
        return list(drawn.values[kind.columns[0]])
    columns = [drawn.values[name] for name in kind.columns]
    return [tuple(column[i] for column in columns) for i in range(len(drawn))]


class Framed:
    """The frames of each partition of a table, for one window."""

    def __init__(self, drawn: Drawn, window: Window) -> None:
        self.drawn, self.window = drawn, window
        self.members: list[list[int]] = []
        self.held: dict[int, list[int]] = {}  # by the number of a row that yields: the rows in its frame
        for its in partitions(drawn, window.partition_by):
            members = in_order(drawn, its, window.order_by)
            rows = [Row(tuple(drawn.values[order.column][i] for order in window.order_by)) for i in members]
            frames = reference.frames(window, rows)
            for place in reference.yields(window, rows):
                self.held[members[place]] = [members[other] for other in frames[place]]
            self.members.append(members)

    def column(self, kind: Kind, prototype: Any, filtered: bool) -> list[Wanted]:
        """The result for each row."""
        if kind.places is not None:
            return self._by_places(kind)
        if kind.means is None:
            return self._by_hooks(kind, prototype, filtered)
        given, passes = arguments(self.drawn, kind), kind.nulls == "pass"
        seen = is_seen(self.drawn, kind, filtered, passes)
        counted = is_seen(self.drawn, kind, filtered, passes and kind.counts_nulls)
        least = self.window.min_count
        column: list[Wanted] = [NOTHING] * len(self.drawn)
        for i, held in self.held.items():
            if least is None or sum(counted[j] for j in held) >= least:
                column[i] = folded(kind, [given[j] for j in held if seen[j]])
        return column

    def _by_places(self, kind: Kind) -> list[Wanted]:
        assert kind.places is not None
        given, column = arguments(self.drawn, kind), [NOTHING] * len(self.drawn)
        for members, rows in self.rows(kind, False):
            results = kind.places(reference.groups(self.window, rows), [given[i] for i in members])
            for i, result in zip(members, results, strict=True):
                column[i] = (result, 0.0) if i in self.held else NOTHING
        return column

    def _by_hooks(self, kind: Kind, prototype: Any, filtered: bool) -> list[Wanted]:
        column: list[Wanted] = [NOTHING] * len(self.drawn)
        for members, rows in self.rows(kind, filtered):
            results = reference.results(prototype, self.window, rows, kind.nulls, kind.empty)
            for i, result in zip(members, results, strict=True):
                column[i] = (list(result) if isinstance(result, tuple) else result, 0.0)
        return column

    def rows(self, kind: Kind, filtered: bool) -> Iterator[tuple[list[int], list[Row]]]:
        """Each partition as the definition's rows."""
        values = self.drawn.values
        for members in self.members:
            yield (
                members,
                [
                    Row(
                        tuple(values[order.column][i] for order in self.window.order_by),
                        tuple(values[name][i] for name in kind.columns),
                        not filtered or values["ok"][i] is True,
                    )
                    for i in members
                ],
            )


def folded(kind: Kind, values: list[Any]) -> Wanted:
    """The result over these values, and how far a double may be from it."""
    if not values:
        return kind.empty, 0.0
    assert kind.means is not None
    return kind.means(values), kind.within(values)


@lru_cache(maxsize=64)
def framed(drawn: Drawn, window: Window) -> Framed:
    """The frames of a table, kept as long as several aggregates ask for them."""
    return Framed(drawn, window)
