"""No text can reach names, attributes or files of Python: what is made is looked at as a syntax tree."""

import ast
import builtins
import importlib.util
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.language.esl.values import is_like

MODULES = {"inwindow", "inwindow.language.esl.values", "collections.abc", "datetime", "decimal", "math", "operator"}
CALLED = {"any", "all", "sum", "len", "min", "max", "list", "dict", "int", "float", "str", "abs", "bool", "sorted"}


def check(source: str) -> None:
    """Only modules, functions and attributes that the framework itself writes."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.module in MODULES
        elif isinstance(node, ast.Import):
            assert [alias.name for alias in node.names] == ["inwindow"]
        elif isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id):
            assert node.func.id in CALLED
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert len(classes) == 1 and all(isinstance(one, (ast.Import, ast.ImportFrom, ast.ClassDef)) for one in tree.body)
    assert len(classes[0].bases) == 1 and ast.unparse(classes[0].bases[0]) in ("iw.Aggregate", "iw.WindowAggregate")


def text_of(aggregate: str = "a", parameter: str = "p", table: str = "t", column: str = "c", value: str = "1") -> str:
    return f"""
    CREATE AGGREGATE {aggregate}({parameter} Real) : String {{
        TABLE {table}({column} Real, other String);
        INITIALIZE: {{ INSERT INTO {table} VALUES ({parameter}, {value}); INSERT INTO RETURN VALUES ({value}); }}
        ITERATE: {{
            UPDATE {table} SET {column} = {column} + {parameter};
            INSERT INTO RETURN SELECT other FROM {table} WHERE {column} > 0;
        }}
    }}"""


def run(text: str) -> Any:
    """Make it, look at it, run its hooks."""
    kind: Any = iw.aggregate(text)
    check(kind.source)
    one = kind()
    return [one.initialize(1.0), one.iterate(2.0)]


NAMES = [
    "__class__", "__dict__", "__init__", "self", "iw", "import", "lambda", "None", "initialize", "iterate", "inwindow", "over",
    "source", "sum", "len", "os", "exec", "eval", "_declared", "_traits", "`a b`", "`a; import os`",
    "`x)\nimport os`", "`__import__('os')`",
    "`𝐢𝐦𝐩𝐨𝐫𝐭`", "`𝐬𝐞𝐥𝐟`", "`__ｉmport__`", "`\u202e`", "`/* ''' */`", "__slots__", "__init_subclass__", "__x", "terminate", "merge",
    "`\"\"\"`", "`\\`", "`ä`", "`1`", "`self.x`", "record", "found", "unless_null", "Iterator",
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "name"),
    [(p, n) for p in ("aggregate", "parameter", "table", "column") for n in NAMES if (p, n) != ("table", "inwindow")],
)
def test_names(place: str, name: str) -> None:
    assert run(text_of(**{place: name}, value="'ok'")) == ["ok", "ok"]


@pytest.mark.parametrize("name", [one for one in NAMES if one not in ("inwindow",)])
def test_names_of_queries(name: str) -> None:
    """WITH, aliases of tables and columns, both sides of a join, sort keys."""
    kind: Any = iw.aggregate(f"""
        CREATE AGGREGATE a(p Real) : Real {{
            TABLE t({name} Real, other Real);
            INITIALIZE: ITERATE: {{ INSERT INTO t VALUES (p, p); }}
            TERMINATE: {{
                INSERT INTO RETURN WITH {name} AS (SELECT {name} AS {name} FROM t) SELECT {name} FROM {name} ORDER BY {name} DESC;
                INSERT INTO RETURN SELECT l.{name} FROM t AS l FULL JOIN t AS {name} ON l.other = {name}.{name}
                    UNION SELECT d.{name} FROM (SELECT other FROM t) AS d({name}) ORDER BY {name};
            }}
        }}""")
    check(kind.source)
    one = kind()
    one.iterate(1.0)
    one.iterate(2.0)
    assert one.terminate() == [2.0, 1.0, 1.0, 2.0]


STRINGS = [
    "{self.__class__}",
    "%(x)s",
    "{{!r:>{width}}}",
    "/* */ -- #",
    "\u202e\ufeff",
    "'''",
    '"""',
    "\\",
    "\\n",
    "{0}",
    "%s",
    "');import os;('",
    "\n",
    "\x00",
    "${x}",
    "' + __import__(\"os\").name + '",
]


@pytest.mark.parametrize("string", STRINGS)
def test_strings(string: str) -> None:
    sql = string.replace("\\", "\\\\").replace("'", "\\'")
    assert run(text_of(value=f"'{sql}'")) == [string, string]


@given(name=st.text(min_size=1, max_size=12))
def test_any_name(name: str) -> None:
    for place in ("aggregate", "parameter", "table", "column"):
        with suppress(iw.InWindowError):  # refused, with a message
            run(text_of(**{place: f"`{name.replace('`', '``')}`"}, value="'ok'"))


@pytest.mark.parametrize(
    "call",
    [
        "__import__('os')",
        "open('/etc/passwd')",
        "getattr(p, 'x')",
        "exec('1')",
        "p.__class__",
        "os.system('x')",
        "values(1)",
    ],
)
def test_functions(call: str) -> None:
    with pytest.raises(iw.InWindowError):
        iw.aggregate(text_of(value=call))


DEEP = [
    text_of(value="(" * 3000 + "1" + ")" * 3000),
    text_of(value="abs(" * 2000 + "1" + ")" * 2000),
    text_of(value="'x'" + " || 'x'" * 20000),
    text_of(value="CASE WHEN 1 = 1 THEN " * 800 + "'x'" + " END" * 800),
]


@pytest.mark.parametrize("text", DEEP, ids=["brackets", "calls", "a long sum", "cases"])
def test_deep_texts(text: str) -> None:
    with pytest.raises(iw.UsageError, match="this is nested too deeply"):
        iw.aggregate(text)


@pytest.mark.parametrize("text", ["(" * 3000 + "1" + ")" * 3000, "(SELECT " * 500 + "1" + ")" * 500])
def test_deep_queries(text: str) -> None:
    for run_ in (iw.Catalog().run, iw.Catalog().cql):
        with pytest.raises(iw.UsageError, match=r"this is nested too deeply .*line 1"):
            run_(f"SELECT {text}")


@pytest.mark.parametrize("number", ["1" + "0" * 6000, "9" * 39])
def test_long_numbers(number: str) -> None:
    with pytest.raises(iw.UsageError, match=r"\.\.\. is no number: SQL has 38 digits"):
        iw.aggregate(text_of(value=number))


@given(text=st.text("ab\n", max_size=8), pattern=st.text("ab%_", max_size=8))
def test_like_is_that_of_duckdb(text: str, pattern: str) -> None:
    with duckdb.connect() as connection:
        expected = connection.execute("SELECT ? LIKE ?", [text, pattern]).fetchall()[0][0]
    assert is_like(text, pattern) is expected


def test_like_does_not_try_for_ever() -> None:
    assert not is_like("a" * 5000 + "b", "%a" * 40 + "c")


FILES = [
    "SELECT * FROM read_csv('{}')", "SELECT * FROM '{}'", "SELECT * FROM read_text('{}')", "SELECT * FROM sniff_csv('{}')",
    "CREATE TABLE t AS SELECT * FROM read_csv('{}')", "WITH x AS (SELECT * FROM read_blob('{}')) SELECT * FROM x", "FROM '{}'",
    "COPY (SELECT 1) TO '{}'", "ATTACH '{}'", "INSTALL httpfs", "LOAD httpfs",
    "EXPORT DATABASE '{}'", "SET enable_external_access = true",
    "SELECT max(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM read_csv('{}')", "SELECT * FROM secret",
    "SELECT * FROM read_text('{}'), t [NOW]",
]  # fmt: skip


@pytest.mark.parametrize("statement", FILES)
def test_statements_reach_no_files(statement: str, tmp_path: Path) -> None:
    """What is not given by SOURCE, and no variable of Python either."""
    file, secret = tmp_path / "secret.csv", pa.table({"x": ["hidden"]})
    file.write_text("x\nhidden\n")
    catalog = iw.Catalog(t=pa.table({"x": [1], "t": [1]}))
    with pytest.raises(iw.InWindowError) as raised:
        catalog.run(statement.format(file))
    assert "hidden" not in str(raised.value) and secret.num_rows
    catalog.run(f"CREATE STREAM s(x string) SOURCE '{file}'")
    assert catalog.run("SELECT x FROM s")["x"].to_pylist() == ["hidden"]


WORDS = """
CREATE AGGREGATE WINDOW a ( p Real ) : { } ; TABLE t c INITIALIZE ITERATE EXPIRE TERMINATE INSERT INTO RETURN VALUES SELECT FROM
WHERE UPDATE SET DELETE = , 1 'x' oldest().p inwindow EXISTS IN NOT NULL GROUP BY ORDER LIMIT sum count(*) JOIN ON CASE WHEN END
"""
PIECES = st.sampled_from(WORDS.split())
WHOLE = text_of(value="'ok'").split()


@given(cut=st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 2), st.lists(PIECES, max_size=3)), max_size=4))
def test_broken_texts_never_end_in_a_traceback(cut: list[tuple[int, int, list[str]]]) -> None:
    words = list(WHOLE)
    for at, dropped, put in cut:
        words[at : at + dropped] = put
    with suppress(iw.InWindowError):
        check(iw.aggregate(" ".join(words)).source)  # type: ignore[attr-defined]


def test_broken_scripts() -> None:
    """A small share of what ``python tests/language/fuzz_texts.py 100000`` tries."""
    spec = importlib.util.spec_from_file_location("fuzz_texts", Path(__file__).parent / "fuzz_texts.py")
    assert spec is not None and spec.loader is not None
    fuzz: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fuzz)
    assert not any(outcome.startswith("TRACEBACK") for outcome in fuzz.main(300, seed=1))


@pytest.mark.parametrize(
    "text",
    [
        text_of().replace("UPDATE t SET c = c + p;", "DELETE t WHERE c > p;"),
        text_of().replace("WHERE c > 0", "WHERE c IN t"),
        text_of().replace("RETURN VALUES (1)", "RETURN (1)"),
        "",
        "-- nothing",
    ],
)
def test_what_the_fuzzers_found(text: str) -> None:
    with pytest.raises(iw.InWindowError):
        iw.aggregate(text)


@pytest.mark.parametrize("text", ["", "-- nothing", ";", "Select 1; Select 2", None])
def test_cql_takes_one_query(text: Any) -> None:
    catalog = iw.Catalog(t=pa.table({"x": [1]}))
    for take in (catalog.cql, catalog.explain_cql):
        with pytest.raises(iw.UsageError, match="one query|a query is a text"):
            take(text)


@pytest.mark.parametrize(
    "text",
    [
        "Select From t",
        "Select x From t Where x In (Select From t)",
        "Select * y From t",
    ],
)
def test_what_the_fuzzers_found_in_cql(text: str) -> None:
    catalog = iw.Catalog(s=pa.table({"x": [1], "t": [1]}))
    catalog.run("CREATE STREAM t(x int, t int) ORDER BY t SOURCE 's'")
    with pytest.raises(iw.UsageError, match="line 1, column"):
        catalog.cql(text)


@pytest.mark.parametrize(
    "text", ["SELECT f() FROM t", "CREATE STREAM u(a, ) AS SELECT x, t FROM t", "CREATE STREAM AS SELECT x FROM t :"]
)
def test_what_the_fuzzers_found_in_scripts(text: str) -> None:
    catalog = iw.Catalog(s=pa.table({"x": [1.0], "t": [1]}))
    catalog.run("CREATE STREAM t(x real, t int) ORDER BY t SOURCE 's';" + text_of("f", value="'ok'"))
    with pytest.raises(iw.UsageError, match="line 1, column"):
        catalog.run(text)
