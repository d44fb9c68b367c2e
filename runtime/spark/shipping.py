"""A job as bytes for the workers. What cannot be shipped is an error on the driver.

A class that the workers could not import travels by value: one from a notebook, from ``__main__``, or from a module that
lies beside the script. Installed packages, and files given to Spark by ``--py-files``, are imported there.
"""

import pickle
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import cloudpickle as _cloudpickle
from pyspark.cloudpickle.cloudpickle import list_registry_pickle_by_value as _registered

from inwindow.optimizer.plan import Step
from inwindow.runtime.spark.worker import Job
from inwindow.udaf.errors import UsageError

cloudpickle: Any = _cloudpickle  # it has no types
registered: Any = _registered

_INSTALLED = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


def shipped(job: Job) -> bytes:
    """The job, pickled."""
    with _by_value(job.work.steps):
        try:
            content: bytes = cloudpickle.dumps(job)
        except Exception as error:
            culprit = next((step for step in job.work.steps if not _can_be_shipped(step)), job.work.steps[0])
            raise UsageError(
                f"{culprit.label} cannot be sent to Spark's workers ({type(error).__name__}: {error}): an aggregate, and "
                "what its hooks use, must be picklable; make connections, locks and open files in `initialize`"
            ) from None
    return content


def _can_be_shipped(step: Step) -> bool:
    try:
        cloudpickle.dumps(step.implementation)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return False
    return True


@contextmanager
def _by_value(steps: tuple[Step, ...]) -> Iterator[None]:
    with ExitStack() as stack:
        for module in {module.__name__: module for step in steps for module in _modules(step)}.values():
            if module.__name__ not in registered():
                cloudpickle.register_pickle_by_value(module)
                stack.callback(cloudpickle.unregister_pickle_by_value, module)
        yield


def _modules(step: Step) -> Iterator[ModuleType]:
    """The modules of an aggregate's class, and of what it derives from, that are files of the user's own."""
    aggregate: Any = step.implementation.aggregate
    for kind in type(aggregate).__mro__ if aggregate is not None else ():
        module = sys.modules.get(kind.__module__)
        if module is not None and module.__name__ != "__main__" and _is_own_file(module):
            yield sys.modules[module.__name__.partition(".")[0]]  # with the rest of its package


def _is_own_file(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if file is None or module.__name__.partition(".")[0] == "inwindow":
        return False
    path = Path(file)
    inside_archive = not path.exists()  # given by --py-files: workers import it
    return not inside_archive and not any(path.resolve().is_relative_to(place) for place in _INSTALLED)
