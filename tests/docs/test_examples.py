"""Every file of examples/ runs alone, in a fresh interpreter, and prints what its header says.

After a change that is meant: ``python tests/docs/test_examples.py`` writes the headers anew; read the difference.
"""

import ast
import datetime
import difflib
import json
import linecache
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
DEMO = EXAMPLES / "auction_demo.py"  # says how fast it was, which no header can
GALLERY = sorted(path for path in EXAMPLES.glob("*.py") if not path.stem.startswith("auction"))


def printed(example: Path, *arguments: str) -> str:
    """What an example writes; it must neither fail nor complain (Spark logs on stderr, and warns of what we have not done)."""
    on_spark = "import SparkSession" in example.read_text(encoding="utf-8")
    run = subprocess.run(
        [sys.executable, *([] if on_spark else ["-W", "error"]), str(example), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert run.returncode == 0 and (on_spark or not run.stderr), run.stderr
    return run.stdout


def header(text: str) -> tuple[str, str, str]:
    """An example in three: up to what it prints, that, and the code."""
    found = re.fullmatch(r'(""".*?\n\nPrints::\n\n)(.*?\n)("""\n.*)', text, re.DOTALL)
    assert found is not None, "a header ends with 'Prints::' and what the file prints, indented"
    return found[1], textwrap.dedent(found[2]), found[3]


@pytest.mark.parametrize("example", GALLERY, ids=lambda path: path.stem)
def test_output(example: Path) -> None:
    _, expected, _ = header(example.read_text(encoding="utf-8"))
    given = "".join(f"{line.rstrip()}\n" for line in printed(example).splitlines())
    difference = difflib.unified_diff(expected.splitlines(), given.splitlines(), "header", "given", "", "")
    assert given == expected, "\n".join(difference)


@pytest.mark.parametrize("example", GALLERY, ids=lambda path: path.stem)
def test_is_an_entry_of_the_gallery(example: Path) -> None:
    """A title, what it covers, its scenario; and, without what it prints, no longer than one reads at a glance."""
    about, _, code = header(example.read_text(encoding="utf-8"))
    assert re.match(r'"""[^\n]+\.\n\nCovers: [^\n]+\n\nScenario: ', about)
    assert 20 <= len((about + code).splitlines()) <= 62


def test_notebook_shows_what_its_cells_give() -> None:
    """After a change that is meant: jupyter nbconvert --to notebook --execute --inplace examples/first_steps.ipynb"""
    names: dict[str, Any] = {}
    cells = json.loads((EXAMPLES / "first_steps.ipynb").read_text(encoding="utf-8"))["cells"]
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        lines, file = "".join(cell["source"]).splitlines(keepends=True), f"<cell {number}>"
        linecache.cache[file] = (
            len(lines),
            None,
            lines,
            file,
        )  # so that the source of a class is found, as in a notebook
        tree = ast.parse("".join(lines))
        last = tree.body.pop() if cell["outputs"] else None
        exec(compile(tree, file, "exec"), names)
        if isinstance(last, ast.Expr):
            given = eval(compile(ast.Expression(last.value), file, "eval"), names)
            shown = {kind: "".join(text) for kind, text in cell["outputs"][0]["data"].items()}
            if isinstance(given, list):
                assert eval(shown["text/plain"], {"datetime": datetime}) == given
            else:
                ways = {"text/plain": "__repr__", "image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}
                assert shown == {kind: getattr(given, way)() for kind, way in ways.items() if hasattr(given, way)}


@pytest.mark.parametrize("place", ["arrow", "spark"])
def test_demo(place: str) -> None:
    """What ``make demo`` runs, with fewer bids: six windows, each with its strategy, rows and speed; and as a stream."""
    command = [sys.executable, str(DEMO), "--rows", "3000", *(["--engine", "tables"] if place == "arrow" else [])]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)  # Spark logs on stderr
    assert run.returncode == 0, run.stderr
    given = run.stdout
    strategies = re.findall(r"^    strategy  (\S+)$", given, re.MULTILINE)
    assert strategies == ["delta", "delta", "pane-cascade", "pane-cascade", "tumble", "delta"]
    assert len(re.findall(r"^    \.\.\. [\d,]+ rows in \d+\.\d\d s: [\d,]+ tuples/s$", given, re.MULTILINE)) == 6
    streamed = re.findall(r"^    \.\.\. the same ([\d,]+) rows in .* s; waiting .*: ([\d,]+)$", given, re.MULTILINE)
    of_batch = re.findall(r"^    \.\.\. ([\d,]+) rows in", given, re.MULTILINE)
    assert [sum(int(n.replace(",", "")) for n in one) for one in streamed] == [
        int(n.replace(",", "")) for n in of_batch
    ]
    assert all(one[0] != "0" for one in streamed)
    assert len(re.findall(r"^    spark ", given, re.MULTILINE)) == (6 if place == "spark" else 0)
    assert max(map(len, given.splitlines())) <= 120


if __name__ == "__main__":
    for each in GALLERY:
        before, _, after = header(each.read_text(encoding="utf-8"))
        lines = [line.rstrip() for line in printed(each).splitlines()]
        each.write_text(before + textwrap.indent("\n".join(lines), "    ") + "\n" + after, encoding="utf-8")
