from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._fresh import fresh as fresh
from inwindow.native._inwindow import InWindow as InWindow
from inwindow.native._results import Misfit as Misfit

Columns = list[list[Any]]
Seen = npt.NDArray[np.uint8] | None
Positions = npt.NDArray[np.int64]
Result = Literal["double", "int64", "object", "state"]
Snapshot = Callable[[Any], Any] | None

def stored_names(prototype: object) -> tuple[str, ...]: ...
def float_fields(aggregate: object, prototype: object) -> dict[tuple[str, int], float]: ...
def is_lost(now: float, peak: float) -> bool: ...

class HookRaised(Exception):
    hook: str
    position: int
    arguments: tuple[Any, ...]
    error: Exception
    frame: int
    place: str | None
    def __init__(self, hook: str, position: int, arguments: tuple[Any, ...], error: Exception) -> None: ...

class Delta:
    def __init__(
        self,
        prototype: object,
        *,
        result: Result = "object",
        empty: Any = None,
        punt: object = None,
        record_fields: Sequence[str] | None = None,
        snapshot: Snapshot = None,
        rebase: bool = False,
    ) -> None: ...
    punts: int
    rebased: int
    def roll(
        self, columns: Columns, base: int, seen: Seen, start: Positions, end: Positions
    ) -> pa.Array[Any] | list[Any]: ...
    def leave_by(self, left: npt.NDArray[np.int64], rank: npt.NDArray[np.int64]) -> None: ...
    def absorb(self, columns: Columns, base: int, seen: Seen, start: int, end: int) -> None: ...
    def resume(
        self,
        columns: Columns,
        seen: Seen,
        first: Positions,
        end: Positions,
        grown: Positions,
        shift: Positions,
        states: list[Any],
    ) -> pa.Array[Any] | list[Any]: ...
    def state(self) -> tuple[Any, ...]: ...
    def restore(self, state: tuple[Any, ...]) -> None: ...

class Recompute:
    def __init__(
        self,
        prototype: object,
        *,
        result: Result = "object",
        empty: Any = None,
        record_fields: Sequence[str] | None = None,
        snapshot: Snapshot = None,
    ) -> None: ...
    def roll(
        self, columns: Columns, base: int, seen: Seen, start: Positions, end: Positions
    ) -> pa.Array[Any] | list[Any]: ...
    def absorb(self, columns: Columns, base: int, seen: Seen, start: int, end: int) -> None: ...
    def state(self) -> tuple[Any, ...]: ...
    def restore(self, state: tuple[Any, ...]) -> None: ...
