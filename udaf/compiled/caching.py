"""Generated modules as files, so that numba's own cache beside them is found again: by the next session, and by all workers.

The name of a file is the hash of its text and of numba's version: files are never changed, and may all be deleted at any time. They
lie in ``$INWINDOW_CACHE``, else in the user's cache folder, else (where that cannot be written) in a temporary one.
"""

import contextlib
import hashlib
import importlib.util
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

from inwindow.udaf.errors import InWindowError


@cache
def loaded(source: str) -> ModuleType:
    """The module of this text; compiled first if no process has done so."""
    path = _path(source)
    name = path.stem
    if not path.exists() or path.read_text() != source:
        _put(path, source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        sys.modules.pop(name, None)  # another thread may have been here
        if not type(error).__module__.startswith("numba."):
            raise
        said = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        raise InWindowError(
            f"numba cannot compile what was made of the hooks ({type(error).__name__}: {said}), as in {path}: use the class "
            "without iw.compiled, and please report it"
        ) from error
    return module


def is_on_disk(source: str) -> bool:
    """Whether this text was compiled before, for this version of Python."""
    path = _path(source)
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    return any((path.parent / "__pycache__").glob(f"{path.stem}._loop-*.{python}*.nbi"))


@cache
def numba_version() -> str | None:
    """From the name of its metadata folder, because reading the metadata takes longer; None if numba is not installed."""
    spec = importlib.util.find_spec("numba")
    if spec is None or spec.origin is None:
        return None
    return max((one.name for one in Path(spec.origin).parent.parent.glob("numba-*.dist-info")), default="")


def _path(source: str) -> Path:
    text = f"# numba {numba_version()}\n{source}".encode()
    return _folder() / f"_inwindow_{hashlib.sha1(text, usedforsecurity=False).hexdigest()}.py"


def _put(path: Path, source: str) -> None:
    """Write a file as a whole, even if another process writes it at the same time."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(source)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _folder() -> Path:
    """A folder that only this user can write, because its content is run."""
    given = os.environ.get("INWINDOW_CACHE")
    homes = [Path(given)] if given else []
    if not given:
        base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
        with contextlib.suppress(RuntimeError):
            homes.append((Path(base) if base else Path.home() / ".cache") / "inwindow")
    for folder in homes:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if os.access(folder, os.W_OK) and _is_own(folder):
                return folder
    return _temporary()


@cache
def _temporary() -> Path:
    return Path(tempfile.mkdtemp(prefix="inwindow-"))


def _is_own(folder: Path) -> bool:
    status = folder.stat()
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o002)
