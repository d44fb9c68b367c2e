"""An auction's bids through six windows, each as a batch and as a stream, and what each of them costs.

  inwindow demo                      100,000 bids on Arrow tables: seconds
  inwindow demo --engine spark       the same calls on a Spark of its own (PySpark and Java): about half a minute
  inwindow demo --engine sail        the same calls on Sail, a Spark Connect server without Java: batches only
  inwindow demo --save demo.html     also as a page with charts

The bids are made up, the same ones every time: six hours, in bursts, arriving in disorder. The first call of each window is
on all bids, the second one, the same call, on a stream of them: it must give the same rows.

exit code: 0 all went well, 1 a stream gave other rows than the batch, 2 the demo cannot run here
"""

import argparse

from inwindow.commands.arguments import count

NAME = "demo"
ENGINES = ("tables", "sail", "spark")
HELP = "an auction through six windows, batch and stream"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--rows", type=count, default=100_000, metavar="N", help="how many bids (100,000)")
    parser.add_argument("--engine", choices=ENGINES, default="tables", help="where the calls run (tables)")
    parser.add_argument(
        "--local", action="store_const", const="tables", dest="engine", help="the same as --engine tables"
    )
    parser.add_argument("--no-stream", action="store_true", help="only the batch")
    parser.add_argument("--save", metavar="FILE.html", help="write a page with a chart of each result")
    parser.add_argument("--json", action="store_true", help="print a JSON object in place of the text")


def run(options: argparse.Namespace) -> int:
    """Run all six windows; the exit code is 1 if a stream differs from its batch."""
    from inwindow.commands.demo.show import show

    return show(options.rows, options.engine, not options.no_stream, options.save, options.json)
