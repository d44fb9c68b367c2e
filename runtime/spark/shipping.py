"""A job as bytes for the workers. What cannot be shipped is an error on the driver.

A class that the workers could not import travels by value: one from a notebook, from ``__main__``, or from a module that
lies beside the script. Installed packages, and files given to Spark by ``--py-files``, are imported there.
"""

import pickle
import pickletools
import sys
import sysconfig
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import cloudpickle as _cloudpickle
from pyspark.cloudpickle.cloudpickle import list_registry_pickle_by_value as _registered

from inwindow.optimizer.plan import Step
from inwindow.udaf.errors import UsageError

cloudpickle: Any = _cloudpickle  # it has no types
registered: Any = _registered

_COMPILED = (".so", ".pyd")
_INSTALLED = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


def shipped(job: Any) -> bytes:
    """The job, pickled."""
    with ExitStack() as stack:
        while True:
            content = _pickled(job)
            # What is pickled by value refers to more: again, until all that it refers to can be imported there.
            own = [module for module in _modules_named(content) if module.__name__ not in registered()]
            if not own:
                return content
            for module in own:
                cloudpickle.register_pickle_by_value(module)
                stack.callback(cloudpickle.unregister_pickle_by_value, module)


def _pickled(job: Any) -> bytes:
    try:
        content: bytes = cloudpickle.dumps(job)
    except Exception as error:
        culprit = next((step for step in job.work.steps if not _can_be_shipped(step)), None)
        its = culprit.label if culprit is not None else ", ".join(step.label for step in job.work.steps)
        raise UsageError(
            f"{its} cannot be sent to Spark's workers ({type(error).__name__}: {error}): an aggregate, and "
            "what its hooks use, must be picklable; make connections, locks and open files in `initialize`"
        ) from None
    return content


def _can_be_shipped(step: Step) -> bool:
    try:
        cloudpickle.dumps(step.implementation)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return False
    return True


def _modules_named(content: bytes) -> list[ModuleType]:
    """The modules of the user's own that a pickle names, or their packages; by their names among its strings."""
    named: dict[str, ModuleType] = {}
    for _, argument, _ in pickletools.genops(content):
        module = sys.modules.get(argument) if isinstance(argument, str) else None
        if module is not None and argument != "__main__" and _is_own_file(module):
            package = sys.modules[module.__name__.partition(".")[0]]
            named[package.__name__] = package
    return list(named.values())


def _is_own_file(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if file is None or module.__name__.partition(".")[0] == "inwindow":
        return False
    path = Path(file)
    if path.suffix in _COMPILED:
        return False  # machine code has no value to send: it is installed there, or given by --py-files
    inside_archive = not path.exists()  # given by --py-files: workers import it
    return not inside_archive and not any(path.resolve().is_relative_to(place) for place in _INSTALLED)
