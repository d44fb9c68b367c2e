"""A road: one aggregate over one window, from micro-batch to micro-batch; and the road of those that are refolded."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.optimizer.plan import Step
from inwindow.runtime.build import evaluator_of
from inwindow.runtime.held import Held
from inwindow.runtime.lanes import Piece
from inwindow.windows.bounds import Framing, framing_of
from inwindow.windows.order_key import OrderKey
from inwindow.windows.sequence import Positions
from inwindow.windows.watermark import Open, decided, first_seen

Mask = npt.NDArray[np.bool_]


@dataclass
class Turn:
    """A micro-batch on a bucket: the tuples side by side, and which of them have already gone out."""

    tuples: Open
    batch: pa.RecordBatch
    own: Positions  # each tuple's number in its partition
    gone: Positions  # per partition: tuples before this position have gone out
    ready: Positions  # per partition: tuples before this one go out now


class Road:
    """One aggregate over one window, from micro-batch to micro-batch."""

    def __init__(self, step: Step, key: OrderKey | None, *, every_row: bool) -> None:
        assert step.case.window is not None
        self.step, self.window = step, step.case.window
        self.key, self.every_row = key, every_row

    def framing(self) -> Framing:
        """For one micro-batch: positions begin anew in each."""
        return framing_of(self.window.frame, self.key)

    def ready(self, tuples: Open) -> Positions:
        """Per partition, the position before which all is decided."""
        return decided(self.window, self.framing(), tuples)

    def yields(self, turn: Turn) -> Positions:
        """The yield tuples among those that go out."""
        tuples = turn.tuples
        at = np.arange(tuples.sequence.end)
        out = (at >= tuples.over(turn.gone)) & (at < tuples.over(turn.ready))
        return at[out & self._yielding(turn)]

    def _yielding(self, turn: Turn) -> Mask | Any:
        window, tuples = self.window, turn.tuples
        if window.slide is None:
            return True
        if window.slides_by_rows:
            return turn.own % int(window.slide) == int(window.slide) - 1  # type: ignore[arg-type]
        assert tuples.key is not None
        slot = tuples.key.slots(tuples.keys, window.slide, window.origin)
        last = np.ones(len(slot), dtype=bool)
        last[:-1] = np.asarray(slot[1:] != slot[:-1], dtype=bool)
        last[tuples.ends - 1] = True
        return last


class Refolded(Road):
    """A function of its frame, whose tuples are held: one call for all keys, from fresh state."""

    def run(self, turn: Turn) -> list[Piece]:
        """The results of the tuples that go out, ``(at, values)``, in positions of this micro-batch."""
        at = self.yields(turn)
        if not len(at):
            return []
        held = Held()
        evaluator = evaluator_of(self.step, held, None)
        held.append(turn.batch)
        evaluator.arrive(_Numbered(turn.own))  # type: ignore[arg-type]
        start, end = self.framing().bounds(turn.tuples.sequence, at)
        return [(at, evaluator.roll(start, end))]

    def keep_from(self, turn: Turn) -> Positions:
        """Per partition, the first tuple that a frame to come may hold."""
        return first_seen(self.window, self.framing(), turn.tuples, turn.ready)


class _Numbered:
    """For kernels that want tuples' numbers in their partitions: known, though the partition's beginning is not held."""

    def __init__(self, own: Positions) -> None:
        self.own = own

    def partitions(self, at: Positions) -> tuple[Positions, Positions]:
        """Where the partitions would begin."""
        return at - self.own[at], at
