from typing import Any

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]

def edges(
    keys: npt.NDArray[Any],
    base: int,
    targets: npt.NDArray[Any],
    low: Positions,
    high: Positions,
    after: bool,
) -> Positions: ...
def row_frames(
    at: Positions, partition_starts: Positions, end: int, lower: int | None, upper: int | None
) -> tuple[Positions, Positions]: ...
def shifted(keys: npt.NDArray[Any], offset: Any) -> npt.NDArray[Any]: ...
