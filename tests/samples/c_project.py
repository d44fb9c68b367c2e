"""``examples/compiled_project``, built as a user would: a copy of it, against the ``compiled.pxd`` of the installed inwindow."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import inwindow as iw

PROJECT = Path(__file__).parents[2] / "examples" / "compiled_project"
_BUILD = "from setuptools import setup; setup()"


def built(folder: Path) -> Path:
    """Where the module now is, beside its test."""
    if not (folder / PROJECT.name).exists():
        shutil.copytree(PROJECT, folder / PROJECT.name)
        # setuptools drops the current folder and PYTHONPATH of no one: inwindow is found as it is here.
        path = os.pathsep.join([str(Path(iw.__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        subprocess.run(
            [sys.executable, "-c", _BUILD, "-q", "build_ext", "--inplace"],
            cwd=folder / PROJECT.name, env={**os.environ, "PYTHONPATH": path, "CFLAGS": "-O1"}, check=True, capture_output=True,
        )  # fmt: skip
    return folder / PROJECT.name


def imported(folder: Path) -> ModuleType:
    """The module, built in this folder."""
    place = str(built(folder))
    if place not in sys.path:
        sys.path.insert(0, place)
    import my_aggregates

    module: ModuleType = my_aggregates
    return module
