"""Aggregates that show their frame: the ids of its tuples, in order. One class per combination of promises.

They say more than a sum: a wrong order, a tuple too many, a state shared between frames, all show.
"""

import inwindow as iw


class Ids(iw.Aggregate, returns="array<bigint>"):
    """Nothing but the base hooks."""

    def initialize(self, id):
        self.ids = [id]

    def iterate(self, id):
        self.ids.append(id)

    def terminate(self):
        return list(self.ids)


class IdsMerge(Ids, returns="array<bigint>"):
    """With a merge, in order."""

    def merge(self, later):
        self.ids += later.ids


class IdsAnyOrder(Ids, returns="array<bigint>", commutative=True):
    """With a merge, and results that do not depend on the order; mutable, and shared if it is not copied."""

    def merge(self, later):
        self.ids += later.ids
        later.ids.clear()

    def terminate(self):
        return sorted(self.ids)


class IdsExpire(iw.WindowAggregate, returns="array<bigint>", nulls="pass", empty=()):
    """With an expire that is given the oldest; NULL arguments are passed."""

    def iterate(self, id):
        self.ids = [*getattr(self, "ids", []), id]

    def expire(self, id):
        oldest = self.ids.pop(0)
        assert oldest == id, (oldest, id)

    def terminate(self):
        return list(self.ids)


class IdsAll(IdsExpire, returns="array<bigint>", base=None):
    """Everything: expire, merge, unmerge."""

    def merge(self, later):
        self.ids = self.ids + later.ids

    def unmerge(self, earlier):
        assert self.ids[: len(earlier.ids)] == earlier.ids
        self.ids = self.ids[len(earlier.ids) :]


class IdsPunt(IdsExpire, returns="array<bigint>"):
    """An expire that refuses every third tuple."""

    def expire(self, id):
        if id is None or id % 3 == 0:
            return iw.PUNT
        return super().expire(id)


class IdsInWindow(iw.WindowAggregate, returns="array<bigint>"):
    """No state but the window's buffer."""

    inwindow: iw.InWindow

    def iterate(self, id):
        pass

    def expire(self, id):
        assert self.inwindow.oldest().id == id

    def terminate(self):
        return [record.id for record in self.inwindow]


class IdsNaive(iw.WindowAggregate, returns="array<bigint>"):
    """Reads the buffer, has no expire."""

    inwindow: iw.InWindow

    def iterate(self, id):
        self.last = id

    def terminate(self):
        return [record.id for record in self.inwindow]


class IdsWithBase(IdsExpire, returns="array<bigint>", base=Ids, nulls="skip"):
    """A window version beside a base version."""


class Longest(iw.Aggregate, returns="bigint", algebraic=True):
    """Algebraic without merge: the largest result of panes is the result."""

    def initialize(self, id):
        self.top = id

    def iterate(self, id):
        self.top = max(self.top, id)

    def terminate(self):
        return self.top


class LongestInWindow(iw.WindowAggregate, returns="bigint", algebraic=True):
    """Algebraic, and prunes the buffer: a pane has a buffer of tuples, a frame one of results (ESL, example 16)."""

    inwindow: iw.InWindow

    def iterate(self, id):
        self.inwindow.delete(lambda record: record.id <= id, keep_newest=True)

    def expire(self, id):
        assert self.inwindow.oldest().id == id

    def terminate(self):
        return self.inwindow.oldest().id


class Running(iw.Aggregate, returns="array<bigint>"):
    """No terminate: all it has ever seen, at each tuple."""

    def initialize(self, id):
        self.ids = [id]
        return list(self.ids)

    def iterate(self, id):
        self.ids.append(id)
        return list(self.ids) if id % 4 else None


class RunningOr(Running, returns="array<bigint>", empty=(-1,)):
    """With a value for frames in which no hook saw a tuple."""


class Live(iw.WindowAggregate, returns="array<bigint>"):
    """No terminate: prunes the buffer, and shows it and what has expired."""

    inwindow: iw.InWindow

    def __init__(self):
        self.gone = []

    def iterate(self, id):
        if id % 5 == 0:
            self.inwindow.delete(lambda record: record.id % 2 == 1, keep_newest=True)
        return [*self.gone, -1, *(record.id for record in self.inwindow)]

    def expire(self, id):
        assert self.inwindow.oldest().id == id
        self.gone.append(id)


class Leaving(iw.WindowAggregate, returns="array<bigint>"):
    """For active expiration: what leaves, and what is left."""

    inwindow: iw.InWindow

    def iterate(self, id):
        if id % 5 == 0:
            self.inwindow.delete(lambda record: record.id % 3 == 1)

    def expire(self, id):
        if id % 4 == 3:
            return None
        return [id, -1, *(record.id for record in self.inwindow)]


class LeavingTwice(Leaving, returns="bigint"):
    """Yields as many values as the window holds."""

    def expire(self, id):
        for record in self.inwindow:
            yield record.id


class Doubling(iw.Aggregate, returns="bigint"):
    """A generator hook: any number of emissions per tuple."""

    def iterate(self, id):
        for number in range(id % 3):
            yield id * 10 + number
