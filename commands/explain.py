"""What calls over windows would do on a file's data, and why: strategy, cost, memory. No data are read.

  inwindow explain trades.parquet "avg(price) over (partition by symbol order by ts rows 49 preceding slide 10)"
  inwindow explain trades.csv "max(price) over (order by ts range 5 minutes preceding) as high" --html plan.html
  inwindow explain trades.parquet "my_avg(price) over (order by ts rows 49 preceding)" --udaf mymodule:MyAvg

  inwindow explain trades.parquet "avg(price) as a" --group-by symbol --window "hop(ts, 1 hour, 10 minutes)"

A call is written as in iw.sql, with SLIDE and ACTIVE EXPIRATION; several calls stand apart, or between commas. A class of
your own goes by its name, in any case, with or without underscores. Needs sqlglot: pip install 'inwindow[sql]'

exit code: 0 explained, 2 the file or a call cannot be read
"""

import argparse
import json
import re
from html import escape
from pathlib import Path
from typing import Any

from inwindow.commands.arguments import attribute, imported
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError

NAME = "explain"
HELP = "what a window over a file's data would do"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", help="Parquet (a folder, too), CSV, TSV, Arrow or Feather")
    parser.add_argument(
        "calls", nargs="+", metavar="CALL", help='"avg(price) over (order by ts rows 9 preceding) as a"'
    )
    parser.add_argument(
        "--udaf", action="append", default=[], metavar="[NAME=]MODULE:CLASS",
        help="an aggregate of your own: a class, or an instance such as top3 = TopK(k=3); may be given often",
    )  # fmt: skip
    parser.add_argument(
        "--window",
        metavar="EXTENT",
        help="for calls without OVER: tumble(ts, 1 hour), hop, cumulate or session(ts, 5 minutes)",
    )
    parser.add_argument("--group-by", default="", metavar="KEYS", help="the keys of the groups, with commas")
    parser.add_argument("--html", metavar="FILE.html", help="write it as a page, with a drawing of each window")
    parser.add_argument("--json", action="store_true", help="print a JSON object in place of the text")


def run(options: argparse.Namespace) -> int:
    """Explain the calls."""
    from inwindow.commands.calls import read_calls, read_extent
    from inwindow.commands.page import page
    from inwindow.commands.schema import schema_of
    from inwindow.runtime.explain import explain
    from inwindow.runtime.group_by import group_by

    if options.group_by and options.window is None:
        raise UsageError("explain --group-by: groups are cut into extents: add --window 'tumble(ts, 1 hour)'")
    extent = None if options.window is None else read_extent(options.window)
    schema = schema_of(options.file)
    try:
        applied, schema = read_calls(options.calls, schema, _classes(options.udaf), in_groups=extent is not None)
        if extent is None:
            plan = explain(schema, *applied)
        else:
            keys = [key.strip() for key in options.group_by.split(",") if key.strip()]
            plan = explain(group_by(schema.empty_table(), *keys).window(extent), *applied)
    except UsageError as error:
        raise UsageError(str(error).removeprefix("iw.sql: ")) from None
    if options.html is not None:
        if not Path(options.html).resolve().parent.is_dir():
            raise UsageError(f"explain --html {options.html}: there is no folder {str(Path(options.html).parent)!r}")
        shown = f"<h1>{escape(options.file)}</h1>\n<section>{plan._repr_html_()}</section>"
        Path(options.html).write_text(page(f"inwindow explain {options.file}", shown), encoding="utf-8")
    print(json.dumps({"file": options.file, **plan.as_data()}) if options.json else plan)
    return 0


def _classes(given: list[str]) -> dict[str, Any]:
    """Instances by the names that SQL may call them: ``MyAvg`` is ``myavg`` and ``my_avg``."""
    found: dict[str, Any] = {}
    for text in given:
        name, _, target = text.rpartition("=")
        module, colon, path = target.partition(":")
        if not colon:
            raise UsageError(f"explain --udaf {text}: write module:Class, or name=module:Class")
        one = attribute(imported(module), path, f"explain --udaf {text}")
        if isinstance(one, type) and issubclass(one, Aggregate):
            try:
                one = one()
            except TypeError as error:
                raise UsageError(
                    f"explain --udaf {text}: {error}; give an instance, such as top3 = {one.__name__}(...) in {module}"
                ) from None
        if not isinstance(one, Aggregate):
            raise UsageError(f"explain --udaf {text}: it is a {type(one).__name__}, not an aggregate class or instance")
        last = path.rpartition(".")[2]
        names = [name] if name else [last, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last)]
        found |= {each.lower(): one for each in names}
    return found
