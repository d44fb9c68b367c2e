"""What was found, as tables of docs/trust.md, between two marks there."""

from collections.abc import Iterable
from statistics import median
from typing import Any

from .fault import ROOT
from .found import kept
from .rooms import FAULTS, ROOMS

PAGE = ROOT / "docs" / "trust.md"
BEGINS, ENDS = "<!-- planted: python -m tests.planted --table -->", "<!-- planted ends -->"


def table() -> str:
    """How many faults of each room were caught, by what, and how soon; then those that the fuzzer does not see."""
    found = {name: row for name, row in kept().items() if name in FAULTS}
    lines = [
        "| room | faults | tried | the fuzzer | tests | live | CPU s: median | 90 % | worst |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(name, [fault.id for fault in room.faults], found) for name, room in ROOMS.items()),
        _row("together", list(FAULTS), found),
    ]
    unseen = [row for row in found.values() if row["by"] in ("tests", None)]
    if unseen:
        lines += ["", "| not seen by the fuzzer | what it means | caught by |", "|---|---|---|"]
        lines += [f"| `{FAULTS[row['fault']].file}` | {FAULTS[row['fault']].says} | {_test(row)} |" for row in unseen]
    return "\n".join(lines)


def _row(room: str, names: Iterable[str], found: dict[str, dict[str, Any]]) -> str:
    all_names = list(names)
    rows = [found[name] for name in all_names if name in found]
    tests, lives = sum(row["by"] == "tests" for row in rows), sum(row["by"] is None for row in rows)
    seconds = sorted(row["seconds"] for row in rows if row["by"] not in ("tests", None))
    times = (
        [f"{one:.1f}" for one in (median(seconds), seconds[len(seconds) * 9 // 10], seconds[-1])]
        if seconds
        else [""] * 3
    )
    its = [room, len(all_names), len(rows), len(seconds), tests, lives, *times]
    return f"| {' | '.join(map(str, its))} |"


def _test(row: dict[str, Any]) -> str:
    return "nothing" if row["by"] is None else f"`{row['how']}`"


def caught() -> dict[str, int]:
    """How many faults there are, and how many of them what has caught."""
    found = {name: row for name, row in kept().items() if name in FAULTS}
    by = ["tests" if row["by"] == "tests" else "live" if row["by"] is None else "fuzzer" for row in found.values()]
    return {"faults": len(FAULTS), "tried": len(found)} | {one: by.count(one) for one in ("fuzzer", "tests", "live")}


def put(text: str, begins: str, ends: str, part: str) -> str:
    """A page's text with another part between two marks."""
    before, _, rest = text.partition(begins)
    _, _, behind = rest.partition(ends)
    return f"{before}{begins}\n\n{part}\n\n{ends}{behind}"
