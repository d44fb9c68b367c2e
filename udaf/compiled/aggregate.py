"""An aggregate with two forms: plain hooks, which every strategy and every law can call, and a machine for the loops.

::

    iw.compiled(MyAvg())("price")            CompiledAggregate
      plain     MyAvg()                      what it means: panes, two stacks, iw.testing, streams' odd corners
      compiler  from argument types ->       a Machine: the loop of delta, unbounded, tumble and recompute
"""

from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from inwindow.udaf.applied import Applied, apply
from inwindow.udaf.compiled.reading import NotCompiled
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import NotAppliedError, UsageError
from inwindow.udaf.native import Machine
from inwindow.udaf.traits import Traits


class Compiler(Protocol):
    """Makes machines of an aggregate. The driver makes and checks it, and sends it to the workers."""

    def machine(self, plain: Aggregate, label: str, types: list[pa.DataType]) -> Machine:
        """For arguments of these types; an error says why not."""


@dataclass(frozen=True, eq=False)
class CompiledAggregate:
    """A plain aggregate, and what compiles it."""

    plain: Aggregate
    compiler: Compiler

    @property
    def traits(self) -> Traits:
        """The traits of the plain aggregate."""
        traits = self.plain._traits
        assert traits is not None
        return traits

    def __call__(self, *columns: Any) -> Applied:
        """Apply it to columns, like the plain aggregate."""
        return apply(self, columns)

    def over(self, *window: Any, **options: Any) -> Any:
        """An error: it is not applied to columns yet."""
        raise NotAppliedError(
            f"{self!r}.over(...): it is not applied to columns yet: write {self!r}('price').over(window)"
        )

    def machine(self, label: str, types: list[pa.DataType]) -> Machine:
        """The machine for arguments of these types."""
        try:
            return self.compiler.machine(self.plain, label, types)
        except NotCompiled as refusal:
            raise UsageError(str(refusal)) from None

    def __repr__(self) -> str:
        return f"iw.compiled({self.traits.name}())"


def plain_of(aggregate: Any) -> Any:
    """The aggregate without what compiles it."""
    return aggregate.plain if isinstance(aggregate, CompiledAggregate) else aggregate
