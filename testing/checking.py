"""``iw.testing.check``: which laws, which tuples, how many."""

import inspect
import math
from typing import TYPE_CHECKING, Any

from inwindow.native.compiled import Hooks
from inwindow.testing.equality import TOLERANCE
from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.compiled.aggregate import plain_of
from inwindow.udaf.compiled.c_hooks import compiled_class
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.failures import OnErrorMode, failures_of
from inwindow.udaf.spark_aggregator import udaf

if TYPE_CHECKING:
    from inwindow.testing.report import Report


@says_what_it_takes
def check(
    aggregate: Any,
    *,
    values: Any = None,
    finite: bool = False,
    window: Any = None,
    examples: int = 100,
    seed: int | None = None,
    tolerance: float = TOLERANCE,
    on_error: OnErrorMode = "fail",
) -> "Report":
    """Check that an aggregate keeps the promises its hooks make; raise :class:`BrokenPromise` with a failing test.

    - ``aggregate``: a class, an instance (``TopK(k=10)``), or a Spark ``Aggregator``.
    - ``values``: what the arguments are: a type (``float``, ``"decimal(10,2)"``) or a Hypothesis strategy, or a list of them for
      several arguments. Default: the hooks' annotations (``def iterate(self, value: float)``), else what the hooks run on.
    - ``finite=True``: the data have no NaN, no infinities, and no numbers whose sum overflows.
    - ``window``: one window or extent to run it over, in place of a choice of them.
    - ``examples``: how many streams are made up for each part; ``seed``: the same ones every time.
    - ``on_error="skip"`` (or ``"collect"``): hooks may raise, as in a call with ``on_error=``. Then each must raise because of its
      tuple, not of those before; and the other laws are tried on tuples that are taken.
    - ``tolerance``: floats are the same up to ``tolerance * max(1, |result|, |largest argument|)``.

    >>> import inwindow as iw
    >>> class MyAvg(iw.WindowAggregate):
    ...     def initialize(self, value: float): self.total, self.count = value, 1
    ...     def iterate(self, value): self.total += value; self.count += 1
    ...     def expire(self, value): self.total -= value          # and the count?
    ...     def terminate(self) -> float: return self.total / self.count
    >>> try:
    ...     iw.testing.check(MyAvg(), seed=0)
    ... except AssertionError as error:
    ...     print(str(error).splitlines()[0], len(error.tuples))
    MyAvg breaks a promise: expire undoes iterate (see `expire`) 2
    """
    try:
        import hypothesis  # noqa: F401
    except ImportError:
        raise ImportError(
            "iw.testing.check makes up its tuples with Hypothesis, which is not installed: pip install 'inwindow[testing]'"
        ) from None
    from inwindow.testing.ladder import climb

    if not isinstance(examples, int) or isinstance(examples, bool) or examples < 1:
        raise UsageError(f"check(examples={shown(examples)}): give a number of examples, 1 or more")
    if not isinstance(tolerance, (int, float)) or not 0 <= tolerance < math.inf:
        raise UsageError(f"check(tolerance={shown(tolerance)}): give a small positive number, such as 1e-6")
    refuses = failures_of(on_error, "check") is not None
    return climb(aggregate_of(aggregate), values, finite, window, examples, seed, tolerance, refuses)


def aggregate_of(given: Any) -> Aggregate:
    """The aggregate that is meant: by a class, an instance, an application, or a Spark Aggregator."""
    if isinstance(given, Applied):
        given = plain_of(given.aggregate)
        if not isinstance(given, Aggregate):
            raise UsageError(
                f"check({given.traits.name}(...)): a built-in has no hooks of yours; check classes that you wrote"
            )
    if isinstance(given, type):
        needed = [
            name
            for name, parameter in inspect.signature(given).parameters.items()
            if parameter.default is parameter.empty
            and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        ]
        if needed:
            name = given.__name__
            made = f"{name}({', '.join(f'{n}=...' for n in needed)})"
            raise UsageError(
                f"check({name}): make one first: check({made}); for `inwindow check`, in the module: {name.lower()} = {made}"
            )
        given = given()
    if isinstance(given, Hooks):
        given = compiled_class(given)
    given = plain_of(given)
    if isinstance(given, Aggregate):
        return given
    if hasattr(given, "zero") and hasattr(given, "reduce"):
        return udaf(given)
    raise UsageError(
        f"check({shown(given)}): give an aggregate, iw.testing.check(MyAvg()): a class derived from iw.Aggregate or "
        "iw.WindowAggregate, or a Spark Aggregator"
    )
