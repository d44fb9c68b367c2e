"""What a call does where a hook raises, and what it has found: ``on_error="fail"``, ``"skip"`` or ``"collect"``.

One object goes with all aggregates of a call. On a worker it starts empty; who runs the call takes what was found.
"""

from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, get_args

import pyarrow as pa

from inwindow.udaf.errors import UsageError, shown

OnErrorMode = Literal["fail", "skip", "collect"]

# The columns of a failure, before its tuple.
FAILURE = pa.schema([(name, pa.string()) for name in ("aggregate", "call", "hook", "message", "key", "time")])


@dataclass(frozen=True)
class Failure:
    """A hook that raised on a tuple, or a result that there is not."""

    aggregate: str  # the title of the result
    call: str
    hook: str
    message: str
    key: str  # in words
    time: str | None
    tuple: pa.RecordBatch | None  # one row; None if nobody asked for it

    def row(self) -> dict[str, Any]:
        """The values of the columns of :data:`FAILURE`."""
        return {name: getattr(self, name) for name in FAILURE.names}


class Failures:
    """The option of a call, and the failures that this process has found."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.reads: dict[str, pa.DataType] = {}  # the columns of the tuples: those that the aggregates of the call read
        self.count = 0
        self._found: list[Failure] = []
        self._lock = Lock()

    def __getstate__(self) -> tuple[str, dict[str, pa.DataType]]:
        return self.mode, self.reads

    def __setstate__(self, state: tuple[str, dict[str, pa.DataType]]) -> None:
        self.__init__(state[0])  # type: ignore[misc]
        self.reads = state[1]

    def __deepcopy__(self, memo: Any) -> "Failures":
        return self

    @property
    def collects(self) -> bool:
        """Whether failures are wanted as rows, not only their number."""
        return self.mode == "collect"

    def note(self, failure: Failure) -> None:
        """Add a failure."""
        with self._lock:
            self.count += 1
            if self.collects:
                self._found.append(failure)

    def table(self) -> pa.Table:
        """What was found so far."""
        with self._lock:
            return table_of(self._found, pa.schema(list(self.reads.items())))

    def take(self) -> tuple[int, list[Failure]]:
        """How many there were since the last call, and those that are kept."""
        with self._lock:
            count, found = self.count, self._found
            self.count, self._found = 0, []
        return count, found


def failures_of(on_error: Any, where: str) -> Failures | None:
    """The option as a value; None for ``"fail"``."""
    if not isinstance(on_error, str) or on_error not in get_args(OnErrorMode):
        raise UsageError(
            f"{where}(on_error={shown(on_error)}): write 'fail' (a hook that raises ends the call), 'skip' (its tuple is left out "
            "of that aggregate) or 'collect' (left out, and had with iw.failed(result))"
        )
    return None if on_error == "fail" else Failures(on_error)


def table_of(found: list[Failure], tuples: pa.Schema) -> pa.Table:
    """Failures as a table; ``tuple`` is a struct of these columns, NULL where an aggregate does not read one."""
    columns = [pa.array([getattr(one, name) for one in found], pa.string()) for name in FAILURE.names]
    parts = []
    for field in tuples:
        cells = [
            one.tuple.column(field.name)
            if one.tuple is not None and field.name in one.tuple.schema.names
            else pa.nulls(1, field.type)
            for one in found
        ]
        parts.append(pa.concat_arrays(cells).cast(field.type) if cells else pa.nulls(0, field.type))
    whole = pa.StructArray.from_arrays(parts, fields=list(tuples))
    return pa.table([*columns, whole], schema=failed_schema(tuples))


def failed_schema(tuples: pa.Schema) -> pa.Schema:
    """The columns of failures."""
    return pa.schema([*FAILURE, pa.field("tuple", pa.struct(list(tuples)))])
