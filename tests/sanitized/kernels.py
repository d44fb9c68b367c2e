"""The kernels with sanitizers of addresses and of undefined behaviour in them, in build/sanitized; what was compiled is kept.

The product is compiled with -fwrapv, with which a sum of int64 that is too large goes round. Here it is not, so that each place
where that happens is reported; where it is meant, allowed.txt says so. The words are the same: the sanitizer goes on with them.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
NATIVE, BUILT = ROOT / "native", ROOT / "build" / "sanitized"
SHARED = "memoryviews"  # made by Cython itself, see setup.py
FLAGS = [
    *("-shared", "-fPIC", "-O1", "-g", "-w", "-DNDEBUG", "-fno-omit-frame-pointer"),
    "-fsanitize=address,undefined,float-cast-overflow",  # all of them can be suppressed, and stop the process if they are not
]
_SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def built() -> dict[str, Path]:
    """The modules, and where each is; compiled where it was not yet."""
    named = BUILT / "named" / "inwindow" / "native"  # Cython finds a .pxd by its full name
    shutil.rmtree(BUILT / "named", ignore_errors=True)
    named.mkdir(parents=True)
    for folder in (named, named.parent):
        (folder / "__init__.pxd").touch()
    for declared in NATIVE.glob("*.pxd"):
        shutil.copy(declared, named)
    names = [SHARED, *sorted(source.stem for source in NATIVE.glob("*.pyx"))]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        return {f"inwindow.native.{name}": file for name, file in zip(names, threads.map(_built, names), strict=True)}


def found() -> dict[str, Path]:
    """The modules that are compiled, and where each is."""
    return {f"inwindow.native.{name}": _kept(name) for name in [SHARED, *(one.stem for one in NATIVE.glob("*.pyx"))]}


def _kept(name: str) -> Path:
    digest = hashlib.sha256(repr(FLAGS).encode())
    source = NATIVE / f"{name}.pyx"
    for one in [source, *sorted(NATIVE.glob("*.px[di]"))] if source.exists() else []:
        digest.update(one.read_bytes())
    return BUILT / f"{name}.{digest.hexdigest()[:16]}{_SUFFIX}"


def _built(name: str) -> Path:
    kept = _kept(name)
    if not kept.exists():
        for older in BUILT.glob(f"{name}.*"):
            older.unlink()
        c = BUILT / f"{name}.c"
        options = ["--generate-shared", str(c)]
        if name != SHARED:
            folders = ["-I", str(NATIVE), "-I", str(BUILT / "named")]
            options = ["-3", "--line-directives", f"--shared=inwindow.native.{SHARED}", *folders]
            options += ["--module-name", f"inwindow.native.{name}", f"native/{name}.pyx", "-o", str(c)]
        subprocess.run([sys.executable, "-m", "cython", *options], check=True, cwd=ROOT)
        part = kept.with_suffix(".part")
        headers = f"-I{sysconfig.get_paths()['include']}"
        subprocess.run([os.environ.get("CC", "gcc"), *FLAGS, headers, str(c), "-o", str(part)], check=True, cwd=ROOT)
        part.replace(kept)
        print(f"sanitized: {name}", flush=True)
    return kept
