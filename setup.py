"""The kernels: each ``native/name.pyx`` is the extension module ``inwindow.native.name``. All else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("native").glob("*.pyx"))

# What Cython adds for memoryviews is in one module, not in each of the two dozen that take one: half the time of the compiler.
SHARED = "inwindow.native.memoryviews"

# A frame moves by a tuple or two, so most loops have a round or two: to prepare them for vectors costs up to as much again as they
# do. But these work on blocks.
VECTORS = ("_bounds", "_order", "_ranks")

# Cython finds the .pxd of a module by its full name, and the folder native/ is not called inwindow/native/.
NAMED = Path("build/named/inwindow/native")
NAMED.mkdir(parents=True, exist_ok=True)
for folder in (NAMED, NAMED.parent):
    (folder / "__init__.pxd").touch()
for declared in Path("native").glob("*.pxd"):
    shutil.copy(declared, NAMED)


def kernel(path: Path) -> Extension:
    vectors = [] if path.stem in VECTORS else ["-fno-tree-vectorize"]
    return Extension(f"inwindow.native.{path.stem}", [path.as_posix()], extra_compile_args=["-O3", *vectors, "-g0"])


setup(
    ext_modules=[
        Extension(SHARED, ["build/memoryviews.c"], extra_compile_args=["-O2", "-g0"]),  # Cython writes it
        *map(kernel, KERNELS),
    ],
    options={
        # no generated .c beside the sources
        "build_ext": {
            "cython_c_in_temp": True,
            "cython_include_dirs": NAMED.parents[1].as_posix(),
            "shared_utility_qualified_name": SHARED,
            "parallel": 2,
        },
        "editable_wheel": {"mode": "strict"},  # `pip install -e .` makes a link tree that mypy can read
    },
)
