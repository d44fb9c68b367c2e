"""The kernels: each ``native/name.pyx`` is the extension module ``inwindow.native.name``. All else is in pyproject.toml."""

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("native").glob("*.pyx"))

# What Cython adds for memoryviews is in one module, not in each of the two dozen that take one: half the time of the compiler.
SHARED = Path("build") / f"cython-{version('Cython')}" / "memoryviews.c"
if not SHARED.exists():
    SHARED.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "cython", "--generate-shared", SHARED.as_posix()], check=True)

# Cython finds the .pxd of a module by its full name, and the folder native/ is not called inwindow/native/.
NAMED = Path("build/named/inwindow/native")
NAMED.mkdir(parents=True, exist_ok=True)
for folder in (NAMED, NAMED.parent):
    (folder / "__init__.pxd").touch()
for declared in Path("native").glob("*.pxd"):
    shutil.copy(declared, NAMED)


def extension(name: str, source: Path) -> Extension:
    return Extension(f"inwindow.native.{name}", [source.as_posix()], extra_compile_args=["-O3", "-g0"])


def kernel(path: Path) -> Extension:
    made = extension(path.stem, path)
    made.shared_utility_qualified_name = "inwindow.native.memoryviews"
    return made


setup(
    ext_modules=[extension("memoryviews", SHARED), *map(kernel, KERNELS)],
    options={
        # no generated .c beside the sources
        "build_ext": {
            "cython_c_in_temp": True,
            "cython_include_dirs": NAMED.parents[1].as_posix(),
            "parallel": 2,
        },
        "editable_wheel": {"mode": "strict"},  # `pip install -e .` makes a link tree that mypy can read
    },
)
