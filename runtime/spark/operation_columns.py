"""Operators on relations: the columns of all inputs as one DataFrame that goes to Python, and the columns of the result."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from inwindow.runtime.operation import Operation
from inwindow.runtime.sides import SIDE, Sides
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.types import Cast, Result, to_spark


def columns_read(operation: Operation, schemas: Sequence[pa.Schema]) -> list[list[str]]:
    """For each input, the columns that cross to Python."""
    return [operation.reads(schemas[0]), *(schema.names for schema in schemas[1:])]


def sent_of(sides: Sequence[Columns], layout: Sides, *beside: Callable[[int, Mapping[str, Any]], Any]) -> Any:
    """The rows of all sides: columns known by their positions; behind them columns made of each side's, by its number."""
    F = sides[0].session.F
    whole = None
    for number, side in enumerate(sides):
        made = {} if len(sides) == 1 else {SIDE: F.lit(number).cast("tinyint")}
        made |= {known: side.crossing(name) for known, name in layout.layout[number].items()}
        columns = []
        for at, field in enumerate(layout.schema):
            column = made[field.name] if field.name in made else F.lit(None).cast(to_spark(field.type))
            columns.append(column.alias(f"_{at}"))
        part = side.df.select(*columns, *(column(number, made) for column in beside))
        whole = part if whole is None else whole.union(part)
    return whole


def results_of(
    operation: Operation, schemas: tuple[pa.Schema, ...], sides: Sequence[Columns], result: pa.Schema
) -> dict[str, Result]:
    """The result's columns: a column of an input keeps its Spark type; for others it follows from the Arrow type."""
    made = {}
    for field in result:
        source = operation.source(field.name, schemas)
        cast = Cast.of(to_spark(field.type)) if source is None else sides[source[0]].cast(source[1])
        made[field.name] = Result.of(cast)
    return made
