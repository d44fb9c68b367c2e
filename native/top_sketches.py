"""The frequent items of Apache DataSketches (Misra-Gries), as Spark's ``approx_top_k`` keeps them, and a count of NULLs.

The library's sketch of Python objects hashes them as Python does: it is given integers alone, whose hash is the same in every
process, and strings have a sketch of their own. So doubles are their bits, and wide numbers their digits.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from struct import pack, unpack
from typing import Any, Literal

import numpy as np
import pyarrow as pa

Held = Literal["text", "digits", "whole", "double"]


@dataclass
class Tally:
    """A sketch of the values, and how many NULLs there were."""

    sketch: Any
    nulls: int = 0


class FrequentItems:
    """Sketches of 2 ** ``lg_size`` counters, of which three quarters are in use; values are held as ``held`` says."""

    def __init__(self, lg_size: int, held: Held) -> None:
        self.lg_size, self.held = lg_size, held

    def fresh(self) -> Tally:
        """A sketch of nothing."""
        return Tally(self._type()(self.lg_size))

    def _type(self) -> Any:
        import datasketches

        if self.held in ("text", "digits"):
            return datasketches.frequent_strings_sketch
        return datasketches.frequent_items_sketch

    def update(self, tally: Tally, values: pa.Array) -> Tally:
        """With the values, one by one: so it does not matter how they were cut into batches."""
        tally.nulls += values.null_count
        known = values.drop_null()
        if self.held == "double":
            plain = np.array(known) + 0.0  # -0.0 is 0.0
            plain[np.isnan(plain)] = np.nan  # of one form
            known = pa.array(plain.view(np.int64))
        update = tally.sketch.update
        for value in known.to_pylist():
            update(value)
        return tally

    def merged(self, one: Tally, other: Tally) -> Tally:
        """A new sketch of both."""
        made = self.fresh()
        for tally in (one, other):
            made.sketch.merge(tally.sketch)
            made.nulls += tally.nulls
        return made

    def written(self, tally: Tally) -> bytes:
        """Its bytes, and the count of NULLs."""
        return bytes(tally.sketch.serialize(*self._serde())) + tally.nulls.to_bytes(8, "big")

    def read(self, written: bytes) -> Tally:
        """The inverse of :meth:`written`; the sketch can be updated."""
        sketch = self._type().deserialize(written[:-8], *self._serde())
        return Tally(sketch, int.from_bytes(written[-8:], "big"))

    def _serde(self) -> tuple[Any, ...]:
        import datasketches

        return () if self.held in ("text", "digits") else (datasketches.PyLongsSerDe(),)

    def top(self, tally: Tally, k: int) -> list[dict[str, Any]]:
        """The ``k`` most frequent values and their counts; of equal ones the smallest value, and NULL last."""
        import datasketches

        found = tally.sketch.get_frequent_items(datasketches.frequent_items_error_type.NO_FALSE_POSITIVES)
        if len(found) > k:  # the largest counts come first: the others are not put in order
            least = found[k - 1][1]
            found = [row for row in found if row[1] >= least]
        rows = [(_double(item) if self.held == "double" else item, count) for item, count, *_ in found]
        rows.sort(key=lambda row: (-row[1], self._order(row[0])))
        if tally.nulls:
            rows.insert(sum(count >= tally.nulls for _, count in rows), (None, tally.nulls))
        return [{"item": item, "count": count} for item, count in rows[:k]]

    def _order(self, item: Any) -> Any:
        if self.held == "double":
            return math.isnan(item), item  # NaN is the largest
        return Decimal(item) if self.held == "digits" else item


def _double(bits: int) -> float:
    return float(unpack("<d", pack("<q", bits))[0])
