"""Cut an expression with windows into parts that Spark computes before the windows, and the rest for after them.

::

    my_avg(price) OVER (...) * 2 + round(b.price, 1)  AS x
    Result                  ^^^^^  Piece                    computed before, as a column
                            Verbatim                        computed after, over those columns
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inwindow.language.sql.calls import Call, Emission, Place, call_end
from inwindow.language.text import Source, Span, Tokens, close_of, ends_operand, library, span_of


@dataclass(frozen=True)
class Verbatim:
    """Text that goes on to Spark as it is."""

    span: Span


@dataclass(frozen=True)
class Piece:
    """A part that Spark computes before the windows; ``name`` if it is just a column's name."""

    span: Span
    name: str | None = None


@dataclass(frozen=True)
class Result:
    """The result of a window of ours."""

    call: Call


@dataclass(frozen=True)
class EmissionTime:
    """The result of ``emitted_at()``."""

    span: Span


Part = Verbatim | Piece | Result | EmissionTime
Expression = tuple[Part, ...]
Columns = dict[int, tuple[Span, str | None]]  # by where they begin

_NO_CALLS = (
    "AND", "OR", "NOT", "IN", "EXISTS", "LIKE", "RLIKE", "ILIKE", "BETWEEN", "WHEN", "THEN", "ELSE", "CASE", "IS",
    "AS", "OVER", "FILTER", "DISTINCT", "ANY", "ALL", "SOME", "ESCAPE", "XOR", "DIV",
)  # fmt: skip


class Reader:
    """Cuts expressions of one statement."""

    def __init__(self, source: Source, places: Sequence[Place], columns: Columns) -> None:
        self.source = source
        self.places = {place.span.start: place for place in places}
        self.columns = columns

    def names(self) -> Iterator[tuple[Span, str]]:
        """The columns that are just a name, in small letters, and where they are."""
        return ((span, name.casefold()) for span, name in self.columns.values() if name is not None)

    def read(self, tokens: Tokens, *, after: bool = False) -> Expression:
        """Cut an expression. ``after``: it stands where a bare name may be an output column: in ORDER BY, QUALIFY, or behind it."""
        parts: list[Part] = []
        at, written = 0, tokens[0].span.start
        while at < len(tokens):
            taken = self._part(tokens, at, after)
            if taken is None:
                at += 1
                continue
            part, end = taken
            if written < tokens[at].span.start:
                parts.append(Verbatim(Span(written, tokens[at].span.start)))
            parts.append(part)
            written = tokens[end - 1].span.end
            at = end
        if written < tokens[-1].span.end:
            parts.append(Verbatim(Span(written, tokens[-1].span.end)))
        return tuple(parts)

    def _part(self, tokens: Tokens, at: int, after: bool) -> tuple[Part, int] | None:
        """What begins at a token and is not verbatim, and where it ends."""
        token = tokens[at]
        place = self.places.get(token.span.start)
        if place is not None:
            part = EmissionTime(place.span) if isinstance(place, Emission) else Result(place)
            return part, _behind(tokens, at, place.span.end)
        if token.kind == "L_PAREN" and at + 1 < len(tokens) and tokens[at + 1].says("SELECT", "WITH"):
            behind = (close_of(tokens, at) or at) + 1
            is_value = at == 0 or not tokens[at - 1].says("IN", "EXISTS")
            subquery = span_of(tokens[at:behind])
            return Piece(subquery) if is_value else Verbatim(subquery), behind
        end = self._call_end(tokens, at, after)
        if end is not None:
            return Piece(span_of(tokens[at:end])), end
        if token.span.start in self.columns:
            span, name = self.columns[token.span.start]
            return Piece(span, name), _behind(tokens, at, span.end)
        return None

    def _call_end(self, tokens: Tokens, at: int, after: bool) -> int | None:
        """A call that Spark computes before: without our windows; in ORDER BY, only an aggregate or a window."""
        token, before = tokens[at], tokens[at - 1] if at else None
        if at + 1 == len(tokens) or tokens[at + 1].kind != "L_PAREN" or token.says(*_NO_CALLS):
            return None
        if not (token.text[:1].isalpha() or token.text[:1] == "_") or ends_operand(before) or _is_type(tokens, at):
            return None
        end = call_end(tokens, at)
        if end is None:
            return None
        span = span_of(tokens[at:end])
        if any(place.span in span for place in self.places.values()):
            return None
        reads = any(column in span for column, _ in self.columns.values())
        return end if (reads and not after) or self._is_aggregate(span) else None

    def _is_aggregate(self, span: Span) -> bool:
        sqlglot: Any = library()
        try:
            node = sqlglot.parse_one(self.source[span], dialect="spark")
        except sqlglot.errors.SqlglotError:
            return True
        return node.find(sqlglot.exp.AggFunc, sqlglot.exp.Window) is not None


def _behind(tokens: Tokens, at: int, end: int) -> int:
    while at < len(tokens) and tokens[at].span.start < end:
        at += 1
    return at


def _is_type(tokens: Tokens, at: int) -> bool:
    """``CAST(x AS decimal(10, 2))``, ``x::decimal(10, 2)``."""
    return at > 0 and tokens[at - 1].kind in ("ALIAS", "DCOLON")
