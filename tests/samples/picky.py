"""Aggregates whose hooks raise on some tuples, after they have changed their state; otherwise those of ``ids.py``."""

from samples.ids import (
    Doubling,
    Ids,
    IdsAll,
    IdsExpire,
    IdsInWindow,
    IdsMerge,
    IdsNaive,
    IdsPunt,
    IdsWithBase,
    Leaving,
    LeavingTwice,
    Live,
    Longest,
    LongestInWindow,
    Running,
    RunningOr,
)


class Refused(Exception):
    """By a hook."""


def is_refused(id):
    return id is not None and id % 5 == 3


def refuse(id):
    if is_refused(id):
        raise Refused(f"{id} is bad")


class Picky:
    """Before a class: its hooks take a tuple, and then they raise."""

    def initialize(self, id):
        hook = getattr(super(), "initialize", None) or super().iterate
        answer = hook(id)
        refuse(id)
        return answer

    def iterate(self, id):
        answer = super().iterate(id)
        refuse(id)
        return answer


class PickyIds(Picky, Ids, returns="array<bigint>"):
    pass


class PickyMerge(Picky, IdsMerge, returns="array<bigint>"):
    pass


class PickyExpire(Picky, IdsExpire, returns="array<bigint>", nulls="pass", empty=()):
    pass


class PickyAll(Picky, IdsAll, returns="array<bigint>", base=None):
    pass


class PickyPunt(Picky, IdsPunt, returns="array<bigint>"):
    pass


class PickyInWindow(Picky, IdsInWindow, returns="array<bigint>"):
    pass


class PickyNaive(Picky, IdsNaive, returns="array<bigint>"):
    pass


class PickyWithBase(Picky, IdsWithBase, returns="array<bigint>", base=PickyIds, nulls="skip"):
    pass


class PickyLongest(Picky, Longest, returns="bigint", algebraic=True):
    pass


class PickyLongestInWindow(Picky, LongestInWindow, returns="bigint", algebraic=True):
    pass


class PickyRunning(Picky, Running, returns="array<bigint>"):
    pass


class PickyRunningOr(Picky, RunningOr, returns="array<bigint>", empty=(-1,)):
    pass


class PickyLive(Picky, Live, returns="array<bigint>"):
    pass


class PickyLeaving(Picky, Leaving, returns="array<bigint>"):
    pass


class PickyLeavingTwice(Picky, LeavingTwice, returns="bigint"):
    pass


class PickyDoubling(Doubling, returns="bigint"):
    """Raises amid what it yields."""

    def iterate(self, id):
        for value in super().iterate(id):
            yield value
            refuse(id)
        refuse(id)


# (with hooks that raise, with hooks that do not)
WITH_TERMINATE = [
    (PickyIds(), Ids()),
    (PickyMerge(), IdsMerge()),
    (PickyExpire(), IdsExpire()),
    (PickyAll(), IdsAll()),
    (PickyPunt(), IdsPunt()),
    (PickyInWindow(), IdsInWindow()),
    (PickyNaive(), IdsNaive()),
    (PickyWithBase(), IdsWithBase()),
    (PickyLongest(), Longest()),
    (PickyLongestInWindow(), LongestInWindow()),
]
WITHOUT = [(PickyRunning(), Running()), (PickyRunningOr(), RunningOr()), (PickyLive(), Live())]
LEAVING = [(PickyLeaving(), Leaving()), (PickyLeavingTwice(), LeavingTwice())]
