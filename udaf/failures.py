"""What a call does where a hook raises, and what it has found: ``on_error="fail"``, ``"skip"`` or ``"collect"``.

One object goes with all aggregates of a call. On a worker it starts empty; who runs the call takes what was found.
"""

from collections.abc import Iterable
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

    def cell(self, name: str, kind: pa.DataType) -> pa.Array:
        """A column of the tuple; NULL if the aggregate does not read it."""
        if self.tuple is None or name not in self.tuple.schema.names:
            return pa.nulls(1, kind)
        return self.tuple.column(name).cast(kind)


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

    def note(self, failure: Failure | None) -> None:
        """Add a failure; None if only their number is wanted."""
        with self._lock:
            self.count += 1
            if failure is not None:
                self._found.append(failure)

    @property
    def schema(self) -> pa.Schema:
        """The columns of failures."""
        return pa.schema([*FAILURE, pa.field("tuple", pa.struct(list(self.reads.items())))])

    def table(self) -> pa.Table:
        """What was found so far."""
        with self._lock:
            return self._as_table(self._found)

    def take(self) -> tuple[int, pa.Table]:
        """How many there were since the last call, and those that are kept."""
        with self._lock:
            count, found = self.count, self._found
            self.count, self._found = 0, []
        return count, self._as_table(found)

    @property
    def none(self) -> pa.Table:
        """No failures."""
        return self._as_table([])

    def _as_table(self, found: list[Failure]) -> pa.Table:
        """``tuple`` is a struct of the columns that the call reads, NULL where an aggregate does not read one."""
        columns: list[Any] = [pa.array([getattr(one, name) for one in found], pa.string()) for name in FAILURE.names]
        parts = [
            pa.concat_arrays([pa.nulls(0, kind), *(one.cell(name, kind) for one in found)])
            for name, kind in self.reads.items()
        ]
        fields = [pa.field(name, kind) for name, kind in self.reads.items()]
        return pa.table([*columns, pa.StructArray.from_arrays(parts, fields=fields)], schema=self.schema)


def flat(failed: pa.RecordBatch) -> pa.RecordBatch:
    """Failures with the columns of their tuples in place of the struct, under the names of :func:`flat_names`."""
    tuples = failed.column("tuple")
    columns = [*failed.columns[:-1], *(tuples.field(at) for at in range(tuples.type.num_fields))]
    return pa.RecordBatch.from_arrays(columns, [*FAILURE.names, *flat_names(one.name for one in tuples.type)])


def flat_names(names: Iterable[str]) -> list[str]:
    """The names of a tuple's columns beside those of its failure."""
    return [f"tuple.{name}" for name in names]


def failures_of(on_error: Any, where: str) -> Failures | None:
    """The option as a value; None for ``"fail"``."""
    if not isinstance(on_error, str) or on_error not in get_args(OnErrorMode):
        raise UsageError(
            f"{where}(on_error={shown(on_error)}): write 'fail' (a hook that raises ends the call), 'skip' (its tuple is left out "
            "of that aggregate) or 'collect' (left out, and had with iw.failed(result))"
        )
    return None if on_error == "fail" else Failures(on_error)
