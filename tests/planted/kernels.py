"""Kernels with a fault in them: the source is changed in a folder of its own, and compiled there; what was compiled is kept."""

import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import numpy as np

from .fault import ROOT, Fault

NATIVE, BUILT = ROOT / "native", ROOT / "build" / "planted"
SHARED = "inwindow.native.memoryviews"  # see setup.py
_USES = re.compile(
    r'^(?:from inwindow\.native\.(\w+) cimport|cimport inwindow\.native\.(\w+)|include "(\w+)\.pxi")', re.M
)


def kernels_with(fault: Fault) -> dict[str, Path]:
    """The modules into which the file is compiled, and where each is with the fault."""
    name = Path(fault.file).stem
    kernels = (
        [name]
        if fault.file.endswith(".pyx")
        else sorted(one.stem for one in NATIVE.glob("*.pyx") if name in _uses(one))
    )
    return {f"inwindow.native.{kernel}": _built(fault, kernel) for kernel in kernels}


@cache
def _uses(source: Path) -> frozenset[str]:
    """What a source takes in, directly or not; declarations of a kernel that is called, not compiled in, are left out."""
    found = {name for names in _USES.findall(source.read_text(encoding="utf-8")) for name in names if name}
    files = [file for name in found for file in (NATIVE / f"{name}.pxi", NATIVE / f"{name}.pxd") if file.exists()]
    return frozenset(found.union(*map(_uses, files)))


def _built(fault: Fault, kernel: str) -> Path:
    digest = hashlib.sha256(fault.planted().encode())
    for source in (NATIVE / f"{kernel}.pyx", *sorted(NATIVE.glob("*.px[di]"))):
        digest.update(source.read_bytes())
    kept = BUILT / f"{kernel}.{digest.hexdigest()[:16]}{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not kept.exists():
        _build(fault, kernel, kept)
    return kept


def _build(fault: Fault, kernel: str, kept: Path) -> None:
    """Cython, then gcc without much optimizing: it is the time of the compiler that counts here."""
    folder = BUILT / f"sources-{fault.id}"
    named = folder / "named" / "inwindow" / "native"
    named.mkdir(parents=True, exist_ok=True)
    for source in NATIVE.glob("*.p[yx][xdi]"):
        shutil.copy(source, folder)
    (folder / Path(fault.file).name).write_text(fault.planted(), encoding="utf-8")
    for package in (named, named.parent):
        (package / "__init__.pxd").touch()
    for declared in folder.glob("*.pxd"):
        shutil.copy(declared, named)
    c, module = folder / f"{kernel}.c", f"inwindow.native.{kernel}"
    options = ["-3", f"--shared={SHARED}", "--module-name", module, "-I", str(folder), "-I", str(folder / "named")]
    subprocess.run([sys.executable, "-m", "cython", *options, str(folder / f"{kernel}.pyx"), "-o", str(c)], check=True)
    headers = [f"-I{sysconfig.get_paths()['include']}", f"-I{np.get_include()}"]
    flags = ["-shared", "-fPIC", "-O1", "-g0", "-fwrapv", "-DNDEBUG", "-w", *headers]
    part = kept.with_suffix(".part")
    subprocess.run(["gcc", *flags, str(c), "-o", str(part)], check=True)
    part.replace(kept)
    shutil.rmtree(folder)
