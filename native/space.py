"""Room for results: uninitialised arrays from Arrow's memory pool.

The pool keeps the memory that is given back and hands it out again, while the C library returns large pieces to the
system, to be fetched and cleared anew, page by page, for every batch: 3 ns per tuple where a kernel takes 2.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def space(count: int, dtype: Any) -> npt.NDArray[Any]:
    """An array of ``count`` numbers of 8 bytes, to be filled.

    >>> space(3, np.int64).shape
    (3,)
    """
    return np.frombuffer(pa.allocate_buffer(8 * max(count, 1)), dtype=dtype, count=count)
