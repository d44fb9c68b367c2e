"""The text of a statement: places in it, its tokens, and errors that show a place.

sqlglot reads the text into tokens with their places; Spark always gets unchanged pieces of the text.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from inwindow.udaf.errors import UsageError

_SHOWN = 120  # characters of a line in a message
_OPEN, _CLOSE = {"L_PAREN", "L_BRACKET", "L_BRACE"}, {"R_PAREN", "R_BRACKET", "R_BRACE"}
_OPERANDS = {
    "VAR", "IDENTIFIER", "NUMBER", "STRING", "RAW_STRING", "R_PAREN", "R_BRACKET", "STAR", "END", "TRUE", "FALSE", "NULL",
    "ASC", "DESC", "FIRST", "ROW", "PLACEHOLDER",
}  # fmt: skip


class StatementError(UsageError):
    """A statement that is not accepted; the message shows the place in its text."""


@dataclass(frozen=True)
class Span:
    """A piece of the text: from ``start`` up to, not including, ``end``."""

    start: int
    end: int

    def __contains__(self, other: "Span") -> bool:
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True)
class Token:
    """A word, a number or a sign; ``kind`` is sqlglot's name for its type."""

    kind: str
    text: str
    span: Span

    def says(self, *words: str) -> bool:
        """Whether the token is one of these words (in capitals), whatever the case it is written in."""
        return self.kind not in ("STRING", "RAW_STRING", "IDENTIFIER") and self.text.upper() in words


Tokens = Sequence[Token]


@dataclass(frozen=True)
class Source:
    """What the user wrote.

    >>> print(Source("SELECT a\\nFROM  b").error("no table", Span(15, 16)))
    no table (line 2, column 7)
      FROM  b
            ^
    """

    text: str
    speaker: str = "iw.sql"  # the name of the call, for errors in a text that cannot be read
    implied_order: Span | None = (
        None  # the order of a stream, for windows without ORDER BY; in a comment behind the text
    )
    written: str = (
        ""  # what the user wrote, for messages, where ``text`` has something else in the place of inner queries
    )

    def __getitem__(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def on_one_line(self, span: Span) -> str:
        """A stretch of the text for a message or a name."""
        return " ".join(self[span].split())

    def error(self, message: str, span: Span) -> StatementError:
        """An error with the place in the text: line and column (from 1), the line, and marks below it."""
        written = self.written or self.text
        before = written[: span.start]
        start = before.rfind("\n") + 1
        line = written[start:].split("\n", 1)[0].rstrip("\r")
        column = span.start - start
        cut = max(0, column - _SHOWN // 2) if len(line) > _SHOWN else 0
        shown = line[cut : cut + _SHOWN]
        margin = "".join("\t" if c == "\t" else " " for c in line[cut:column])
        marks = "^" * max(1, min(span.end - span.start, len(shown) - (column - cut)))
        where = f"line {before.count(chr(10)) + 1}, column {column + 1}"
        return StatementError(f"{message} ({where})\n  {shown}\n  {margin}{marks}")


def library(speaker: str = "iw.sql") -> Any:
    """sqlglot, or an error that says how to get it."""
    try:
        import sqlglot
    except ImportError:
        raise UsageError(
            f"{speaker} reads a statement with sqlglot, which is not installed: pip install 'inwindow[sql]'"
        ) from None
    return sqlglot


def tokens_of(source: Source) -> list[Token]:
    """The tokens of the text, without comments.

    >>> [token.text for token in tokens_of(Source("SELECT `a b` -- why\\nFROM t"))]
    ['SELECT', 'a b', 'FROM', 't']
    """
    sqlglot = library(source.speaker)
    try:
        found = sqlglot.tokenize(source.text, dialect="spark")
    except sqlglot.errors.TokenError as error:
        raise _unreadable(source, error) from None
    return [Token(one.token_type.name, one.text, Span(one.start, one.end + 1)) for one in found]


def parsed(source: Source, tokens: Tokens, hint: str = "") -> Any:
    """A statement or expression of ordinary SQL as sqlglot's tree: its names know their places in the whole text."""
    sqlglot = library(source.speaker)
    if not tokens:
        raise UsageError(f"{source.speaker}: the text says nothing: write a statement, as in 'SELECT ...'")
    kinds, made = sqlglot.TokenType, sqlglot.tokens.Token
    dialect = sqlglot.Dialect.get_or_raise("spark")
    raw = [  # the column of a token, for errors, is its number
        made(kinds[token.kind], token.text, 1, number, token.span.start, token.span.end - 1)
        for number, token in enumerate(tokens)
    ]
    try:
        with quiet():
            found = dialect.parser().parse(raw, source.text)
    except sqlglot.errors.ParseError as error:
        told = error.errors[0] if error.errors else {}
        at = tokens[min(max(told.get("col") or 0, 0), len(tokens) - 1)]
        failure = source.error(f"{source.speaker}: this is not SQL: {reason_of(told)}{hint}", at.span)
    except RecursionError:
        failure = source.error(f"{source.speaker}: this is nested too deeply", span_of(tokens))
    else:
        if len(found) == 1 and found[0] is not None and not isinstance(found[0], sqlglot.exp.Command):
            return found[0]
        failure = source.error(f"{source.speaker}: this is not a statement of SQL", span_of(tokens))
    raise failure


def reason_of(told: dict[str, Any]) -> str:
    """What sqlglot says of a place that it cannot read."""
    said = str(told.get("description", "it cannot be read"))
    if said.startswith("Required keyword"):
        return "something is missing here"
    if "but got <Token" in said:
        return said.split(" but got")[0][:1].lower() + said.split(" but got")[0][1:]
    return "this is not expected here" if said.startswith("Invalid expression") else said[:1].lower() + said[1:]


@contextmanager
def quiet() -> Iterator[None]:
    """Silence sqlglot's warning about a statement that it reads as a mere command; here that is an error."""
    log = logging.getLogger("sqlglot")
    was, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = was


@contextmanager
def not_too_deep(source: Source) -> Iterator[None]:
    """Brackets in brackets, until Python's own stack is full: a message in the place of its traceback."""
    try:
        yield
    except RecursionError:
        raise source.error(f"{source.speaker}: this is nested too deeply", Span(0, len(source.text))) from None


def in_order_of(source: Source, column: str) -> Source:
    """The same text for a stream that is in the order of a column."""
    start = len(source.text) + 4
    return replace(source, text=f"{source.text}\n-- {column}", implied_order=Span(start, start + len(column)))


def alone(source: Source, tokens: Tokens) -> Source:
    """One statement of a script at its own place: everything before it is blank."""
    whole = span_of(tokens)
    before = "".join("\n" if character == "\n" else " " for character in source.text[: whole.start])
    return Source(before + source[whole], source.speaker)


def place_of(node: Any, otherwise: Span) -> Span:
    """Where a part of a tree stands: from its first name to its last."""
    found = [part.meta for part in node.walk() if "start" in part.meta]
    if not found:
        return otherwise
    return Span(min(meta["start"] for meta in found), max(meta["end"] for meta in found) + 1)


def _unreadable(source: Source, error: Exception) -> UsageError:
    """The error for a quotation or a comment that is not closed: the last one that was opened."""
    sqlglot, text = library(), source.text
    for at in (i for i in range(len(text) - 1, -1, -1) if text[i] in "'\"`/"):
        try:
            sqlglot.tokenize(text[:at], dialect="spark")
        except (sqlglot.errors.TokenError, IndexError):
            continue
        what = "comment" if text[at] == "/" else "quotation"
        return source.error(f"{source.speaker}: this {what} is not closed", Span(at, at + 1))
    return source.error(f"{source.speaker}: the text cannot be read ({error})", Span(len(text), len(text)))


def ends_operand(token: Token | None) -> bool:
    """Whether an expression may end with the token, so that what follows is an operator or a clause, not a name."""
    return token is not None and (token.kind in _OPERANDS or token.text[:1].isalpha() and not _leads(token))


def _leads(token: Token) -> bool:
    """Words after which an expression begins."""
    leading = (
        "SELECT", "DISTINCT", "ALL", "WHERE", "HAVING", "QUALIFY", "BY", "AND", "OR", "NOT", "XOR", "DIV", "IN", "LIKE",
        "RLIKE", "ILIKE", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "IS", "AS", "ON", "FROM", "JOIN",
    )  # fmt: skip
    return token.text.upper().split()[-1] in leading


def close_of(tokens: Tokens, at: int) -> int | None:
    """Where the bracket at ``at`` is closed."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].kind in _OPEN) - (tokens[index].kind in _CLOSE)
        if depth == 0:
            return index
    return None


def depths(tokens: Tokens) -> list[int]:
    """How many brackets are open around each token."""
    result, depth = [], 0
    for token in tokens:
        depth -= token.kind in _CLOSE
        result.append(depth)
        depth += token.kind in _OPEN
    return result


def span_of(tokens: Tokens) -> Span:
    """From the first token to the last."""
    return Span(tokens[0].span.start, tokens[-1].span.end)


def split(tokens: Tokens) -> list[Tokens]:
    """The tokens between the commas that are in no bracket."""
    if not tokens:
        return []
    at = [
        i
        for i, (token, depth) in enumerate(zip(tokens, depths(tokens), strict=True))
        if token.kind == "COMMA" and not depth
    ]
    return [tokens[a + 1 : b] for a, b in zip([-1, *at], [*at, len(tokens)], strict=True)]
