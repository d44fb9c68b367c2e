"""Every file of examples/ runs alone, in a fresh interpreter, and prints what its header says.

After a change that is meant: ``pytest --write`` on this file writes the headers anew; read the difference.
"""

import ast
import datetime
import json
import linecache
import re
from pathlib import Path
from typing import Any

import pytest
from samples.examples import EXAMPLES, GALLERY, ON_SPARK, check_demo, check_output, header


@pytest.mark.parametrize("example", [path for path in GALLERY if path not in ON_SPARK], ids=lambda path: path.stem)
def test_output(example: Path, write: bool) -> None:
    check_output(example, write)


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


def test_demo() -> None:
    check_demo()
