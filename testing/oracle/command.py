"""The command: ``python -m inwindow.testing.oracle ENGINE`` asks an engine, ``--table`` writes what the kept figures say."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from inwindow.testing.oracle import upstream
from inwindow.testing.oracle.asking import Engine
from inwindow.testing.oracle.dialects import DIALECTS
from inwindow.testing.oracle.known import class_of
from inwindow.testing.oracle.report import Figures, page
from inwindow.testing.oracle.running import Found, Tally, run, shrunk

_SHOWN = 10  # new differences that are made small and printed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; the exit code is 1 where a difference is not among the known ones."""
    parser = argparse.ArgumentParser(
        "python -m inwindow.testing.oracle", description="Another engine against the definition of windows."
    )
    parser.add_argument("engine", nargs="?", choices=DIALECTS, help="who is asked")
    parser.add_argument(
        "--python", default=sys.executable, metavar="FILE", help="the Python of its environment (this one)"
    )
    parser.add_argument(
        "--argument", metavar="TEXT", help="a connection string, or what the engine's runner takes (docs/oracle.md)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of all that is drawn (1)")
    parser.add_argument("--queries", type=int, default=1000, metavar="N", help="how many queries are drawn (1000)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first (0)")
    parser.add_argument("--rows", type=int, default=0, metavar="N", help="over tables of about so many rows")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="add the figures to this JSON file")
    parser.add_argument("--bugs", action="store_true", help="run the queries of the engine's known faults instead")
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="print the tables of docs/oracle.md from this file, and ask nobody"
    )
    options = parser.parse_args(arguments)
    if options.table:
        print(page(json.loads(options.table.read_text())))
        return 0
    if not options.engine:
        parser.error(f"engine: {' or '.join(DIALECTS)}")
    return _ask(options)


def _ask(options: argparse.Namespace) -> int:
    dialect = DIALECTS[options.engine]
    arguments = [options.argument] if options.argument else []
    if options.bugs:
        return _again(options.engine, [options.python, dialect.runner or dialect.name])
    engine = Engine([options.python, dialect.runner or dialect.name, *arguments])
    tally, figures, unknown = Tally(), Figures(options.engine, options.seed), 0
    numbers = range(options.first, options.first + options.queries)
    for number, found in run(engine, dialect, options.seed, numbers, tally, options.rows):
        its = class_of(options.engine, found)
        figures.add(its)
        if its is None:
            unknown += 1
            if unknown <= _SHOWN:
                _show(number, shrunk(engine, dialect, found))
    figures.end(engine.version, options.queries, tally)
    engine.stop()
    print(json.dumps(figures.row(), indent=2))
    if options.keep:
        figures.keep(options.keep)
    return 1 if unknown else 0


def _again(name: str, command: list[str]) -> int:
    """Which faults are still there; the exit code is 1 where one is not."""
    gone = 0
    for bug in upstream.of(name):
        engine = Engine([*command, *([bug.settings] if bug.settings else [])])
        today = bug.answer(engine)
        print(f"{engine.version}, {bug.title}: {'as before' if upstream.holds(bug, today) else f'now {today}'}")
        gone += not upstream.holds(bug, today)
        engine.stop()
    return 1 if gone else 0


def _show(number: int, found: Found) -> None:
    its = found.difference
    where = "" if its.at is None else f"x{its.at} of row {its.row}: "
    print(
        f"-- case {number}, {its.kind}: {where}given {its.given!r}, expected {its.wanted!r}\n{found.text};\n",
        flush=True,
    )
