"""The kernel of docs/contributing.md, built from its text, as a contributor would, with its row."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inwindow as iw
from inwindow.udaf.built_in import built_in
from inwindow.udaf.native import Native

TEXT = Path(__file__).parents[2] / "docs" / "contributing.md"
BUILD = """
from setuptools import Extension, setup
setup(ext_modules=[Extension("odd", ["odd.pyx"], include_dirs=[{templates!r}])])
"""


def example() -> str:
    """The block that begins with the kernel's first line."""
    lines = TEXT.read_text().splitlines()
    first = lines.index(
        "    # cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False"
    )
    last = next(at for at in range(first, len(lines)) if lines[at] and not lines[at].startswith("    "))
    return "\n".join(line[4:] for line in lines[first:last])


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("odd")
    (folder / "odd.pyx").write_text(example())
    package = Path(iw.__file__).parent
    path = os.pathsep.join([str(package.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    subprocess.run(
        [sys.executable, "-c", BUILD.format(templates=str(package / "native")), "-q", "build_ext", "--inplace"],
        cwd=folder, env={**os.environ, "PYTHONPATH": path, "CFLAGS": "-O1"}, check=True, capture_output=True,
    )  # fmt: skip
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("odd")
    finally:
        sys.path.remove(str(folder))


@given(values=st.lists(st.none() | st.integers(-9, 9), min_size=1, max_size=40), window=st.integers(1, 9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_kernel_counts_what_is_odd(odd: ModuleType, values: list[int | None], window: int) -> None:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native:
        return Native(pa.int64(), lambda evicts: odd.Odd(), pa.int64())

    counted = built_in("odd", resolve, "integers", "v")
    found = iw.with_columns(pa.table({"v": pa.array(values, pa.int64())}), n=counted.over(iw.rows(window)))["n"]
    frames = [values[max(at - window + 1, 0) : at + 1] for at in range(len(values))]
    assert found.to_pylist() == [sum(value % 2 for value in frame if value is not None) for frame in frames]
