import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int64]

NEVER_BEGAN: int
FOR_EVER: int

def pieces(group: Positions, since: Times, until: Times) -> tuple[Times, Times, Positions, Positions]: ...
def frames_at(
    group: Positions, since: Times, until: Times, at_group: Positions, at: Times
) -> tuple[Positions, Positions]: ...
def runs(group: Positions, since: Times, until: Times) -> tuple[Positions, Times]: ...
def left_over(
    since: Times, until: Times, owner: Positions, part_since: Times, part_until: Times
) -> tuple[Positions, Times, Times]: ...
def steps(
    group: Positions, time: Times, change_a: Positions, change_b: Positions
) -> tuple[Positions, Times, Times, Positions, Positions]: ...

class Pairs:
    def __init__(
        self, group_a: Positions, since_a: Times, until_a: Times, group_b: Positions, since_b: Times, until_b: Times
    ) -> None: ...
    def take(self, most: int) -> tuple[Positions, Positions]: ...

class Members:
    def __init__(self, left: Positions, start: Positions, end: Positions) -> None: ...
    def take(self, most: int) -> tuple[Positions, Positions]: ...
