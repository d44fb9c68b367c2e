"""What is copied from a page runs: as a script, cell by cell in a notebook, line by line in a Python shell, as Spark's is."""

import ast
import code
import contextlib
import importlib.util
import io
import linecache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("pasted", ROOT / "docs" / "pasted.py")
PASTED: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PASTED)
PAGES = {
    str(page.relative_to(ROOT)): PASTED.blocks_of(text)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "```python\n>>>" in (text := page.read_text(encoding="utf-8"))
}
NEEDS_A_SOURCE = {"docs/compiled.md"}  # a shell keeps no source that could be compiled; the page says so
EACH = pytest.mark.parametrize("page", PAGES)


def copied(page: str) -> list[Any]:
    """The blocks that need no Spark."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return PASTED.blocks_of(
        "".join(found[0] + "\n" for found in PASTED.FENCED.finditer(text) if ">>>" in found["body"])
    )


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        yield


@EACH
def test_as_a_script(page: str) -> None:
    script = "\n".join(block.code for block in copied(page) if not block.raises)
    exec(compile(script, known(script, page), "exec"), {"__name__": "__main__"})


@EACH
def test_as_cells_of_a_notebook(page: str) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, block in enumerate(copied(page)):
        *statements, last = ast.parse(block.code).body
        file = known(block.code, f"{page}[{number}]")
        shown = isinstance(last, ast.Expr)
        with pytest.raises(Exception) if block.raises else contextlib.nullcontext():  # noqa: B017, PT011
            exec(compile(ast.Module(statements if shown else [*statements, last], []), file, "exec"), names)
            if shown:
                repr(eval(compile(ast.Expression(last.value), file, "eval"), names))


def known(script: str, name: str) -> str:
    """The name under which a source can be read, as that of a file or of a cell of IPython."""
    linecache.cache[name] = (len(script), None, script.splitlines(keepends=True), name)
    return name


class Shell(code.InteractiveConsole):
    """Keeps what went wrong."""

    wrong = ""

    def write(self, data: str) -> None:
        self.wrong += data


@pytest.mark.parametrize("page", [page for page in PAGES if page not in NEEDS_A_SOURCE])
def test_in_a_shell(page: str) -> None:
    shell = Shell({"__name__": "__main__"})
    for block in copied(page):
        for line in [*block.code.split("\n"), ""]:
            shell.push(line)
        assert ("Traceback" in shell.wrong) is block.raises, f"{block.code}\n{shell.wrong}"
        shell.wrong = ""


class Reader(Shell):
    """Takes lines, and runs nothing."""

    def runcode(self, code: Any) -> None: ...


ALL = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_shell_takes_all_code(page: Path) -> None:
    """Also what runs on Spark: `tests/spark/test_pages.py`."""
    for block in PASTED.blocks_of(page.read_text(encoding="utf-8")):
        shell = Reader()
        for line in [*block.code.split("\n"), ""]:
            shell.push(line)
        assert shell.wrong == "", f"{block.code}\n{shell.wrong}"


def test_prompts_and_outputs_are_told_apart() -> None:
    page = """
- in a list

    ```python
    >>> class A:
    ...     x = 1
    ...
    ...     y = 2
    >>> A.x  # doctest: +SKIP
    1
    >>> b = 2
    ```
"""
    assert (
        PASTED.without_prompts(page)
        == """
- in a list

    ```python
    class A:
        x = 1
        y = 2

    A.x
    ```

    ``` { .text .no-copy .output }
    1
    ```

    ```python
    b = 2
    ```
"""
    )
