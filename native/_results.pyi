from typing import Any

import pyarrow as pa

MODES: frozenset[str]

class Misfit(Exception):
    index: int
    value: Any
    def __init__(self, index: int, value: Any) -> None: ...

def column(values: list[Any], mode: str) -> pa.Array[Any] | list[Any]: ...
