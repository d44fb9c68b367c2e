from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]

def nodes(first: Positions, last: Positions, size: int) -> tuple[Positions, Positions]: ...
def paths(filled: Positions, pieces: int, size: int) -> tuple[Positions, Positions]: ...
def merged(
    states: list[Any], filled: Positions, pieces: int, size: int, empty: Any, snapshot: Callable[[Any], Any] | None
) -> list[Any]: ...
