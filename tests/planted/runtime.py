"""Faults of runtime/."""

from .fault import faults

FAULTS = ()
