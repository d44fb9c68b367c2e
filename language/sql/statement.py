"""Read a SELECT with inwindow's windows: the part that Spark computes before, the windows, and the part that comes after.

This is pure text, without Spark. Each window is replaced by a name, so that sqlglot can read the rest; the names of columns know
their places in the user's text::

    SELECT item, my_avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 49 PRECEDING SLIDE 10) * 2 AS a FROM bids
    SELECT item, _iw_0                                                                         * 2 AS a FROM bids
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from inwindow.language.sql.calls import Call, Names, Place, check_brackets, find_calls
from inwindow.language.sql.clauses import Clauses, read_clauses
from inwindow.language.sql.expressions import Columns, Expression, Reader
from inwindow.language.sql.over import SortKey, sort_key
from inwindow.language.text import Source, Span, Token, Tokens, library, parsed, span_of, split, tokens_of
from inwindow.udaf.errors import UsageError


@dataclass(frozen=True)
class Plain:
    """An item of the select list, or the like, that is Spark's alone."""

    span: Span
    is_star: bool = False
    may_be_many: bool = False


@dataclass(frozen=True)
class Made:
    """An item with a window of ours in it, or the result of one by its name; ``title`` is its column's name."""

    span: Span
    expression: Expression
    title: str
    aliased: bool
    lateral: Set[str] = frozenset()  # the names of earlier results that it reads, in small letters


@dataclass(frozen=True)
class SortedBy:
    """A key of ORDER BY: an expression, or the number of a column from 1."""

    span: Span
    expression: Expression
    position: int | None
    ascending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Statement:
    """A statement, taken apart; ``head`` and ``body`` are Spark's, before and after the select list."""

    source: Source
    head: tuple[Span, ...]
    distinct: bool
    items: tuple[Plain | Made, ...]
    body: tuple[Span, ...]
    definitions: tuple[Span, ...]  # of the WINDOW clause, those that Spark can read
    calls: tuple[Call, ...]
    qualify: Expression | None
    order_by: tuple[SortedBy, ...]
    order_by_all: SortKey | None  # ORDER BY ALL, with its direction
    limit: int | None
    offset: int | None
    lateral: frozenset[str]  # names that mean a window's result earlier in the select list, in small letters
    with_lateral: Callable[[str], "Statement"]  # this statement with one more of them


def read(text: str | Source, registered: Set[str], built_in: Set[str], *, is_all: bool = False) -> Statement | None:
    """Take a statement apart; None where no window of ours is in it, and all of it is Spark's.

    A call is ours if its name is registered, or if it is a built-in's and its window has SLIDE or ACTIVE EXPIRATION; with
    ``is_all``, built-ins over any window are.

    >>> statement = read("SELECT item, avg(price) OVER (ROWS 49 PRECEDING SLIDE 10) AS a FROM bids", set(), {"avg"})
    >>> [call.label for call in statement.calls], [statement.source[span] for span in statement.body]
    (['avg(price)'], ['FROM bids'])
    """
    source = Source(text) if isinstance(text, str) else text
    tokens = tokens_of(source)
    while tokens and tokens[-1].kind == "SEMICOLON":
        tokens.pop()
    names = Names(registered, built_in, is_all)
    check_brackets(source, tokens, names)
    places = find_calls(source, tokens, names)
    if not any(isinstance(place, Call) for place in places):
        return None
    return _Reading(source, tokens, places).statement()


class _Reading:
    def __init__(self, source: Source, tokens: list[Token], places: list[Place]) -> None:
        self.source = source
        self.tokens = tokens
        self.places = places
        self.clauses: Clauses = read_clauses(source, tokens, places[0].span)
        prefix = "_iw_"
        while prefix in source.text:
            prefix += "_"
        self.names = {f"{prefix}{number}": place for number, place in enumerate(places)}

    def statement(self, lateral: frozenset[str] = frozenset()) -> Statement:
        """Read the whole statement."""
        clauses = self.clauses
        root = self._parsed()
        self._check_places(root)
        columns = _columns_of(root, self.names)
        reader = Reader(self.source, self.places, columns)
        listed = split(clauses.items)
        if len(listed) != len(root.expressions) or not all(listed):
            raise self.source.error(
                "iw.sql: the select list cannot be read: give each item an alias, with AS", span_of(clauses.items)
            )
        items: list[Plain | Made] = []
        for item, node in zip(listed, root.expressions, strict=True):
            earlier = {one.title.casefold() for one in items if isinstance(one, Made) and one.aliased} & lateral
            items.append(self._item(reader, item, node, earlier))
        self._check_group_by(items)
        keys = split(clauses.order_by or [])
        by_all = sort_key(self.source, keys[0]) if len(keys) == 1 and keys[0] and keys[0][0].says("ALL") else None
        if by_all is not None and self.source[by_all.expression].upper() != "ALL":
            raise self.source.error(
                "iw.sql: ORDER BY ALL takes only a direction: ASC, DESC, NULLS FIRST", keys[0][1].span
            )
        qualify = None if clauses.qualify is None else reader.read(clauses.qualify, after=True)
        return Statement(
            source=self.source,
            head=clauses.head,
            distinct=clauses.distinct,
            items=tuple(items),
            body=clauses.body,
            definitions=clauses.definitions if self._names_windows() else (),
            calls=tuple(place for place in self.places if isinstance(place, Call)),
            qualify=qualify,
            order_by=() if by_all is not None else tuple(self._sorted_by(reader, key) for key in keys),
            order_by_all=by_all,
            limit=clauses.limit,
            offset=clauses.offset,
            lateral=lateral,
            with_lateral=lambda name: self.statement(lateral | {name}),
        )

    def _names_windows(self) -> bool:
        """Whether a window that is not ours stands over a named one; Spark cannot read all definitions that are ours."""
        return any(
            token.kind == "OVER"
            and not any(token.span in place.span for place in self.places)
            and (following.kind != "L_PAREN" or not inside.says("PARTITION BY", "ORDER BY", "ROWS", "RANGE", ")"))
            for token, following, inside in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)
        )

    def _parsed(self) -> Any:
        """What sqlglot makes of the statement, with a name in the place of each window of ours."""
        root = parsed(
            self.source,
            list(self._plain()),
            hint="; what only Spark can read goes into a view, made with spark.sql(...)",
        )
        if not isinstance(root, library().exp.Select):
            raise self.source.error("iw.sql takes one SELECT; this statement is something else", self.tokens[0].span)
        return root

    def _plain(self) -> Iterator[Token]:
        """The tokens without our windows, and without the clause that defines them."""
        named = {place.span.start: Token("VAR", name, place.span) for name, place in self.names.items()}
        gone = [*(place.span for place in self.places), *self.clauses.windows]
        for token in self.tokens:
            if token.span.start in named:
                yield named[token.span.start]
            elif not any(token.span in span for span in gone):
                yield token

    def _check_places(self, root: Any) -> None:
        """Our windows stand where their results are wanted: in the select list, ORDER BY or QUALIFY."""
        exp, seen = library().exp, []
        for column in root.find_all(exp.Column):
            place = self.names.get(column.name)
            if place is not None:
                self._check_place(root, column, place)
                seen.append(place)
        for place in self.places:
            if place not in seen:
                raise self.source.error(
                    f"iw.sql: {place.label} cannot stand here: give the windows of a SELECT in its select list",
                    place.span,
                )

    def _check_place(self, root: Any, column: Any, place: Place) -> None:
        exp, node = library().exp, column
        while node is not root:
            parent = node.parent
            if isinstance(parent, (exp.AggFunc, exp.Window, exp.Lambda)):
                raise self._misplaced(place, f"the call of another function, {parent.sql('spark').split('(')[0]}()")
            if parent is root and node.arg_key not in ("expressions", "order", "qualify"):
                raise self._misplaced(place, _CLAUSES.get(node.arg_key, "this clause"))
            if parent is not root and isinstance(parent, (exp.Query, exp.Subquery)):
                raise self._misplaced(place, "a subquery")
            node = parent

    def _misplaced(self, place: Place, inside: str) -> UsageError:
        return self.source.error(
            f"iw.sql: {place.label} is inside {inside}, but a window of ours stands in a select list, ORDER BY or QUALIFY: "
            "compute it in a subquery, as in FROM (SELECT *, ... OVER (...) AS w FROM ...), and read its column",
            place.span,
        )

    def _item(self, reader: Reader, tokens: Tokens, node: Any, lateral: Set[str]) -> Plain | Made:
        exp, span = library().exp, span_of(tokens)
        after = any(where in span and name in lateral for where, name in reader.names())
        if not after and not any(place.span in span for place in self.places):
            is_star = len(tokens) == 1 and tokens[0].kind == "STAR"
            return Plain(span, is_star, may_be_many=node.is_star or isinstance(node, exp.Aliases))
        if isinstance(node, exp.Aliases):
            raise self.source.error("iw.sql: an item with a window of ours has one alias", span)
        if not isinstance(node, exp.Alias):
            return Made(span, reader.read(tokens, after=after), self._title(span), False, lateral)
        body = tokens[: -2 if tokens[-2].kind == "ALIAS" else -1]
        return Made(span, reader.read(body, after=after), tokens[-1].text, True, lateral)

    def _title(self, span: Span) -> str:
        """The item as it is written, with the windows left out."""
        text, at = "", span.start
        for place in (place for place in self.places if place.span in span):
            text += self.source.text[at : place.span.start] + place.label
            at = place.span.end
        return " ".join((text + self.source.text[at : span.end]).split())

    def _check_group_by(self, items: Sequence[Plain | Made]) -> None:
        """GROUP BY 2 must not mean a window of ours."""
        for key in split(self.clauses.group_by or []):
            number = _number(key)
            if (
                number is None
                or not 0 < number <= len(items)
                or any(isinstance(item, Plain) and item.may_be_many for item in items[:number])
            ):
                continue
            item = items[number - 1]
            if isinstance(item, Made):
                raise self.source.error(
                    f"iw.sql: item {number} is {item.title}, and groups cannot be made by the result of a window",
                    span_of(key),
                )

    def _sorted_by(self, reader: Reader, tokens: Tokens) -> SortedBy:
        if not tokens:
            raise self.source.error("iw.sql: ORDER BY lacks an expression", self.tokens[-1].span)
        key = sort_key(self.source, tokens)
        own = [token for token in tokens if token.span in key.expression]
        expression = reader.read(own, after=True)
        return SortedBy(key.expression, expression, _number(own), key.ascending, key.nulls_first)


_CLAUSES = {
    "where": "WHERE", "group": "GROUP BY", "having": "HAVING", "joins": "a JOIN", "laterals": "a LATERAL VIEW",
    "windows": "a WINDOW definition", "from": "FROM", "from_": "FROM", "with": "a WITH query", "with_": "a WITH query",
    "limit": "LIMIT", "offset": "OFFSET",
}  # fmt: skip


def _number(tokens: Tokens) -> int | None:
    return int(tokens[0].text) if len(tokens) == 1 and tokens[0].kind == "NUMBER" and tokens[0].text.isdigit() else None


def _columns_of(root: Any, names: Any) -> Columns:
    """Where the columns are that Spark resolves; with its name where one is not qualified."""
    exp, found = library().exp, {}
    for column in root.find_all(exp.Column):
        spans = [Span(part.meta["start"], part.meta["end"] + 1) for part in column.parts if "start" in part.meta]
        if column.name not in names and spans:
            span = Span(min(s.start for s in spans), max(s.end for s in spans))
            found[span.start] = (span, column.name if len(column.parts) == 1 else None)
    return found
