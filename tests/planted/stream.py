"""Faults of stream/."""

from .fault import faults

FAULTS = ()
