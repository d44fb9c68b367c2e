"""Columns with odd and wrong buffers, many of them: ``python -m tests.buffers --cases 100000``.

The cases run in processes of their own, so that one that crashes is seen, and named by its number; the exit code is then 1.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser("python -m tests.buffers", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, metavar="N", help="how many (20000)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first of them (0)")
    parser.add_argument("--each", type=int, default=5_000, metavar="N", help="in a process (5000)")
    parser.add_argument("--all", action="store_true", help="go on behind a case that is wrong")
    parser.add_argument("--here", action="store_true", help="in this process")
    options = parser.parse_args()
    if options.here:
        return here(options.first, options.cases, options.all)
    done: Counter[str] = Counter()
    at, end = options.first, options.first + options.cases
    while at < end:
        last, outcome = apart(at, min(options.each, end - at), options.all)
        done.update(outcome)
        at = last + 1
        if not options.all and (outcome.get("wrong") or outcome.get("crashed")):
            break
    print(json.dumps(dict(sorted(done.items()))))
    return 1 if done["wrong"] or done["crashed"] else 0


def apart(first: int, cases: int, go_on: bool) -> tuple[int, dict[str, int]]:
    """Run cases in another process: the last that was run, and how many came out how."""
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        __spec__.name,
        "--here",
        f"--first={first}",
        f"--cases={cases}",
    ]
    done = subprocess.run([*command, *(["--all"] if go_on else [])], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    begun = [line for line in lines if line.startswith("case ")]
    print("\n".join(line for line in lines if not line.startswith(("case ", "{"))), end="", flush=True)
    if lines and lines[-1].startswith("{"):
        return int(begun[-1].split()[1]), json.loads(lines[-1])
    print(f"\nthe process ended with {done.returncode} in {begun[-1] if begun else 'no case'}", flush=True)
    return int(begun[-1].split()[1]) if begun else first + cases, {"crashed": 1}


def here(first: int, cases: int, go_on: bool) -> int:
    """Run cases; the number of each is written before it is run."""
    from .uses import drawn_case, wrong

    done: Counter[str] = Counter()
    for number in range(first, first + cases):
        print(f"case {number}", flush=True)
        case = drawn_case(number)
        if case is None:
            done["not made by pyarrow"] += 1
            continue
        drawn, use = case
        said = wrong(drawn, use)
        done["damaged" if drawn.damage else "odd"] += 1
        if said is not None:
            done["wrong"] += 1
            print(
                f"--- number {number}: {use} of {drawn.odd.type}; {', '.join(drawn.damage) or 'not damaged'}\n{said}",
                flush=True,
            )
            if not go_on:
                break
    print(json.dumps(done))
    return 1 if done["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
