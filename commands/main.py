"""``inwindow``: picks the subcommand.

Exit codes are those of every subcommand: 0 where all is well, 1 where what was asked has a bad answer, 2 where it was
asked wrong (as argparse has it) or cannot run here.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from inwindow import __version__
from inwindow.udaf.errors import InWindowError

COMMANDS = ("demo", "check", "explain", "bench", "fuzz", "sql")  # a file of this room each


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand, and return its exit code.

    >>> main(["--version"])
    Traceback (most recent call last):
      ...
    SystemExit: 0
    """
    parser = argparse.ArgumentParser(
        "inwindow",
        description="Window aggregates that you write yourself.",
        epilog="inwindow COMMAND --help says more. Exit codes: 0 all is well, 1 a bad answer (a promise is broken, results "
        "differ), 2 asked wrong, or it cannot run here.",
    )
    parser.add_argument("--version", action="version", version=f"inwindow {__version__}")
    commands = parser.add_subparsers(metavar="command")
    for module in (import_module(f"inwindow.commands.{name}") for name in COMMANDS):
        of_its_own: Any = commands.add_parser(
            module.NAME,
            help=module.HELP,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(of_its_own)
        of_its_own.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    if not hasattr(options, "run"):
        parser.print_help()
        return 2
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # inwindow demo | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # as shells have it: nobody reads on, so nobody knows how it would have ended
    except KeyboardInterrupt:
        return 130  # as shells have it
    except (InWindowError, ImportError, OSError) as error:
        print(f"inwindow: {error}", file=sys.stderr)
        return 2
    return code
