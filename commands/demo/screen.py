"""What the demo says, as text for the screen."""

import re
import textwrap
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from inwindow.commands.demo.auctions import DELAY, PIECES
from inwindow.commands.demo.windows import Show

if TYPE_CHECKING:
    from inwindow.commands.demo.show import Batch, Stream

_INDENT = "    "


def opening(bids: pa.Table, place: str) -> str:
    """What goes in, and where it runs."""
    return f"{described(bids)}\non {place}"


def described(bids: pa.Table) -> str:
    """How many bids, by whom, on what."""
    first, last = bids["time"][0].as_py(), bids["time"][-1].as_py()
    items, sellers, bidders = (len(bids[name].unique()) for name in ("item", "seller", "bidder"))
    return (
        f"{len(bids):,} bids by {bidders:,} bidders on {items} items of {sellers} sellers, "
        f"{first:%H:%M} to {last:%H:%M}, {bids.nbytes / 2**20:.0f} MB"
    )


def heading(show: Show) -> str:
    """The window in words, and the call."""
    return f"\n{show.title}\n\n{textwrap.indent(show.text, _INDENT)}"


def of_batch(show: Show, batch: "Batch", bids: int) -> str:
    """The strategy, a few rows, and how fast it was."""
    plan = str(batch.explanation)
    said = re.findall(r"^    (strategy|why|time|memory) {2,}(.+)$", plan, re.MULTILINE)
    said += re.findall(r"^(spark), pass \d+: (.+)$", plan, re.MULTILINE)
    said += [("warning", text) for text in batch.warned]
    rows = textwrap.indent(aligned(middle(show, batch.rows)), _INDENT)
    speed = f"{len(batch.rows):,} rows in {batch.seconds:.2f} s: {bids / batch.seconds:,.0f} tuples/s"
    return f"{told(said)}\n\n{rows}\n{_INDENT}... {speed}\n"


def of_stream(stream: "Stream") -> str:
    """What the stream waited for, what it kept, and whether it gave the same rows."""
    plan = str(stream.explanation)
    said = [("stream", f"the same call on bids as they arrive, in {PIECES} pieces, disordered by up to {DELAY}")]
    said += re.findall(r"^    (waits) for (.+)$", plan, re.MULTILINE)
    said += [("keeps", f"per key {state}") for state in re.findall(r"state per key: (.+)$", plan, re.MULTILINE)]
    return f"{told(said)}\n{_INDENT}... {outcome(stream)}"


def outcome(stream: "Stream") -> str:
    """In a line."""
    rows, took = f"{len(stream.rows):,} rows", f"in {stream.seconds:.2f} s"
    if not stream.is_same:
        return f"{rows} {took}, which are NOT those of the batch"
    return f"the same {rows} {took}; waiting for the watermark, now {stream.watermark:%H:%M:%S}: {stream.waiting:,}"


def told(said: list[tuple[str, str]]) -> str:
    """Titles and words, each once."""
    lines = []
    for title in dict.fromkeys(title for title, _ in said):
        words = "; ".join(dict.fromkeys(words for its, words in said if its == title))
        lines.append(textwrap.fill(words, 116, initial_indent=f"    {title:<9} ", subsequent_indent=" " * 14))
    return "\n".join(lines)


def middle(show: Show, rows: pa.Table) -> list[dict[str, Any]]:
    """Three rows from the middle of the day, or the top three."""
    rows = rows.sort_by([(name, "ascending") for name in ("alarm", "time", "item") if name in rows.column_names])
    rows = rows.sort_by([(show.top, "descending")]) if show.top else rows.slice(len(rows) // 2)
    shown = rows.slice(0, 3)
    few: list[dict[str, Any]] = shown.drop_columns(
        [name for name in ("bidder", "closes") if name in rows.column_names]
    ).to_pylist()
    return few


def aligned(rows: list[dict[str, Any]]) -> str:
    """Rows under the names of their columns, numbers to the right."""
    if not rows:
        return "(no row)"
    columns = []
    for name in rows[0]:
        cells = [name, *(text(row[name]) for row in rows)]
        number = isinstance(rows[0][name], (int, float))
        width = max(map(len, cells))
        columns.append([cell.rjust(width) if number else cell.ljust(width) for cell in cells])
    return "\n".join("   ".join(cells).rstrip() for cells in zip(*columns, strict=True))


def text(value: object) -> str:
    """A value for the screen."""
    if isinstance(value, dict):  # an extent
        return f"{value['start']:%H:%M} to {value['end']:%H:%M}"
    if isinstance(value, datetime):
        return f"{value:%H:%M:%S}"
    return f"{value:,.2f}" if isinstance(value, float) else str(value)
