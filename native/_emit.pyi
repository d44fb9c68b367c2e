from collections.abc import Sequence
from typing import Any

from inwindow.native._hooks import Columns, Positions, Seen, Snapshot

Emissions = tuple[list[Any], Positions]

class Emit:
    def __init__(
        self,
        prototype: object,
        *,
        punt: object = None,
        record_fields: Sequence[str] | None = None,
        snapshot: Snapshot = None,
    ) -> None: ...
    def roll(
        self,
        columns: Columns,
        base: int,
        seen: Seen,
        first: int,
        start: Positions,
        partition: Positions,
        restart: Positions | None = None,
    ) -> Emissions: ...
    def absorb(
        self,
        columns: Columns,
        base: int,
        seen: Seen,
        first: int,
        start: Positions,
        partition: Positions,
        restart: Positions | None = None,
    ) -> None: ...
    def resume(
        self,
        columns: Columns,
        seen: Seen,
        low: Positions,
        last: Positions,
        until: Positions,
        shift: Positions,
        start: Positions,
        states: list[Any],
    ) -> Emissions: ...
    def state(self) -> tuple[Any, ...]: ...
    def restore(self, state: tuple[Any, ...]) -> None: ...

class ActiveExpiration(Emit):
    def drain(self, columns: Columns, base: int, seen: Seen, until: int | None = None) -> Emissions: ...
