"""What a class keeps for all its copies: put back before each example, so that one does not show in the next."""

import copy
from types import FunctionType

from inwindow.udaf.contract import Aggregate, WindowAggregate

_CODE = (FunctionType, staticmethod, classmethod, property, type)


class Kept:
    """The class-level attributes of an aggregate, as they were."""

    def __init__(self, aggregate: Aggregate) -> None:
        self.values = [
            (kind, name, value, copy.deepcopy(value))
            for kind in type(aggregate).__mro__
            if kind not in (Aggregate, WindowAggregate, object)
            for name, value in vars(kind).items()
            if not name.startswith("_") and not isinstance(value, _CODE) and not callable(value)
        ]

    def restore(self) -> None:
        """Restore the state before the first example: the same objects, with their old contents."""
        for kind, name, value, contents in self.values:
            if vars(kind).get(name) is not value:
                setattr(kind, name, value)
            if isinstance(value, (list, bytearray)):
                value[:] = copy.deepcopy(contents)
            elif isinstance(value, (dict, set)):
                value.clear()
                value.update(copy.deepcopy(contents))
