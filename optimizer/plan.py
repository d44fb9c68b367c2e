"""A plan: which passes over the data, and in each pass which aggregate by which strategy. Pure; no data."""

from dataclasses import dataclass
from typing import Any

from inwindow.optimizer.rules import Choice
from inwindow.optimizer.strategy import Case
from inwindow.udaf.contract import Aggregate, base_of
from inwindow.udaf.derive.version import written_of
from inwindow.udaf.failures import Failures
from inwindow.udaf.native import Implementation, Machine
from inwindow.udaf.sentinel import Sentinel
from inwindow.windows.order_key import OrderKey
from inwindow.windows.spec import Extent, Order

UNDOING = ("delta", "two-stacks", "pane-cascade")  # the strategies that differ from the definition


@dataclass(frozen=True)
class Step:
    """One result column: an aggregate over columns, its implementation and its strategy."""

    name: str
    label: str
    arguments: tuple[str, ...]
    condition: str | None
    implementation: Implementation
    case: Case
    choice: Choice
    zone: str = "UTC"  # the zone of datetimes without one from hooks, for a result of instants
    sentinel: Sentinel | None = None
    failures: Failures | None = None  # hooks may raise: what to do then, and what was found
    position_columns: tuple[str, ...] = ()  # for both: the keys, then the columns that tuples are ordered by
    orders: tuple[str, ...] = ()
    least: int | None = None  # of a frame with fewer tuples that are seen the result is NULL

    @property
    def strategy(self) -> str:
        """The strategy's name."""
        return self.choice.strategy.name

    @property
    def prototype(self) -> Aggregate:
        """The object whose copies run: the base version if nothing expires (figure 2, boxes 1, 3 and 4).

        Derived hooks are in the window version; if none of them is called, the user's own class runs.
        """
        aggregate = self.implementation.aggregate
        assert aggregate is not None
        if self.strategy == "recompute":
            return written_of(aggregate)
        return base_of(written_of(aggregate)) if self.strategy in ("unbounded", "tumble") else aggregate

    @property
    def machine(self) -> Machine | None:
        """The compiled hooks, if they have a loop for the strategy; a base version runs in Python."""
        machine = self.implementation.machine
        window = self.case.window
        runs = machine is not None and self.strategy in machine.strategies and self.is_blocking
        if self.case.in_runs and self.strategy != "recompute" and not self.case.is_even:
            return None
        if window is not None and window.active_expiration:  # what expire answers is the result
            return None
        return machine if runs and not self.runs_its_base else None

    @property
    def runs_its_base(self) -> bool:
        """Whether the base version runs, in which nothing expires."""
        written = written_of(self.implementation.aggregate)
        return self.strategy in ("unbounded", "tumble") and base_of(written) is not written

    @property
    def is_blocking(self) -> bool:
        """Whether the running version has ``terminate``; base and window version may differ in this."""
        if self.implementation.native is not None:
            return True
        traits = self.prototype._traits
        assert traits is not None
        return traits.has_terminate


def failures_in(work: "Pass") -> Failures | None:
    """What the call of a pass does where hooks raise; None if it fails, or there are no hooks."""
    return next((step.failures for step in work.steps if step.failures is not None), None)


@dataclass(frozen=True)
class Carried:
    """Partials of the shards of a hot key: a frame from the partition's start begins with those of the earlier shards."""

    columns: dict[str, tuple[Any, ...]]  # by the step's name: its partials, in the order of shards
    begins: tuple[int, ...]  # by the shard's number: the partials of the shards before it, in its partition
    ends: tuple[int, ...]
    digest: str  # the column with a hash of each tuple's values
    digests: tuple[
        int | None, ...
    ]  # by the shard's number: the sum over its tuples when the partials were made, if they count


@dataclass(frozen=True)
class Halo:
    """Tuples around a shard of a cut partition, which are in frames but give no results.

    ``shard`` is the column of the shard's number, the first of the pass's keys; 0 is a partition that was not cut.
    """

    shard: str
    mark: str  # a column: < 0 before the shard, 0 in it, > 0 behind it
    before: tuple[int, ...]  # by the shard's number: how many tuples the halo before it must have
    after: tuple[int, ...]
    carried: Carried | None = None


@dataclass(frozen=True)
class Pass:
    """The steps that share a partitioning and an order."""

    partition_by: tuple[str, ...]
    order_by: tuple[Order, ...]
    steps: tuple[Step, ...]
    extent: Extent | None
    key: OrderKey | None  # distances are meant in this order column
    peers: bool  # some frame asks for peers
    halo: Halo | None = None  # some tuples yield nothing
    groups: bool = False  # some frame or slide counts groups of peers

    @property
    def position_columns(self) -> list[str]:
        """The columns that say where a tuple is: keys, then order columns."""
        return [*self.partition_by, *(order.column for order in self.order_by)]
