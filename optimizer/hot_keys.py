"""Hot keys: a partition that holds most of the tuples is cut by order into shards, which run in parallel.

::

    key a: 90% of the tuples      |-- shard 1 --|-- shard 2 --|-- shard 3 --|      a task each
    its halos                                 |-|           |-|                    read again by the next shard, without results
    keys b, c, d, ...             |-- as usual: by key --|

A bounded frame sees nothing beyond the halo. So the results are those of the uncut partition, for every aggregate whose result is a
function of the frame. A frame from the partition's start begins, in shard 3, with *partials* of shards 1 and 2, which a first job
makes (:mod:`inwindow.runtime.shards`). If results depend on more, the partition is not cut, and explain says why.

First appeared: overlapping (redundant) ranges of a sort for windows, Cao et al., Optimization of Analytic Window Functions
(2012), and Balkesen, Tatbul, RIP: Run-based Intra-query Parallelism (2011).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.panes_first import merges
from inwindow.optimizer.plan import Carried, Halo, Pass, Step
from inwindow.optimizer.strategy import No, Verdict, Yes
from inwindow.udaf.contract import Aggregate
from inwindow.windows.interval import Interval, Size, is_negative
from inwindow.windows.shards import Reach, Sampled, Shards, shards_of
from inwindow.windows.spec import Groups, Landmark, Range, Rows, Scope, Window

HASH = "__inwindow_hash"  # the column of a sample that says which partition a tuple is in
TASKS = 4  # per core: so a slow task delays the job less
_FAIR = 1.25  # a partition is hot if it has more than this multiple of a core's share
_DOUBLED = 0.2  # this share of additional tuples, in halos, is acceptable
_MOST_SHARDS, _MOST_KEYS = 64, 8  # per partition; per pass: both make the plan longer


@dataclass(frozen=True)
class LargeKey:
    """A key with so many rows of a sample that it may be worth cutting."""

    hash: int
    shown: str  # the key, to be read; "" if there are no keys
    share: float  # of the sampled rows
    rows: pa.Table


@dataclass(frozen=True)
class HotKey:
    """A partition to be cut."""

    hash: int
    shown: str  # the key, to be read
    share: float  # of the sampled tuples
    shards: Shards


@dataclass(frozen=True)
class Cut:
    """The partitions to be cut, and the number of tasks for the others."""

    keys: tuple[HotKey, ...]
    others: int
    sampled: int
    by_prefix: bool = False  # some frames begin with partials of earlier shards

    @property
    def first_shards(self) -> list[int]:
        """The number of the first shard of each key, and last the number after all shards; numbers begin with 1."""
        return np.cumsum([1, *(key.shards.count for key in self.keys)]).tolist()

    def halo(self, shard_column: str, mark: str, carried: Carried | None = None) -> Halo:
        """How many tuples each shard's halo must have; shards are numbered across all keys, from 1."""
        before = [0, *(count for key in self.keys for count in key.shards.rows_before)]
        after = [0, *(count for key in self.keys for count in key.shards.rows_after)]
        return Halo(shard_column, mark, tuple(before), tuple(after), carried)

    def describe(self) -> str:
        """The cuts in words, for explain."""
        prefix = "; a first job makes partials of shards, with which later ones begin" if self.by_prefix else ""
        cuts = "; ".join(
            f"{key.shown or 'all tuples'}: {key.share:.0%} of {self.sampled:,} sampled tuples, cut by "
            f"{key.shards.order.column} into {key.shards.count} shards, {key.shards.doubled:.1%} more in halos"
            for key in self.keys
        )
        return cuts + prefix


def in_shards(work: Pass, halo: Halo) -> Pass:
    """The pass over shards instead of partitions."""
    return replace(work, partition_by=(halo.shard, *work.partition_by), halo=halo)


def can_be_cut(work: Pass) -> Verdict:
    """Whether a shard with a halo gives the results of the whole partition."""
    if work.extent is not None:
        return No("extents are cut into panes, not into shards")
    if not work.order_by:
        return No("without an order there is nothing to cut by")
    if len(_slots(work)) > 1:
        return No("the windows slide differently, so there are no common borders")
    for step in work.steps:
        reason = _stands_in_the_way(step, work)
        if reason:
            return No(f"{step.label} {reason}")
    return Yes("frames are bounded, or begin with the partition")


def prefix_steps(work: Pass) -> tuple[Step, ...]:
    """The steps whose frames begin with the partition: in a shard, with partials of the shards before it."""
    return tuple(step for step in work.steps if _begins_with_partition(step))


def _begins_with_partition(step: Step) -> bool:
    window = step.case.window
    return window is not None and isinstance(window.frame, (Rows, Range)) and window.frame.lower is None


def _is_not_carried(step: Step) -> str:
    """Why a frame of the step cannot begin with partials instead of tuples; "" if it can."""
    window, native = step.case.window, step.implementation.native
    assert window is not None and isinstance(window.frame, (Rows, Range))
    upper = window.frame.upper
    if upper is None or (upper != 0 and is_negative(upper)):
        return "has a frame from the partition's start that does not end with its tuple, or behind it"
    if window.exclude is not None:
        return "reaches back to the partition's start, with a hole (exclude=) that partials do not have"
    reaches = "reaches back to the partition's start, and"
    if step.least is not None:
        return f"{reaches} has min_count=, which partials do not know"
    verdict = merges(step)
    if isinstance(verdict, No):
        return f"{reaches} {verdict.reason.removeprefix(step.label).strip()}"
    if native is None and step.runs_its_base:
        return f"{reaches} runs as its base, which has no merge to begin with partials"
    if native is not None and (native.rereads or native.cascade is None or native.cascade.grows):
        return f"{reaches} its partials are as large as the shards"
    return "" if step.strategy == "unbounded" else f"{reaches} has the strategy {step.strategy!r}"


def _stands_in_the_way(step: Step, work: Pass) -> str:
    """Why the step's partitions cannot be cut; "" if they can."""
    window, native = step.case.window, step.implementation.native
    assert window is not None
    frame = window.frame
    if step.failures is not None:
        return "goes on where hooks raise, and a tuple that is in two shards would be reported twice"
    if window.active_expiration:
        return "gives results when tuples leave, in the order of the whole partition"
    if not step.is_blocking:
        return "has no terminate: its hooks may depend on all tuples before"
    if native is not None and native.reads == "numbered":
        return "depends on the tuples' numbers in their partition"
    if native is not None and native.remembers:
        return "approximates, by what it remembers of tuples that have left"
    if isinstance(frame, (Landmark, Scope)):
        return f"has {'a landmark' if isinstance(frame, Landmark) else 'a scope'}, which may reach back to the partition's start"
    if isinstance(frame, Groups) or window.slides_by_groups:
        return "counts groups of peers, from the partition's first"
    assert isinstance(frame, (Rows, Range))  # planning has refused all others
    if frame.lower is None:
        reason = _is_not_carried(step)
        if reason:
            return reason
    elif frame.upper is None:
        return "has a frame without bounds"
    if step.case.traits.reads_inwindow and _deletes(step.implementation.aggregate):
        return "deletes from inwindow, so its results depend on more than the frame"
    if isinstance(frame, Range):
        if work.key is not None and work.key.is_wide:
            return f"has distances in a {work.key.type}, of more than 64 bits"
        for bound in (frame.lower, frame.upper):
            if isinstance(bound, Interval) and bound.months * bound.microseconds < 0:
                return "has a bound of months and days of different signs"
    if window.slide is not None:
        if window.slides_by_rows:
            return "slides by tuples, counted from the partition's first"
        if window.slides_across:
            return "counts tuples, but slides by value"
        if not window.order_by[0].ascending:
            return "slides by value against the order"
    return ""


def _slots(work: Pass) -> set[tuple[Size, Any]]:
    """(slide, origin) of the windows that slide by value."""
    return {
        (window.slide, window.origin)
        for window in _windows(work)
        if window.slide is not None and window.slides_by_values
    }


def _windows(work: Pass) -> list[Window]:
    return [step.case.window for step in work.steps if step.case.window is not None]


def _deletes(aggregate: Aggregate) -> bool:
    """Whether a method of the class, or a function in it, uses the name ``delete``. If unsure, yes."""
    methods = [
        method
        for cls in type(aggregate).__mro__
        if cls.__module__ != Aggregate.__module__
        for method in vars(cls).values()
    ]
    codes = [method.__code__ for method in methods if hasattr(method, "__code__")]
    return any("delete" in code.co_names for top in codes for code in _nested(top))


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def cut(work: Pass, sample: pa.Table, cores: int) -> Cut | No:
    """Find the partitions to cut, and where, from a sample with the columns HASH (of the keys), keys and order columns.

    ``cores`` is the number of tasks that run at a time.
    """
    verdict = can_be_cut(work)
    if isinstance(verdict, No):
        return verdict
    if cores < 2:
        return No("one task runs at a time")
    if not len(sample):
        return No("the sample is empty")
    hot, largest = large_keys(sample, work.partition_by, cores)
    if not hot:
        return No(
            f"the largest partition has {largest:.1%} of {len(sample):,} sampled tuples, which {cores} cores can bear"
        )
    found, reasons = [], []
    for one in hot:
        shards = _shards(work, one.rows, one.share, cores)
        if isinstance(shards, No):
            reasons.append(f"{one.shown or 'all tuples'}: {shards.reason}")
        else:
            found.append(HotKey(one.hash, one.shown, one.share, shards))
    if not found:
        return No("; ".join(reasons))
    others = tasks_beside([key.share for key in found], work.partition_by, cores)
    return Cut(tuple(found), others, len(sample), bool(prefix_steps(work)))


def large_keys(sample: pa.Table, by: tuple[str, ...], cores: int) -> tuple[list[LargeKey], float]:
    """The keys of a sample that are more than a core's fair part, the largest first; and the share of the largest key."""
    counted = pc.value_counts(sample[HASH].combine_chunks())
    hashes, counts = counted.field(0), counted.field(1).to_numpy()
    order = np.argsort(-counts, kind="stable")[:_MOST_KEYS]
    shares = counts / len(sample)
    found = []
    for at in order:
        if shares[at] * cores >= _FAIR:
            its = sample.filter(pc.equal(sample[HASH], hashes[at]))
            shown = ", ".join(f"{name}={its[name][0].as_py()!r}" for name in by)
            found.append(LargeKey(hashes[at].as_py(), shown, float(shares[at]), its))
    return found, float(shares[order[0]])


def tasks_beside(shares: list[float], by: tuple[str, ...], cores: int) -> int:
    """The number of tasks for the keys that are not cut; ``shares`` are those of the others."""
    return max(1, int(np.ceil((1 - sum(shares)) * TASKS * cores))) if by else 1


def _shards(work: Pass, its: pa.Table, share: float, cores: int) -> Shards | No:
    """As many shards as give even tasks; fewer if halos would be much of the work."""
    reach, slot = Reach.of(_windows(work)), next(iter(_slots(work)), None)
    sample = Sampled(its[work.order_by[0].column].combine_chunks(), work.order_by[0])
    doubled = 0.0
    for tasks in (TASKS * cores, 2 * cores, cores):
        count = min(max(2, round(share * tasks)), _MOST_SHARDS)
        shards = shards_of(sample, count, reach, work.key, slot)
        if shards is None:
            return No(f"too few different values of {work.order_by[0].column} to cut between")
        doubled = shards.doubled
        if doubled <= _DOUBLED or (tasks == cores and (1 + doubled) / min(cores, shards.count) <= 1 / _FAIR):
            return shards
    return No(
        f"halos would be {doubled:.0%} more tuples: the frames reach too far for {cores} cores, or for the sample"
    )
