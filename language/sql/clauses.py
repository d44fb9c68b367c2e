"""The clauses of the one SELECT: where each begins and ends, at the top of the statement."""

from dataclasses import dataclass

from inwindow.language.sql.calls import definition_at, is_definition, next_definition
from inwindow.language.sql.over import extended
from inwindow.language.text import Source, Span, Token, Tokens, depths, ends_operand, span_of
from inwindow.udaf.errors import UsageError

_KINDS = (
    "FROM", "WHERE", "GROUP_BY", "HAVING", "WINDOW", "QUALIFY", "ORDER_BY", "SORT_BY", "CLUSTER_BY",
    "DISTRIBUTE_BY", "LIMIT", "OFFSET",
)  # fmt: skip
_NAMES = ("FROM", "WINDOW", "QUALIFY", "LIMIT", "OFFSET")  # may be something else: IS DISTINCT FROM, a column's name
_SPARKS = ("FROM", "WHERE", "GROUP_BY", "HAVING")
_JOINED = {"UNION", "EXCEPT", "INTERSECT"}


@dataclass(frozen=True)
class Clauses:
    """The parts of the statement, as pieces of text and tokens."""

    head: tuple[Span, ...]  # WITH ... SELECT and its hints, without DISTINCT
    distinct: bool
    items: Tokens
    body: tuple[Span, ...]  # FROM, WHERE, GROUP BY, HAVING
    group_by: Tokens | None
    windows: tuple[Span, ...]  # the WINDOW clause
    definitions: tuple[Span, ...]  # its definitions without SLIDE and ACTIVE EXPIRATION
    qualify: Tokens | None
    order_by: Tokens | None
    limit: int | None
    offset: int | None


def read_clauses(source: Source, tokens: Tokens, ours: Span) -> Clauses:
    """Find the clauses; ``ours`` is the place of our first window, for what is said of the whole statement."""
    levels = depths(tokens)
    top = [at for at, depth in enumerate(levels) if depth == 0]
    begin = _select_at(source, tokens, top)
    starts = [at for at in top if at > begin and _is_clause(tokens, at)]
    ends = dict(zip(starts, [*starts, len(tokens)][1:], strict=True))
    found = {tokens[at].kind: tokens[at + 1 : end] for at, end in ends.items()}
    for at in starts:
        if tokens[at].kind in ("SORT_BY", "CLUSTER_BY", "DISTRIBUTE_BY"):
            raise source.error(
                f"iw.sql: {tokens[at].text.upper()} is not supported beside a window of ours: use ORDER BY, or the DataFrame's "
                "own repartition and sortWithinPartitions",
                tokens[at].span,
            )
    first = begin + 1
    head = [Span(0, tokens[begin].span.end)]
    while first < len(tokens) and tokens[first].kind == "HINT":
        head.append(tokens[first].span)
        first += 1
    distinct = first < len(tokens) and tokens[first].kind == "DISTINCT"
    first += distinct or (first < len(tokens) and tokens[first].kind == "ALL")
    items = tokens[first : starts[0] if starts else len(tokens)]
    if not items or items[0].kind == "FROM":
        raise source.error("iw.sql: the select list is empty: write SELECT columns FROM ...", tokens[begin].span)
    windows = [at for at in starts if tokens[at].kind == "WINDOW"]
    return Clauses(
        head=tuple(head),
        distinct=distinct,
        items=items,
        body=tuple(span_of(tokens[at:end]) for at, end in ends.items() if tokens[at].kind in _SPARKS),
        group_by=found.get("GROUP_BY"),
        windows=tuple(span_of(tokens[at : ends[at]]) for at in windows),
        definitions=tuple(span for at in windows for span in _sparks_definitions(source, tokens, at)),
        qualify=_some(source, tokens, starts, found, "QUALIFY"),
        order_by=_some(source, tokens, starts, found, "ORDER_BY"),
        limit=_count(source, tokens, starts, found, "LIMIT"),
        offset=_count(source, tokens, starts, found, "OFFSET"),
    )


def _select_at(source: Source, tokens: Tokens, top: list[int]) -> int:
    """Where the one SELECT begins; anything else is an error."""
    first = tokens[0]
    for at in top:
        if tokens[at].kind == "SEMICOLON":
            raise source.error("iw.sql takes one statement, and a second one begins here", tokens[at].span)
        of_star = tokens[at].kind == "EXCEPT" and tokens[at - 1].kind == "STAR"  # SELECT * EXCEPT (ts)
        if tokens[at].kind in _JOINED and not of_star or tokens[at].text == "|>":
            what = tokens[at].text.upper()
            raise source.error(
                f"iw.sql: beside {what}, a window of ours stands in a SELECT of its own: write SELECT *, ... OVER (...) AS w FROM "
                f"(... {what} ...)",
                tokens[at].span,
            )
    if first.kind not in ("SELECT", "WITH"):
        raise _not_a_select(source, first)
    selects = [at for at in top if tokens[at].kind == "SELECT"]
    if not selects:
        raise _not_a_select(source, first)
    if first.kind == "WITH":
        stray = next((tokens[at] for at in top[: top.index(selects[0])] if tokens[at].kind in ("INSERT", "FROM")), None)
        if stray is not None:
            raise _not_a_select(source, stray)
    return selects[0]


def _not_a_select(source: Source, token: Token) -> UsageError:
    word = token.text.upper()
    instead = {
        "INSERT": "iw.sql(spark, 'SELECT ...').write.insertInto('table')",
        "CREATE": "iw.sql(spark, 'SELECT ...').createOrReplaceTempView('name') or .write.saveAsTable('name')",
        "FROM": "SELECT first, then FROM",
    }.get(word, "the SELECT alone")
    return source.error(f"iw.sql takes one SELECT, and this begins with {word}: write {instead}", token.span)


def _is_clause(tokens: Tokens, at: int) -> bool:
    """Whether a clause begins here, rather than that a column has its name (``offset``, ``window``)."""
    token, before = tokens[at], tokens[at - 1]
    if token.kind not in _KINDS:
        return False
    if token.kind not in _NAMES:
        return True
    if not ends_operand(before) and not (before.says("ALL") and token.kind != "FROM"):
        return False
    if token.kind == "WINDOW":
        return is_definition(tokens, at + 1)
    if token.kind in ("LIMIT", "OFFSET"):
        return at + 1 < len(tokens) and tokens[at + 1].kind not in ("COMMA", "FROM", "DOT")
    return True


def _sparks_definitions(source: Source, tokens: Tokens, at: int) -> list[Span]:
    found, at = [], at + 1
    while at < len(tokens):
        definition = definition_at(tokens, at)
        if definition is None:
            if is_definition(tokens, at):
                raise source.error("iw.sql: this parenthesis is not closed", tokens[at + 2].span)
            break
        inside, close = definition
        if extended(inside) is None:
            found.append(span_of(tokens[at : close + 1]))
        at = next_definition(tokens, close)
    return found


def _some(source: Source, tokens: Tokens, starts: list[int], found: dict[str, Tokens], kind: str) -> Tokens | None:
    if kind not in found:
        return None
    if not found[kind]:
        at = next(at for at in starts if tokens[at].kind == kind)
        raise source.error(f"iw.sql: {tokens[at].text.upper()} lacks an expression", tokens[at].span)
    return found[kind]


def _count(source: Source, tokens: Tokens, starts: list[int], found: dict[str, Tokens], kind: str) -> int | None:
    written = _some(source, tokens, starts, found, kind)
    if written is None or kind == "LIMIT" and len(written) == 1 and written[0].says("ALL"):
        return None
    if len(written) != 1 or not written[0].text.isdigit():
        raise source.error(f"iw.sql: {kind} is a number that is written out: {kind} 10", span_of(written))
    return int(written[0].text)
