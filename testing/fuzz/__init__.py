"""The fuzzer: see docs/trust.md."""

from inwindow.testing.fuzz.agree import agree

__all__ = ["agree"]
