"""Whether an aggregate keeps the promises that make it fast: ``iw.testing.check(MyAvg())``.

``expire`` promises to undo ``iterate``, ``merge`` to be the same as running on, ``commutative=True`` that order does not
matter. Nothing in a job checks that. :func:`check` does, on tuples that Hypothesis makes up, and shows the smallest
tuples that break a promise as a test to be pasted.

>>> import inwindow as iw
>>> class Total(iw.WindowAggregate):
...     def iterate(self, value: int): self.total = getattr(self, "total", 0) + value
...     def expire(self, value): self.total -= value
...     def merge(self, later): self.total += later.total
...     def terminate(self) -> int: return self.total
>>> print(iw.testing.check(Total(), examples=10, seed=0))
Total keeps its promises: hooks take every value, the same tuples give the same result, copies share nothing, terminate
changes nothing, expire undoes iterate, merge equals running on, merge is associative, merge leaves later alone, the state
survives pickling, every strategy gives the definition's result, panes change nothing

Each name is a :class:`~inwindow.testing.laws.Law`. The room, in the order of work:

- `values.py`, what tuples are drawn from; `search.py`, Hypothesis; `ladder.py`, in which order what is tried;
- `laws.py`, the promises of hooks, as calls that `steps.py` makes and writes down; `overs.py`, those of whole tables;
- `report.py`, what is said in the end.

For users:

- :func:`check` checks; :class:`BrokenPromise` is what it raises, an ``AssertionError``.
- :func:`reference` is the definition itself: slow, and right.
- :func:`replay` runs a stream without Spark, on tables as micro-batches; :class:`Replayed` is what it gave.
- :func:`same`, :func:`pickled`, :class:`Rehashed` are what the pasted tests are made of.
"""

from inwindow.runtime.stream.replay import Replayed, replay
from inwindow.testing.checking import check
from inwindow.testing.definition import reference
from inwindow.testing.equality import same
from inwindow.testing.report import BrokenPromise, Report
from inwindow.testing.state import Rehashed, pickled

__all__ = ["BrokenPromise", "Rehashed", "Replayed", "Report", "check", "pickled", "reference", "replay", "same"]
