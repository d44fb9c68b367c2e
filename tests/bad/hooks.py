"""Hooks that raise: told with the aggregate, the hook, its arguments, the tuple, the user's own lines.

The table leaves out the lines' numbers, and what Python marks under them.
"""

from typing import Any

import pyarrow as pa
from bad.input import TABLE, Bad

import inwindow as iw


class Raises(iw.Aggregate, returns="double"):
    """Raises in the hook that it is told, when it sees a given value."""

    def __init__(self, hook: str, at: float = 6.0) -> None:
        self.hook, self.at = hook, at

    def check(self, hook: str) -> None:
        if hook == self.hook and self.value == self.at:
            raise KeyError("found")

    def initialize(self, value):
        self.value = value
        self.check("initialize")

    def iterate(self, value):
        self.value = value
        self.check("iterate")

    def terminate(self):
        self.check("terminate")
        return self.value


class Unset(iw.Aggregate, returns="double"):
    """Adds to what nobody has set."""

    def iterate(self, value):
        self.total += value

    def terminate(self):
        return self.total


class Misspells(Unset, returns="double"):
    """Sets one field, and adds to another."""

    def initialize(self, value):
        self.totals = value


class RaisesInMerge(Raises, returns="double"):
    def merge(self, later):
        self.value = later.value
        self.check("merge")


class RaisesInUnmerge(RaisesInMerge, returns="double"):
    def unmerge(self, earlier):
        self.check("unmerge")


class RaisesInExpire(iw.WindowAggregate, returns="double"):
    """With two arguments."""

    def iterate(self, value, item):
        self.value = value

    def expire(self, value, item):
        return 1 / (value - 1.0)

    def terminate(self):
        return self.value


class RaisesAsItArrives(iw.Aggregate, returns="double"):
    def iterate(self, value):
        yield value
        yield 1 / (value - 6.0)


class RaisesAsItLeaves(iw.WindowAggregate, returns="double"):
    def iterate(self, value):
        pass

    def expire(self, value):
        return 1 / (value - 6.0)


class ForgetsInWindow(iw.WindowAggregate, returns="double"):
    def iterate(self, value):
        return self.inwindow.oldest().value


class ReadsAColumn(iw.WindowAggregate, returns="double"):
    """A record of the window has the parameters' names, not the columns'."""

    inwindow: iw.InWindow

    def iterate(self, value):
        return self.inwindow.oldest().price


class CallsUs(iw.Aggregate, returns="double"):
    """Our own errors are the user's in a hook."""

    def iterate(self, value):
        return iw.rows(value)


class SaysNothing(iw.Aggregate, returns="double"):
    def iterate(self, value):
        raise NotImplementedError


class Mean:
    """A Spark Aggregator: its methods keep their names."""

    def __init__(self, **others: Any) -> None:
        vars(self).update(others)

    def zero(self):
        return 0.0, 0

    def reduce(self, buffer, value):
        return buffer[0] + value, buffer[1] + 1

    def merge(self, a, b):
        return a[0] + b[0], 1 / 0

    def finish(self, buffer):
        return buffer[0] / buffer[1]

    def outputType(self):
        return "double"


OVER = iw.rows(2, partition_by="item", order_by="ts")
LONG = pa.table({"s": ["x" * 1000]})


def over(aggregate: Any, *columns: str, window: Any = OVER, table: pa.Table = TABLE, **options: Any) -> Any:
    """Run an aggregate over the table."""
    return iw.with_columns(table, a=aggregate(*(columns or ("price",))).over(window, **options))


FAR = pa.table({"item": ["a"], "ts": [1], "d": pa.array([2**31 - 1], pa.int32()).cast(pa.date32())})


ROWS = [
    # In each hook
    Bad(
        "initialize",
        lambda: over(Raises("initialize"), window=iw.rows(1, partition_by="item", order_by="ts")),
        iw.HookError,
        "Raises.initialize(6.0) raised KeyError: 'found'\n"
        "  in Raises(price), at item='a', ts=2026-03-01 12:00:05, tuple 2 of its partition\n"
        '  File "hooks.py", in initialize\n'
        '    self.check("initialize")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "iterate",
        lambda: over(Raises("iterate")),
        iw.HookError,
        "Raises.iterate(6.0) raised KeyError: 'found'\n"
        "  in Raises(price), at item='a', ts=2026-03-01 12:00:05, tuple 2 of its partition\n"
        '  File "hooks.py", in iterate\n'
        '    self.check("iterate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "terminate",
        lambda: over(Raises("terminate")),
        iw.HookError,
        "Raises.terminate() raised KeyError: 'found'\n"
        "  in Raises(price), for the frame that ends at item='a', ts=2026-03-01 12:00:05, tuple 2 of its "
        "partition\n"
        '  File "hooks.py", in terminate\n'
        '    self.check("terminate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "expire",
        lambda: over(RaisesInExpire(), "price", "item"),
        iw.HookError,
        "RaisesInExpire.expire(1.0, 'a') raised ZeroDivisionError: float division by zero\n"
        "  in RaisesInExpire(price, item), at item='a', ts=2026-03-01 12:00:00, tuple 1 of its partition\n"
        '  File "hooks.py", in expire\n'
        "    return 1 / (value - 1.0)",
    ),
    Bad(
        "merge",
        lambda: over(RaisesInMerge("merge"), window=iw.rows(3, order_by="t")),
        iw.HookError,
        "RaisesInMerge.merge(RaisesInMerge(hook='merge', at=6.0, value=6.0)) raised KeyError: 'found'\n"
        "  in RaisesInMerge(price), at t=2, tuple 2 of its partition\n"
        '  File "hooks.py", in merge\n'
        '    self.check("merge")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "unmerge",
        lambda: over(RaisesInUnmerge("unmerge", at=2.0), window=iw.rows(3, order_by="t", slide=2)),
        iw.HookError,
        "RaisesInUnmerge.unmerge(RaisesInUnmerge(hook='unmerge', at=2.0, value=1.0)) raised KeyError: "
        "'found'\n"
        "  in RaisesInUnmerge(price), at t=1, tuple 1 of its partition\n"
        '  File "hooks.py", in unmerge\n'
        '    self.check("unmerge")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "a Spark Aggregator's reduce",
        lambda: over(iw.udaf(Mean()), "item"),
        iw.HookError,
        "Mean.reduce(buffer, 'a') raised TypeError: unsupported operand type(s) for +: 'float' and 'str'\n"
        "  in Mean(item), at item='a', ts=2026-03-01 12:00:00, tuple 1 of its partition\n"
        '  File "hooks.py", in reduce\n'
        "    return buffer[0] + value, buffer[1] + 1",
    ),
    Bad(
        "... and its merge",
        lambda: over(iw.udaf(Mean())),
        iw.HookError,
        "Mean.merge(buffer, (4.0, 1)) raised ZeroDivisionError: division by zero\n"
        "  in Mean(price), at item='a', ts=2026-03-01 12:00:09, tuple 3 of its partition\n"
        '  File "hooks.py", in merge\n'
        "    return a[0] + b[0], 1 / 0",
    ),
    # Under each strategy
    Bad(
        "iterate, folded afresh",
        lambda: over(Raises("iterate"), strategy="recompute"),
        iw.HookError,
        "Raises.iterate(6.0) raised KeyError: 'found'\n"
        "  in Raises(price), at item='a', ts=2026-03-01 12:00:05, tuple 2 of its partition\n"
        '  File "hooks.py", in iterate\n'
        '    self.check("iterate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "iterate, of two stacks",
        lambda: over(RaisesInMerge("iterate"), strategy="two-stacks"),
        iw.HookError,
        "RaisesInMerge.iterate(6.0) raised KeyError: 'found'\n"
        "  in RaisesInMerge(price), at item='a', ts=2026-03-01 12:00:05, tuple 2 of its partition\n"
        '  File "hooks.py", in iterate\n'
        '    self.check("iterate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "terminate, of two stacks",
        lambda: over(RaisesInMerge("terminate"), strategy="two-stacks"),
        iw.HookError,
        "RaisesInMerge.terminate() raised KeyError: 'found'\n"
        "  in RaisesInMerge(price), for the frame that ends at item='a', ts=2026-03-01 12:00:05, tuple 2 "
        "of its partition\n"
        '  File "hooks.py", in terminate\n'
        '    self.check("terminate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "initialize, in a tumble",
        lambda: over(Raises("initialize", at=2.0), window=iw.rows(2, order_by="t", slide=3)),
        iw.HookError,
        "Raises.initialize(2.0) raised KeyError: 'found'\n"
        "  in Raises(price), at t=2, tuple 2 of its partition\n"
        '  File "hooks.py", in initialize\n'
        '    self.check("initialize")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "terminate, unbounded",
        lambda: over(Raises("terminate"), window=iw.unbounded(order_by="t")),
        iw.HookError,
        "Raises.terminate() raised KeyError: 'found'\n"
        "  in Raises(price), for the frame that ends at t=5, tuple 3 of its partition\n"
        '  File "hooks.py", in terminate\n'
        '    self.check("terminate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "iterate, within a pane",
        lambda: over(RaisesInMerge("iterate", at=4.0), window=iw.rows(4, order_by="t", slide=2)),
        iw.HookError,
        "RaisesInMerge.iterate(4.0) raised KeyError: 'found'\n"
        "  in RaisesInMerge(price), at t=9, tuple 4 of its partition\n"
        '  File "hooks.py", in iterate\n'
        '    self.check("iterate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "merge, of panes",
        lambda: over(RaisesInMerge("merge", at=4.0), window=iw.rows(4, order_by="t", slide=2)),
        iw.HookError,
        "RaisesInMerge.merge(RaisesInMerge(hook='merge', at=4.0, value=4.0)) raised KeyError: 'found'\n"
        "  in RaisesInMerge(price), at t=9, tuple 4 of its partition\n"
        '  File "hooks.py", in merge\n'
        '    self.check("merge")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "terminate, over panes",
        lambda: over(RaisesInMerge("terminate", at=4.0), window=iw.rows(4, order_by="t", slide=2)),
        iw.HookError,
        "RaisesInMerge.terminate() raised KeyError: 'found'\n"
        "  in RaisesInMerge(price), for the frame that ends at t=9, tuple 4 of its partition\n"
        '  File "hooks.py", in terminate\n'
        '    self.check("terminate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    # In each kind of result
    Bad(
        "an extent",
        lambda: iw.group_by(TABLE, "item").window(iw.tumble("t", size=100)).agg(a=Raises("terminate", at=4.0)("price")),
        iw.HookError,
        "Raises.terminate() raised KeyError: 'found'\n"
        "  in Raises(price), for the extent [0, 100) of item='a'\n"
        '  File "hooks.py", in terminate\n'
        '    self.check("terminate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "a group",
        lambda: iw.group_by(TABLE, "item").agg(a=Raises("iterate")("price")),
        iw.HookError,
        "Raises.iterate(6.0) raised KeyError: 'found'\n"
        "  in Raises(price), at item='a', tuple 2 of its partition\n"
        '  File "hooks.py", in iterate\n'
        '    self.check("iterate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "a group's result",
        lambda: iw.group_by(TABLE, "item").agg(a=Raises("terminate", at=4.0)("price")),
        iw.HookError,
        "Raises.terminate() raised KeyError: 'found'\n"
        "  in Raises(price), for the frame that ends at item='a', tuple 3 of its partition\n"
        '  File "hooks.py", in terminate\n'
        '    self.check("terminate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "an extent",
        lambda: iw.group_by(TABLE).window(iw.hop("t", size=4, every=2)).agg(a=Raises("initialize")("price")),
        iw.HookError,
        "Raises.initialize(6.0) raised KeyError: 'found'\n"
        "  in Raises(price), at t=5, tuple 3 of its partition\n"
        '  File "hooks.py", in initialize\n'
        '    self.check("initialize")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "an emission",
        lambda: iw.select(TABLE, a=RaisesAsItArrives()("price").over(OVER)),
        iw.HookError,
        "RaisesAsItArrives.iterate(6.0) raised ZeroDivisionError: float division by zero\n"
        "  in RaisesAsItArrives(price), at item='a', ts=2026-03-01 12:00:05, tuple 2 of its partition\n"
        '  File "hooks.py", in iterate\n'
        "    yield 1 / (value - 6.0)",
    ),
    Bad(
        "a base aggregate's emission",
        lambda: iw.group_by(TABLE, "item", order_by="t").emit("t", a=RaisesAsItArrives()("price")),
        iw.HookError,
        "RaisesAsItArrives.iterate(6.0) raised ZeroDivisionError: float division by zero\n"
        "  in RaisesAsItArrives(price), at item='a', t=5, tuple 2 of its partition\n"
        '  File "hooks.py", in iterate\n'
        "    yield 1 / (value - 6.0)",
    ),
    Bad(
        "an expiration",
        lambda: iw.select(TABLE, a=RaisesAsItLeaves()("price").over(iw.range(3, order_by="t", active_expiration=True))),
        iw.HookError,
        "RaisesAsItLeaves.expire(6.0) raised ZeroDivisionError: float division by zero\n"
        "  in RaisesAsItLeaves(price), at t=5, tuple 3 of its partition\n"
        '  File "hooks.py", in expire\n'
        "    return 1 / (value - 6.0)",
    ),
    Bad(
        "without partition or order",
        lambda: over(Raises("iterate"), window=iw.rows(2)),
        iw.HookError,
        "Raises.iterate(6.0) raised KeyError: 'found'\n"
        "  in Raises(price), at tuple 3 of its partition\n"
        '  File "hooks.py", in iterate\n'
        '    self.check("iterate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    Bad(
        "a reader",
        lambda: iw.with_columns(TABLE.slice(2).to_reader(), a=Raises("terminate")("price").over(iw.rows(2))).read_all(),
        iw.HookError,
        "Raises.terminate() raised KeyError: 'found'\n"
        "  in Raises(price), for the frame that ends at tuple 1 of its partition\n"
        '  File "hooks.py", in terminate\n'
        '    self.check("terminate")\n'
        '  File "hooks.py", in check\n'
        '    raise KeyError("found")',
    ),
    # What is said
    Bad(
        "a date that Python does not have",
        lambda: over(Raises("none"), "d", table=FAR),
        iw.DataError,
        "an argument of hooks: 2147483647 as a date32[day] is none of Python's dates, which end with the year 9999: filter "
        "such tuples out, or make the value NULL",
    ),
    Bad(
        "inwindow is not annotated",
        lambda: over(ForgetsInWindow()),
        iw.HookError,
        "ForgetsInWindow.iterate(1.0) raised AttributeError: 'ForgetsInWindow' object has no attribute "
        "'inwindow'; annotate it in the class to get the window's buffer, `inwindow: iw.InWindow` (an "
        "iw.WindowAggregate)\n"
        "  in ForgetsInWindow(price), at item='a', ts=2026-03-01 12:00:00, tuple 1 of its partition\n"
        '  File "hooks.py", in iterate\n'
        "    return self.inwindow.oldest().value",
    ),
    Bad(
        "a field that nobody has set",
        lambda: over(Unset()),
        iw.HookError,
        "Unset.iterate(1.0) raised AttributeError: 'Unset' object has no attribute 'total'; set self.total in "
        "`initialize`, for the first tuple\n"
        "  in Unset(price), at item='a', ts=2026-03-01 12:00:00, tuple 1 of its partition\n"
        '  File "hooks.py", in iterate\n'
        "    self.total += value",
    ),
    Bad(
        "a field of another name",
        lambda: over(Misspells()),
        iw.HookError,
        "Misspells.terminate() raised AttributeError: 'Misspells' object has no attribute 'total'; did you mean 'totals'?\n"
        "  in Misspells(price), for the frame that ends at item='a', ts=2026-03-01 12:00:00, tuple 1 of its partition\n"
        '  File "hooks.py", in terminate\n'
        "    return self.total",
    ),
    Bad(
        "a column's name where a parameter's is meant",
        lambda: over(ReadsAColumn()),
        iw.HookError,
        "ReadsAColumn.iterate(1.0) raised AttributeError: 'Record' object has no attribute 'price'; a record has the "
        "names of iterate's parameters: value\n"
        "  in ReadsAColumn(price), at item='a', ts=2026-03-01 12:00:00, tuple 1 of its partition\n"
        '  File "hooks.py", in iterate\n'
        "    return self.inwindow.oldest().price",
    ),
    Bad(
        "one of our own errors",
        lambda: over(CallsUs(), "n", window=iw.rows(2, order_by="n")),
        iw.HookError,
        "CallsUs.iterate(0) raised UsageError: rows: size=0 must be at least 1: it is a number of tuples\n"
        "  in CallsUs(n), at n=0, tuple 1 of its partition\n"
        '  File "hooks.py", in iterate\n'
        "    return iw.rows(value)",
    ),
    Bad(
        "a long argument",
        lambda: over(SaysNothing(), "s", table=LONG, window=iw.rows(2)),
        iw.HookError,
        "SaysNothing.iterate('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...)"
        " raised NotImplementedError\n"
        "  in SaysNothing(s), at tuple 1 of its partition\n"
        '  File "hooks.py", in iterate\n'
        "    raise NotImplementedError",
    ),
    Bad(
        "no words at all",
        lambda: over(SaysNothing(), window=iw.rows(2)),
        iw.HookError,
        "SaysNothing.iterate(1.0) raised NotImplementedError\n"
        "  in SaysNothing(price), at tuple 1 of its partition\n"
        '  File "hooks.py", in iterate\n'
        "    raise NotImplementedError",
    ),
]
