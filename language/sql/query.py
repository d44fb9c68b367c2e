"""A query for an engine from pieces of the user's text, so that the place of an engine's error can be found in that text."""

from inwindow.language.engines import EngineError
from inwindow.language.sql.statement import Made, Statement
from inwindow.language.text import Source, Span, tokens_of
from inwindow.udaf.errors import UsageError


class Query:
    """A query made of pieces of the user's text, which knows where each comes from."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = ""
        self.items = 0
        self.origins: list[tuple[int, Span]] = []

    def add(self, part: str | Span) -> None:
        """Some text."""
        if isinstance(part, Span):
            self.origins.append((len(self.text), part))
            part = self.source[part]
        self.text += part

    def item(self, *parts: str | Span) -> None:
        """An item of the select list."""
        self.add(",\n" if self.items else "")
        for part in parts:
            self.add(part)
        self.items += 1

    def translated(self, error: EngineError, statement: Statement, engine: str) -> UsageError:
        """The engine's error, at its place in the user's text."""
        message = f"iw.sql: {engine} says: {error.message}{self._hint(error, statement)}"
        span = self._origin(error)
        return UsageError(message) if span is None else self.source.error(message, span)

    def _hint(self, error: EngineError, statement: Statement) -> str:
        for item in statement.items:
            if isinstance(item, Made) and item.aliased and item.title.casefold() == error.missing.casefold():
                return (
                    f". {item.title} is the result of a window, which comes after this: filter by QUALIFY, or put the "
                    "statement into a subquery and select from that"
                )
        return ""

    def _origin(self, error: EngineError) -> Span | None:
        if error.start is None:
            return error.place(tokens_of(self.source))
        for at, span in reversed(self.origins):
            if at <= error.start:
                begin = min(span.start + error.start - at, span.end)
                return Span(begin, max(begin + 1, min(begin + error.length, span.end)))
        return None
