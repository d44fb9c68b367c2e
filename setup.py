"""The kernels: each ``native/name.pyx`` is the extension module ``inwindow.native.name``. All else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("native").glob("*.pyx"))

# Cython finds the .pxd of a module by its full name, and the folder native/ is not called inwindow/native/.
NAMED = Path("build/named/inwindow/native")
NAMED.mkdir(parents=True, exist_ok=True)
for folder in (NAMED, NAMED.parent):
    (folder / "__init__.pxd").touch()
for declared in Path("native").glob("*.pxd"):
    shutil.copy(declared, NAMED)

setup(
    ext_modules=[
        Extension(f"inwindow.native.{path.stem}", [path.as_posix()], extra_compile_args=["-O3", "-g0"])
        for path in KERNELS
    ],
    options={
        # no generated .c beside the sources
        "build_ext": {"cython_c_in_temp": True, "cython_include_dirs": NAMED.parents[1].as_posix(), "parallel": 2},
        "editable_wheel": {"mode": "strict"},  # `pip install -e .` makes a link tree that mypy can read
    },
)
