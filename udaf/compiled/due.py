"""When a plain class is compiled by default: not before it pays, and once per process.

Python hooks take about 0.1 microseconds per tuple. numba takes 0.6 seconds to compile a class, or 0.3 seconds to be imported and to
find what another process has compiled. So we count the tuples that have gone through the Python hooks of a class, over all calls.
"""

import logging
import threading
from types import ModuleType

from inwindow.udaf.compiled.caching import is_on_disk, loaded

AFTER = 1_000_000  # tuples
AFTER_IF_ON_DISK = 100_000

_log = logging.getLogger("inwindow")
_lock = threading.Lock()  # nothing is compiled twice
_counts: dict[str, int] = {}  # by the text of the program, as are the others
_on_disk: dict[str, bool] = {}
_modules: dict[str, ModuleType] = {}
_given_up: set[str] = set()


def count(source: str, tuples: int) -> None:
    """Count tuples that have gone through the Python hooks."""
    _counts[source] = _counts.get(source, 0) + tuples


def module_if_due(source: str) -> ModuleType | None:
    """The compiled program, if this process has compiled it or shall compile it now."""
    module, tuples = _modules.get(source), _counts.get(source, 0)
    if module is not None or source in _given_up or tuples < AFTER_IF_ON_DISK:
        return module
    with _lock:
        if source not in _on_disk:
            _on_disk[source] = is_on_disk(source)
        if source in _modules or not (_on_disk[source] or tuples >= AFTER):
            return _modules.get(source)
        try:
            _modules[source] = loaded(source)
        except Exception as error:  # numba is missing or broken: the user has not asked for it
            give_up(source, f"{type(error).__name__}: {error}")
        return _modules.get(source)


def give_up(source: str, why: str) -> None:
    """Keep the Python hooks for the rest of this process."""
    _given_up.add(source)
    _modules.pop(source, None)
    _log.info("%s: its Python hooks go on, %s", source.partition(",")[0].removeprefix("# "), why)
