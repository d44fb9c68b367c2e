"""With which kernel: Cython loops over ``(values, start, end)``, and the driver that calls Python hooks."""

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]
Seen = npt.NDArray[np.uint8] | None  # which tuples count, by a byte for each that is not 0; None: all
