"""Check that aggregates keep the promises their hooks make (iw.testing.check).

  inwindow check mymodule:MyAvg                  a class, or an instance such as top3 = TopK(k=3)
  inwindow check mymodule                        every aggregate that the module defines
  inwindow check mymodule:Corr --values float,int --finite

exit code: 0 all promises kept, 1 one broken (a test that shows it is printed), 2 cannot be checked
"""

import argparse
import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any, get_args

from inwindow.commands.arguments import aggregates, attribute, imported
from inwindow.testing.checking import check
from inwindow.testing.report import BrokenPromise
from inwindow.udaf.errors import InWindowError
from inwindow.udaf.failures import OnErrorMode

NAME = "check"
HELP = "check the promises of your aggregates"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "targets", nargs="+", metavar="module[:name]", help="a class or an instance, or a module for all of its"
    )
    parser.add_argument(
        "--values", metavar="TYPES",
        help="the types of the arguments, with commas: float,int,str,bool,datetime,... or DDL, 'decimal(10,2)'; or "
        "module:name of a Hypothesis strategy (default: the annotations of the hooks)",
    )  # fmt: skip
    parser.add_argument(
        "--finite", action="store_true", help="the data have no NaN, no infinities, no sums that overflow"
    )
    parser.add_argument(
        "--on-error",
        choices=get_args(OnErrorMode),
        default="fail",
        help="what your calls do where a hook raises (fail)",
    )
    parser.add_argument("--examples", type=int, default=100, metavar="N", help="how many streams are made up (100)")
    parser.add_argument("--seed", type=int, metavar="N", help="make up the same streams every time")
    parser.add_argument(
        "--tolerance", type=float, default=1e-6, metavar="T", help="by how much floats may differ (1e-6)"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object per aggregate and line")


def run(options: argparse.Namespace) -> int:
    """Check each target; the exit code is 1 if one breaks a promise, else 2 if one cannot be checked."""
    values = None if options.values is None else _values(options.values)
    worst = 0
    for target in options.targets:
        for name, aggregate in aggregates(target, NAME):
            found = _checked(name, aggregate, values, options)
            print(json.dumps(found) if options.json else _text(found))
            worst = max(worst, {"kept": 0, "unchecked": 1, "broken": 2}[found["outcome"]])
    return {0: 0, 1: 2, 2: 1}[worst]


def _checked(name: str, aggregate: Any, values: Any, options: argparse.Namespace) -> dict[str, Any]:
    try:
        report = check(
            aggregate, values=values, finite=options.finite, examples=options.examples, seed=options.seed,
            tolerance=options.tolerance, on_error=options.on_error,
        )  # fmt: skip
    except BrokenPromise as broken:
        said = {key: getattr(broken, key) for key in ("law", "hook", "given", "expected", "advice", "test")}
        return {"name": name, "outcome": "broken", **said, "tuples": repr(broken.tuples), "message": str(broken)}
    except InWindowError as error:
        return {"name": name, "outcome": "unchecked", "message": str(error)}
    return {"name": name, "outcome": "kept", "laws": list(report.laws), "examples": report.examples}


def _text(found: dict[str, Any]) -> str:
    if found["outcome"] == "kept":
        return f"{found['name']}: kept, {len(found['laws'])} laws\n" + "".join(f"  {law}\n" for law in found["laws"])
    return f"{found['name']}: {found['outcome']}\n{found['message']}"


def _values(text: str) -> Any:
    """Types, or strategies by ``module:name``; commas inside brackets belong to a type."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "(<") - (letter in ")>")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    names = {kind.__name__: kind for kind in (float, int, str, bool, bytes, datetime, date, Decimal)}
    values = []
    for part in (part.strip() for part in parts):
        module, colon, path = part.partition(":")
        is_strategy = bool(colon) and "<" not in part
        values.append(attribute(imported(module), path, f"{NAME} {part}") if is_strategy else names.get(part, part))
    return values[0] if len(values) == 1 else values
