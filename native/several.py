"""Several kernels over the same frames, their results side by side in a list: percentiles at several percentages."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


class Several:
    """A list of one result per kernel for each frame; NULL where they have none."""

    def __init__(self, kernels: list[Any], finish: Callable[[pa.Array], pa.Array]) -> None:
        self.kernels, self.finish = kernels, finish

    def roll(self, *arguments: Any) -> pa.Array:
        """The lists."""
        results = [self.finish(kernel.roll(*arguments)) for kernel in self.kernels]
        valid = pc.is_valid(results[0]).to_numpy(zero_copy_only=False)
        offsets = np.concatenate([[0], np.cumsum(np.where(valid, len(results), 0))])
        # The results one after another, read across: those of the first frame, of the second, ...
        index = np.flatnonzero(valid)[:, None] + len(valid) * np.arange(len(results))
        turned = pa.concat_arrays(results).take(pa.array(index.ravel()))
        kind = pa.list_(pa.field("element", turned.type, nullable=False))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), turned, type=kind, mask=pa.array(~valid))

    def absorb(self, *arguments: Any) -> None:
        """Into each."""
        for kernel in self.kernels:
            kernel.absorb(*arguments)

    def state(self) -> Any:
        """Of each."""
        return [kernel.state() for kernel in self.kernels]

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        for kernel, its in zip(self.kernels, state, strict=True):
            kernel.restore(its)
