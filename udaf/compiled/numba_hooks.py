"""``iw.compiled``: a plain class whose hooks are compiled by numba."""

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pyarrow as pa

from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.compiled.aggregate import CompiledAggregate
from inwindow.udaf.compiled.caching import loaded, numba_version
from inwindow.udaf.compiled.due import AFTER, module_if_due
from inwindow.udaf.compiled.reading import NotCompiled, Reading, is_still, read
from inwindow.udaf.compiled.writing import Program, write
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown


@says_what_it_takes
def compiled(aggregate: Any) -> CompiledAggregate:
    """Compile the hooks of a plain class with numba (``pip install "inwindow[compiled]"``).

    It is for classes whose state and arguments are numbers, and whose hooks use arithmetic, ``if`` and ``math``. The results
    are those of the plain hooks, to the last bit. Code that cannot be compiled exactly is an error that names the line. If an
    integer passes 64 bits or an exception is raised, the plain hooks repeat the call. The first rows of each run are computed
    by both, and compared.

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
    if not aggregate._declared.compile:
        name = type(aggregate).__name__
        raise UsageError(f"iw.compiled({name}()): {name} is declared with compile=False: drop one of the two")
    if numba_version() is None:
        raise ImportError('iw.compiled needs numba, which is not installed: pip install "inwindow[compiled]"')
    try:
        return CompiledAggregate(aggregate, NumbaHooks(read(aggregate)))
    except NotCompiled as refusal:
        raise UsageError(str(refusal)) from None


_checked: set[str] = set()  # programs, by their text


@dataclass(frozen=True)
class NumbaHooks:
    """Writes a program for argument types, from the class as the driver has read it."""

    reading: Reading

    def machine(self, plain: Aggregate, label: str, types: list[pa.DataType]) -> "NumbaMachine":
        """The program; it is compiled where it runs."""
        traits = plain._traits
        assert traits is not None and traits.result is not None
        if traits.nulls != "skip":
            why = f"nulls={traits.nulls!r} gives hooks None, and compiled hooks take numbers alone"
            raise NotCompiled(f"{label}: {why}: use nulls='skip', or the class as it is", why)
        program = write(self.reading, label, types, traits.result)
        strategies = {"unbounded", "tumble", "recompute"} | ({"delta"} if traits.has_expire else set())
        return NumbaMachine(program, self.reading, frozenset(strategies))


@dataclass(frozen=True)
class NumbaMachine:
    """A program, and the strategies that its loop is for."""

    program: Program
    reading: Reading
    strategies: frozenset[str] = field(default_factory=frozenset)
    asked: bool = True  # True: by iw.compiled; False: by default

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
        """The line of explain."""
        name = self.program.name
        if self.asked:
            return f"compiled: hooks of {name}, by numba; its first rows are checked against the Python hooks"
        return f"Python hooks of {name}, called from Cython; compiled by numba after {AFTER:,} tuples"

    @property
    def runs_on_states(self) -> str:
        """Not the loop, which has one state."""
        return f"Python hooks of {self.program.name}, called from Cython; not compiled: each key goes on from a state of its own"

    @property
    def is_to_be_checked(self) -> bool:
        """Whether both kinds of hooks compute the next rows: in each call of iw.compiled, else once per process."""
        return self.asked or self.program.source not in _checked

    def note_check(self) -> None:
        """The rows have been computed by both."""
        _checked.add(self.program.source)

    def module(self, prototype: Any) -> ModuleType | None:
        """The compiled program, to run copies of this object; None if it is too early to compile."""
        if self.asked:
            return self._loaded()
        module = module_if_due(self.program.source)
        if module is not None and not is_still(self.reading, type(prototype)):
            return None
        return module

    def _loaded(self) -> ModuleType:
        try:
            return loaded(self.program.source)
        except ModuleNotFoundError as error:
            if error.name != "numba":
                raise
            raise ImportError(
                f"iw.compiled({self.program.name}()) needs numba where it runs, too: on the workers, "
                'pip install "inwindow[compiled]"'
            ) from None
