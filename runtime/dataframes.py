"""DataFrames of other libraries: their columns as Arrow, and results as frames of the same library.

::

    pandas         index kept; a named index is a column, too; the window of a group as window_start and window_end
    Polars         DataFrame, or LazyFrame, which is collected
    DuckDB         a relation
    pyarrow        a dataset
    a path         of a Parquet file, or a folder of them: comes back as a pyarrow.Table
    any other      that has ``__arrow_c_stream__``: comes back as a pyarrow.Table

A library is imported only if the user has imported it, because otherwise there can be no frame of it. Columns are not copied if
Arrow and the library have the same layout. A frame becomes a table where a query runs; ``explain`` asks for its schema alone.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.query import Query
from inwindow.runtime.reserved import FRAME_ROW
from inwindow.runtime.sound import sound
from inwindow.runtime.table import Table
from inwindow.runtime.unpacked import unpacked, unpacked_schema
from inwindow.udaf.errors import UsageError, shown


@dataclass(frozen=True)
class Library:
    """How frames of a library become tables, and tables become frames."""

    table: Callable[[Any, str], pa.Table]  # makes the table of a frame; the text is the call, for messages
    schema: Callable[[Any, str], pa.Schema]  # that of the table
    frame: Callable[[pa.Table], Any]
    beside: Callable[[Any, Any], Any] | None = (
        None  # adds results, given as a frame, to a frame; None: the whole frame is made anew
    )
    indexed: bool = False  # rows have labels, which stay with them
    names: Callable[[Any], list[str]] | None = None  # of the columns, where types cost more than names


class DataFrame(Table):
    """A frame of another library, as a table."""

    def __init__(self, frame: Any, library: Library, where: str) -> None:
        vars(self).update(frame=frame, library=library, where=where)

    frame: Any
    library: Library
    where: str

    @cached_property
    def given(self) -> pa.Table:
        """The frame as a table: where a query runs."""
        return sound(self.library.table(self.frame, self.where), self.where)

    @cached_property
    def data(self) -> pa.Table:
        return unpacked(self.given)

    @cached_property
    def schema(self) -> pa.Schema:
        return unpacked_schema(
            self.given.schema if "given" in vars(self) else self.library.schema(self.frame, self.where)
        )

    def names(self) -> list[str]:
        return super().names() if self.library.names is None else self.library.names(self.frame)

    def ordered(self, work: Pass) -> str:
        """Not looked at: a frame that is lazy would be computed."""
        if not work.position_columns:
            return super().ordered(work)
        return "put in order, after one look whether it is already, fed in slices"

    def run(self, query: Query) -> Any:
        if query.verb.rows == "every tuple" and self.library.beside is not None:
            results = super().run(query).select(list(query.aggregates))
            return self.library.beside(self.frame, self.library.frame(results))
        if query.verb.rows == "some tuples" and self.library.indexed:
            return self._with_labels(query)
        return self.as_given(super().run(query))

    def as_given(self, rows: pa.Table) -> Any:
        return self.library.frame(rows)

    def _with_labels(self, query: Query) -> Any:
        """Some tuples, with their labels in the frame."""
        numbers = pa.array(np.arange(len(self.data)))
        numbered = Table(self.data.append_column(FRAME_ROW, numbers), self.given)
        titles = query.order or tuple(query.titles)
        rows = numbered.run(replace(query, passed={**query.passed, FRAME_ROW: FRAME_ROW}, order=(*titles, FRAME_ROW)))
        made = self.library.frame(rows.drop_columns([FRAME_ROW]))
        made.index = self.frame.index.take(rows.column(FRAME_ROW).to_numpy())
        return made


def dataframe(data: Any, where: str) -> DataFrame | None:
    """A place for data of another library or for a path; None for anything else."""
    library = _library_of(data)
    if library is None:
        return None
    return DataFrame(data, library, where)


def _library_of(data: Any) -> Library | None:
    kind = type(data)
    module, name = kind.__module__.partition(".")[0], kind.__name__
    if (module, name) in _LIBRARIES:
        return _LIBRARIES[module, name]
    if module == "pyarrow" and hasattr(data, "to_table"):
        return _DATASET
    if isinstance(data, (str, Path)):
        return _PARQUET
    if hasattr(data, "__arrow_c_stream__") and not isinstance(data, pa.ChunkedArray):
        return _ANY
    return None


def _of_pandas(df: Any, where: str) -> pa.Table:
    """The columns, and the named levels of the index."""
    try:
        table = pa.Table.from_pandas(df, preserve_index=False)
        for name, values in _levels(df):
            table = table.append_column(name, values)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UsageError(f"{where}: this pandas DataFrame has no form in Arrow: {str(error).splitlines()[0]}") from None
    return table.replace_schema_metadata(None)


def _schema_of_pandas(df: Any, where: str) -> pa.Schema:
    """Arrow looks into columns of Python objects alone."""
    try:
        schema = pa.Schema.from_pandas(df, preserve_index=False)
        for name, values in _levels(df):
            schema = schema.append(pa.field(name, values.type))
    except (pa.ArrowException, TypeError, ValueError):
        return _of_pandas(df, where).schema  # names the column in its error
    return schema.remove_metadata()


def _names_of_pandas(df: Any) -> list[str]:
    return [
        *map(str, df.columns),
        *(str(name) for name in df.index.names if name is not None and name not in df.columns),
    ]


def _levels(df: Any) -> Iterator[tuple[str, pa.Array]]:
    for name in df.index.names:
        if name is not None and name not in df.columns:
            yield str(name), pa.array(df.index.get_level_values(name), from_pandas=True)


def _to_pandas(table: pa.Table) -> Any:
    """The struct of a window becomes two columns, because pandas would make dicts."""
    for at in reversed(range(table.num_columns)):
        field = table.schema.field(at)
        if pa.types.is_struct(field.type) and [one.name for one in field.type] == ["start", "end"]:
            parts = table.column(at).flatten()
            table = table.remove_column(at)
            for name, part in zip(("end", "start"), reversed(parts), strict=True):
                table = table.add_column(at, f"{field.name}_{name}", part)
    return table.to_pandas()


def _beside_pandas(df: Any, results: Any) -> Any:
    results.index = df.index
    made = df.copy(deep=False)
    for name in results.columns:
        made[name] = results[name]
    return made


def _of_parquet(path: Any, where: str) -> pa.Table:
    return _parquet(path, where, lambda files: files.read())


def _schema_of_parquet(path: Any, where: str) -> pa.Schema:
    return _parquet(path, where, lambda files: files.schema).remove_metadata()


def _parquet(path: Any, where: str, take: Callable[[Any], Any]) -> Any:
    if Path(path).suffix not in (".parquet", ".pq", ".parq") and not Path(path).is_dir():
        raise UsageError(
            f"{where}: got a text, {shown(path)}: a path is that of a Parquet file, or of a folder of them; of any other file "
            "give its table, as pyarrow.csv.read_csv(path)"
        )
    from pyarrow import parquet  # takes a tenth of a second, so it is imported only for paths

    try:
        return take(parquet.ParquetDataset(path))
    except FileNotFoundError:
        raise UsageError(f"{where}: {shown(str(path))} cannot be read: there is no such file") from None
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{where}: {shown(str(path))} cannot be read: {str(error).splitlines()[0]}") from None


def _polars(table: pa.Table) -> Any:
    return sys.modules["polars"].from_arrow(table)


def _schema_of_stream(data: Any, where: str) -> pa.Schema:
    return pa.schema(data) if hasattr(data, "__arrow_c_schema__") else pa.RecordBatchReader.from_stream(data).schema


_PANDAS = Library(_of_pandas, _schema_of_pandas, _to_pandas, _beside_pandas, indexed=True, names=_names_of_pandas)
_DATASET = Library(
    lambda data, where: data.to_table(),
    lambda data, where: data.schema,
    lambda table: sys.modules["pyarrow.dataset"].dataset(table),
)
_PARQUET = Library(_of_parquet, _schema_of_parquet, lambda table: table)
_ANY = Library(lambda data, where: pa.table(data), _schema_of_stream, lambda table: table)
_LIBRARIES = {
    ("pandas", "DataFrame"): _PANDAS,
    ("polars", "DataFrame"): Library(
        lambda df, where: df.to_arrow(),
        lambda df, where: df.clear().to_arrow().schema,
        _polars,
        lambda df, results: df.with_columns(results),
    ),
    ("polars", "LazyFrame"): Library(
        lambda df, where: df.collect().to_arrow(),
        lambda df, where: df.clear().collect().to_arrow().schema,
        lambda table: _polars(table).lazy(),
    ),
    ("duckdb", "DuckDBPyRelation"): Library(
        lambda relation, where: pa.table(relation),
        lambda relation, where: pa.table(relation.limit(0)).schema,
        lambda table: sys.modules["duckdb"].from_arrow(table),
    ),
}
