from typing import Any

import numpy as np
import numpy.typing as npt

_Places = npt.NDArray[np.int32]

def laid_out(
    aggregates: list[Any],
) -> tuple[list[str], _Places, list[float], _Places, list[int], _Places, list[str], _Places, list[Any]]: ...
def rebuilt(
    prototype: object,
    layouts: list[str],
    which: _Places,
    doubles: list[float],
    integers: list[int],
    texts: list[str],
) -> list[Any]: ...
