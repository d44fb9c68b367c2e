"""Plant every fault, one after the other, and see what catches it: ``python -m tests.planted``, in the root of the repository.

What was found is kept in tests/planted/found.json, a fault at a time: a run that was stopped goes on. ``--table`` writes it
into docs/trust.md.
"""

import argparse
import sys
import time
from pathlib import Path

from .found import FILE, keep, kept
from .rooms import FAULTS, ROOMS
from .trying import fuzzed, tried


def main() -> int:
    """The command; the exit code is 1 where a fault lives."""
    parser = argparse.ArgumentParser("python -m tests.planted", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", help="faults whose id, file, room or meaning has this text")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="every N-th fault, from the I-th on: 1/2")
    parser.add_argument("--seconds", type=float, default=60, help="of CPU that the fuzzer has for each (60)")
    parser.add_argument(
        "--no-tests", action="store_true", help="ask the fuzzer alone; what it does not see is not kept"
    )
    parser.add_argument("--again", action="store_true", help="also the faults that the file knows")
    parser.add_argument(
        "--kept", type=Path, default=FILE, metavar="FILE", help="what was found (tests/planted/found.json)"
    )
    parser.add_argument("--list", action="store_true", help="list the faults, and try none")
    parser.add_argument("--control", action="store_true", help="plant nothing: no room's families may find anything")
    parser.add_argument("--table", action="store_true", help="write what was found into docs/trust.md, and try none")
    options = parser.parse_args()
    if options.table:
        from tests.trust import write

        write()
        return 0
    if options.control:
        return control(options.seconds)
    number, count = map(int, options.shard.split("/"))
    rooms = {fault.id: name for name, room in ROOMS.items() for fault in room.faults}
    known = {} if options.again else kept(options.kept)
    lives = 0
    for at, fault in enumerate(FAULTS.values()):
        text = f"{fault.id} {fault.file} {rooms[fault.id]} {fault.says}"
        if at % count != number - 1 or (options.only and options.only not in text):
            continue
        if options.list:
            print(f"{fault.id:32} {fault.file}: {fault.says}")
        elif fault.id not in known:
            began = time.monotonic()
            found = tried(fault, options.seconds, tests=not options.no_tests)
            if found["by"] is not None or not options.no_tests:
                keep(found, options.kept)
            lives += found["by"] is None
            said = "LIVES" if found["by"] is None else f"{found['by']}, {found['how']}"
            print(f"{time.monotonic() - began:5.0f} s  {fault.id:32} {said}: {fault.says}", flush=True)
    return 1 if lives else 0


def control(seconds: float) -> int:
    """Each room's families without a fault."""
    for name, room in ROOMS.items():
        found = fuzzed("none", seconds, room.families)
        print(f"{name:10} {found}", flush=True)
        if found["by"] is not None:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
