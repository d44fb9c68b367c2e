"""Workers that run another Python: told on the driver, where it can be known."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import inwindow as iw
from inwindow.runtime.spark.interpreter import check_interpreter


def session(python: str, master: str = "local[2]") -> Any:
    """What is asked of a session."""
    return SimpleNamespace(sparkContext=SimpleNamespace(pythonExec=python, master=master))


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A Python that has nothing but itself."""
    python = tmp_path / "python3"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    python.chmod(0o755)
    return str(python)


def test_a_python_without_inwindow_is_refused(bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = f"would run {bare}, in which inwindow cannot be imported .*No module named .inwindow.*PYSPARK_PYTHON={sys.executable}"
    with pytest.raises(iw.UsageError, match=said):
        check_interpreter(session(bare))
    monkeypatch.setenv("PATH", f"{Path(bare).parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(iw.UsageError, match=said):
        check_interpreter(session("python3"))


def test_a_folder_called_inwindow_is_no_installation(
    bare: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the folder around a clone: Python imports any folder as a package, an empty one."""
    (tmp_path / "inwindow" / "native").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    python = Path(bare)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # sees the working directory
    with pytest.raises(
        iw.UsageError, match="inwindow cannot be imported .*cannot import name .with_columns.*PYSPARK_PYTHON="
    ):
        check_interpreter(session(bare))


def test_what_is_not_refused(bare: str, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (other / "python3").chmod(0o755)
    check_interpreter(session(str(other / "python3")))  # another one that has inwindow
    check_interpreter(session(sys.executable))
    check_interpreter(session("no-such-python"))  # Spark says so itself
    check_interpreter(session(bare, master="spark://there:7077"))  # the Python of other machines
