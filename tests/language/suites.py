"""Ask PostgreSQL, SQLite and DuckDB for the rows of their suites: ``python tests/language/suites.py [postgres] [sqlite] [duckdb]``.

PostgreSQL is the server of the machine (``initdb`` and ``postgres``), started on a socket in a directory of its own.
"""

import csv
import io
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import duckdb
from samples.suites import NAMES, Rows, Suite, keep, key, of_text, shown, suite

Asked = Callable[[str], Rows | None]


@contextmanager
def _sqlite(its: Suite) -> Iterator[Asked]:
    connection = sqlite3.connect(":memory:")
    for text in its.setup:
        connection.execute(text)

    def ask(text: str) -> Rows | None:
        try:
            return _rows(connection.execute(text).fetchall())
        except sqlite3.Error as error:
            return _refused(text, error)

    yield ask


@contextmanager
def _duckdb(its: Suite) -> Iterator[Asked]:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for text in its.setup:
        connection.execute(text)

    def ask(text: str) -> Rows | None:
        try:
            return _rows(connection.execute(text).fetchall())
        except duckdb.Error as error:
            return _refused(text, error)

    yield ask


def _rows(rows: list[Any]) -> Rows:
    return [tuple(map(shown, row)) for row in rows]


def _refused(text: str, error: object) -> None:
    print(f"refused: {' '.join(text.split())[:150]}\n   {str(error).splitlines()[0]}")


@contextmanager
def _postgres(its: Suite) -> Iterator[Asked]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.chown(folder, "postgres")
        as_postgres = ["runuser", "-u", "postgres", "--"]
        subprocess.run([*as_postgres, "initdb", "-D", f"{folder}/data", "-A", "trust"], check=True, capture_output=True)
        arguments = ["-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses=", "-c", "TimeZone=UTC"]
        with subprocess.Popen(
            [*as_postgres, "postgres", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as server:
            try:
                psql = [
                    "psql",
                    "-h",
                    folder,
                    "-U",
                    "postgres",
                    "-v",
                    "ON_ERROR_STOP=1",
                    "-q",
                    "--csv",
                    "-t",
                    "-P",
                    "null=NULL",
                ]
                subprocess.run([*as_postgres, "pg_isready", "-h", folder, "-t", "20"], check=False, capture_output=True)
                for _ in range(50):
                    if not subprocess.run(["pg_isready", "-h", folder, "-q"], check=False).returncode:
                        break
                    subprocess.run(["sleep", "0.2"], check=True)
                subprocess.run(psql, input=";\n".join([*its.setup, ""]), text=True, check=True)

                def ask(text: str) -> Rows | None:
                    done = subprocess.run([*psql, "-c", text], text=True, capture_output=True)
                    if done.returncode:
                        return _refused(text, done.stderr)
                    return [tuple(map(of_text, row)) for row in csv.reader(io.StringIO(done.stdout))]

                yield ask
            finally:
                subprocess.run(["pkill", "-INT", "-P", str(server.pid)], check=False)


_DATABASES = {"postgres": _postgres, "sqlite": _sqlite, "duckdb": _duckdb}


def main(names: list[str]) -> None:
    """Write the rows of the suites anew."""
    for name in names or NAMES:
        its = suite(name)
        with _DATABASES[name](its) as ask:
            keep(name, {key(case): ask(case.text) for case in its.cases})


if __name__ == "__main__":
    main(sys.argv[1:])
