"""``CREATE STREAM name (column type, ...) [ORDER BY column] [SOURCE 'name or path']``, read."""

from dataclasses import dataclass

from inwindow.language.esl.definition import Named
from inwindow.language.esl.kinds import read_kind
from inwindow.language.text import Source, Token, Tokens, close_of, span_of, split


@dataclass(frozen=True)
class DeclaredStream:
    """A stream as it is declared; without ``order_by`` its tuples are in the order in which they come."""

    name: str
    columns: tuple[Named, ...]
    order_by: str | None
    source: Token | None


def read_stream(whole: Source, tokens: Tokens) -> DeclaredStream:
    """Read the declaration of a stream."""
    name, at = name_at(whole, tokens, 2)
    close = close_of(tokens, at) if at < len(tokens) and tokens[at].kind == "L_PAREN" else None
    if close is None:
        raise whole.error(
            f"{whole.speaker}: write CREATE STREAM {name}(column type, ...) ORDER BY column SOURCE 'name'",
            tokens[1].span,
        )
    columns = _columns(whole, tokens[at : close + 1])
    order, source, at = None, None, close + 1
    if at + 1 < len(tokens) and tokens[at].says("ORDER BY"):
        order, at = tokens[at + 1].text, at + 2
        if order.casefold() not in [column.name.casefold() for column in columns]:
            known = ", ".join(column.name for column in columns)
            raise whole.error(f"{whole.speaker}: {order} is no column of {name}; it has: {known}", tokens[at - 1].span)
    if at + 1 < len(tokens) and tokens[at].says("SOURCE"):
        source, at = tokens[at + 1], at + 2
    if at < len(tokens):
        raise whole.error(
            f"{whole.speaker}: {tokens[at].text} is not expected here: write ORDER BY column, then SOURCE 'name'",
            tokens[at].span,
        )
    return DeclaredStream(name, tuple(columns), order, source)


def _columns(whole: Source, tokens: Tokens) -> list[Named]:
    found = []
    for column in split(tokens[1:-1]):
        if len(column) < 2:
            raise whole.error(
                f"{whole.speaker}: a column has a name and a type, as in price real", span_of(column or tokens)
            )
        found.append(Named(column[0].text, read_kind(whole, column[1:]), column[0].span))
    return found


def name_at(whole: Source, tokens: Tokens, at: int) -> tuple[str, int]:
    """A name, which may have dashes in it as in the paper (larceny-in-progress), and what comes behind it."""
    start = at
    while (
        at + 1 < len(tokens)
        and not tokens[at + 1].says("AS", "ORDER BY", "SOURCE")
        and tokens[at + 1].kind != "L_PAREN"
    ):
        at += 1
    if start >= len(tokens) or tokens[start].kind == "L_PAREN" or tokens[start].says("AS", "ORDER BY", "SOURCE"):
        raise whole.error(f"{whole.speaker}: a name is missing here", tokens[min(start, len(tokens) - 1)].span)
    return "".join(token.text for token in tokens[start : at + 1]), at + 1
