"""A pandas-on-Spark DataFrame as a place: its index becomes columns, and results get the index back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inwindow.runtime.query import Query
from inwindow.runtime.spark.frame import Frame
from inwindow.runtime.spark.session import Session


@dataclass(frozen=True)
class PandasFrame(Frame):
    """The rows as a Spark DataFrame, with the levels of the index as columns."""

    levels: tuple[str, ...]
    labels: list[Any]  # of the levels: None where one has no name

    def run(self, query: Query) -> Any:
        match query.verb.rows:
            case "groups":
                return super().run(query).pandas_api()
            case "some tuples":
                titles = query.order or tuple(query.titles)
                levels = {name: name for name in self.levels}
                query = replace(query, passed={**query.passed, **levels}, order=(*titles, *self.levels))
        return self.labelled(super().run(query))

    def labelled(self, rows: Any) -> Any:
        """Rows with the levels as a frame of pandas-on-Spark."""
        return rows.pandas_api(index_col=list(self.levels)).rename_axis(self.labels)


def united(frames: Sequence[Any], union: Callable[[list[Any]], Any]) -> Any:
    """Several frames as one, by a union of Spark DataFrames."""
    return frames[0].labelled(union([frame.data for frame in frames]))


def place_of_pandas(data: Any) -> PandasFrame:
    """The frame of pandas-on-Spark, as a place."""
    names = [name[0] if name is not None else None for name in data._internal.index_names]
    levels = tuple(name or f"__index_level_{at}__" for at, name in enumerate(names))
    df = data.to_spark(index_col=list(levels))
    return PandasFrame(df, Session.of(df), df.schema, levels, names)
