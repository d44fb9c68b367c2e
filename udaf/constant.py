"""Whether a value can change: constants may be shared by all copies of an aggregate, other values are state."""

import dataclasses
import enum
import fractions
import logging
import re
import types
import uuid
from collections import deque
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from typing import Any

import numpy as np

_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, range, slice, Decimal, fractions.Fraction, date, time, timedelta, tzinfo,
    uuid.UUID, re.Pattern, enum.Enum, type, type(...), type(NotImplemented), np.generic, np.dtype,
    types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.GenericAlias, types.UnionType, logging.Logger,
)  # fmt: skip
_PARTS = (tuple, frozenset, types.MappingProxyType)
_FIXED_ROOMS = ("pyarrow", "typing", "operator", "_operator")  # whose objects cannot change, or are no data


def is_constant(value: Any) -> bool:
    """Whether a value and everything in it cannot change.

    >>> from types import MappingProxyType
    >>> is_constant((1, "a")), is_constant((1, [])), is_constant(MappingProxyType({"a": 1}))
    (True, False, True)
    """
    if isinstance(value, _PARTS):
        return all(map(is_constant, parts_of(value))) and not _has_attributes(value)
    if isinstance(value, _PLAIN):
        return type(value) in _PLAIN or isinstance(value, (enum.Enum, type, tzinfo)) or not _has_attributes(value)
    if isinstance(value, np.ndarray):
        return not value.flags.writeable and value.dtype != object
    if dataclasses.is_dataclass(value):
        is_frozen: bool = getattr(value, "__dataclass_params__").frozen  # noqa: B009
        return is_frozen and all(map(is_constant, vars(value).values()))
    return type(value) is object or type(value).__module__.partition(".")[0] in _FIXED_ROOMS


def parts_of(value: Any) -> list[Any]:
    """The members, keys and values of a container; nothing for any other object."""
    if isinstance(value, (dict, types.MappingProxyType)):
        return [*value.keys(), *value.values()]
    if isinstance(value, np.ndarray):
        return list(value.flat) if value.dtype == object else []
    return list(value) if isinstance(value, (list, tuple, set, frozenset, deque)) else []


def _has_attributes(value: Any) -> bool:
    """Whether an object of a class that is derived from a plain one holds more than it."""
    return not all(map(is_constant, getattr(value, "__dict__", {}).values()))
