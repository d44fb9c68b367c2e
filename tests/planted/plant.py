"""Plant a fault in this process, before inwindow is imported: the module's source is changed before Python compiles it.

As a plugin of pytest (``-p``) it plants the fault that the variable PLANTED names.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from types import CodeType
from typing import Any

from .fault import Fault
from .kernels import kernels_with
from .rooms import FAULTS

VARIABLE = "PLANTED"


def plant(fault: Fault) -> None:
    """From now on the module of the fault is imported with it."""
    assert fault.module not in sys.modules, f"{fault.module} is imported already"
    sys.meta_path.insert(0, _Kernels(kernels_with(fault)) if fault.is_compiled else _Source(fault))


class _Source(importlib.abc.MetaPathFinder):
    """Finds the module of a fault in Python."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.fault.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        assert spec is not None and spec.origin is not None
        return importlib.util.spec_from_file_location(name, spec.origin, loader=_Changed(name, spec.origin, self.fault))


class _Changed(importlib.machinery.SourceFileLoader):
    """Loads the text with the fault; what Python keeps of compiled files is neither read nor written."""

    def __init__(self, name: str, path: str, fault: Fault) -> None:
        super().__init__(name, path)
        self.fault = fault

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.fault.planted(), self.path, "exec", dont_inherit=True)


class _Kernels(importlib.abc.MetaPathFinder):
    """Finds the kernels of a compiled fault."""

    def __init__(self, kernels: dict[str, Path]) -> None:
        self.kernels = kernels

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        kernel = self.kernels.get(name)
        return None if kernel is None else importlib.util.spec_from_file_location(name, kernel)


if VARIABLE in os.environ:
    plant(FAULTS[os.environ[VARIABLE]])
