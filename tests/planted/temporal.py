"""Faults of temporal/."""

from .fault import faults

FAULTS = ()
