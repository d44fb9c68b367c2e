"""A changed query over the state of an earlier one: what may change, and what then becomes of the state.

::

    the state's query      the query now          held tuples     states of keys
    a  b  c                a  d=b   e             stay            of b and c: in the new order; of removed ones: dropped
                           same, renamed, new

An aggregate over a moving frame has no state: it is folded from the held tuples. So a new one gives exact results at once if these
cover its frames. One that has a state for every key (a growing frame, hooks that answer per tuple) cannot begin in the middle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import pyarrow as pa

from inwindow.native.instants import table_under
from inwindow.optimizer.plan import Pass, Step
from inwindow.optimizer.stream import counts, resumes
from inwindow.runtime.digests import digest
from inwindow.runtime.fingerprint import IN_A_CHECKPOINT, Part, check, is_of_a_step, parts_of_step
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import is_positive, negated
from inwindow.windows.order_key import OrderKey
from inwindow.windows.spec import Range, Rows, Scope

Changes = Literal["exact", "from now"]
Said = Mapping[str, Any]  # of a query: whether it counts tuples; of each aggregate, what `_said_of` says


def check_changes(changes: Any) -> None:
    """Check that ``changes=`` is one of the allowed words."""
    if not isinstance(changes, str) or changes not in get_args(Changes):
        raise UsageError(
            f"continued(changes={shown(changes)}): write 'exact' (take a changed query if its results are those of a batch run) or "
            "'from now' (also one that begins with what is held)"
        )


@dataclass(frozen=True)
class Evolution:
    """What becomes of a state."""

    states: (
        list[int] | None
    )  # for each aggregate with a state for every key, its number in the old state; None: as they are


# What a state says of its query


def said_of(work: Pass) -> dict[str, Any]:
    """What is stored beside the fingerprint, to compare aggregates one by one."""
    return {"counts": counts(work), "steps": [_said_of(step, work.key) for step in work.steps]}


def _said_of(step: Step, key: OrderKey | None) -> dict[str, Any]:
    parts = parts_of_step(replace(step, name=""))
    window = _value(parts.pop("the window of ", ("", "")))
    its = digest([text for name, part in sorted(parts.items()) for text in (name, _value(part))])
    is_scope = step.case.window is not None and isinstance(step.case.window.frame, Scope)
    return {
        "name": step.name,
        "is": its,
        "window": f"{window} {its}" if is_scope else window,  # the functions of a scope are among the other parts
        "resumes": resumes(step),
        "reach": _reach(step, key),
    }


def _value(part: Part) -> str:
    """By what a part is compared: its digest, if it has one."""
    return part[1] or part[0]


def _reach(step: Step, key: OrderKey | None) -> list[Any] | None:
    """How far back frames reach, if they only move: ['rows', 4], ['range', 60000000], ['all', 0]; None for other windows."""
    window = step.case.window
    if window is None or resumes(step) or window.slide is not None or window.exclude is not None:
        return None
    frame = window.frame
    if isinstance(frame, (Rows, Range)) and frame.lower is None:
        return ["all", 0]
    if isinstance(frame, Rows):
        assert frame.lower is not None
        return ["rows", max(0, -frame.lower)]
    if isinstance(frame, Range) and key is not None:
        assert frame.lower is not None
        back = negated(frame.lower)
        return ["range", int(key.distance(back, up=True, what="range")) if is_positive(back) else 0]
    return None


# Comparing


def evolution(
    header: Mapping[str, Any], plan: Mapping[str, Part], said: Said, changes: Changes, *, evolves: bool
) -> Evolution | None:
    """What becomes of a state for a changed query, None if it has not changed; a StateError if the state does not fit."""
    found = {name: (str(one), str(its)) for name, (one, its) in header["plan"].items()}
    if found == dict(plan):
        return None
    if not evolves or "said" not in header or _in_common(found, plan, changes):
        check(found, plan, IN_A_CHECKPOINT)
        return None
    before, matched, problems = header["said"], [], []
    for step in said["steps"]:
        old, problem = _match(step, before["steps"], changes)
        matched.append(old)
        problems += [problem] if problem else []
    if said["counts"] and not before["counts"]:
        problems.append("it counts the tuples of each key from the first one, and the state has no counts")
    if problems:  # so there are differences
        check(found, plan, (IN_A_CHECKPOINT[0], "\n".join([*problems, IN_A_CHECKPOINT[1]])))
    resumed = [one["name"] for one in before["steps"] if one["resumes"]]
    numbers = [
        resumed.index(old["name"]) for step, old in zip(said["steps"], matched, strict=True) if step["resumes"] and old
    ]
    return Evolution(None if numbers == list(range(len(resumed))) else numbers)


def _in_common(found: Mapping[str, Part], plan: Mapping[str, Part], changes: Changes) -> bool:
    """Whether what all aggregates share has changed, beyond columns that are no longer read, or that are new."""
    names = {name for name in (*found, *plan) if not is_of_a_step(name) and name != "the results"}
    for name in names:
        before, now = (None if name not in one else _value(one[name]) for one in (found, plan))
        is_column = name.startswith("the type of the column ")
        if before == now or (is_column and now is None) or (is_column and before is None and changes == "from now"):
            continue
        return True
    return False


def _match(step: Mapping[str, Any], olds: Sequence[Mapping[str, Any]], changes: Changes) -> tuple[Any, str]:
    """The aggregate in the state that this one is, if any; and why the state does not fit it, if so."""
    same = [old for old in olds if (old["is"], old["window"]) == (step["is"], step["window"])]
    named = next((old for old in olds if old["name"] == step["name"]), None)
    if same:
        return (named if named in same else same[0]), ""
    name = step["name"]
    if step["resumes"]:
        if named is None or named["window"] != step["window"] or not named["resumes"]:
            return None, (
                f"{name} goes on from tuple to tuple, and the state has none of it: start a new checkpoint with the state of a "
                "history (iw.state_of, iw.continued)"
            )
        return named, "" if changes == "from now" else _unsaid(name, "its state goes on under the new code")
    if named is not None and named["is"] != step["is"] and changes != "from now":
        return None, _unsaid(name, "it is folded anew from the tuples that are held")
    if any(_covers(old, step) for old in olds):
        return None, ""
    if step["reach"] is None:
        return (
            None,
            f"{name} has a window of which the state holds no tuples: start a new checkpoint with the state of a history",
        )
    return None, "" if changes == "from now" else _unsaid(name, "its first frames lack the tuples that are not held")


def _unsaid(name: str, what: str) -> str:
    return f"to take {name} nevertheless, write iw.continued(result, changes='from now'): {what}"


def _covers(old: Mapping[str, Any], step: Mapping[str, Any]) -> bool:
    """Whether the tuples that an old aggregate holds are all that frames of the new one contain."""
    if old["resumes"]:
        return False
    if old["window"] == step["window"]:
        return True
    if old["reach"] is None or step["reach"] is None:
        return False
    (kind, back), (its, reach) = old["reach"], step["reach"]
    return bool(kind == "all" or (kind == its and reach <= back))


# Tables


def fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Tuples that were stored with other columns: without those that are no longer read, NULL for those that are new."""
    if table.schema.equals(schema):
        return table
    names = set(table.column_names)
    for one in schema:
        if one.name not in names:
            table = table.append_column(one, pa.nulls(len(table), one.type))
    return table_under(table.select(schema.names), schema)
