"""A run of the fuzzer: rounds of a seed, one after the other, for some time or number of cases; it can be stopped and resumed."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from inwindow.testing.fuzz.rounds import Round, round_of
from inwindow.testing.fuzz.shrink import difference_of, shrunk
from inwindow.testing.fuzz.trial import Difference
from inwindow.udaf.errors import UsageError

_SAVED_EVERY = 5.0  # seconds
_WORD = 1 << 64


@dataclass(frozen=True)
class Plan:
    """Which rounds: those of a seed and some families, ``shard`` (from 0) of every ``shards``."""

    seed: int
    families: tuple[str, ...]
    shard: int = 0
    shards: int = 1


@dataclass
class Done:
    """What has been run."""

    rounds: int = 0
    cases: dict[str, int] = field(default_factory=dict)  # by family
    streams: int = 0
    digest: int = 0  # of all trials, in any order: the digests of shards add up to that of the whole
    seconds: float = 0.0  # of CPU
    differences: int = 0

    @property
    def all_cases(self) -> int:
        return sum(self.cases.values())


@dataclass(frozen=True)
class Found:
    """A difference, made small, as a test."""

    round: Round
    difference: Difference
    test: str


@dataclass
class Night:
    """A run: a plan, what of it is done, and the file that knows it."""

    plan: Plan
    done: Done
    file: Path | None = None

    @classmethod
    def begun(cls, plan: Plan, file: Path | None) -> "Night":
        """A new run; or the run of a file, which must have the same plan."""
        if file is None or not file.exists():
            return cls(plan, Done(), file)
        kept = json.loads(file.read_text())
        its = Plan(**{**kept["plan"], "families": tuple(kept["plan"]["families"])})
        if its != plan:
            raise UsageError(
                f"fuzz: --resume {file} is a run of {its}, not of {plan}: give the same options, or another file"
            )
        return cls(plan, Done(**kept["done"]), file)

    def run(self, minutes: float | None = None, cases: int | None = None) -> Iterator[Found]:
        """Run rounds until the time is over or so many more cases are done; give what is found."""
        began, target = time.monotonic(), None if cases is None else self.done.all_cases + cases
        saved = began
        while True:
            now = time.monotonic()
            if (minutes is not None and now - began >= minutes * 60) or (
                target is not None and self.done.all_cases >= target
            ):
                break
            if now - saved > _SAVED_EVERY:
                self.save()
                saved = now
            found = self._next()
            if found is not None:
                self.save()
                yield found
        self.save()

    def _next(self) -> Found | None:
        started, done = time.process_time(), self.done
        one = round_of(self.plan.seed, self.plan.shard + done.rounds * self.plan.shards, self.plan.families)
        difference = difference_of(one.trial)
        done.rounds += 1
        done.cases[one.family] = done.cases.get(one.family, 0) + one.trial.cases
        done.streams += one.trial.streams
        done.digest = (done.digest + one.digest) % _WORD
        done.seconds += time.process_time() - started
        if difference is None:
            return None
        done.differences += 1
        return found_in(one, difference)

    def save(self) -> None:
        """Write what is done; the file is always whole."""
        if self.file is not None:
            new = self.file.with_name(self.file.name + ".new")
            new.write_text(json.dumps({"plan": asdict(self.plan), "done": asdict(self.done)}, indent=1))
            os.replace(new, self.file)


def found_in(one: Round, difference: Difference) -> Found:
    """A difference, made small."""
    trial, smallest = shrunk(one.trial, difference)
    test = trial.test(smallest, f"{one.family}_of_seed_{one.seed}_round_{one.number}")
    return Found(replace(one, trial=trial), smallest, test)
