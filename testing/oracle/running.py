"""Running cases on an engine: what came of each, and the smallest case of a difference."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from inwindow.testing.oracle.asking import Engine
from inwindow.testing.oracle.cases import Around, Case
from inwindow.testing.oracle.comparing import Difference, difference
from inwindow.testing.oracle.drawing import draw_case
from inwindow.testing.oracle.meaning import expected
from inwindow.testing.oracle.sql import Dialect, features, query


@dataclass
class Tally:
    """What came of the cases of a run."""

    asked: int = 0
    same: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # by what the engine does not have
    refused: Counter[str] = field(default_factory=Counter)  # by its message
    differs: Counter[str] = field(default_factory=Counter)  # by kind


@dataclass(frozen=True)
class Found:
    """A case that an engine answers in another way than the definition."""

    case: Case
    text: str
    difference: Difference


def attempt(engine: Engine, dialect: Dialect, case: Case) -> Found | str:
    """A difference, or why there is none: "same", or the message of a refusal."""
    text = query(case, dialect)
    answer = engine.ask(text)
    if answer.rows is None:
        if not answer.is_crash:
            return f"refused: {answer.error}"
        return Found(case, text, Difference("crash", None, None, answer.error[:300], None))
    try:
        found = difference(answer.rows, expected(case))
    except (TypeError, ValueError, OverflowError) as error:
        found = Difference("unreadable", None, None, f"{answer.rows[:3]} {error}", None)
    return "same" if found is None else Found(case, text, found)


def run(
    engine: Engine, dialect: Dialect, seed: int, numbers: range, tally: Tally, rows: int = 0
) -> Iterator[tuple[int, Found]]:
    """Run cases; each difference as it was drawn."""
    for number in numbers:
        case = possible(draw_case(seed, number, rows), dialect, tally)
        if case is None:
            continue
        tally.asked += len(case.calls)
        came = attempt(engine, dialect, case)
        if isinstance(came, Found):
            tally.differs[came.difference.kind] += 1
            yield number, came
        elif came == "same":
            tally.same += len(case.calls)
        else:
            tally.refused[plain(came)] += len(case.calls)


def possible(case: Case, dialect: Dialect, tally: Tally) -> Case | None:
    """The case without the calls that the engine does not have."""
    for one in case.calls:
        missing = features(replace(case, calls=(one,), around=Around(), named=False), dialect) & dialect.lacks
        if missing:
            tally.skipped[min(missing)] += 1
            case = replace(case, calls=tuple(other for other in case.calls if other is not one))
            case = replace(case, around=Around()) if case.around.column.startswith("x") else case
    if not case.calls:
        return None
    for simpler in (case, replace(case, named=False), replace(case, around=Around(), named=False)):
        missing = features(simpler, dialect) & dialect.lacks
        if not missing:
            return simpler
        tally.skipped[min(missing)] += 1
    return None


def plain(message: str) -> str:
    """A message without what is of one query."""
    line = message.removeprefix("refused: ").strip().split("\n")[0]
    return re.sub(r"'[^']*'|\"[^\"]*\"|[-\d.]+", "_", line)[:140]


def shrunk(engine: Engine, dialect: Dialect, found: Found, most: int = 1500) -> Found:
    """The smallest case found that differs in the same way."""
    tries = 0
    kind = found.difference.kind
    while True:
        for smaller in found.case.smaller():
            if features(smaller, dialect) & dialect.lacks:
                continue
            tries += 1
            if tries > most:
                return found
            came = attempt(engine, dialect, smaller)
            if isinstance(came, Found) and came.difference.kind == kind:
                found = came
                break
        else:
            return found
