"""SQLite, DuckDB and PostgreSQL, asked for the rows of a suite's queries; PostgreSQL's are kept in a file, for a server is rare."""

import csv
import io
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
from samples.suites import ERROR, FOLDER, Asked, Rows, Suite, of_text, one_line, shown

_TRIES = 100  # to reach a server that starts, a tenth of a second each


def sqlite(its: Suite) -> Asked:
    """The SQLite of this Python."""
    connection = sqlite3.connect(":memory:")
    for text in its.setup:
        connection.execute(text)

    def ask(text: str) -> Rows | None:
        try:
            return [tuple(map(shown, row)) for row in connection.execute(text).fetchall()]
        except sqlite3.Error:
            return None

    return ask


def duck(its: Suite) -> Asked:
    """DuckDB."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for text in its.setup:
        connection.execute(text)

    def ask(text: str) -> Rows | None:
        try:
            return [tuple(map(shown, row)) for row in connection.execute(text).fetchall()]
        except duckdb.Error:
            return None

    return ask


def kept(its: Suite) -> Asked:
    """The rows in the suite's file."""
    found: dict[str, Rows | None] = {}
    for block in (FOLDER / f"{its.name}.rows").read_text().split("\n\n"):
        query, *rows = block.strip("\n").split("\n")
        found[query] = None if rows == [ERROR] else [tuple(row.split("\t")) for row in rows]
    return lambda text: found[one_line(text)]


def keep(its: Suite, ask: Asked) -> None:
    """Write the suite's file of rows."""
    blocks = []
    for case in its.cases:
        rows = ask(case.text)
        blocks.append("\n".join([one_line(case.text), *([ERROR] if rows is None else map("\t".join, rows))]))
    (FOLDER / f"{its.name}.rows").write_text("\n\n".join(blocks) + "\n")


@contextmanager
def postgres(its: Suite) -> Iterator[Asked]:
    """The PostgreSQL server of this machine, started for these queries on a socket in a directory of its own."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.chown(folder, "postgres")
        as_postgres = ["runuser", "-u", "postgres", "--"]
        subprocess.run([*as_postgres, "initdb", "-D", f"{folder}/data", "-A", "trust"], check=True, capture_output=True)
        arguments = ["-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses=", "-c", "TimeZone=UTC"]
        psql = ["psql", "-h", folder, "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-q", "--csv", "-t", "-P", "null=NULL"]
        with subprocess.Popen(
            [*as_postgres, "postgres", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as server:
            try:
                for _ in range(_TRIES):
                    if not subprocess.run(["pg_isready", "-h", folder, "-q"], check=False).returncode:
                        break
                    time.sleep(0.1)
                subprocess.run(psql, input=";\n".join([*its.setup, ""]), text=True, check=True)

                def ask(text: str) -> Rows | None:
                    done = subprocess.run([*psql, "-c", text], text=True, capture_output=True)
                    if done.returncode:
                        print(f"refused: {one_line(text)[:150]}\n   {done.stderr.splitlines()[0]}")
                        return None
                    return [tuple(map(of_text, row)) for row in csv.reader(io.StringIO(done.stdout))]

                yield ask
            finally:
                subprocess.run(["pkill", "-INT", "-P", str(server.pid)], check=False)
