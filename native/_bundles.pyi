import numpy as np
import numpy.typing as npt
import pyarrow as pa

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]

def joined(parts: list[tuple[Bytes, Numbers]]) -> pa.Array: ...

class Parting:
    def __init__(self, values: pa.Array) -> None: ...
    def take(self, sizes: Numbers) -> pa.Buffer: ...
