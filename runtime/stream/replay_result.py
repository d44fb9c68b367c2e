"""What a replayed stream gave."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Replayed:
    """What a stream gave."""

    batches: list[pa.Table]  # the rows of each micro-batch; the last ones come as the watermark moves on without tuples
    late: list[pa.Table]  # the tuples of each that came behind the watermark
    watermarks: list[Any]  # at which each was processed, as values of the order column; None before the first

    @property
    def table(self) -> pa.Table:
        return pa.concat_tables(self.batches)
