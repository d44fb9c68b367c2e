"""``join``: pairs of rows, valid while both hold; and rows without a partner, valid while they have none.

::

    a     x [1 ----------------- 9)
    b        y [3 - 5)   z [6 ------- 12)
    inner     xy [3,5)  xz [6,9)
    left      xy [3,5)  xz [6,9)  x- [1,3)  x- [5,6)
    semi      x  [3,5)   x [6,9)              anti   x [1,3)  x [5,6)

Both sides are sorted by key and beginning. A scan gives exactly the pairs that hold together, as positions; rows are made at
the end.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN, Pairs
from inwindow.native.dictionaries import plain_type
from inwindow.runtime.dictionaries import rows_of
from inwindow.runtime.expressions import Computed
from inwindow.runtime.intervals import Intervals, Rows
from inwindow.runtime.operation import NUMBER, Advanced, Between, Operation, Turn
from inwindow.runtime.operations import carried_out
from inwindow.runtime.sides import SIDE
from inwindow.runtime.stitching import stitched
from inwindow.runtime.unpacked import empty_table
from inwindow.temporal.allen import APART, NAMES, Allen
from inwindow.temporal.fragments import Fragments, Pieces
from inwindow.temporal.names import names_of
from inwindow.temporal.relation import (
    ENDS,
    SINCE,
    Relation,
    check_relation,
    check_values,
    numbered_together,
    relations,
    values_of,
)
from inwindow.temporal.stitched import still_held
from inwindow.udaf.errors import UsageError, shown

Data = TypeVar("Data")
HOW = ("inner", "left", "right", "full", "semi", "anti")
_AT_ONCE = 1 << 20  # pairs for which a condition is computed at a time
_MET = "__inwindow_met"
_ALWAYS = (NEVER_BEGAN, FOR_EVER)
_SCOPE = ("left_since", "left_until", "right_since", "right_until")


def join(
    a: Data,
    b: Data,
    on: str | Iterable[str] | None = None,
    how: str = "inner",
    *,
    condition: Any = None,
    suffix: str = "_right",
) -> Data:
    """Pairs of rows that hold together, valid in the intersection.

    - ``on``: columns whose values must be equal; none: all pairs that hold together. A NULL equals nothing.
    - ``how``: ``"inner"``, ``"left"``, ``"right"``, ``"full"``, ``"semi"`` or ``"anti"``. A row without a partner is beside NULLs.
    - ``condition``: a further condition: an Arrow expression on the pair's columns (also ``left_since``, ``left_until``,
      ``right_since`` and ``right_until``), one of Allen's relations (``"during"``, ``"overlaps"``, ...), or a list of these.
    - ``suffix``: for columns of ``b`` that have the name of a column of ``a``.

    >>> import pyarrow as pa
    >>> from inwindow import temporal
    >>> bids = pa.table({"item": [1, 1], "bid": [10, 20], "since": [1, 4], "until": [6, 9]})
    >>> open_ = pa.table({"item": [1], "seller": ["ann"], "since": [3], "until": [5]})
    >>> temporal.join(bids, open_, on="item").to_pylist()[0]
    {'item': 1, 'bid': 10, 'seller': 'ann', 'since': 3, 'until': 5}
    >>> temporal.join(bids, open_, on="item", how="anti").select(["bid", "since", "until"]).to_pylist()
    [{'bid': 10, 'since': 1, 'until': 3}, {'bid': 10, 'since': 5, 'until': 6}, {'bid': 20, 'since': 5, 'until': 9}]
    """
    where = "temporal.join"
    if not isinstance(how, str) or how not in HOW:
        raise UsageError(f"{where}(how={shown(how)}): write one of {', '.join(map(repr, HOW))}")
    if not isinstance(suffix, str) or not suffix:
        raise UsageError(
            f"{where}(suffix={shown(suffix)}): write what is put behind the name of a column that both have"
        )
    conditions = _conditions(condition, where)
    return carried_out(Join(names_of(on, where, "on") or (), how, conditions, suffix), a, b)


def _conditions(given: Any, where: str) -> tuple[Any, ...]:
    listed = () if given is None else tuple(given) if isinstance(given, (list, tuple)) else (given,)
    result: list[Any] = []
    for one in listed:
        if isinstance(one, str) and one in APART:
            raise UsageError(
                f"{where}(condition={one!r}): such rows never hold together, so the join would be empty: join the tables "
                "by their columns since and until, without validity"
            )
        if isinstance(one, str) and one in NAMES:
            result.append(Allen(one))
        elif isinstance(one, pc.Expression):
            result.append(one)
        else:
            raise UsageError(
                f"{where}(condition={shown(one)}): write an Arrow expression, as in pyarrow.compute.field('price') > 5, or one "
                f"of Allen's relations: {', '.join(map(repr, NAMES))}"
            )
    return tuple(result)


@dataclass(frozen=True)
class Join(Operation):
    """Finds pairs by a scan, applies the conditions, and adds the times without a partner."""

    on: tuple[str, ...]
    how: str
    conditions: tuple[Any, ...]
    suffix: str
    name = "join"
    at_once = 1 << 17  # fewer, since there may be many pairs of each
    steps = "both sides sorted by the keys and since, a scan with two active sets"

    def described(self) -> str:
        condition = ", ".join(one.name if isinstance(one, Allen) else str(one) for one in self.conditions)
        parts = [
            f"on {', '.join(self.on)}" if self.on else "",
            f"how {self.how}",
            f"where {condition}" if condition else "",
        ]
        return ", ".join(filter(None, parts))

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Partners are equal in ``on``."""
        self._check(schemas)
        return [self.on, self.on]

    def source(self, name: str, schemas: tuple[pa.Schema, ...]) -> tuple[int, str] | None:
        """A column of one of the sides; for the ends, the left side's."""
        if name in ENDS or self.how in ("semi", "anti"):
            return 0, name
        return self._sources(schemas)[self._names(schemas).index(name)]

    @property
    def looks_at_ends(self) -> bool:
        """Whether a condition is of when rows begin and end."""
        return any(isinstance(one, Allen) or any(name in str(one) for name in _SCOPE) for one in self.conditions)

    def _check(self, schemas: tuple[pa.Schema, ...]) -> None:
        where = "temporal.join"
        for schema in schemas:
            check_relation(schema, where)
            check_values(schema, self.on, where)
        for name in self.on:
            kinds = [plain_type(schema.field(name).type) for schema in schemas]
            if kinds[0] != kinds[1]:
                raise UsageError(
                    f"{where}(on={name!r}): it is of type {kinds[0]} in the first table and {kinds[1]} in the "
                    "second: cast one of them"
                )
        names = self._names(schemas)
        twice = next((name for name in names if names.count(name) > 1 or name in ENDS), None)
        if twice is not None:
            raise UsageError(
                f"{where}: the result would have the column {twice!r} twice: give another suffix=, or rename it"
            )
        for condition in self.conditions:
            if isinstance(condition, pc.Expression):
                self._check_condition(condition, schemas, where)

    def _check_condition(self, condition: pc.Expression, schemas: tuple[pa.Schema, ...], where: str) -> None:
        kind = Computed({_MET: condition}).onto(empty_table(self._scope(schemas))).schema.field(_MET).type
        if not pa.types.is_boolean(kind):
            raise UsageError(
                f"{where}(condition={condition}) is of type {kind}: write a comparison, whose value is true or false"
            )

    def _scope(self, schemas: tuple[pa.Schema, ...]) -> pa.Schema:
        """The columns that a condition may use."""
        names = [*self._names(schemas), *_SCOPE]
        fields = [schemas[side].field(source) for side, source in self._sources(schemas)]
        return pa.schema([field.with_name(name) for field, name in zip(fields, names, strict=True)])

    def _names(self, schemas: tuple[pa.Schema, ...]) -> list[str]:
        """The names of the left columns, then of the right columns without the keys."""
        left = values_of(schemas[0])
        right = [name for name in values_of(schemas[1]) if name not in self.on]
        return [*left, *(name + self.suffix if name in left else name for name in right)]

    def run(self, *tables: pa.Table) -> pa.Table:
        """All parts of the result, one after the other."""
        schemas = tuple(table.schema for table in tables)
        self._check(schemas)
        a, b = relations(tables, "temporal.join")
        left, right = (side.entered for side in self._sides(a, b))
        pieces = self._pieces(a, b, left, right)
        parts = [] if self.how in ("semi", "anti") else [self._paired(a, b, left, right, pieces)]
        for side, its, intervals in self._kept((a, left), (b, right)):
            parts.append(self._of_side(side, its, intervals, self._fragments(side, intervals, pieces), schemas))
        return pa.concat_tables(parts)

    def _kept(self, *sides: tuple[Relation, Intervals]) -> list[tuple[int, Relation, Intervals]]:
        """The sides whose rows are in the result without a partner."""
        numbers = {"inner": (), "right": (1,), "full": (0, 1)}.get(self.how, (0,))
        return [(number, *sides[number]) for number in numbers]

    # In a stretch of time, and on a stream

    marks = (pa.field(SIDE, pa.int8()), pa.field(NUMBER, pa.int64()))  # whose fragment a part is

    def why_whole(self, *schemas: pa.Schema) -> str:
        """A pair belongs to the stretch in which the later of both begins."""
        return ""

    @property
    def is_numbered(self) -> bool:
        """Fragments are joined with those of the same row."""
        return self.has_parts

    @property
    def has_parts(self) -> bool:
        """Pairs are whole; fragments are not."""
        return self.how != "inner"

    @property
    def waits(self) -> str:  # type: ignore[override]  # of what it waits for depends on how
        """Of pairs, and of rows by themselves."""
        fragments = f"the end of a time in which it has {'a' if self.how == 'semi' else 'no'} partner"
        if self.how in ("semi", "anti"):
            return fragments
        pairs = "both beginnings, of a pair"
        return pairs if self.how == "inner" else f"{pairs}; {fragments}, of a row by itself"

    @property
    def holds(self) -> str:  # type: ignore[override]
        """Both sides."""
        return f"rows of both sides that have not ended{', and open results' if self.has_parts else ''}"

    def matched(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """A row's fragments go on as its own."""
        return SIDE, NUMBER

    def check_stream(self, *schemas: pa.Schema) -> None:
        """Nothing."""

    def between(self, tables: Sequence[pa.Table], since: pa.Scalar | None, until: pa.Scalar | None) -> Between:
        """Pairs of which one row begins there, as they are; and parts: where rows have a partner, or have none."""
        numbers = [table.column(NUMBER).to_numpy() if NUMBER in table.column_names else None for table in tables]
        tables = [table.drop_columns([NUMBER]) if NUMBER in table.column_names else table for table in tables]
        schemas = tuple(table.schema for table in tables)
        self._check(schemas)
        kind = schemas[0].field(SINCE).type
        bounds = [pa.nulls(1, kind) if at is None else pa.repeat(at.cast(kind), 1) for at in (since, until)]
        a, b = relations(tables, self.where, bounds)
        first, last = (int(a.instants.keys(at, null)[0]) for at, null in zip(bounds, _ALWAYS, strict=True))
        left, right = (side.entered for side in self._sides(a, b))
        pieces = self._pieces(a, b, left, right, new_from=first if self.how == "inner" else None)
        paired = self._paired(a, b, left, right, pieces.where(pieces.since >= first))
        rows = self.run(*(schema.empty_table() for schema in schemas)) if self.how in ("semi", "anti") else paired
        parts: list[pa.Table] = []
        for side, its, intervals in self._kept((a, left), (b, right)):
            found = self._fragments(side, intervals, pieces).within(first, last)
            part = self._of_side(side, its, intervals, found, schemas)
            part = part.append_column(SIDE, pa.array(np.full(len(part), side, dtype=np.int8)))
            number = numbers[side]
            assert number is not None
            parts.append(part.append_column(NUMBER, pa.array(number[intervals.row[found.whose]])))
        return Between(rows, pa.concat_tables(parts) if parts else None)

    def advance(self, turn: Turn) -> Advanced:
        """What is decided of the time between the watermarks."""
        given = self.between(turn.tables, turn.since, turn.until)
        stay = [still_held(table, turn) for table in turn.tables]
        if given.parts is None:
            return Advanced(given.rows, given.rows.slice(0, 0), stay)
        decided, goes_on = stitched(turn.open, given.parts, turn.since, turn.until, (SIDE, NUMBER))
        return Advanced(pa.concat_tables([given.rows, decided.drop_columns([SIDE, NUMBER])]), goes_on, stay)

    # Pairs and fragments

    def _sides(self, a: Relation, b: Relation) -> list[Intervals]:
        """Both sides in groups; a row with a NULL key is in a group of its own side, so it has no partners."""
        sides = numbered_together([a, b], [self.on, self.on])
        result = []
        for number, (its, side) in enumerate(zip((a, b), sides, strict=True)):
            alone = np.zeros(len(its.table), dtype=bool)
            for name in self.on:
                column = its.table.column(name)
                if plain_type(column.type) != column.type or column.null_count:
                    alone |= pc.is_null(column).to_numpy()
            group = np.where(alone[side.row], -1 - number, side.group) if alone.any() else side.group
            result.append(Intervals(side.row, group, side.since, side.until))
        return result

    def _pieces(
        self, a: Relation, b: Relation, left: Intervals, right: Intervals, new_from: int | None = None
    ) -> Pieces:
        """The pairs that satisfy the conditions; with ``new_from`` only those of which one row begins then, or later."""
        found = list(self._met(a, b, left, right, new_from))
        one, other = (np.concatenate([np.zeros(0, np.int64), *(pair[side] for pair in found)]) for side in (0, 1))
        since = np.maximum(left.since[one], right.since[other])
        return Pieces(one, other, since, np.minimum(left.until[one], right.until[other]))

    def _met(
        self, a: Relation, b: Relation, left: Intervals, right: Intervals, new_from: int | None
    ) -> Iterator[tuple[Rows, Rows]]:
        for ours, theirs in _meetings(left, right, new_from):
            for one, other in _pairs(left.taken(ours), right.taken(theirs)):
                if ours is not None and theirs is not None:
                    one, other = ours[one], theirs[other]
                if self.conditions:
                    met = self._satisfied(a, b, left, right, one, other)
                    one, other = one[met], other[met]
                yield one, other

    def _satisfied(self, a: Relation, b: Relation, left: Intervals, right: Intervals, one: Rows, other: Rows) -> Any:
        met = np.ones(len(one), dtype=bool)
        for condition in self.conditions:
            if isinstance(condition, Allen):
                met &= condition(left.since[one], left.until[one], right.since[other], right.until[other])
                continue
            scope = self._scope((a.table.schema, b.table.schema))
            text = str(condition)
            columns = {}
            rows = pa.array(left.row[one]), pa.array(right.row[other])
            for at, (side, source) in zip(scope, self._sources((a.table.schema, b.table.schema)), strict=True):
                if at.name in text:
                    columns[at.name] = rows_of((a, b)[side].table.column(source), rows[side])
            looked_at = pa.table(columns or {_SCOPE[0]: pa.nulls(len(one))})
            answer = Computed({_MET: condition}).onto(looked_at).column(_MET)
            met &= pc.fill_null(answer, False).to_numpy()
        return met

    def _sources(self, schemas: tuple[pa.Schema, ...]) -> list[tuple[int, str]]:
        """For each column of the scope: its side, and its name there."""
        values = [
            (side, name) for side in (0, 1) for name in values_of(schemas[side]) if not (side and name in self.on)
        ]
        return [*values, *((side, end) for side in (0, 1) for end in ENDS)]

    def _paired(self, a: Relation, b: Relation, left: Intervals, right: Intervals, pieces: Pieces) -> pa.Table:
        rows = pa.array(left.row[pieces.left]), pa.array(right.row[pieces.right])
        names = self._names((a.table.schema, b.table.schema))
        sources = self._sources((a.table.schema, b.table.schema))[: len(names)]
        columns = [rows_of((a, b)[side].table.column(name), rows[side]) for side, name in sources]
        table = pa.table(columns, names) if names else None
        return a.with_ends(table, pieces.since, pieces.until)

    def _fragments(self, side: int, intervals: Intervals, pieces: Pieces) -> Fragments:
        if self.how == "semi":
            return Fragments.with_partner(side, pieces)
        return Fragments.without_partner(side, pieces, intervals)

    def _of_side(
        self, side: int, its: Relation, intervals: Intervals, found: Fragments, schemas: tuple[pa.Schema, ...]
    ) -> pa.Table:
        """Rows of one side alone; with NULLs if the result has the other side's columns."""
        if self.how in ("semi", "anti"):
            return its.made(its.columns, intervals.row[found.whose], found.since, found.until)
        rows = pa.array(intervals.row[found.whose])
        columns = []
        names = self._names(schemas)
        for field, (of, source) in zip(self._scope(schemas), self._sources(schemas)[: len(names)], strict=False):
            there = of == side or field.name in self.on
            columns.append(rows_of(its.table.column(source), rows) if there else pa.nulls(len(rows), field.type))
        return its.with_ends(pa.table(columns, names) if names else None, found.since, found.until)


def _meetings(left: Intervals, right: Intervals, new_from: int | None) -> list[tuple[Rows | None, Rows | None]]:
    """Which pairs to look for: all (None), or those in which one row begins at an instant or later."""
    if new_from is None:
        return [(None, None)]
    new = [np.flatnonzero(side.since >= new_from) for side in (left, right)]
    old = np.flatnonzero(left.since < new_from)
    meetings = [(new[0], np.arange(len(right))), (old, new[1])]
    return [(ours, theirs) for ours, theirs in meetings if len(ours) and len(theirs)]


def _pairs(left: Intervals, right: Intervals) -> Iterator[tuple[Rows, Rows]]:
    """All pairs that hold together, in portions."""
    pairs = Pairs(left.group, left.since, left.until, right.group, right.since, right.until)
    while True:
        one, other = pairs.take(_AT_ONCE)
        if not len(one):
            return
        yield one, other
