"""Cause faults on Spark, one kind after the other: ``python -m tests.faults``, in the root of the repository.

What was found is kept in tests/faults/found.json, from which docs/trust.md is made. The exit code is 1 if a row was lost, or is too
many. An hour on two free cores; full disks need root.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .damage import damaged
from .disk import filled
from .found import FILE, keep
from .kills import Jobs, Streams

Found = dict[str, Any]


def of_kinds(kills: int, minutes: float, trials: int) -> dict[str, Callable[[Path, int], Found]]:
    """What there is, by name; each is given a folder of its own, and a seed."""
    return {
        "damaged checkpoints": lambda folder, seed: damaged(folder, seed, 4 * trials),
        "full disks": lambda folder, seed: filled(folder, seed, trials),
        "kills of jobs": lambda folder, seed: Jobs(folder, seed).run(kills // 2, minutes),
        "kills of streams": lambda folder, seed: Streams(folder, seed).run(kills - kills // 2, minutes),
    }


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser("python -m tests.faults", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="faults whose kind has this text")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=100, help="of jobs and of streams together (100)")
    parser.add_argument("--minutes", type=float, default=60, help="behind which no driver is started to be killed (60)")
    parser.add_argument(
        "--trials",
        type=int,
        default=20,
        help="full disks of each kind; four times as many damages (20)",
    )
    parser.add_argument("--folder", type=Path, help="where files are made (a temporary folder)")
    parser.add_argument(
        "--kept", type=Path, default=FILE, metavar="FILE", help="what was found (tests/faults/found.json)"
    )
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="faults-"))
    wrong = 0
    for kind, cause in of_kinds(options.kills, options.minutes, options.trials).items():
        if options.only in kind:
            found = {"seed": options.seed, **cause(folder / kind.replace(" ", "-"), options.seed)}
            keep(kind, found, options.kept)
            wrong += found.get("lost", 0) + found.get("extra", 0) + len(found.get("wrong", ()))
            print(kind, found, flush=True)
    if not options.folder and not wrong:
        shutil.rmtree(folder)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
