"""How the kernels are compiled: each once for its content, side by side, and somebody is told."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of one small kernel, and of what Cython makes for memoryviews."""
    folder = tmp_path_factory.mktemp("sources")
    (folder / "native").mkdir()
    shutil.copy(ROOT / "setup.py", folder)
    (folder / "native" / "small.pyx").write_text(
        "def total(const double[::1] values):\n    cdef double value, all = 0\n"
        "    for value in values:\n        all += value\n    return all\n"
    )
    return folder


def built(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext"],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_a_kernel_is_compiled_once_for_its_content(sources: Path) -> None:
    first = built(sources)
    assert sorted(line.split(": ")[1] for line in first.stdout.splitlines()) == ["memoryviews", "small"], first.stderr
    assert [line.split(":")[0] for line in first.stdout.splitlines()] == ["kernel  1 of 2", "kernel  2 of 2"]
    kernel = next((sources / "build").glob("lib*/inwindow/native/small*"))
    assert kernel.name == f"small{sysconfig.get_config_var('EXT_SUFFIX')}"
    kernel.unlink()
    assert built(sources).stdout == "" and kernel.exists()
    (sources / "native" / "small.pyx").write_text("def total(values):\n    return sum(values)\n")
    assert built(sources).stdout == "kernel  1 of 1: small\n"
    assert len(list((sources / "build" / "compiled").iterdir())) == 2, "what is older is not kept"


def test_without_a_compiler_one_is_told_what_to_install(sources: Path) -> None:
    (sources / "native" / "other.pyx").write_text("")
    failed = built(sources, CC="no-such-compiler")
    assert failed.returncode == 1 and "there is no 'no-such-compiler' here: install a C compiler" in failed.stderr
