"""Asks one engine, in its own environment: ``python runners.py NAME [ARGUMENT]``; reads a query per line, writes its rows as JSON.

It imports nothing of inwindow, so that an engine's environment holds the engine alone.
"""

# mypy: ignore-errors

import csv
import datetime
import decimal
import io
import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version as version_of

KEPT = []  # servers, which end when nobody holds them


def coded(value):
    """A value as JSON; what JSON does not have as {type: text}."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"f": value.hex()}
    if isinstance(value, decimal.Decimal):
        return {"d": str(value)}
    if isinstance(value, (datetime.datetime, datetime.date)):
        return {"t": value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()}
    if isinstance(value, (list, tuple)):
        return [coded(one) for one in value]
    if hasattr(value, "tolist"):
        return coded(value.tolist())
    if hasattr(value, "item"):
        return coded(value.item())
    return str(value)


def duckdb(argument):
    duckdb = import_module("duckdb")

    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for text in filter(None, (argument or "").split(";")):
        connection.execute(text)
    return duckdb.__version__, lambda text: connection.execute(text).fetchall()


def sqlite(argument):
    apsw = import_module("apsw")

    connection = apsw.Connection(":memory:")
    return apsw.sqlite_lib_version(), lambda text: list(connection.execute(text))


def python_sqlite(argument):
    sqlite3 = import_module("sqlite3")
    connection = sqlite3.connect(":memory:")
    return sqlite3.sqlite_version, lambda text: connection.execute(text).fetchall()


def turso(argument):
    turso = import_module("turso")

    connection = turso.connect(":memory:")
    return version_of("pyturso"), lambda text: connection.execute(text).fetchall()


def _of_arrow(batches):
    rows = []
    for batch in batches:
        rows += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return rows


def datafusion(argument):
    datafusion = import_module("datafusion")

    context = datafusion.SessionContext()
    for text in filter(None, (argument or "").split(";")):
        context.sql(text).collect()
    return datafusion.__version__, lambda text: _of_arrow(context.sql(text).collect())


def chdb(argument):
    chdb, session, ipc = map(import_module, ("chdb", "chdb.session", "pyarrow.ipc"))

    its = session.Session()
    for text in ("SET allow_experimental_window_functions = 1", *filter(None, (argument or "").split(";"))):
        its.query(text)

    def ask(text):
        try:
            given = its.query(text, "ArrowStream").bytes()
        except Exception:
            its.query("SELECT 1", "ArrowStream")  # the next answer after an error has no rows
            raise
        return _of_arrow(ipc.open_stream(io.BytesIO(given)).read_all().to_batches()) if given else []

    return chdb.query("SELECT version()", "TSV").bytes().decode().strip(), ask


def polars(argument):
    polars = import_module("polars")

    context = polars.SQLContext(eager=True)
    return polars.__version__, lambda text: context.execute(text).rows()


def spark(argument):
    SparkSession = import_module("pyspark.sql").SparkSession  # noqa: N806

    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
    )
    its = (
        builder.config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.legacy.allowHashOnMapType", "true")
        .getOrCreate()
    )
    its.sparkContext.setLogLevel("OFF")
    for text in filter(None, (argument or "").split(";")):
        its.sql(text)
    return its.version, lambda text: [tuple(row) for row in its.sql(text).collect()]


def sail(argument):
    SparkConnectServer = import_module("pysail.spark").SparkConnectServer  # noqa: N806
    SparkSession = import_module("pyspark.sql").SparkSession  # noqa: N806

    server = SparkConnectServer()
    server.start(background=True)
    KEPT.append(server)
    _, port = server.listening_address
    its = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    return version_of("pysail"), lambda text: [tuple(row) for row in its.sql(text).collect()]


def hyper(argument):
    api = import_module("tableauhyperapi")

    process = api.HyperProcess(api.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters={"log_config": ""})
    connection = api.Connection(process.endpoint)
    KEPT.append(process)
    return version_of("tableauhyperapi"), lambda text: connection.execute_list_query(text)


def psql(argument):
    """PostgreSQL through psql, kept open; the argument is a connection string."""
    command = [os.environ.get("PSQL", "psql"), "-X", "-q", "-t", "--csv", "-P", "null=\\N", "-d", argument]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )

    def raw(text):
        process.stdin.write(f"{text};\n\\echo --end--\n")
        process.stdin.flush()
        lines = []
        while (line := process.stdout.readline()) != "--end--\n":
            if not line:
                raise SystemExit("psql ended: " + "".join(lines))
            lines.append(line)
        return "".join(lines)

    def ask(text):
        given = raw(text)
        if given.startswith(("ERROR:", "server closed", "WARNING:")):
            raise RuntimeError(given.strip())
        return [tuple(None if cell == "\\N" else {"?": cell} for cell in row) for row in csv.reader(io.StringIO(given))]

    return raw("SHOW server_version").strip().split()[0], ask


def mysql(argument):
    pymysql = import_module("pymysql")

    connection = pymysql.connect(unix_socket=argument, user="root")

    def ask(text):
        with connection.cursor() as cursor:
            cursor.execute(text)
            return cursor.fetchall()

    return ask("SELECT version()")[0][0], ask


def jdbc(argument):
    """A database in a JVM: the argument is CLASSPATH,URL,DRIVER."""
    jpype = import_module("jpype")

    path, url, driver = argument.split(",")
    jpype.startJVM(classpath=path.split(":"))
    jpype.JClass(driver)
    connection = jpype.java.sql.DriverManager.getConnection(url)
    text_of = {
        "java.math.BigDecimal": lambda v: {"d": str(v.toPlainString())},
        "java.lang.String": str,
        "java.lang.Boolean": bool,
    }

    def cell(value):
        if value is None:
            return None
        name = value.getClass().getName() if hasattr(value, "getClass") else type(value).__name__
        if name in text_of:
            return text_of[name](value)
        if isinstance(value, jpype.java.lang.Number):
            return (
                float(value.doubleValue())
                if name in ("java.lang.Double", "java.lang.Float")
                else int(value.longValue())
            )
        return value if isinstance(value, (bool, int, float, str)) else {"t": str(value)}

    def ask(text):
        statement = connection.createStatement()
        try:
            found = statement.executeQuery(text)
            count, rows = found.getMetaData().getColumnCount(), []
            while found.next():
                rows.append(tuple(cell(found.getObject(at + 1)) for at in range(count)))
            return rows
        finally:
            statement.close()

    said = connection.getMetaData()
    return f"{said.getDatabaseProductVersion()}".split(" ")[0], ask


def _rows(rows):
    return [[cell if isinstance(cell, dict) else coded(cell) for cell in row] for row in rows]


def main(name, argument=None):
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what an engine prints
    version, ask = globals()[name](argument)
    print(json.dumps({"version": str(version)}), file=out, flush=True)
    for line in sys.stdin:
        try:
            answer = {"rows": _rows(ask(json.loads(line)))}
        except BaseException as error:  # a panic of pyo3 is no Exception
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
