"""A job as bytes for the workers. If something cannot be pickled, that is an error on the driver.

A class that workers cannot import travels by value: a class from a notebook, from ``__main__``, or from a module beside the
script. Workers import installed packages, and files that Spark got by ``--py-files``.
"""

import copyreg
import gc
import io
import pickle
import sys
import sysconfig
from functools import cache, lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NewType, TypeVar

from pyspark.cloudpickle import cloudpickle as _cloudpickle

from inwindow.optimizer.plan import Step
from inwindow.udaf.errors import UsageError

cloudpickle: Any = _cloudpickle  # it has no types

_COMPILED = (".so", ".pyd")
_INSTALLED = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


def shipped(job: Any) -> bytes:
    try:
        return _pickled(job)
    except Exception as error:
        culprit = next((step for step in job.steps if not _can_be_shipped(step)), None)
        its = culprit.label if culprit is not None else ", ".join(step.label for step in job.steps)
        raise UsageError(
            f"{its} cannot be sent to Spark's workers ({type(error).__name__}: {error}): an aggregate, and "
            "what its hooks use, must be picklable; make connections, locks and open files in `initialize`"
        ) from None


def loaded(job: bytes) -> Any:
    """In a worker: the object that the driver has shipped."""
    its = pickle.loads(job)
    modules_stay()
    return its


def modules_stay() -> None:
    """Keep modules out of later garbage collections: Spark's workers run a full one after every task, which takes 45 ms.

    Any function that runs in a worker calls this: a worker may have tasks of one function only, such as the packer of a stream.
    """
    _frozen(len(sys.modules))


@cache
def _frozen(modules: int) -> None:
    """Freeze what there is, once for each number of modules: a later task may import more."""
    gc.freeze()


def _can_be_shipped(step: Step) -> bool:
    try:
        _pickled(step.implementation)
    except Exception:
        return False
    return True


def _pickled(thing: Any) -> bytes:
    with io.BytesIO() as file:
        _ByValue(file).dump(thing)
        return file.getvalue()


class _ByValue(cloudpickle.Pickler):  # type: ignore[misc]
    """Cloudpickle that pickles everything in the user's own modules by value, as if it were in ``__main__``.

    ``cloudpickle.register_pickle_by_value`` would do this for the whole process: one thread could end the registration while
    another is still pickling.
    """

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self._own: dict[str, bool] = {}  # modules by name: to look at a file takes time

    def reducer_override(self, thing: Any) -> Any:
        """How one object is pickled; ``NotImplemented`` means pickle's own way."""
        name = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None)
        if not self._is_own(name):
            return super().reducer_override(thing)
        match thing:
            case type():
                return cloudpickle._dynamic_class_reduce(thing)
            case FunctionType():
                return self._dynamic_function_reduce(thing)
            case ModuleType():
                content = {key: value for key, value in vars(thing).items() if key not in _OF_IMPORT}
                return ModuleType, (name,), content  # as a state, since modules name each other
            case TypeVar():
                return cloudpickle._make_typevar, cloudpickle._decompose_typevar(thing)
        if type(thing) in self.dispatch_table:
            return NotImplemented
        reduced = thing.__reduce_ex__(self.proto)
        return self._unnamed(thing, str(name)) if isinstance(reduced, str) else reduced

    def _unnamed(self, thing: Any, module: str) -> Any:
        """How to pickle an object that pickle would refer to by name, in a module that workers do not have."""
        if isinstance(thing, _Cached):
            return _cached, (thing.__wrapped__, thing.cache_parameters())
        if isinstance(thing, NewType) or self._is_own(type(thing).__module__):
            return _new_object, (type(thing),), thing.__getstate__()
        raise pickle.PicklingError(f"{thing!r} is known by its name in {module}, a module that workers do not have")

    def _is_own(self, name: Any) -> bool:
        if not isinstance(name, str) or name == "__main__":
            return False
        if name not in self._own:
            module = sys.modules.get(name)
            self._own[name] = module is not None and _is_own_file(module)
        return self._own[name]


_OF_IMPORT = ("__builtins__", "__loader__", "__spec__")  # of a module: each has its own, or needs none
_Cached = type(cache(len))
_new_object: Any = getattr(copyreg, "__newobj__")  # noqa: B009 - it has no type


def _cached(function: Any, parameters: dict[str, Any]) -> Any:
    """A function with a cache, sent with an empty cache."""
    return lru_cache(**parameters)(function)


def _is_own_file(module: ModuleType) -> bool:
    """Whether a module lies beside the script, so that workers cannot import it."""
    place = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if place is None or module.__name__.partition(".")[0] == "inwindow":
        return False
    path = Path(place)
    if path.suffix in _COMPILED:
        return False  # machine code cannot be sent by value: it must be installed on the workers, or come by --py-files
    inside_archive = not path.exists()  # given by --py-files: workers import it
    return not inside_archive and not any(path.resolve().is_relative_to(place) for place in _INSTALLED)
