"""One column of a pair: a kernel over its values where the other column has one, too."""

from typing import Any

import pyarrow.compute as pc


class OfPair:
    """``kernel`` over column ``which`` of two, where neither is NULL: the averages and squares of a regression.

    >>> import numpy as np, pyarrow as pa
    >>> from inwindow.native._sums import FloatSum
    >>> columns = pa.array([1.0, 5.0, 3.0]), pa.array([2.0, None, 4.0])
    >>> OfPair(FloatSum("avg"), 0).roll(columns, 0, np.array([0, 1]), np.array([2, 3])).to_pylist()
    [1.0, 3.0]
    """

    def __init__(self, kernel: Any, which: int) -> None:
        self.kernel, self.which = kernel, which
        self.state, self.restore, self.of_panes = kernel.state, kernel.restore, kernel.of_panes

    def roll(self, columns: Any, *frames: Any) -> Any:
        """One result per frame."""
        return self.kernel.roll(self._column(columns), *frames)

    def absorb(self, columns: Any, *frame: Any) -> None:
        """Fold a frame without a result."""
        self.kernel.absorb(self._column(columns), *frame)

    def resume(self, columns: Any, *frames: Any) -> Any:
        """Go on with the frames of many keys."""
        return self.kernel.resume(self._column(columns), *frames)

    def roll_partials(self, columns: Any, *panes: Any) -> Any:
        """The first level of a cascade."""
        return self.kernel.roll_partials(self._column(columns), *panes)

    def _column(self, columns: Any) -> Any:
        other = columns[1 - self.which]
        return pc.if_else(pc.is_valid(other), columns[self.which], None) if other.null_count else columns[self.which]
