"""The package as it is installed: what is public, what is imported, what is compiled."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import inwindow as iw

MODULES = ["inwindow", *(m.name for m in pkgutil.walk_packages(iw.__path__, "inwindow."))]
ROOMS = ("api", "udaf", "windows", "optimizer", "native", "runtime", "temporal", "language", "testing", "commands")


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("name", [n for n in iw.__all__ if n not in ("PUNT",)])
def test_everything_public_is_documented(name: str) -> None:
    thing = getattr(iw, name)
    text = inspect.getdoc(thing)
    assert text, f"iw.{name} has no docstring"
    if not (isinstance(thing, type) and issubclass(thing, Exception)):
        assert ">>>" in text, f"iw.{name} has no example"


def test_nothing_private_leaks() -> None:
    public = {name for name in dir(iw) if not name.startswith("_")}
    rooms = {
        "native",
        "optimizer",
        "runtime",
        "language",
        "windows",
        "commands",
    }  # sub-packages are attributes once imported
    assert public - rooms == set(iw.__all__)
    with pytest.raises(AttributeError, match="module 'inwindow' has no attribute 'nothing'"):
        iw.nothing  # noqa: B018


def run_fresh(code: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_loads_nothing_but_numpy_and_arrow() -> None:
    code = """
import sys, inwindow
print([m for m in sys.modules if m.split('.')[0] in ('pandas', 'pyspark', 'cython', 'hypothesis') or m == 'pyarrow.compute'])
"""
    assert run_fresh(code).strip() == "[]"


def test_import_needs_neither_pyspark_nor_a_generic_name() -> None:
    code = """
import sys
sys.modules["pyspark"] = None  # as if it were not installed
import inwindow as iw, pyarrow as pa
iw.with_columns(pa.table({"v": [1.0]}), x=iw.avg("v").over(iw.rows(2)))
print(sorted(m for m in sys.modules if m.split(".")[0] in %r or m.startswith(("duckdb", "polars", "pyarrow.dataset"))))
"""
    assert run_fresh(code % (ROOMS,)).strip() == "[]"


def test_the_version_is_one() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert iw.__version__ == project["version"]


def test_every_package_is_installed() -> None:
    """pyproject lists each folder with code, under the name that the rule gives it."""
    root = Path(__file__).parents[2]
    tool = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {
        path.parent for room in ROOMS[1:] for path in (root / room).rglob("*.py") if "__pycache__" not in str(path)
    }
    names = {"inwindow." + str(folder.relative_to(root)).replace("/", ".") for folder in folders}
    assert "ext-modules" not in tool, "setup.py finds the kernels; a list in pyproject.toml would take its place"
    assert set(tool["packages"]) == set(tool["package-dir"]) == names | {"inwindow"}


def test_kernels_are_compiled() -> None:
    kernels = [path.stem for path in (Path(__file__).parents[2] / "native").glob("*.pyx")]
    assert len(kernels) >= 30
    for kernel in kernels:
        module = importlib.import_module(f"inwindow.native.{kernel}")
        assert module.__file__.endswith((".so", ".pyd")), f"{kernel} is not compiled"


def test_modules_behind_the_function_udaf_can_be_imported_by_another_name() -> None:
    import inwindow.udaf.builtins as built_ins

    assert built_ins.avg is iw.avg and callable(iw.udaf)
