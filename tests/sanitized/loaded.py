"""In a Python that was started for it (__main__.py), the kernels with sanitizers are loaded in place of the product's."""

import importlib.abc
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from .kernels import found


class _Kernels(importlib.abc.MetaPathFinder):
    def __init__(self) -> None:
        self.kernels: dict[str, Path] = found()

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        kernel = self.kernels.get(name)
        return None if kernel is None else importlib.util.spec_from_file_location(name, kernel)


assert not [name for name in sys.modules if name.startswith("inwindow.native.")], "kernels are imported already"
sys.meta_path.insert(0, _Kernels())
