"""DataFrames of other libraries: their columns as Arrow, and results as frames of the same library.

::

    pandas         index kept; a named index is a column, too; the window of a group as window_start and window_end
    Polars         DataFrame, or LazyFrame, which is collected
    DuckDB         a relation
    pyarrow        a dataset
    a path         of a Parquet file, or a folder of them: comes back as a pyarrow.Table
    any other      that has ``__arrow_c_stream__``: comes back as a pyarrow.Table

A library is imported only if the user has imported it, because otherwise there can be no frame of it. Columns are not copied if
Arrow and the library have the same layout.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.runtime.query import Query
from inwindow.runtime.reserved import FRAME_ROW
from inwindow.runtime.table import Table
from inwindow.runtime.unpacked import unpacked
from inwindow.udaf.errors import UsageError, shown


@dataclass(frozen=True)
class Library:
    """How frames of a library become tables, and tables become frames."""

    table: Callable[[Any, str], pa.Table]  # makes the table of a frame; the text is the call, for messages
    frame: Callable[[pa.Table], Any]
    beside: Callable[[Any, Any], Any] | None = None  # adds a frame of results to a frame; None: makes all anew
    indexed: bool = False  # rows have labels, which stay with them


@dataclass(frozen=True)
class DataFrame(Table):
    """A frame of another library, as a table."""

    frame: Any
    library: Library

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
    table = library.table(data, where)
    return DataFrame(unpacked(table), table, data, library)


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
    named = [name for name in df.index.names if name is not None and name not in df.columns]
    try:
        table = pa.Table.from_pandas(df, preserve_index=False)
        for name in named:
            table = table.append_column(str(name), pa.array(df.index.get_level_values(name), from_pandas=True))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UsageError(f"{where}: this pandas DataFrame has no form in Arrow: {str(error).splitlines()[0]}") from None
    return table.replace_schema_metadata(None)


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
    if Path(path).suffix not in (".parquet", ".pq", ".parq") and not Path(path).is_dir():
        raise UsageError(
            f"{where}: got a text, {shown(path)}: a path is that of a Parquet file, or of a folder of them; of any other file "
            "give its table, as pyarrow.csv.read_csv(path)"
        )
    from pyarrow import parquet  # takes a tenth of a second, so it is imported only for paths

    try:
        return parquet.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{where}: {shown(str(path))} cannot be read: {str(error).splitlines()[0]}") from None


def _polars(table: pa.Table) -> Any:
    return sys.modules["polars"].from_arrow(table)


_PANDAS = Library(_of_pandas, _to_pandas, _beside_pandas, indexed=True)
_DATASET = Library(lambda data, where: data.to_table(), lambda table: sys.modules["pyarrow.dataset"].dataset(table))
_PARQUET = Library(_of_parquet, lambda table: table)
_ANY = Library(lambda data, where: pa.table(data), lambda table: table)
_LIBRARIES = {
    ("pandas", "DataFrame"): _PANDAS,
    ("polars", "DataFrame"): Library(
        lambda df, where: df.to_arrow(), _polars, lambda df, results: df.with_columns(results)
    ),
    ("polars", "LazyFrame"): Library(
        lambda df, where: df.collect().to_arrow(), lambda table: _polars(table).lazy()
    ),
    ("duckdb", "DuckDBPyRelation"): Library(
        lambda relation, where: pa.table(relation), lambda table: sys.modules["duckdb"].from_arrow(table)
    ),
}  # fmt: skip
