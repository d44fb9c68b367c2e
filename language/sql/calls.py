"""Find inwindow's calls in a statement: ``name(...) [FILTER (...)] OVER (...)``, and ``emitted_at()``."""

import difflib
from collections.abc import Mapping, Set
from dataclasses import dataclass

from inwindow.language.sql.over import Over, extended, read_over
from inwindow.language.text import Source, Span, Token, Tokens, close_of, depths, span_of, split
from inwindow.udaf.errors import UsageError


@dataclass(frozen=True)
class Names:
    """The names that are ours, in small letters."""

    registered: Set[str]
    built_in: Set[str]
    is_all: bool = False  # built-ins over any window, not only with SLIDE or ACTIVE EXPIRATION


@dataclass(frozen=True)
class Call:
    """A call of an aggregate of ours over a window; ``label`` is the call without the window, for messages."""

    name: str
    span: Span
    label: str
    arguments: tuple[Span, ...]
    distinct: bool
    ignore_nulls: bool | None
    condition: Span | None
    over: Over


@dataclass(frozen=True)
class Emission:
    """A call of ``emitted_at()``."""

    span: Span
    label: str = "emitted_at()"


Place = Call | Emission
_SPARK_WRITES_BEHIND = (
    "lag",
    "lead",
    "nth_value",
)  # IGNORE NULLS, which DuckDB has in the parentheses; of first() Spark takes both
Definitions = dict[str, Tokens]


def check_brackets(source: Source, tokens: Tokens, names: Names) -> None:
    """In a statement that may be ours, each bracket is closed; else the calls could not be found."""
    known = names.registered | {"slide", "expiration"}
    opened: list[Token] = []
    for token in tokens:
        if token.kind in ("L_PAREN", "L_BRACKET"):
            opened.append(token)
        elif token.kind in ("R_PAREN", "R_BRACKET") and opened:
            opened.pop()
    if opened and any(token.text.lower() in known for token in tokens):
        raise source.error(f"iw.sql: this {opened[-1].text} is not closed", opened[-1].span)


def find_calls(source: Source, tokens: Tokens, names: Names) -> list[Place]:
    """The calls that are ours, in the order of the text."""
    named = definitions(source, tokens)
    found: list[Place] = []
    for at in range(len(tokens) - 1):
        place = _call_at(source, tokens, at, names, named)
        if place is None:
            continue
        around = next((one for one in found if place.span in one.span), None)
        if around is not None:
            raise source.error(
                f"iw.sql: {place.label} is inside the call of {around.label}: compute the inner one in a subquery, as in FROM "
                "(SELECT *, ... OVER (...) AS w FROM ...), and read its column",
                place.span,
            )
        found.append(place)
    return found


def definitions(source: Source, tokens: Tokens) -> Definitions:
    """The windows that this query defines by ``WINDOW name AS (...)``, without their parentheses."""
    found: Definitions = {}
    levels = depths(tokens)
    for at, token in enumerate(tokens):
        if token.kind == "WINDOW" and not levels[at] and is_definition(tokens, at + 1):
            at += 1
            while (definition := definition_at(tokens, at)) is not None:
                name = tokens[at].text.lower()
                if name in found:
                    raise source.error(f"iw.sql: the window {name} is defined twice", tokens[at].span)
                found[name], close = definition
                at = next_definition(tokens, close)
    return found


def is_definition(tokens: Tokens, at: int) -> bool:
    """Whether ``name AS (`` stands here."""
    return at + 2 < len(tokens) and tokens[at + 1].kind == "ALIAS" and tokens[at + 2].kind == "L_PAREN"


def definition_at(tokens: Tokens, at: int) -> tuple[Tokens, int] | None:
    """What the window ``name AS (...)`` or ``name AS other`` holds, and where it ends."""
    if is_definition(tokens, at):
        close = close_of(tokens, at + 2)
        return None if close is None else (tokens[at + 3 : close], close)
    is_name = at + 2 < len(tokens) and tokens[at + 1].kind == "ALIAS" and tokens[at + 2].kind in ("VAR", "IDENTIFIER")
    return (tokens[at + 2 : at + 3], at + 2) if is_name else None


def next_definition(tokens: Tokens, close: int) -> int:
    """Where the next window of the clause begins; behind all tokens where there is none."""
    return close + 2 if close + 1 < len(tokens) and tokens[close + 1].kind == "COMMA" else len(tokens)


def _call_at(source: Source, tokens: Tokens, at: int, names: Names, named: Mapping[str, Tokens]) -> Place | None:
    name, opens = tokens[at], tokens[at + 1]
    if opens.kind != "L_PAREN" or not (name.kind == "IDENTIFIER" or name.text[:1].isalpha() or name.text[:1] == "_"):
        return None
    if at and (tokens[at - 1].kind == "DOT" or (name.kind == "FILTER" and tokens[at - 1].kind == "R_PAREN")):
        return None
    if at and name.says("GROUP") and tokens[at - 1].says("WITHIN"):
        return None
    close = close_of(tokens, at + 1)
    if close is None:
        return None
    known = name.text.lower()
    tail = _Tail.after(tokens, close + 1)
    inside, ignore_nulls = tokens[at + 2 : close], tail.ignore_nulls
    within = _says_of_nulls(inside)
    if within is not None:
        inside, ignore_nulls = inside[:-2], within
    if tail.over is None:
        return _without_over(source, name, inside, tokens[close], names)
    over_tokens, over_span = tail.over
    single = over_tokens[0].text.lower() if len(over_tokens) == 1 else ""
    extension = extended(over_tokens) or extended(named.get(single, ()))
    if extension is None and within is not None and known in _SPARK_WRITES_BEHIND:
        extension = tokens[close - 2]
    if known not in names.registered and not (known in names.built_in and (names.is_all or extension is not None)):
        if extension is not None:
            raise _unknown(source, name, extension, names)
        return None
    span = Span(name.span.start, over_span.end)
    arguments, distinct = _arguments(source, name, inside)
    return Call(
        name=known,
        span=span,
        label=f"{name.text}({source.on_one_line(span_of(inside)) if inside else ''})",
        arguments=arguments,
        distinct=distinct,
        ignore_nulls=ignore_nulls,
        condition=_condition(source, tail),
        over=read_over(source, over_tokens, over_span, named),
    )


@dataclass(frozen=True)
class _Tail:
    """What follows ``name(...)``: FILTER (...), IGNORE NULLS, OVER ..., in any order that ends with OVER."""

    ignore_nulls: bool | None = None
    filter: Tokens | None = None
    over: tuple[Tokens, Span] | None = None

    @classmethod
    def after(cls, tokens: Tokens, at: int) -> "_Tail":
        ignore: bool | None = None
        condition: Tokens | None = None
        while at + 1 < len(tokens):
            word, following = tokens[at], tokens[at + 1]
            close = close_of(tokens, at + 1) if following.kind == "L_PAREN" else None
            if word.says("IGNORE", "RESPECT") and following.says("NULLS"):
                ignore, at = word.says("IGNORE"), at + 2
            elif word.kind == "FILTER" and close is not None:
                condition, at = tokens[at + 2 : close], close + 1
            elif word.kind == "OVER" and close is not None:
                return cls(ignore, condition, (tokens[at + 2 : close], Span(word.span.start, tokens[close].span.end)))
            elif word.kind == "OVER" and (following.kind == "IDENTIFIER" or following.text[:1].isalpha()):
                return cls(ignore, condition, ([following], Span(word.span.start, following.span.end)))
            else:
                break
        return cls(ignore, condition)


def _says_of_nulls(inside: Tokens) -> bool | None:
    """Whether arguments end with IGNORE NULLS; None where they say nothing of NULLs."""
    if len(inside) < 3 or not inside[-1].says("NULLS") or not inside[-2].says("IGNORE", "RESPECT"):
        return None
    return inside[-2].says("IGNORE")


def _without_over(source: Source, name: Token, inside: Tokens, close: Token, names: Names) -> Emission | None:
    span = Span(name.span.start, close.span.end)
    known = name.text.lower()
    if known == "emitted_at" and not inside:
        return Emission(span)
    if known in names.registered and not (inside and inside[0].says("ROW_NUMBER")):
        raise source.error(
            f"iw.sql: {name.text}(...) lacks its window: write OVER (PARTITION BY ... ORDER BY ... ROWS 49 PRECEDING) behind it; "
            f"for GROUP BY, write iw.group_by(df, 'key').agg(...) of the aggregate in Python",
            span,
        )
    return None


def _unknown(source: Source, name: Token, extension: Token, names: Names) -> UsageError:
    known = sorted(names.registered | names.built_in)
    close = difflib.get_close_matches(name.text.lower(), known, 1)
    hint = f"did you mean {close[0]}? " if close else ""
    what = "ACTIVE EXPIRATION" if extension.says("ACTIVE") else extension.text.upper()
    return source.error(
        f"iw.sql: {name.text} is no aggregate of inwindow, so its window takes no {what}; {hint}"
        f'register an aggregate with iw.register(spark, "{name.text}", ...)',
        name.span,
    )


def _arguments(source: Source, name: Token, inside: Tokens) -> tuple[tuple[Span, ...], bool]:
    distinct = bool(inside) and inside[0].kind == "DISTINCT"
    listed = split(inside[distinct:])
    if not all(listed) or distinct and not listed:
        raise source.error(f"iw.sql: {name.text}(...): an argument is missing", name.span)
    star = next((one[-1] for one in listed if one[-1].kind == "STAR"), None)
    if star is not None:
        if name.text.lower() == "count" and len(inside) == 1:
            return (), False
        raise source.error(
            f"iw.sql: {name.text}({source.on_one_line(span_of(inside))}): name the columns; only count(*) takes a star",
            star.span,
        )
    return tuple(span_of(one) for one in listed), distinct


def _condition(source: Source, tail: _Tail) -> Span | None:
    if tail.filter is None:
        return None
    if len(tail.filter) < 2 or tail.filter[0].kind != "WHERE":
        at = span_of(tail.filter) if tail.filter else tail.over[1] if tail.over else Span(0, 0)
        raise source.error("iw.sql: write FILTER (WHERE condition)", at)
    return span_of(tail.filter[1:])


def call_end(tokens: Tokens, at: int) -> int | None:
    """The index behind a call with all that belongs to it, if one begins at ``at``."""
    close = close_of(tokens, at + 1)
    if close is None:
        return None
    end = close + 1
    tail = _Tail.after(tokens, end)
    last = tail.over[1].end if tail.over else span_of(tail.filter).end if tail.filter else tokens[close].span.end
    while end < len(tokens) and tokens[end].span.start < last:
        end += 1
    return end if tail.over or not tail.filter else end + 1
