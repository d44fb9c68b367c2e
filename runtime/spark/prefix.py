"""What to sort ranges by first, so that Spark's sort rarely looks at a row.

Spark sorts pointers, each with an eight-byte prefix of the *first* sort column. In a range all keys are the same: by
``k, ts`` it would fetch two rows for every comparison, and most of the time of a large job goes there. So the first
sort column is a number made of range and order value that ascends with both::

    other keys    -2**53 + the first key, scaled to 52 bits       then by key and order, as ever
    range r       r * 2**52 + the order value, scaled to 52 bits  then (equal to 52 bits) by key and order

Scales are those of the sample; what lies beyond is equal to their ends, and told apart by the columns behind.
"""

from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.hot_keys import Cut
from inwindow.optimizer.plan import Pass
from inwindow.runtime.reserved import RANGE
from inwindow.runtime.spark.columns import Columns

_BITS = 2**52
_HALF = 0.5  # of the tuples


def prefix_of(columns: Columns, work: Pass, cut: Cut) -> Any | None:
    """The Spark column to sort by before range, keys and order; None where there is no such number, or it does not pay."""
    F = columns.session.F
    (order, *_), hot = work.order_by, sum(key.share for key in cut.keys)
    values = pa.chunked_array([key.ranges.sample for key in cut.keys]).combine_chunks()
    place = _scaled(columns.crossing(order.column), columns.schema().field(order.column).type, values, F)
    if place is None:
        return None
    place = place if order.ascending else 1.0 - place
    null = columns.crossing(order.column).isNull()  # greatest() and least() pass over NULL
    place = F.when(null, 0.0 if order.nulls_first else 1.0).otherwise(place)
    others: Any = F.lit(-2.0 * _BITS)
    if work.partition_by:
        name = work.partition_by[0]
        key = _scaled(columns.crossing(name), columns.schema().field(name).type, cut.first_keys, F)
        if key is None and hot < _HALF:
            return None  # the other keys' own prefix is worth more
        if key is not None:
            its = F.when(columns.crossing(name).isNull(), 0.0).otherwise(key)
            others = its * (_BITS - 1.0) - 2.0 * _BITS
    within = (place * (_BITS - 1.0)).cast("bigint") + F.col(RANGE).cast("bigint") * F.lit(_BITS)
    return F.when(F.col(RANGE) == 0, others.cast("bigint")).otherwise(within)


def _scaled(column: Any, kind: pa.DataType, values: pa.Array, F: ModuleType) -> Any | None:
    """A column as a double between 0 and 1 that ascends with it, and spreads the sampled values."""
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        number, values = F.unix_micros(column), values.cast(pa.timestamp("us", kind.tz)).view(pa.int64())
    elif pa.types.is_date32(kind):
        number, values = F.unix_date(column), values.view(pa.int32())
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        number = column
    else:
        return None
    known = pc.cast(values, pa.float64(), safe=False).drop_null().to_numpy()
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    factor = 1.0 / (high - low) if low < high else 0.0
    if not np.isfinite(factor) or not np.isfinite(high - low):
        return None
    return F.least(F.greatest((number.cast("double") - low) * factor, F.lit(0.0)), F.lit(1.0))
