"""Queries inside of a statement: each with windows of ours runs first, and its place in the text takes a table.

::

    SELECT * FROM (SELECT item, my_avg(price) OVER w AS a FROM bids WINDOW w AS (...)) b WHERE a > 10
    SELECT * FROM (SELECT *                                FROM _iwq0               ) b WHERE a > 10

So it is for subqueries, for WITH and for the sides of UNION, EXCEPT and INTERSECT. All else keeps its place in the text, so that
errors point to what the user wrote. A query reads the WITH queries before it; it cannot read columns of the query around it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from inwindow.language.text import Source, Span, Tokens, close_of, depths, span_of, tokens_of

_JOINED = ("UNION", "EXCEPT", "INTERSECT")
_OF_ALL = ("ORDER_BY", "SORT_BY", "LIMIT", "OFFSET")  # behind the last side, of the whole

Run = Callable[
    [Source, Tokens], str | None
]  # runs a query, and names the table of its rows; None where no window is ours


def flattened(source: Source, run: Run) -> Source:
    """The statement over the tables of its inner queries; ``source`` has this statement alone."""
    left: set[Span] = set()  # those that are the engine's alone
    while True:
        tokens = tokens_of(source)
        span = next((span for span in _queries(tokens) if span not in left), None)
        if span is None:
            return source
        inner = _alone(source, tokens, span)
        table = run(inner, tokens_of(inner))
        if table is None:
            left.add(span)
        else:
            source = _with_text(source, span, _laid(["SELECT", "*", "FROM", table], source[span]))


def _queries(tokens: Tokens) -> Iterator[Span]:
    """The queries inside that have a window, the innermost first."""
    if not any(token.kind == "OVER" for token in tokens):
        return
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind == "L_PAREN":
            opened.append(at)
        elif token.kind == "R_PAREN" and opened:
            begin = opened.pop() + 1
            if begin < at and tokens[begin].says("SELECT", "WITH"):
                inside = tokens[begin:at]
                yield from _sides(inside)
                if _has_window(inside):
                    yield span_of(inside)
    yield from _sides(tokens)


def _sides(tokens: Tokens) -> Iterator[Span]:
    """The sides of UNION, EXCEPT and INTERSECT at the top of a query."""
    levels = depths(tokens)
    top = [at for at, depth in enumerate(levels) if not depth]
    joints = [at for at in top if at and tokens[at].kind in _JOINED and tokens[at - 1].kind != "STAR"]
    if not joints:
        return
    last = next((at for at in top if at > joints[-1] and tokens[at].kind in _OF_ALL), len(tokens))
    for begin, end in zip([0, *joints], [*joints, last], strict=True):
        select = next((at for at in top if begin <= at < end and tokens[at].says("SELECT")), None)
        if select is not None and _has_window(tokens[select:end]):
            yield span_of(tokens[select:end])


def _has_window(tokens: Tokens) -> bool:
    return any(token.kind == "OVER" for token in tokens)


@dataclass(frozen=True)
class _Named:
    """A query of WITH: its definition, up to the closing bracket, and the WITH that it belongs to."""

    beginning: int
    start: int
    close: int


def _alone(source: Source, tokens: Tokens, span: Span) -> Source:
    """A query at its own place, behind the WITH queries that it can read; all else is blank."""
    text = "".join("\n" if one == "\n" else " " for one in source.text)
    place = next(at for at, token in enumerate(tokens) if token.span.start >= span.start)
    kept, is_first = [span], True
    for beginning in (at for at in range(place) if tokens[at].kind == "WITH" and _surrounds(tokens, at, place)):
        seen = [one for one in _named(tokens, beginning) if one.close < place]
        if seen:
            kept.append(span_of(tokens[seen[0].start : seen[-1].close + 1]))
            text = _written(text, tokens[beginning].span, "WITH" if is_first else ",")
            if is_first and tokens[beginning + 1].says("RECURSIVE"):
                kept.append(tokens[beginning + 1].span)
            is_first = False
    for piece in kept:
        text = _written(text, piece, source[piece])
    if not is_first and tokens[place].kind == "WITH":
        text = _written(text, tokens[place].span, ",")
    return replace(source, text=text.rstrip(), written=source.written or source.text)


def _named(tokens: Tokens, beginning: int) -> Iterator[_Named]:
    """The queries of a WITH."""
    at = beginning + 1
    at += at < len(tokens) and tokens[at].says("RECURSIVE")
    while at < len(tokens):
        start = at
        while at < len(tokens) and not (tokens[at].kind == "L_PAREN" and tokens[at + 1].says("SELECT", "WITH")):
            at = (close_of(tokens, at) or len(tokens)) + 1 if tokens[at].kind == "L_PAREN" else at + 1
        close = close_of(tokens, at) if at < len(tokens) else None
        if close is None:
            return
        yield _Named(beginning, start, close)
        at = close + 1
        if at >= len(tokens) or tokens[at].kind != "COMMA":
            return
        at += 1


def _surrounds(tokens: Tokens, beginning: int, place: int) -> bool:
    """Whether a token stands in the query that this WITH begins: no bracket around the WITH is closed between them."""
    depth = 0
    for token in tokens[beginning:place]:
        depth += (token.kind == "L_PAREN") - (token.kind == "R_PAREN")
        if depth < 0:
            return False
    return True


def _with_text(source: Source, span: Span, text: str) -> Source:
    return replace(source, text=_written(source.text, span, text), written=source.written or source.text)


def _written(text: str, span: Span, piece: str) -> str:
    """The text with a piece in a place, filled up with blanks."""
    return text[: span.start] + piece.ljust(span.end - span.start) + text[span.end :]


def _laid(words: list[str], over: str) -> str:
    """The words in the space of a text, without its line breaks if they fit so.

    >>> _laid(["SELECT", "*"], "SELECT a\\nFROM t")
    'SELECT *\\n      '
    """
    result, waiting = [], list(words)
    for line in over.split("\n"):
        laid = ""
        while waiting and len(laid) + bool(laid) + len(waiting[0]) <= len(line):
            laid += " " * bool(laid) + waiting.pop(0)
        result.append(laid.ljust(len(line)))
    return " ".join(words).ljust(len(over)) if waiting else "\n".join(result)
