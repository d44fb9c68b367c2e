"""Figure 2 of the ESL paper as a table: the first strategy that applies is taken.

======================  ==========================  ===================================================
box of figure 2         window                      strategy
======================  ==========================  ===================================================
(1)                     unbounded preceding         :class:`Unbounded`, TERMINATE after each tuple
(3), (4) left           slide >= frame              :class:`Tumble`, the base version restarted
(4) right               slide < frame, algebraic    :class:`PaneCascade`, tumble feeds window version
(2), (5)                frame, slide not algebraic  :class:`Delta`, EXPIRE; only yields are given out
default of (2)          no EXPIRE, but merge        :class:`TwoStacks`
default of (2)          neither                     :class:`Recompute`
======================  ==========================  ===================================================
"""

from dataclasses import dataclass

from inwindow.optimizer.delta import Delta
from inwindow.optimizer.pane_cascade import PaneCascade
from inwindow.optimizer.recompute import Recompute
from inwindow.optimizer.strategy import Case, Strategy, Verdict
from inwindow.optimizer.tumble import Tumble
from inwindow.optimizer.two_stacks import TwoStacks
from inwindow.optimizer.unbounded import Unbounded
from inwindow.udaf.errors import StrategyError, shown

RULES: tuple[Strategy, ...] = (Unbounded(), Tumble(), PaneCascade(), Delta(), TwoStacks(), Recompute())


@dataclass(frozen=True)
class Choice:
    """The strategy taken, why, and why not the ones before it."""

    strategy: Strategy
    verdict: Verdict
    passed_over: tuple[tuple[Strategy, Verdict], ...]
    forced: bool = False


def choose(
    case: Case, forced: str | None = None, fast: frozenset[str] = frozenset(), rules: tuple[Strategy, ...] = RULES
) -> Choice:
    """The first strategy of the table that applies; or the forced one, if it is right.

    ``fast`` are strategies that come before the table if they apply: with C hooks, a delta is faster than panes.

    >>> from inwindow.udaf.traits import Traits
    >>> from inwindow.windows.frames import rows
    >>> import pyarrow as pa
    >>> median = Traits("Median", ("value",), 1, pa.float64())
    >>> choose(Case(median, rows(50))).strategy.name
    'recompute'
    """
    verdicts = [(strategy, strategy.applies(case)) for strategy in rules]
    if forced is not None:
        return _forced(case, forced, verdicts)
    taken = next((index for index, (_, verdict) in enumerate(verdicts) if verdict), None)
    if taken is None:
        raise StrategyError(f"{case.traits.name} cannot be evaluated here: {verdicts[-1][1].reason}")
    if verdicts[taken][0].name not in fast:
        quick = (index for index, (its, verdict) in enumerate(verdicts) if verdict and its.name in fast)
        taken = next(quick, taken)
    strategy, verdict = verdicts[taken]
    return Choice(strategy, verdict, tuple(verdicts[:taken]))


def _forced(case: Case, forced: str, verdicts: list[tuple[Strategy, Verdict]]) -> Choice:
    for strategy, verdict in verdicts:
        if isinstance(forced, str) and strategy.name == forced:
            if not verdict:
                possible = ", ".join(repr(other.name) for other, its in verdicts if its)
                raise StrategyError(
                    f"strategy={forced!r} is not possible for {case.traits.name}: {verdict.reason}; possible here: {possible}"
                )
            others = tuple((other, its) for other, its in verdicts if other is not strategy)
            return Choice(strategy, verdict, others, forced=True)
    known = ", ".join(repr(strategy.name) for strategy in RULES)
    raise StrategyError(f"strategy={shown(forced)} is not known: the strategies are {known}")
