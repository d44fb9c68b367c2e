"""The first step, computed by an engine: FROM, WHERE and GROUP BY of the statement, with pieces of its text as columns.

Columns are named by their text (``b.price``), so that plans and messages show what the user wrote.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from inwindow.language.engines import Engine, EngineError
from inwindow.language.sql.calls import Call
from inwindow.language.sql.expressions import Expression, Piece
from inwindow.language.sql.query import Query
from inwindow.language.sql.statement import Made, Plain, Statement
from inwindow.language.text import Source, Span

_NAME = r"(?:`(?:[^`]|``)+`|[A-Za-z_]\w*)"
_COLUMN = re.compile(rf"{_NAME}(?:\s*\.\s*{_NAME})*")
_LONGEST = 60  # characters of a text that names a column
_MARK = "_iw_end_of_item_"


class LateralName(Exception):
    """The tables have no such column, and an item of the select list has this name: ``sum(x) OVER w AS s, s * 2``."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass
class Before:
    """The data that the windows run over; columns by the places of the texts that make them."""

    df: Any
    items: dict[
        int, list[tuple[str, str]]
    ]  # the statement's own items: names as the engine gives them, and columns of df
    pieces: dict[Span, str]
    taken: set[str]

    def item(self, number: int) -> list[tuple[str, str]]:
        """The columns of an item of the select list: their names in the result, and here."""
        return self.items[number]

    def column(self, span: Span) -> str:
        """The column that a piece of the text became."""
        return self.pieces[span]

    def fresh(self, wish: str) -> str:
        """A name that no column has, as near to a wish as can be."""
        return _fresh(wish, self.taken)


def before(engine: Engine, statement: Statement) -> Before:
    """Analyse the first step; an error of Spark's is pointed at in the user's text."""
    layout = _Layout(engine, statement)
    layout.place()
    names = engine.columns(layout.analysed(layout.composed()))
    if len(names) != (layout.width or 1):  # an item that makes several columns, such as explode(map)
        layout.learn_names()
        layout.place()
        names = engine.columns(layout.analysed(layout.composed()))
    if len(names) != (layout.width or 1):  # SELECT count(*) OVER () reads nothing: a column of ones
        raise statement.source.error(
            "iw.sql: an argument, key or condition of this statement's windows makes several columns: give each window plain "
            "values, and make such columns in a subquery",
            statement.calls[0].span,
        )
    return layout.named(names)


@dataclass
class _Layout:
    """Which columns the query has: those of the items, then the pieces."""

    engine: Engine
    statement: Statement
    names: dict[int, list[str]] | None = None  # of the items, where they had to be known beforehand
    spans: dict[Span, int] = field(default_factory=dict)  # the column of each piece
    extra: list[Span] = field(default_factory=list)  # the pieces that are no item's column already
    by_text: dict[str, int] = field(default_factory=dict)

    @property
    def source(self) -> Source:
        return self.statement.source

    @property
    def slots(self) -> bool:
        """Whether our items must keep their places, for GROUP BY 2 and GROUP BY ALL."""
        return any(self.source[span].upper().startswith("GROUP") for span in self.statement.body)

    @property
    def starts(self) -> dict[int, int]:
        """The first column of each item that has one."""
        result, at = {}, 0
        for number, item in enumerate(self.statement.items):
            if isinstance(item, Plain) or self.slots:
                result[number] = at
                at += self._width(number)
        return result

    @property
    def width(self) -> int:
        """How many columns there are."""
        starts = self.starts
        items = max((starts[number] + self._width(number) for number in starts), default=0)
        return items + len(self.extra)

    def _width(self, number: int) -> int:
        is_plain = isinstance(self.statement.items[number], Plain)
        return len(self.names[number]) if self.names is not None and is_plain else 1

    def place(self) -> None:
        """Find a column for each piece."""
        its = self.statement
        self.spans, self.extra, self.by_text = {}, [], {}
        outside = [*_pieces(its.qualify or ()), *(piece for key in its.order_by for piece in _pieces(key.expression))]
        if self.names is None and (any(isinstance(i, Plain) and i.may_be_many for i in its.items) or outside):
            self.learn_names()
        for item in its.items:
            if isinstance(item, Made):
                for piece in _pieces(item.expression):
                    if piece.name is None or piece.name.casefold() not in item.lateral:
                        self._add(piece.span, shared=False)
        for call in its.calls:
            for span, shared in _read_by(call):
                self._add(span, shared)
        outputs = {name.casefold() for names in (self.names or {}).values() for name in names}
        outputs |= {item.title.casefold() for item in its.items if isinstance(item, Made)}
        for piece in outside:
            if piece.name is None or piece.name.casefold() not in outputs:
                self._add(piece.span, shared=False)

    def _add(self, span: Span, shared: bool) -> None:
        """A column name, and a key of windows, is computed once; ``rand()`` in two places is two."""
        text = self.source.on_one_line(span)
        is_column = _COLUMN.fullmatch(text) is not None
        known = self._of_item(text) if is_column else None
        if known is None and (is_column or shared):
            known = self.by_text.get(text)
        if known is None:
            known = self.width
            self.extra.append(span)
        if is_column or shared:
            self.by_text[text] = known
        self.spans[span] = known

    def _of_item(self, text: str) -> int | None:
        """The column of the select list that is this column already."""
        for number, at in self.starts.items():
            item = self.statement.items[number]
            if not isinstance(item, Plain):
                continue
            if self.source.on_one_line(item.span) == text:
                return at
            if item.is_star and self.names is not None:
                names = [name.casefold() for name in self.names[number]]
                if names.count(text.casefold()) == 1:
                    return at + names.index(text.casefold())
        return None

    def learn_names(self) -> None:
        """Ask Spark for the names of the items' columns, with a mark behind each item."""
        query, marks = Query(self.source), []
        plain = [number for number, item in enumerate(self.statement.items) if isinstance(item, Plain)]
        self.names = {}
        if not plain:
            return
        self._open(query)
        for number in plain:
            marks.append(f"{_MARK}{number}")
            query.item(self.statement.items[number].span)
            query.item(f"1 AS {marks[-1]}")
        self._close(query)
        columns, at = self.engine.columns(self.analysed(query)), 0
        for number, mark in zip(plain, marks, strict=True):
            end = columns.index(mark, at)
            self.names[number] = columns[at:end]
            at = end + 1

    def composed(self) -> Query:
        """The query of the first step."""
        query = Query(self.source)
        self._open(query)
        for number, item in enumerate(self.statement.items):
            if isinstance(item, Plain):
                query.item(item.span)
            elif number in self.starts:
                query.item("NULL")
        for span in self.extra:
            query.item("(", span, ")")
        if not query.items:
            query.item("1")
        self._close(query)
        return query

    def _open(self, query: Query) -> None:
        for span in self.statement.head:
            query.add(span)
            query.add("\n")

    def _close(self, query: Query) -> None:
        for span in self.statement.body:
            query.add("\n")
            query.add(span)
        for number, span in enumerate(self.statement.definitions):
            query.add(", " if number else "\nWINDOW ")
            query.add(span)

    def analysed(self, query: Query) -> Any:
        """The query as a frame, or the engine's error at its place in the user's text."""
        try:
            self.df = self.engine.query(query.text)
        except EngineError as error:
            self._check_lateral(error.missing.casefold())
            failure = query.translated(error, self.statement, self.engine.name)
        else:
            return self.df
        raise failure

    def _check_lateral(self, missing: str) -> None:
        its = self.statement
        if missing in its.lateral:
            return
        if any(isinstance(item, Made) and item.aliased and item.title.casefold() == missing for item in its.items):
            raise LateralName(missing)

    def named(self, names: list[str]) -> Before:
        """The columns under names of their own."""
        taken: set[str] = set()
        texts = {self.width - len(self.extra) + i: self.source.on_one_line(span) for i, span in enumerate(self.extra)}
        items = self.starts
        slots = {at for number, at in items.items() if not isinstance(self.statement.items[number], Plain)}
        unique = []
        for at, name in enumerate(names):
            wish = f"_iw_slot_{at}" if at in slots else texts.get(at, name)
            unique.append(_fresh(wish, taken))
        df = self.engine.renamed(self.df, unique, [unique[at] for at in sorted(slots)])
        columns = {
            number: [(names[i], unique[i]) for i in range(at, at + self._width(number))] for number, at in items.items()
        }
        return Before(df, columns, {span: unique[at] for span, at in self.spans.items()}, taken)


def _pieces(expression: Expression) -> Iterator[Piece]:
    return (part for part in expression if isinstance(part, Piece))


def _read_by(call: Call) -> Iterator[tuple[Span, bool]]:
    """What a call reads, and whether it is the same wherever the same text stands."""
    for key in call.over.partition_by:
        yield key, True
    for order in call.over.order_by:
        yield order.expression, True
    for argument in call.arguments:
        yield argument, False
    if call.condition is not None:
        yield call.condition, False


def _fresh(wish: str, taken: set[str]) -> str:
    """Spark's names are the same in capitals and small letters."""
    wish = wish if len(wish) <= _LONGEST else f"{wish[: _LONGEST - 3]}..."
    name, number = wish, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wish} #{number}"
    taken.add(name.casefold())
    return name
