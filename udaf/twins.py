"""Built-ins as plain Python classes with hooks: for the types that have no kernel (decimals, strings, ...).

They are ordinary aggregates: the same strategies run them, and they show how one is written.
"""

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import pyarrow as pa

from inwindow.udaf.contract import Aggregate, WindowAggregate
from inwindow.udaf.errors import ArithmeticOverflowError

# More digits than any sum of 38-digit decimals has: additions are exact.
_EXACT = Context(prec=80)


class DecimalSum(WindowAggregate, returns="decimal(38,18)"):
    """The exact sum of decimals; beyond the result's precision an error (ANSI) or NULL."""

    def __init__(self, result: pa.Decimal128Type, ansi: bool) -> None:
        self.result, self.ansi = result, ansi

    def initialize(self, value: Decimal) -> None:
        self.total, self.count = value, 1

    def iterate(self, value: Decimal) -> None:
        self.total = _EXACT.add(self.total, value)
        self.count += 1

    def expire(self, value: Decimal) -> None:
        self.total = _EXACT.subtract(self.total, value)
        self.count -= 1

    def merge(self, later: "DecimalSum") -> None:
        self.total = _EXACT.add(self.total, later.total)
        self.count += later.count

    def unmerge(self, earlier: "DecimalSum") -> None:
        self.total = _EXACT.subtract(self.total, earlier.total)
        self.count -= earlier.count

    def terminate(self) -> Decimal | None:
        return fitted(self.total, self.result, self.ansi)


class DecimalAvg(DecimalSum, returns="decimal(38,18)"):
    """The average of decimals, rounded half up to the result's scale."""

    def terminate(self) -> Decimal | None:
        return fitted(_EXACT.divide(self.total, Decimal(self.count)), self.result, self.ansi)


class Smallest(Aggregate, returns="string", commutative=True):
    """The smallest of values that Python can order."""

    def initialize(self, value: Any) -> None:
        self.value = value

    def iterate(self, value: Any) -> None:
        if value < self.value:
            self.value = value

    def merge(self, later: "Smallest") -> None:
        self.iterate(later.value)

    def terminate(self) -> Any:
        return self.value


class Largest(Smallest, returns="string", commutative=True):
    """The largest of values that Python can order."""

    def iterate(self, value: Any) -> None:
        if value > self.value:
            self.value = value


def fitted(value: Decimal, result: pa.Decimal128Type, ansi: bool) -> Decimal | None:
    """A decimal at the result's scale, if its precision suffices."""
    scaled = value.quantize(Decimal(1).scaleb(-result.scale), ROUND_HALF_UP, _EXACT)
    if len(scaled.as_tuple().digits) <= result.precision:
        return scaled
    if ansi:
        raise ArithmeticOverflowError(f"{value} does not fit {result}: cast the argument to a smaller scale")
    return None
