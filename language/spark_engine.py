"""Spark as an engine, classic or Connect."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from inwindow.language.engines import EngineError, SortedBy, quoted
from inwindow.language.esl.kinds import Kind
from inwindow.runtime.spark.messages import message_of
from inwindow.runtime.spark.session import Session, sort_order


class Spark:
    """Queries of a session; what Spark says of them comes with its place."""

    name = "Spark"

    def __init__(self, session: Any) -> None:
        self.session = session

    def query(self, text: str) -> Any:
        return self._asked(lambda: self.session.sql(text), text)

    def run(self, text: str) -> Any:
        """Any statement."""
        return self._asked(lambda: self.session.sql(text), text)

    def register(self, name: str, frame: Any) -> None:
        """A frame as a view of the session."""
        frame.createOrReplaceTempView(quoted(name))

    def drop(self, name: str) -> None:
        """Forget a view, or drop a table."""
        if not self.session.catalog.dropTempView(name):
            self.run(f"DROP TABLE {quoted(name)}")

    def forget(self, name: str) -> None:
        """An inner query's view stays in the session: on Connect the frame that reads it is only resolved when it runs."""

    def is_of(self, frame: Any, column: str, kind: Kind) -> bool:
        """Whether a column has a type already."""
        found = next(field.dataType.simpleString() for field in frame.schema if field.name == column)
        return found == kind.ddl or (found, kind.ddl) == ("timestamp_ntz", "timestamp")

    def column(self, frame: Any, name: str) -> Any:
        """What a column is, for :meth:`with_nulls`."""
        return frame.schema[name].dataType

    def with_nulls(self, frame: Any, names: Sequence[str], like: Any) -> Any:
        """More columns, of NULLs."""
        F = Session.of(frame).F
        return frame.select("*", *[F.lit(None).cast(like).alias(name) for name in names])

    def names(self) -> list[str]:
        return [table.name for table in self.session.catalog.listTables()]

    def types(self, frame: Any) -> list[str]:
        return [kind for _, kind in frame.dtypes]

    def merged(self, frame: Any, order_by: str) -> Any:
        """Windows put tuples in order by themselves."""
        return frame

    def _asked(self, make: Callable[[], Any], text: str = "") -> Any:
        from pyspark.errors import AnalysisException

        from inwindow.runtime.spark.analysis import ask_quietly

        try:
            df = ask_quietly(make)
            ask_quietly(lambda: df.columns)  # Connect asks only now
        except AnalysisException as error:
            failure = _placed(error, text)
        else:
            return df
        raise failure

    def columns(self, frame: Any) -> list[str]:
        return list(frame.columns)

    def renamed(self, frame: Any, names: Sequence[str], dropped: Sequence[str]) -> Any:
        return frame.toDF(*names).drop(*dropped)

    def project(self, frame: Any, items: Sequence[tuple[str, str | None]]) -> Any:
        return frame.selectExpr(*[text if name is None else f"{text} AS {quoted(name)}" for text, name in items])

    def where(self, frame: Any, condition: str) -> Any:
        return frame.where(condition)

    def distinct(self, frame: Any) -> Any:
        return frame.distinct()

    def ordered(self, frame: Any, keys: Sequence[SortedBy]) -> Any:
        F = Session.of(frame).F
        return frame.orderBy(*[sort_order(F.expr(text), ascending=up, nulls_first=first) for text, up, first in keys])

    def cut(self, frame: Any, limit: int | None, offset: int | None) -> Any:
        frame = frame if offset is None else frame.offset(offset)
        return frame if limit is None else frame.limit(limit)

    def is_stream(self, frame: Any) -> bool:
        return bool(frame.isStreaming)

    def whole(self, frame: Any, most: int) -> pa.Table:
        if self.is_stream(frame):
            raise EngineError(
                "an aggregate reads tables, and this is a stream: join it to the stream that the aggregate is over"
            )
        return frame.limit(most).toArrow()

    def a_row_each(self, frame: Any, column: str) -> Any:
        return frame.withColumn(column, Session.of(frame).F.explode(quoted(column)))

    def steps(self, make: Callable[[], Any]) -> Any:
        return self._asked(make)


def _placed(error: Any, text: str) -> EngineError:
    """Spark's error, and where in the query it is."""
    parameters: dict[str, str] = getattr(error, "getMessageParameters", dict)() or {}
    missing = parameters.get("objectName", "").replace("`", "")
    contexts: list[Any] = getattr(error, "getQueryContext", list)() or []
    start, length = None, 1
    fragment = contexts[0].fragment() if contexts else ""
    if contexts and text:
        start, length = contexts[0].startIndex(), contexts[0].stopIndex() + 1 - contexts[0].startIndex()
    elif found := re.search(r"line (\d+),? pos (\d+)", str(error)):
        lines = text.split("\n")
        start = sum(len(line) + 1 for line in lines[: int(found[1]) - 1]) + int(found[2])
    return EngineError(message_of(error), start, length, missing, fragment)
