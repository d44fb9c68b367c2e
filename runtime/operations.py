"""Where an operator runs: here, on tables; or on Spark, where workers run the same on what shares its keys.

An operator is an :class:`Operation`: what it does with tables, and which rows must be together for that.
"""

from abc import ABC, abstractmethod
from typing import Any

import pyarrow as pa

from inwindow.runtime.arrow_data import ArrowData
from inwindow.runtime.places import place_of
from inwindow.runtime.reader import Reader
from inwindow.runtime.table import Table
from inwindow.udaf.errors import UsageError


class Operation(ABC):
    """An operator and its options; plain data, so that it can be sent to workers."""

    name: str

    @property
    def where(self) -> str:
        """The call, as messages name it."""
        return f"temporal.{self.name}"

    def over(self, *sides: Any) -> "Operation":
        """The same over names alone, where it has columns of Spark's."""
        return self

    def reads(self, schema: pa.Schema) -> list[str]:
        """The columns of the first input that it looks at, or hands through."""
        return schema.names

    def source(self, name: str, schemas: tuple[pa.Schema, ...]) -> tuple[int, str] | None:
        """Of which input's column the values of a result's column are; None if it is made."""
        return (0, name) if name in schemas[0].names else None

    @abstractmethod
    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Per input the columns in which rows must be equal to meet; () where all may meet; None where no row meets another."""

    @abstractmethod
    def run(self, *tables: pa.Table) -> pa.Table:
        """The result. On tables without rows it says all that is wrong without data, and the result's columns."""


def carried_out(operation: Operation, *data: Any) -> Any:
    """The operation's result on data of any kind, as data of the first one's kind."""
    where = operation.where
    position_columns = [place_of(one, where) for one in data]
    if all(isinstance(place, (Table, Reader)) for place in position_columns):
        result = operation.run(*map(_table, position_columns))
        return result.to_reader() if isinstance(position_columns[0], Reader) else result
    if any(isinstance(place, ArrowData) for place in position_columns):
        kinds = [f"a {type(one).__name__}" for one in data]
        if len(data) > 1 and len(set(kinds)) > 1:
            raise UsageError(f"{where}: got {' and '.join(kinds)}: give both as tables, or both as DataFrames")
        raise UsageError(f"{where}: got a stream that is replayed; rows that hold for a while need whole tables")
    from inwindow.runtime.spark.operations import carried_out_on

    return carried_out_on(operation, [place.data for place in position_columns])


def seen_by(operation: Operation, *data: Any) -> tuple[Any, ...]:
    """The operation over names alone, and the schemas of its inputs: for explain."""
    position_columns = [place_of(one, operation.where) for one in data]
    if all(isinstance(place, ArrowData) for place in position_columns):
        return operation, *(place.schema for place in position_columns if isinstance(place, ArrowData))
    from inwindow.runtime.spark.operations import named_over

    return named_over(operation, [place.data for place in position_columns])


def _table(place: Any) -> pa.Table:
    data = place.data
    return data.read_all() if isinstance(data, pa.RecordBatchReader) else data
