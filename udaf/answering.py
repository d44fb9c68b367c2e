"""An algebraic class without ``terminate``, under a slide or in an extent (ESL, section 5.1, examples 13 and 16).

Without a slide such a class is non-blocking: its results are the answers of its hooks. With a slide, the answers of all tuples
except the yield tuples are dropped, and ``algebraic=True`` promises that they depend only on the frame. So it is a function of
the frame, and can be cut into panes: the hooks' answer for the last tuple of a pane is the result of the pane, and goes to
``iterate`` of the same class like a tuple::

    prices      3 1 | 4 1 | 5 9 | 2 6       ROWS 5 PRECEDING SLIDE 2, a maximum
    panes         3     4     9     6       answered at 1, 1, 9, 6
    frames        3     4     9     9       answered for a pane

Example 16 of the paper answers nothing in ITERATE, only when tuples leave. Its result is the answer of ``expire`` for the oldest
tuple in the frame if it left next, as active expiration would give it.
"""

import copy
import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast
from weakref import WeakKeyDictionary

from inwindow.udaf.applied import Applied
from inwindow.udaf.contract import PUNT, Aggregate
from inwindow.udaf.definition import gives_nothing
from inwindow.udaf.errors import UsageError


def of_its_frame(applied: Applied) -> Applied:
    """The application, with an aggregate that answers for the whole frame if the slide or extent needs that."""
    traits, aggregate = applied.traits, applied.aggregate
    if not isinstance(aggregate, Aggregate) or traits.has_terminate or traits.has_merge or not traits.algebraic:
        return applied
    return replace(applied, aggregate=answering(aggregate))


def answering(aggregate: Aggregate) -> Aggregate:
    """The same aggregate with a ``terminate``: the answer of its hooks for the last tuple."""
    made = object.__new__(_version(type(aggregate)))
    made.__dict__.update(aggregate.__dict__)
    return made


_versions: "WeakKeyDictionary[type[Aggregate], type[Aggregate]]" = WeakKeyDictionary()


def _version(kind: type[Aggregate]) -> type[Aggregate]:
    if kind not in _versions:
        _versions[kind] = _made(kind)
    return _versions[kind]


def _made(kind: type[Aggregate]) -> type[Aggregate]:
    traits = kind._traits
    assert traits is not None
    steps = {name: getattr(kind, name) for name in ("initialize", "iterate") if name in traits.hooks}
    space: dict[str, Any] = {name: _keeping(name, step) for name, step in steps.items()}
    as_it_leaves = gives_nothing(kind, steps.get("iterate", steps.get("initialize")))
    if as_it_leaves and (not traits.reads_inwindow or not traits.has_expire or traits.never_expires_a_value):
        raise UsageError(
            f"{traits.name}: algebraic=True without a terminate gives, under a slide, what `iterate` answers for the frame's last "
            "tuple, but its `iterate` answers nothing: return the result from it, or write `def terminate(self)`"
        )
    if as_it_leaves:
        space |= {"expire": _forgetting(kind.expire), "terminate": _terminate_as_it_leaves}  # type: ignore[attr-defined]
    else:
        space["terminate"] = _terminate
    space |= {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
    space["_answers"] = _SHOWN_LEAVING if as_it_leaves else _SHOWN
    made = cast(Any, type)(kind.__name__, (kind,), space, returns=traits.result, **_base(kind._declared.base))
    if not as_it_leaves:  # an answer to the newest tuple does not hold any more when others have left
        made._traits = replace(made._traits, hooks=made._traits.hooks - {"expire"})
    return cast("type[Aggregate]", made)


def _base(base: Any) -> dict[str, Any]:
    """The base version must answer for its frame, too."""
    traits = getattr(base, "_traits", None)
    if traits is None or traits.has_terminate:
        return {}
    return {"base": _version(base) if isinstance(base, type) else answering(base)}


def _keeping(name: str, step: Any) -> Any:
    """The hook; its answer is kept, the last one if it yields several."""
    if inspect.isgeneratorfunction(step):

        def kept(self: Any, *values: Any) -> None:
            self._iw_answer = None
            for answer in step(self, *values):
                self._iw_answer = answer
    else:

        def kept(self: Any, *values: Any) -> None:
            self._iw_answer = step(self, *values)

    kept.__name__ = kept.__qualname__ = name
    kept.__signature__ = inspect.signature(step)  # type: ignore[attr-defined]
    return kept


def _forgetting(expire: Any) -> Any:
    """The hook; after it the kept answer is no longer valid."""

    def forgetting(self: Any, *values: Any) -> Any:
        self._iw_answer = None
        answer = expire(self, *values)
        return PUNT if inspect.isgenerator(answer) and PUNT in list(answer) else answer

    forgetting.__name__ = forgetting.__qualname__ = "expire"
    forgetting.__signature__ = inspect.signature(expire)  # type: ignore[attr-defined]
    return forgetting


def _terminate(self: Any) -> Any:
    return self._iw_answer


_SHOWN = "def terminate(self):\n    return answer  # of initialize or iterate, for the frame's last tuple"
_SHOWN_LEAVING = (
    "def terminate(self):\n    return answer  "
    "# of initialize for the frame's last tuple; after iterate that of expire for the oldest, were it to leave next"
)


def _terminate_as_it_leaves(self: Any) -> Any:
    if self._iw_answer is not None or not len(self.inwindow):
        return self._iw_answer
    leaving = object.__new__(type(self))  # expire may change the state, and the buffer
    leaving.__dict__.update(copy.deepcopy({name: value for name, value in vars(self).items() if name != "inwindow"}))
    leaving.inwindow = _Buffer(self.inwindow)
    answer = leaving.expire(*leaving.inwindow.oldest())
    return list(answer)[-1] if inspect.isgenerator(answer) else answer


class _Buffer:
    """The tuples of ``inwindow`` now."""

    def __init__(self, records: Any) -> None:
        self.records = list(records)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def oldest(self) -> Any:
        """The first tuple."""
        return self.records[0]

    def newest(self) -> Any:
        """The last tuple."""
        return self.records[-1]

    def delete(self, predicate: Any, keep_newest: bool = False) -> int:
        """Delete tuples from this copy only."""
        spared = self.records[-1:] if keep_newest else []
        before, others = len(self.records), self.records[: len(self.records) - len(spared)]
        self.records = [record for record in others if not predicate(record)] + spared
        return before - len(self.records)
