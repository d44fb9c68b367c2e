"""``iw.compiled``: a plain class whose hooks are compiled by numba."""

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from inwindow.udaf.applied import Applied
from inwindow.udaf.compiled.aggregate import CompiledAggregate
from inwindow.udaf.compiled.reading import Reading, read
from inwindow.udaf.compiled.writing import Program, write
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown


def compiled(aggregate: Any) -> CompiledAggregate:
    """Compile the hooks of a plain class with numba (``pip install "inwindow[compiled]"``).

    For classes whose state and arguments are numbers, and whose hooks use arithmetic, ``if`` and ``math``. The results are those
    of the plain hooks, to the last bit: what cannot be compiled so is an error that names the line; an integer that passes 64
    bits, or an exception, makes the plain hooks do the call over; and the first rows of each run are computed by both.

    >>> import pyarrow as pa
    >>> import inwindow as iw
    >>> class MyAvg(iw.WindowAggregate):
    ...     def initialize(self, value): self.total, self.count = value, 1
    ...     def iterate(self, value): self.total += value; self.count += 1
    ...     def expire(self, value): self.total -= value; self.count -= 1
    ...     def terminate(self) -> float: return self.total / self.count
    >>> table = pa.table({"price": [1.0, 2.0, 6.0, 4.0]})
    >>> my_avg = iw.compiled(MyAvg())
    >>> iw.with_columns(table, avg2=my_avg("price").over(iw.rows(2)))["avg2"].to_pylist()
    [1.0, 1.5, 4.0, 5.0]
    """
    if isinstance(aggregate, CompiledAggregate):
        return aggregate
    if isinstance(aggregate, type) and issubclass(aggregate, Aggregate):
        raise UsageError(f"compiled({aggregate.__name__}): make one first: iw.compiled({aggregate.__name__}())")
    if isinstance(aggregate, Applied):
        raise UsageError(f"compiled({aggregate}): compile the aggregate, then apply it: iw.compiled(MyAvg())('price')")
    if not isinstance(aggregate, Aggregate):
        raise UsageError(
            f"compiled({shown(aggregate)}): give an instance of a class of yours, as in iw.compiled(MyAvg()); built-ins and cdef "
            "classes are machine code already"
        )
    if find_spec("numba") is None:
        raise ImportError('iw.compiled needs numba, which is not installed: pip install "inwindow[compiled]"')
    return CompiledAggregate(aggregate, NumbaHooks(read(aggregate)))


@dataclass(frozen=True)
class NumbaHooks:
    """Writes a program for argument types, of what was read of the class on the driver."""

    reading: Reading

    def machine(self, plain: Aggregate, label: str, types: list[pa.DataType]) -> "NumbaMachine":
        """The program; it is compiled where it runs."""
        traits = plain._traits
        assert traits is not None and traits.result is not None
        program = write(self.reading, label, types, traits.result)
        strategies = {"unbounded", "tumble", "recompute"} | ({"delta"} if traits.has_expire else set())
        return NumbaMachine(program, traits.empty, frozenset(strategies))


@dataclass(frozen=True)
class NumbaMachine:
    """A program, and the strategies that its loop is for."""

    program: Program
    empty: Any
    strategies: frozenset[str] = field(default_factory=frozenset)

    @property
    def inputs(self) -> tuple[pa.DataType, ...]:
        """Doubles and integers."""
        return self.program.inputs

    @property
    def preferred(self) -> frozenset[str]:
        """None: the results are those of the plain class, to the last bit, so the strategy is the same."""
        return frozenset()

    @property
    def runs(self) -> str:
        """For explain."""
        return f"compiled: hooks of {self.program.name}, by numba; its first rows are checked against the Python hooks"

    def driver(self, plain: Any, *, afresh: bool) -> Any:
        """A new one; the first in a process compiles, or finds what was compiled before."""
        from inwindow.native.jitted import Jitted
        from inwindow.udaf.compiled.caching import loaded

        try:
            module = loaded(self.program.source)
        except ModuleNotFoundError as error:
            if error.name != "numba":
                raise
            raise ImportError(
                f"iw.compiled({self.program.name}()) needs numba where it runs, too: on the workers, "
                'pip install "inwindow[compiled]"'
            ) from None
        return Jitted(module.roll, module.Bail, self.program, plain, afresh=afresh, empty=self.empty)
