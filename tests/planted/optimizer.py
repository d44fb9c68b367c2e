"""Faults of optimizer/."""

from .fault import faults

FAULTS = ()
