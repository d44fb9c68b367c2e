"""The kernels: each ``native/name.pyx`` is the extension module ``inwindow.native.name``. All else is in pyproject.toml.

A kernel is compiled once for its content, and kept in build/compiled: `pip install .`, an editable install and a wheel of the same
sources take it from there. `python setup.py build_ext` compiles without installing, and shows how far it is.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

NATIVE = Path("native")
COMPILED = Path("build/compiled")
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
FLAGS = ["-O3", "-g0", "-w"]  # -w: what a C compiler warns of in code that Cython wrote helps nobody
CYTHON = [sys.executable, "-m", "cython"]
# What Cython adds for memoryviews is in one module, not in each of the two dozen that take one: half the time of the compiler.
SHARED = "inwindow.native.memoryviews"
# Cython finds the .pxd of a module by its full name, and the folder native/ is not called inwindow/native/.
NAMED = Path("build/named/inwindow/native")


def name_declarations() -> None:
    """The .pxd files under the names of their modules."""
    shutil.rmtree(NAMED, ignore_errors=True)
    NAMED.mkdir(parents=True)
    for folder in (NAMED, NAMED.parent):
        (folder / "__init__.pxd").touch()
    for declared in NATIVE.glob("*.pxd"):
        shutil.copy(declared, NAMED)


def extension(name: str, source: Path) -> Extension:
    return Extension(f"inwindow.native.{name}", [source.as_posix()], extra_compile_args=FLAGS)


class Kernels(build_ext):
    """Compiles what is not compiled yet, as many kernels at a time as there are processors: Cython, then the C compiler."""

    def build_extensions(self) -> None:
        missing = [one for one in self.extensions if not self.kept(one).exists()]
        if missing:
            self.check_compiler()
            name_declarations()
            COMPILED.mkdir(parents=True, exist_ok=True)
            with ThreadPoolExecutor(processors()) as threads:
                begun = [threads.submit(self.compile, one) for one in missing]
                try:
                    for number, one in enumerate(as_completed(begun), 1):
                        say(number, len(missing), one.result())
                except BaseException:
                    threads.shutdown(cancel_futures=True)
                    raise
        for one in self.extensions:
            made = Path(self.get_ext_fullpath(one.name))
            made.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.kept(one), made)

    def compile(self, one: Extension) -> str:
        """From a source to what is kept; the name."""
        (given,), name = one.sources, one.name.rpartition(".")[2]
        c = Path(self.build_temp) / f"{name}.c"
        c.parent.mkdir(parents=True, exist_ok=True)
        if one.name == SHARED:
            subprocess.run([*CYTHON, "--generate-shared", str(c)], check=True)
        else:
            options = ["-3", f"--shared={SHARED}", "--module-name", one.name, "-I", str(NATIVE), "-I", "build/named"]
            subprocess.run([*CYTHON, *options, given, "-o", str(c)], check=True)
        whole, one.sources = self.kept(one), [c.as_posix()]
        try:
            self.build_extension(one)
        finally:
            one.sources = [given]
        for older in COMPILED.glob(f"{name}.*{SUFFIX}"):
            older.unlink()
        shutil.copy(self.get_ext_fullpath(one.name), f"{whole}.part")
        os.replace(f"{whole}.part", whole)  # what is there is whole, also after an interruption
        return name

    def kept(self, one: Extension) -> Path:
        """Where a kernel is once it is compiled: its name, and a digest of all that it is made of."""
        (given,), name = one.sources, one.name.rpartition(".")[2]
        sources = [Path(given), Path("setup.py"), *sorted(NATIVE.glob("*.px[di]"))]
        settings = [version("Cython"), *(os.environ.get(one, "") for one in ("CC", "CFLAGS", "LDFLAGS", "ARCHFLAGS"))]
        digest = hashlib.sha256(repr(settings).encode())
        for source in sources:
            digest.update(source.read_bytes() if source.exists() else b"")
        return COMPILED / f"{name}.{digest.hexdigest()[:16]}{SUFFIX}"

    def check_compiler(self) -> None:
        """There is a C compiler, or what to do."""
        command = getattr(self.compiler, "compiler", [])
        if command and shutil.which(command[0]) is None:
            sys.exit(
                f"inwindow compiles its kernels, and there is no {command[0]!r} here: install a C compiler (Debian, Ubuntu: "
                "apt install gcc python3-dev; macOS: xcode-select --install), or a wheel of inwindow"
            )


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def say(number: int, of: int, name: str) -> None:
    """A line that is written over on a terminal, a line each elsewhere."""
    line = f"kernel {number:2} of {of}: {name}"
    if sys.stdout.isatty():
        print(f"\r{line:<40}", end="\n" if number == of else "", flush=True)
    else:
        print(line, flush=True)


setup(
    ext_modules=[
        extension("memoryviews", NATIVE / "memoryviews.c"),  # made by Cython itself
        *(extension(path.stem, path) for path in sorted(NATIVE.glob("*.pyx"))),
    ],
    cmdclass={"build_ext": Kernels},
    options={"editable_wheel": {"mode": "strict"}},  # `pip install -e .` makes a link tree that mypy can read
)
