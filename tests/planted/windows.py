"""Faults of windows/."""

from .fault import faults

FAULTS = ()
