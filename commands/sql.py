"""Run a script of ESL or CQL on files: streams, aggregates written in SQL, windows. DuckDB reads the files and joins them.

  inwindow sql averages.esl --tables trades=trades.parquet --save averages.parquet
  inwindow sql -e "SELECT avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 5) FROM t" --tables t=trades.csv

The result of the last SELECT is printed, or saved; in a terminal, without a script, there is a prompt.
Needs sqlglot and duckdb: pip install 'inwindow[sql]'

exit code: 0 it ran, 2 the script or a file cannot be read
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from inwindow.commands.prompt import prompt, with_history
from inwindow.udaf.errors import UsageError

NAME = "sql"
HELP = "run a script of ESL or CQL on files"
_SHOWN = 20  # rows that are printed


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="a script; or give its text with -e")
    parser.add_argument("-e", dest="text", metavar="TEXT", help="the script itself")
    parser.add_argument(
        "--tables",
        nargs="+",
        default=[],
        metavar="NAME=FILE",
        help="Parquet, CSV or JSON files, under names of the script",
    )
    parser.add_argument("--save", metavar="FILE", help="write the result as .parquet, .csv or .feather")


def run(options: argparse.Namespace) -> int:
    """Run the script."""
    from inwindow.language.catalog import Catalog

    is_asked = options.file is None and options.text is None and sys.stdin is not None and sys.stdin.isatty()
    if (options.file is None) == (options.text is None) and not is_asked:
        raise UsageError(
            "sql: give the script as a file, or as a text with -e: inwindow sql script.esl --tables t=trades.parquet"
        )
    script = options.text if options.file is None else _script(options.file)
    catalog = Catalog()
    for given in options.tables:
        name, _, file = given.partition("=")
        if not name or not file:
            raise UsageError(f"sql --tables {given}: write NAME=FILE, as in trades=trades.parquet")
        catalog.add_file(name, file)
    if is_asked:
        with_history(catalog)
        prompt(catalog, _shown, input, print)
        return 0
    result = catalog.run(script)
    if result is None:
        return 0
    if options.save is None:
        print(_shown(result))
    else:
        _save(result, options.save)
        print(f"{len(result)} rows in {options.save}")
    return 0


def _script(file: str) -> str:
    if not Path(file).is_file():
        raise UsageError(f"sql {file}: there is no such file; a script's text itself is given with -e")
    return Path(file).read_text(encoding="utf-8")


def _shown(table: pa.Table) -> str:
    """The first rows, in columns.

    >>> print(_shown(pa.table({"item": ["lamp", None], "a": [10.0, 2.5]})))
    item  a
    lamp  10.0
    NULL  2.5
    """
    rows = [table.column_names, *zip(*(map(_text, column) for column in table.slice(0, _SHOWN).columns), strict=True)]
    widths = [max(len(row[at]) for row in rows) for at in range(table.num_columns)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    if len(table) > _SHOWN:
        lines.append(f"... and {len(table) - _SHOWN} more rows")
    return "\n".join(lines)


def _text(value: Any) -> str:
    return "NULL" if not value.is_valid else str(value.as_py())


def _save(table: pa.Table, file: str) -> None:
    match Path(file).suffix:
        case ".parquet":
            pa.parquet.write_table(table, file)
        case ".csv":
            pa.csv.write_csv(table, file)
        case ".feather" | ".arrow":
            pa.feather.write_feather(table, file)
        case other:
            raise UsageError(
                f"sql --save {file}: {other or 'no ending'} is not known: write .parquet, .csv or .feather"
            )
