"""The command: ``inwindow fuzz`` and ``python -m inwindow.testing.fuzz``."""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from inwindow.testing.fuzz.night import Done, Found, Night, Plan, found_in
from inwindow.testing.fuzz.rounds import FAMILIES, families, round_of
from inwindow.testing.fuzz.shrink import difference_of
from inwindow.udaf.errors import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of all that is drawn (1)")
    parser.add_argument("--minutes", type=float, metavar="M", help="run for so long (1, unless --cases is given)")
    parser.add_argument(
        "--cases",
        type=float,
        metavar="N",
        help="run so many cases, at least: 1e7; with --resume, as many as are missing",
    )
    parser.add_argument("--only", metavar="NAMES", help=f"with commas, of {', '.join(FAMILIES)}")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="every N-th round, from the I-th on: 1/4")
    parser.add_argument(
        "--resume", type=Path, metavar="FILE", help="go on where the run of this file stopped, or begin it"
    )
    parser.add_argument("--round", type=int, metavar="N", help="run this round alone")
    parser.add_argument(
        "--sum", nargs="+", type=Path, metavar="FILE", help="print what the runs of these files did, together"
    )
    parser.add_argument("--json", action="store_true", help="print what was done as a JSON object")


def run(options: argparse.Namespace) -> int:
    """Run; the exit code is 1 where a result differs from the definition."""
    if options.sum:
        print(summed(options.sum))
        return 0
    shard, shards = shard_of(options.shard)
    plan = Plan(options.seed, families(options.only), shard, shards)
    if options.round is not None:
        return _one(plan, options.round)
    night = Night.begun(plan, options.resume)
    before = night.done.all_cases
    minutes = 1.0 if options.minutes is None and options.cases is None else options.minutes
    missing = None if options.cases is None else int(options.cases) - before
    try:
        for found in night.run(minutes, missing):
            _show(found)
            break
        else:
            _say(night, options.json)
            return 0
    except KeyboardInterrupt:
        night.save()
        _say(night, options.json)
        raise
    print(f"{night.done.all_cases - before:,} cases until then", file=sys.stderr)
    return 1


def shard_of(text: str) -> tuple[int, int]:
    """Which shard, from 0, of how many."""
    said = re.fullmatch(r"(\d+)/(\d+)", text)
    number, count = (int(said[1]), int(said[2])) if said else (0, 0)
    if not 1 <= number <= count:
        raise UsageError(f"fuzz: --shard {text}: write which of how many shards, as in 1/4")
    return number - 1, count


def _one(plan: Plan, number: int) -> int:
    one = round_of(plan.seed, number, plan.families)
    difference = difference_of(one.trial)
    if difference is None:
        print(f"round {number} of seed {plan.seed}: {one.trial.cases} cases of {one.family}, no difference")
        return 0
    _show(found_in(one, difference))
    return 1


def _show(found: Found) -> None:
    its = found.difference
    print(f"# seed {found.round.seed}, round {found.round.number}, {found.round.family}: {its.where}")
    print(f"# {its.error}" if its.error else f"# given {its.given!r}, expected {its.expected!r}, within {its.within!r}")
    print(found.test)


def _say(night: Night, as_json: bool) -> None:
    plan, done = night.plan, night.done
    if as_json:
        said = {"seed": plan.seed, "rounds": done.rounds, "cases": done.cases, "streams": done.streams}
        said |= {"digest": f"{done.digest:016x}", "seconds": round(done.seconds, 1), "differences": done.differences}
        print(json.dumps(said))
        return
    for name, count in sorted(done.cases.items()):
        print(f"{name:12} {count:>14,} cases")
    if done.streams:
        print(f"{'of these in':12} {done.streams:>14,} streams")
    print(f"{'together':12} {done.all_cases:>14,} cases of {done.rounds:,} rounds of seed {plan.seed}, {_rate(done)}")
    print(f"{done.differences or 'no'} difference{'s' if done.differences > 1 else ''}; digest {done.digest:016x}")


def summed(files: Sequence[Path]) -> str:
    """What the runs of these files did, as a table of Markdown."""
    runs = [Done(**json.loads(file.read_text())["done"]) for file in files]
    cases = {name: sum(one.cases.get(name, 0) for one in runs) for name in FAMILIES}
    whole = Done(cases=cases, seconds=sum(one.seconds for one in runs))
    lines = [
        "| family | cases |",
        "|---|---|",
        *(f"| `{name}` | {count:,} |" for name, count in cases.items() if count),
    ]
    lines += [f"| together | {whole.all_cases:,} |", f"| simulated streams | {sum(one.streams for one in runs):,} |"]
    lines += [f"| cases a second of CPU | {whole.all_cases / max(whole.seconds, 1e-9):,.0f} |"]
    return "\n".join([*lines, f"| differences | {sum(one.differences for one in runs)} |"])


def _rate(done: Done) -> str:
    return f"{done.all_cases / max(done.seconds, 1e-9):,.0f} a second of CPU"


def main() -> int:
    """The command on its own."""
    parser = argparse.ArgumentParser("python -m inwindow.testing.fuzz", description=__doc__)
    arguments(parser)
    try:
        return run(parser.parse_args())
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
