"""Faults of native/."""

from .fault import faults

FAULTS = ()
