"""The laws: what each hook promises the strategies, as calls that must come to the same result.

A ladder: the first law says that hooks run at all, the next that nothing but tuples counts, and each later one trusts the
ones before it. The first one that breaks is the one to mend. A law that rests on a hook is asked only of a class that has it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from inwindow.testing.state import Rehashed
from inwindow.testing.steps import Broken, Steps, Tuple, expression_of
from inwindow.udaf.contract import Aggregate, base_of
from inwindow.udaf.traits import Traits
from inwindow.udaf.types import fitting, plain_for


@dataclass(frozen=True)
class Example:
    """Generated tuples, and where they are cut."""

    rows: tuple[Tuple, ...]
    first: int  # the runs are rows[:first], rows[first:second], rows[second:]
    second: int
    leaving: tuple[int, ...]  # how many leave before each arrival, again and again
    is_plain: bool = True

    @property
    def runs(self) -> list[tuple[Tuple, ...]]:
        """One to three runs, none of them empty."""
        runs = (self.rows[: self.first], self.rows[self.first : self.second], self.rows[self.second :])
        return [run for run in runs if run]

    @property
    def is_long(self) -> bool:
        """Whether looking at it after each tuple would take too long."""
        return len(self.rows) > 12


@dataclass(frozen=True)
class Law:
    """A promise, who makes it, how it is tried, and what to do if it is broken."""

    name: str
    made_by: Callable[[Traits], bool]
    tried: Callable[[Steps, Any], None]  # on an Example; the laws of tables on a Whole
    advice: str
    hook: str  # that is to blame


# The laws of every class


def _hooks_run(steps: Steps, example: Example) -> None:
    """Each tuple gives a result, in a fresh copy, and the result fits its column."""
    traits = steps.aggregate._traits
    assert traits is not None and traits.result is not None
    fits, plain = fitting(traits.result), plain_for(traits.result)
    for length in _lengths(example):
        steps.lines.clear()
        afresh = steps.copy("afresh").take(example.rows[:length])
        result, call = afresh.result()
        for value in [result] if traits.has_terminate else result:
            if not traits.emits_many and not fits(plain(value)):
                steps.lines.append((f"result = {call if traits.has_terminate else call + '[-1]'}", ()))
                kind = _python_type(traits)
                steps.lines.append((f"assert isinstance(result, ({kind})), result", ()))
                raise Broken(steps, given=value, expected=Wanted(f"a value that fits {traits.result}"))


class Wanted(str):
    """What was expected, in words."""

    def __repr__(self) -> str:
        return str.__str__(self)


def _python_type(traits: Traits) -> str:
    """Roughly what fits the result's type, for ``isinstance``."""
    kinds: list[tuple[Callable[[pa.DataType], bool], str]] = [
        (pa.types.is_boolean, "bool,"), (pa.types.is_integer, "int,"), (pa.types.is_floating, "int, float"),
        (pa.types.is_string, "str,"), (pa.types.is_list, "list, tuple, set"), (pa.types.is_struct, "dict, tuple"),
    ]  # fmt: skip
    return next((text for is_kind, text in kinds if is_kind(traits.result)), "type(None),")


def _copies_share_nothing(steps: Steps, example: Example) -> None:
    """The tuples of one copy do not change the results of another copy."""
    own, others = example.rows[: example.first], example.rows[example.first :]
    half = (len(own) + 1) // 2
    alone = steps.copy("alone").take(own).keep("expected")
    beside = steps.copy("beside").take(own[:half])
    steps.copy("other").take(others or own)
    steps.agree(beside.take(own[half:]), alone)


def _same_again(steps: Steps, example: Example) -> None:
    """Results depend on the tuples alone: not on chance, a clock, or the hash of a text."""
    once = steps.copy("once").take(example.rows).keep("expected")
    steps.restore()
    steps.agree(steps.copy("again").take(example.rows), once)
    if not any(isinstance(value, str) for row in example.rows for value in row):
        return
    steps.lines.clear()
    here, there = (
        [tuple(Rehashed(v, salt) if isinstance(v, str) else v for v in row) for row in example.rows] for salt in (1, 2)
    )
    try:
        once = steps.copy("here").take(here).keep("expected")
        steps.restore()
        again = steps.copy("there").take(there).keep("given_there")
    except Broken:
        return  # it wants nothing but a plain str
    steps.agree(again, once)


def _terminate_changes_nothing(steps: Steps, example: Example) -> None:
    """Compare a run that calls terminate after each tuple with one that calls it only at the end."""
    has_expire = steps.aggregate._traits is not None and steps.aggregate._traits.has_expire
    for length in _lengths(example):
        steps.lines.clear()
        asked, quiet = steps.copy("asked"), steps.copy("quiet")
        for moved in (quiet, asked):
            oldest = 0
            for arriving in range(length):
                leaving = min(_leaving(example, arriving), arriving - oldest - 1) if has_expire else 0
                try:
                    for _ in range(leaving):
                        if not moved.expire(example.rows[oldest]):
                            return  # the law of expire will look at it
                        oldest += 1
                    moved.take([example.rows[arriving]])
                except Broken:
                    if moved is quiet:
                        return  # it, too
                    raise
                if moved is asked:
                    moved.terminate()
        steps.agree(asked, quiet)


def _state_survives(steps: Steps, example: Example) -> None:
    """Compare a run that is pickled between two tuples with one that is not."""
    runs = example.runs
    held = steps.copy("held").take(runs[0])
    there = steps.pickled("there", held)
    rest = [row for run in runs[1:] for row in run]
    there.take(rest)
    steps.agree(there, steps.copy("afresh").take(example.rows))


# expire


def _expire_undoes(steps: Steps, example: Example) -> None:
    """A frame that moves, oldest out and newest in, against the same frame afresh; first that of some tuples and a few out."""
    if not example.is_long:
        for length in range(2, len(example.rows) + 1):
            for count in range(1, length):
                steps.lines.clear()
                _frame_agrees(steps, example.rows[:length], [0] * length + [count])
    for length in _lengths(example):
        steps.lines.clear()
        _frame_agrees(steps, example.rows[:length], [_leaving(example, arriving) for arriving in range(length + 1)])


def _frame_agrees(steps: Steps, rows: Sequence[Tuple], leaving: list[int]) -> None:
    """``leaving[i]`` tuples leave before tuple i arrives, the last of the list after all have; never the newest one."""
    moved, oldest = steps.copy("moved"), 0
    for arriving, count in enumerate(leaving):
        start = min(oldest + count, max(arriving - 1, 0))
        for leaver in range(oldest, start):
            refused = not moved.expire(rows[leaver])
            if refused or moved.is_poisoned(rows[leaver + 1 : arriving]) or moved.has_lost_digits():
                moved = steps.copy("moved").take(rows[start:arriving])
                break
        oldest = max(start, oldest)
        moved.take(rows[arriving : arriving + 1])
    steps.agree(moved, steps.copy("afresh").take(rows[oldest:]))


def _expire_in_any_order(steps: Steps, example: Example) -> None:
    """Tuples leave from anywhere in the frame, the newest one first as a rule, against those left afresh."""
    rows = example.rows
    for count in [len(rows) // 2] if example.is_long else range(1, len(rows)):
        steps.lines.clear()
        moved, held = steps.copy("moved").take(rows), list(rows)
        for number in range(count):
            left = held.pop(len(held) - 1 - _leaving(example, number) % len(held))
            if not moved.expire(left) or moved.is_poisoned(held) or moved.has_lost_digits():
                moved = steps.copy("moved").take(held)
        steps.agree(moved, steps.copy("afresh").take(held))


def _leaving(example: Example, arriving: int) -> int:
    return example.leaving[arriving % len(example.leaving)] if example.leaving else 0


def _lengths(example: Example) -> list[int]:
    return [len(example.rows)] if example.is_long else list(range(1, len(example.rows) + 1))


# merge


def _merge_runs_on(steps: Steps, example: Example) -> None:
    """Compare two merged runs with one run over all tuples."""
    early, late = example.rows[: example.first], example.rows[example.first :]
    if not early or not late:
        return
    merged = steps.copy("merged").take(early)
    merged.merge(steps.copy("later").take(late))
    steps.agree(merged, steps.copy("whole").take(example.rows))


def _merge_is_associative(steps: Steps, example: Example) -> None:
    """Compare (a b) c, a (b c) and one run over all tuples."""
    runs = example.runs
    if len(runs) < 3:
        return
    left = steps.copy("left").take(runs[0])
    left.merge(steps.copy("second").take(runs[1])).merge(steps.copy("third").take(runs[2]))
    right, rest = steps.copy("right").take(runs[0]), steps.copy("rest").take(runs[1])
    right.merge(rest.merge(steps.copy("last").take(runs[2])))
    steps.agree(left, right)


def _merge_leaves_later(steps: Steps, example: Example) -> None:
    """A state that was merged into another does not change, even when the other goes on."""
    runs = example.runs
    if len(runs) < 2:
        return
    merged, later = steps.copy("merged").take(runs[0]), steps.copy("later").take(runs[1])
    before = steps.again("quiet", later).keep("before")
    merged.merge(later).take(runs[-1])
    steps.agree(later, before)
    merged.merge(steps.copy("last").take(runs[-1]))
    steps.agree(later, before)


def _order_is_nothing(steps: Steps, example: Example) -> None:
    """Merge the runs in another order, and fold the tuples in another order."""
    runs = example.runs
    given = steps.copy("given").take(example.rows)
    others = [*(row for run in reversed(runs) for row in run)], [*reversed(example.rows)]
    for other in others:
        steps.lines[:] = steps.lines[: 1 + len(example.rows)]
        steps.agree(given, steps.copy("shuffled").take(other))
    traits = steps.aggregate._traits
    if len(runs) > 1 and traits is not None and traits.has_merge:
        steps.lines.clear()
        one, other_run = steps.copy("one").take(runs[0]), steps.copy("other").take(runs[1])
        there, back = steps.again("there", one).merge(other_run), steps.again("back", other_run).merge(one)
        steps.agree(there, back)


def _unmerge_undoes(steps: Steps, example: Example) -> None:
    """Merge the earliest run, and unmerge it again."""
    runs = example.runs
    if len(runs) < 2:
        return
    moved, earliest = steps.copy("moved").take(runs[0]), steps.copy("earliest").take(runs[0])
    for number, run in enumerate(runs[1:]):
        moved.merge(steps.copy(f"later{number or ''}").take(run))
    before = earliest.keep("before")
    if moved.unmerge(earliest):
        steps.agree(earliest, before)
        later = [row for run in runs[1:] for row in run]
        if not moved.is_poisoned(later) and not moved.has_lost_digits():
            steps.agree(moved, steps.copy("afresh").take(later))


def _results_are_tuples(steps: Steps, example: Example) -> None:
    """``algebraic=True``: the results of panes, taken as tuples, give the result of the whole."""
    runs, of_panes = example.runs, []
    for number, run in enumerate(runs):
        of_panes.append(steps.copy(f"pane{number}").take(run).keep(f"result{number}").value)
    if any(result is None for result in of_panes):
        return
    cascaded = steps.copy("cascaded").take([(result,) for result in of_panes])
    steps.agree(cascaded, steps.copy("whole").take(example.rows))


def _base_agrees(steps: Steps, example: Example) -> None:
    """The base version over the same tuples."""
    base = Steps(base_of(steps.aggregate), steps.tolerance, steps.restore, steps.lines)
    mine = steps.copy("window_version").take(example.rows)
    steps.lines.append((f"aggregate = {expression_of(base.aggregate)}", ()))
    steps.agree(mine, base.copy("base_version").take(example.rows))


RERUN = "Nothing but the tuples may show in the result: no chance, no clock, and no order of a set (sort it, or keep a dict)."
LAWS = (
    Law("hooks take every value", lambda its: True, _hooks_run,
        "A job would fail here. Mend the hook, say that such tuples do not come (values=st.floats(0, 100), say), or that the "
        "call leaves them out: check(..., on_error='skip').", "iterate"),
    Law("the same tuples give the same result", lambda its: True, _same_again, RERUN, "terminate"),
    Law("copies share nothing", lambda its: True, _copies_share_nothing,
        "Each partition works on a copy of its own: make lists and dicts in `initialize`, on self.", "initialize"),
    Law("terminate changes nothing", lambda its: its.has_terminate, _terminate_changes_nothing,
        "terminate is called once, often or never for the same frame: compute on copies, sorted(self.values), say.", "terminate"),
    Law("expire undoes iterate", lambda its: its.has_expire and its.has_terminate, _expire_undoes,
        "After expire(oldest) the state must be that of the tuples left, as if the oldest had never come. Where it cannot be, "
        "return iw.PUNT and the frame is folded afresh.", "expire"),
    Law("expire in any order", lambda its: its.expire_any_order and its.has_terminate, _expire_in_any_order,
        "expire_any_order=True lets rows that hold for a while leave in the order of their ends: after expire(any) the state must "
        "be that of the tuples left. Drop it where only the oldest can be undone.", "expire"),
    Law("merge equals running on", lambda its: its.has_merge and its.has_terminate, _merge_runs_on,
        "After self.merge(later) the state must be as if self had seen later's tuples itself, after its own.", "merge"),
    Law("merge is associative", lambda its: its.has_merge and its.has_terminate, _merge_is_associative,
        "(a b) c and a (b c) must be the same: runs are merged in pairs, in any nesting.", "merge"),
    Law("merge leaves later alone", lambda its: its.has_merge and its.has_terminate, _merge_leaves_later,
        "`later` is used again: do not change it, and copy its lists rather than keep them (self.x = self.x + later.x).", "merge"),
    Law("commutative is true", lambda its: its.commutative and its.has_terminate, _order_is_nothing,
        "commutative=True lets tuples and runs come in any order: drop it where order shows in the result.", "merge"),
    Law("unmerge undoes merge", lambda its: "unmerge" in its.hooks and its.has_terminate, _unmerge_undoes,
        "After unmerge(earliest run) the state must be that of the later runs, as if the earliest had never been merged.",
        "unmerge"),
    Law("results are tuples", lambda its: its.algebraic and not its.has_merge and its.has_terminate, _results_are_tuples,
        "algebraic=True feeds results of panes to `iterate`: drop it where that is not the result of the whole.", "iterate"),
    Law("the base version agrees", lambda its: its.has_base and its.has_terminate, _base_agrees,
        "base= runs where nothing expires: it must give the same results as the class itself.", "terminate"),
    Law("the state survives pickling", lambda its: True, _state_survives,
        "States travel between processes: keep numbers, texts and containers of them, no generators, locks or open files.",
        "iterate"),
)  # fmt: skip


def laws_of(aggregate: Aggregate) -> list[Law]:
    """The laws of an aggregate; none that call hooks directly if these read the window's buffer."""
    traits = aggregate._traits
    assert traits is not None
    return [] if traits.reads_inwindow else [law for law in LAWS if law.made_by(traits)]
