"""A prompt for statements of ESL and CQL: ``inwindow sql --tables trades=trades.csv``, without a script."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from inwindow.udaf.errors import InWindowError

_HISTORY = ".inwindow_history"
_WORDS = (
    "CREATE STREAM", "CREATE AGGREGATE", "CREATE WINDOW AGGREGATE", "CREATE TABLE", "SELECT", "FROM", "WHERE", "GROUP BY",
    "ORDER BY", "PARTITION BY", "PRECEDING", "CURRENT ROW", "SLIDE", "ACTIVE EXPIRATION", "SHOW TABLES", "SHOW STREAMS",
    "SHOW AGGREGATES",
    "DESCRIBE", "SOURCE", "ISTREAM", "DSTREAM", "RSTREAM",
)  # fmt: skip


def prompt(catalog: Any, shown: Callable[[Any], str], read: Callable[[str], str], write: Callable[[str], None]) -> None:
    """Run statements as they are typed, until the input ends, or ``exit``."""
    write("a statement ends with ; or an empty line; SHOW TABLES, DESCRIBE name; exit, or Ctrl-D, to leave")
    text = ""
    while True:
        try:
            line = read("     ...> " if text else "inwindow> ")
        except EOFError:
            return write("")
        except KeyboardInterrupt:  # what was typed is dropped
            text = ""
            write("")
            continue
        if not text and line.strip().rstrip(";").lower() in ("exit", "quit"):
            return None
        text += f"{line}\n"
        if not is_whole(text):
            continue
        if text.strip(" \n;"):
            try:
                result = catalog.run(text)
                write("done" if result is None else shown(result))
            except InWindowError as error:
                write(str(error))
        text = ""


def is_whole(text: str) -> bool:
    """Whether the statements are complete: they end with a semicolon, a brace or an empty line.

    >>> [is_whole(text) for text in ("SELECT 1;\\n", "SELECT 1\\n", "SELECT 1\\n\\n", "CREATE AGGREGATE a(x Int) : Int { b;\\n")]
    [True, False, True, False]
    """
    is_open = text.count("{") > text.count("}")
    return text.endswith("\n\n") or not text.strip() or (not is_open and text.rstrip().endswith((";", "}")))


def with_history(catalog: Any) -> None:
    """Lines of before with the arrow keys, and names with the tabulator, where Python has readline."""
    with suppress(ImportError):
        import atexit
        import readline

        file = Path.home() / _HISTORY
        with suppress(OSError):
            readline.read_history_file(file)
        atexit.register(_keep, readline, file)
        readline.set_completer(lambda start, number: completed(catalog, start, number))
        readline.parse_and_bind("tab: complete")


def _keep(readline: Any, file: Path) -> None:
    with suppress(OSError):
        readline.write_history_file(file)


def completed(catalog: Any, start: str, number: int) -> str | None:
    """The n-th word that begins so: names of tables, columns and aggregates, then words of the language."""
    columns = {name for table in catalog.engine.tables.values() for name in table.column_names}
    names = sorted({*catalog.engine.names(), *columns, *catalog.base, *catalog.window})
    found = [name for name in (*names, *_WORDS) if name.casefold().startswith(start.casefold())]
    return found[number] if number < len(found) else None
