import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

def ordered(group: Numbers, time: Numbers) -> tuple[Numbers | None, Numbers | None, Numbers] | None: ...
