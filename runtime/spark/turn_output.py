"""What a bucket's turn gives to Spark: rows as payloads, and beside the first one numbers, which Spark sums up over all buckets.

::

    kind   rows            late_tuples   waiting_tuples ...   nanos_0   tuples_0
    row    Arrow bytes               1               40          5300         12
    row    Arrow bytes               0                0             0          0
    late   Arrow bytes               0                0             0          0

A query has only the columns that it needs: each one costs a little in every turn, and in the plan of every micro-batch.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass, failures_in
from inwindow.runtime.plain import in_stream
from inwindow.runtime.spark.observations import sentinels_of
from inwindow.runtime.stream.bucket import Bucket, Output
from inwindow.udaf.sentinel import COUNTS, Found

_ROWS = 1 << 16  # rows in a payload
_LARGEST = {"deviation": "double", "largest": "string"}  # the worst that sentinels have found: its size, and in words

ROW, LATE, FAILED = "row", "late", "failed"  # kinds of output
PLAIN: Mapping[str, tuple[str, ...] | None] = {ROW: None}  # of a plain result


@dataclass(frozen=True)
class Taken:
    """The result of a bucket's turn."""

    bucket: Bucket
    given: Output
    has_changed: bool  # False: its state is stored already
    has_moved: bool  # the watermark has moved, so the bucket's timer has fired and must be set again
    spent: dict[str, int]  # nanoseconds by the names of the aggregates' results


def in_kinds(given: Output, kinds: Mapping[str, tuple[str, ...] | None]) -> dict[str, pa.RecordBatch]:
    """The output of these kinds, each with its columns."""
    found = given.kinds
    return {kind: found[kind] if names is None else found[kind].select(list(names)) for kind, names in kinds.items()}


def of_step(number: int) -> tuple[str, str]:
    """The columns with what an aggregate took, and how many tuples are held for it."""
    return f"nanos_{number}", f"tuples_{number}"


@dataclass(frozen=True)
class TurnOutput:
    """The output of the turns of a query: rows of these kinds (with columns; None: all), and numbers."""

    work: Pass
    kinds: Mapping[str, tuple[str, ...] | None]
    has_ahead: bool  # whether tuples may be too far ahead of the clock

    @cached_property
    def totals(self) -> tuple[str, ...]:
        """The numbers of a turn as a whole."""
        names = ["late_tuples", "waiting_tuples", "live_tuples", "state_bytes"]
        names += ["ahead_tuples"] if self.has_ahead else []
        names += ["failed_tuples"] if failures_in(self.work) is not None else []
        return (*names, *(COUNTS if self.compares else ()))

    @cached_property
    def compares(self) -> bool:
        """Whether there is a sentinel, and so a largest deviation."""
        return bool(sentinels_of(self.work))

    @property
    def schema(self) -> str:
        """The columns."""
        numbers = [*self.totals, *(name for number in range(len(self.work.steps)) for name in of_step(number))]
        columns = {"kind": "string", "rows": "binary", **dict.fromkeys(numbers, "bigint")}
        columns |= _LARGEST if self.compares else {}
        return ", ".join(f"{name} {kind}" for name, kind in columns.items())

    def of(self, taken: Taken, state: int) -> Iterator[dict[str, Any]]:
        """The output of a turn, after which the bucket's state has so many bytes; a row without a payload if there are no rows."""
        payloads: list[tuple[str, bytes | None]] = []
        for kind, rows in in_kinds(taken.given, self.kinds).items():
            payloads += [(kind, in_stream(rows.slice(at, _ROWS))) for at in range(0, rows.num_rows, _ROWS)]
        numbers = self._numbers(taken, state)
        for kind, content in payloads or [(ROW, None)]:
            yield {"kind": kind, "rows": content, **numbers}
            numbers = dict.fromkeys(numbers, 0) | dict.fromkeys(_LARGEST if self.compares else ())

    def _numbers(self, taken: Taken, state: int) -> dict[str, Any]:
        bucket, given = taken.bucket, taken.given
        known = {
            "late_tuples": given.late.num_rows,
            "waiting_tuples": bucket.waiting,
            "live_tuples": bucket.live,
            "state_bytes": state,
            "ahead_tuples": given.ahead,
            "failed_tuples": given.failures,
        }
        found = sum((sentinel.take() for sentinel in sentinels_of(bucket.work)), Found())
        numbers = {name: known[name] if name in known else getattr(found, name) for name in self.totals}
        for number, (step, tuples) in enumerate(zip(self.work.steps, bucket.held_by(), strict=True)):
            numbers |= zip(of_step(number), (taken.spent.get(step.name, 0), tuples), strict=True)
        if self.compares:
            worst = found.largest
            numbers |= zip(_LARGEST, (None, None) if worst is None else (worst.size, str(worst)), strict=True)
        return numbers
