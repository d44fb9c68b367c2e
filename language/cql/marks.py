"""The syntax that CQL adds to SQL: windows in brackets, and ISTREAM, DSTREAM, RSTREAM around a select list.

::

    S [RANGE 5 HOURS]   S [NOW]   S [RANGE UNBOUNDED]   S [ROWS 10]   S [PARTITION BY item_id ROWS 1]
    SELECT ISTREAM(a, b) FROM ...      SELECT RSTREAM(*) EVERY 1 MINUTE FROM ...

These marks are removed from the text, and remembered by the place of the name before or after them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from inwindow.language.text import Source, Span, Token, Tokens, close_of, span_of, split
from inwindow.udaf.errors import UsageError
from inwindow.windows.frames import range as range_frame
from inwindow.windows.frames import rows as rows_frame
from inwindow.windows.frames import unbounded
from inwindow.windows.interval import Interval, Size

STREAMS = ("ISTREAM", "DSTREAM", "RSTREAM")
_FIRST = ("RANGE", "ROWS", "NOW", "PARTITION BY", "UNBOUNDED")


@dataclass(frozen=True)
class WindowMark:
    """A window in brackets: its size in time or tuples, None for unbounded; ``text`` is its source."""

    text: str
    size: Size | None
    counts: bool = False
    partition_by: tuple[str, ...] = ()
    is_now: bool = False

    def frame(self, order_by: str) -> Any:
        """The window over a stream in the order of a column."""
        if self.size is None:
            return unbounded(order_by=order_by)
        if isinstance(self.size, int) and self.counts:
            return rows_frame(self.size, partition_by=list(self.partition_by), order_by=order_by)
        return range_frame(self.size, order_by=order_by)


@dataclass(frozen=True)
class StreamMark:
    """ISTREAM, DSTREAM or RSTREAM, and how often RSTREAM takes a snapshot."""

    operator: str
    every: Size | None
    span: Span


UNBOUNDED = WindowMark("RANGE UNBOUNDED", None)


@dataclass
class Marks:
    """The tokens without the marks; windows by the place of a name, streams by the name of an inserted column."""

    tokens: list[Token] = field(default_factory=list)
    windows: dict[int, WindowMark] = field(default_factory=dict)
    streams: dict[str, StreamMark] = field(default_factory=dict)


def is_cql(tokens: Tokens) -> bool:
    """Whether a statement is CQL: it has a window in brackets, or a stream of changes."""
    pairs = zip(tokens, tokens[1:], strict=False)
    return any(
        (one.kind == "L_BRACKET" and other.says(*_FIRST)) or (one.says(*STREAMS) and other.kind == "L_PAREN")
        for one, other in pairs
    )


def take_marks(source: Source, tokens: Tokens) -> Marks:
    """Take the marks out."""
    return _Taker(source, Marks()).run(list(tokens))


class _Taker:
    def __init__(self, source: Source, marks: Marks) -> None:
        self.source = source
        self.marks = marks

    def error(self, message: str, at: Token | Span) -> UsageError:
        return self.source.error(f"{self.source.speaker}: {message}", at.span if isinstance(at, Token) else at)

    def run(self, tokens: list[Token]) -> Marks:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.kind == "L_BRACKET" and at and at + 1 < len(tokens) and tokens[at + 1].says(*_FIRST):
                at = self._window(tokens, at)
            elif (
                token.says("SELECT")
                and at + 2 < len(tokens)
                and tokens[at + 1].says(*STREAMS)
                and tokens[at + 2].kind == "L_PAREN"
            ):
                at = self._stream(tokens, at)
            elif (
                token.says(*STREAMS)
                and at + 2 < len(tokens)
                and tokens[at + 1].kind == "L_PAREN"
                and tokens[at + 2].says("SELECT")
            ):
                self.marks.tokens += [tokens[at + 1], tokens[at + 2]]  # ISTREAM(SELECT ...) around a query
                self._put(token, None)
                at += 3
            else:
                self.marks.tokens.append(token)
                at += 1
        return self.marks

    def _window(self, tokens: list[Token], at: int) -> int:
        close = close_of(tokens, at)
        if close is None:
            raise self.error("this [ is not closed", tokens[at])
        mark = self._read(tokens[at + 1 : close], span_of(tokens[at : close + 1]))
        before = tokens[at - 1]
        if before.kind != "R_PAREN":
            self.marks.windows[before.span.start] = mark
            return close + 1
        behind = close + 1 + (close + 1 < len(tokens) and tokens[close + 1].says("AS"))
        if behind < len(tokens) and (tokens[behind].kind in ("VAR", "IDENTIFIER")):
            self.marks.windows[tokens[behind].span.start] = mark
        else:  # a subquery without a name gets one
            place = tokens[at].span
            self.marks.tokens.append(Token("VAR", f"_cql_{place.start}", place))
            self.marks.windows[place.start] = mark
        return close + 1

    def _read(self, tokens: Sequence[Token], span: Span) -> WindowMark:
        text = self.source.on_one_line(span)[1:-1].strip()
        rest = list(tokens)
        keys: tuple[str, ...] = ()
        if rest[0].says("PARTITION BY"):
            end = next((i for i, token in enumerate(rest) if token.says("ROWS")), None)
            if end is None:
                raise self.error("PARTITION BY counts tuples: write [PARTITION BY key ROWS 1]", span)
            keys = tuple(part[-1].text for part in split(rest[1:end]) if part)
            rest = rest[end:]
        words = [token.text.upper() for token in rest]
        if words == ["NOW"]:
            return WindowMark(text, 0, is_now=True)
        if words in (["RANGE", "UNBOUNDED"], ["ROWS", "UNBOUNDED"], ["UNBOUNDED"]):
            return WindowMark(text, None)
        if words[0] == "ROWS" and len(words) == 2 and words[1].isdigit() and int(words[1]) > 0:
            return WindowMark(text, int(words[1]), True, keys)
        if words[0] == "RANGE" and len(words) > 1:
            return WindowMark(text, self._size(rest[1:], span))
        raise self.error(
            "a window is [RANGE 5 HOURS], [RANGE UNBOUNDED], [NOW], [ROWS 10] or [PARTITION BY key ROWS 1]", span
        )

    def _size(self, tokens: Sequence[Token], span: Span) -> Size:
        if len(tokens) == 1 and tokens[0].text.isdigit():
            return int(tokens[0].text)
        try:
            return Interval.parse(" ".join(token.text for token in tokens))
        except UsageError as error:
            raise self.error(str(error), span) from None

    def _stream(self, tokens: list[Token], at: int) -> int:
        """``SELECT ISTREAM(list)`` is ``SELECT 1 AS mark, list``."""
        select, word = tokens[at], tokens[at + 1]
        close = close_of(tokens, at + 2)
        if close is None or close == at + 3:
            raise self.error(
                f"{word.text.upper()}(...) stands around the select list: write {word.text.upper()}(*)", word
            )
        inside, behind, every = tokens[at + 3 : close], close + 1, None
        if behind < len(tokens) and tokens[behind].says("EVERY"):
            end = next((i for i in range(behind, len(tokens)) if tokens[i].says("FROM")), len(tokens))
            if not word.says("RSTREAM") or end == behind + 1:
                raise self.error("EVERY is how often RSTREAM looks: write RSTREAM(*) EVERY 1 MINUTE", tokens[behind])
            every, behind = self._size(tokens[behind + 1 : end], span_of(tokens[behind:end])), end
        self.marks.tokens.append(select)
        if inside[0].kind == "DISTINCT":
            self.marks.tokens.append(inside.pop(0))
        self._put(word, every)
        self.run(inside)
        return behind

    def _put(self, word: Token, every: Size | None) -> None:
        name = f"_cql_{word.text.lower()}_{word.span.start}"
        self.marks.streams[name] = StreamMark(word.text.upper(), every, word.span)
        written = [("NUMBER", "1"), ("ALIAS", "AS"), ("VAR", name), ("COMMA", ",")]
        self.marks.tokens += [Token(kind, text, word.span) for kind, text in written]
