"""A query for Spark, made of pieces of the user's text, so that an error of Spark's can be pointed at there."""

import re
from typing import Any

from inwindow.language.sql.statement import Made, Statement
from inwindow.language.text import Source, Span
from inwindow.runtime.spark.spoken import spoken
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

    def translated(self, error: Any, statement: Statement) -> UsageError:
        """Spark's error, at its place in the user's text."""
        message = spoken(error)
        message += self._hint(error, statement)
        span = self._origin(error)
        if span is None:
            return UsageError(f"iw.sql: Spark says: {message}")
        return self.source.error(f"iw.sql: Spark says: {message}", span)

    def _hint(self, error: Any, statement: Statement) -> str:
        parameters: dict[str, str] = getattr(error, "getMessageParameters", dict)() or {}
        missing = parameters.get("objectName", "").replace("`", "").casefold()
        for item in statement.items:
            if isinstance(item, Made) and item.aliased and item.title.casefold() == missing:
                return (
                    f". {item.title} is the result of a window, which comes after this: filter by QUALIFY, or make a view of "
                    "the statement and select from it"
                )
        return ""

    def _origin(self, error: Any) -> Span | None:
        start, length = None, 1
        contexts: list[Any] = getattr(error, "getQueryContext", list)() or []
        if contexts:
            start, length = contexts[0].startIndex(), contexts[0].stopIndex() + 1 - contexts[0].startIndex()
        elif found := re.search(r"line (\d+),? pos (\d+)", str(error)):
            lines = self.text.split("\n")
            start = sum(len(line) + 1 for line in lines[: int(found[1]) - 1]) + int(found[2])
        if start is None:
            return None
        for at, span in reversed(self.origins):
            if at <= start:
                begin = min(span.start + start - at, span.end)
                return Span(begin, max(begin + 1, min(begin + length, span.end)))
        return None
