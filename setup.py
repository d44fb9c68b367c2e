"""The kernels: each ``native/name.pyx`` is the extension module ``inwindow.native.name``. All else is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("native").glob("*.pyx"))

setup(
    ext_modules=[
        Extension(f"inwindow.native.{path.stem}", [path.as_posix()], extra_compile_args=["-O3", "-g0"])
        for path in KERNELS
    ],
    options={
        "build_ext": {"cython_c_in_temp": True, "parallel": 2},  # no generated .c beside the sources
        "editable_wheel": {"mode": "strict"},  # `pip install -e .` makes a link tree that mypy can read
    },
)
