"""An array that grows at its end and is trimmed at its front, in amortised O(1) per element."""

from typing import Any

import numpy as np
import numpy.typing as npt


class GrowingArray:
    """The elements held of an endless sequence, contiguous.

    They are in a buffer with room after them. When it is full, they move to its front, or to a buffer of twice their size::

        buffer   [ . . . forgotten . . . | held ......... | room ... ]

    >>> grown = GrowingArray()
    >>> grown.append(np.arange(5))
    >>> grown.forget(2)
    >>> grown.append(np.arange(5, 7))
    >>> grown.held
    array([2, 3, 4, 5, 6])
    """

    def __init__(self) -> None:
        self.buffer: npt.NDArray[Any] = np.zeros(0, dtype=np.int64)
        self.start = self.end = 0

    @property
    def held(self) -> npt.NDArray[Any]:
        """The elements, as a view that is valid until the next :meth:`append`."""
        return self.buffer[self.start : self.end]

    def append(self, values: npt.NDArray[Any]) -> None:
        """Take further elements; those of an empty sequence are taken without a copy."""
        if self.start == self.end:
            self.buffer, self.start, self.end = values, 0, len(values)
            return
        if self.end + len(values) > len(self.buffer) or not self.buffer.flags.writeable:
            held = self.held
            room = np.empty((2 * (len(held) + len(values)), *held.shape[1:]), dtype=held.dtype)
            room[: len(held)] = held
            self.buffer, self.start, self.end = room, 0, len(held)
        self.buffer[self.end : self.end + len(values)] = values
        self.end += len(values)

    def forget(self, count: int) -> None:
        """Drop the oldest elements."""
        self.start += min(count, self.end - self.start)

    def __len__(self) -> int:
        return self.end - self.start

    def __getstate__(self) -> npt.NDArray[Any]:
        return self.held.copy()

    def __setstate__(self, held: npt.NDArray[Any]) -> None:
        self.buffer, self.start, self.end = held, 0, len(held)
