"""The demo: an auction's bids through six windows on Spark, as a batch and as a stream, and what each of them costs.

Covers: ROWS, RANGE, slides, hops, sessions, active expiration; own classes and built-ins; streams; `iw.explain`; speed

Scenario: ``auctions.py`` makes 100,000 bids of six hours, and has them arrive in disorder. Each window of
``auction_windows.py`` runs over the whole, and then, by the same call, over a stream of four files: the rows are the same.
``make demo`` runs this on a local Spark; ``python examples/auction_demo.py 1000000`` makes more bids, and a second argument,
``arrow``, runs the same calls on Arrow tables, without Spark.
"""

import re
import sys
import textwrap
import warnings
from collections.abc import Callable
from datetime import datetime
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from auction_places import OnArrow, OnSpark, Streamed
from auction_windows import SHOWS, Average, Quiet, Show
from auctions import DELAY, arrivals, auction

import inwindow as iw

PIECES = 4  # micro-batches of the stream


def run(show: Show, place: OnArrow | OnSpark, count: int) -> None:
    """A window over the bids, whole and as they arrive, and what there is to say about it."""
    call = show.call.format(on=show.on, aggregates=show.aggregates)
    print(f"\n{show.title}\n\n{indented(call)}")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        rows, took = timed(lambda: place.run_batch(lambda bids: run_text(call, bids)))
    plan = explained(show, place.bids)
    said = re.findall(r"^    (strategy|why|time|memory) {2,}(.+)$", plan, re.MULTILINE)
    said += re.findall(r"^(spark), pass \d+: (.+)$", plan, re.MULTILINE)
    tell(said + [("warning", str(one.message)) for one in warned if one.category is UserWarning])
    print(indented(f"\n{aligned(middle(show, rows))}"))
    print(f"    ... {len(rows):,} rows in {took:.2f} s: {count / took:,.0f} tuples/s\n")

    streamed, took = timed(lambda: place.run_stream(lambda bids: run_text(call, bids)))
    plan = explained(show, place.stream)
    tell([("stream", f"the same call on bids as they arrive, in {PIECES} pieces, disordered by up to {DELAY}")])
    tell(re.findall(r"^    (waits) for (.+)$", plan, re.MULTILINE))
    tell([("keeps", f"per key {state}") for state in re.findall(r"state per key: (.+)$", plan, re.MULTILINE)])
    same, waiting = compared(show, rows, streamed)
    if not same:
        sys.exit(f"    ... {len(streamed.rows):,} rows in {took:.2f} s, which are NOT those of the batch")
    print(f"    ... the same {len(streamed.rows):,} rows in {took:.2f} s;", end=" ")
    print(f"waiting for the watermark, now {streamed.watermark:%H:%M:%S}: {waiting:,}")


def run_text(call: str, bids: Any) -> Any:
    """A call as it is printed, on a batch or on a stream."""
    return eval(call, {"iw": iw, "bids": bids, "Average": Average, "Quiet": Quiet})


def explained(show: Show, bids: Any) -> str:
    """What `iw.explain` says of it."""
    return str(run_text(f"iw.explain({show.on}, {show.aggregates})", bids))


def compared(show: Show, rows: pa.Table, streamed: Streamed) -> tuple[bool, int]:
    """Whether the stream gave exactly those rows of the batch that are known by its watermark; how many are not."""
    watermark = pa.scalar(streamed.watermark, pa.timestamp("us", "UTC"))
    if show.known == "window":
        known = rows.filter(pc.less_equal(pc.struct_field(rows["window"], "end"), watermark))
    else:
        known = rows.filter(pc.less(rows[show.known], watermark))
    return in_order(known).columns == in_order(streamed.rows).columns, len(rows) - len(known)


def in_order(rows: pa.Table) -> pa.Table:
    """The same rows in an order that does not depend on how they came."""
    flat = rows.flatten()
    return flat.sort_by([(name, "ascending") for name in flat.column_names])


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and the seconds that it took."""
    started = perf_counter()
    return work(), perf_counter() - started


# --- For the screen --------------------------------------------------------------------------------------------------


def tell(said: list[tuple[str, str]]) -> None:
    """Titles and words, each once."""
    for title in dict.fromkeys(title for title, _ in said):
        words = "; ".join(dict.fromkeys(words for its, words in said if its == title))
        print(textwrap.fill(words, 116, initial_indent=f"    {title:<9} ", subsequent_indent=" " * 14))


def middle(show: Show, rows: pa.Table) -> list[dict]:
    """Three rows from the middle of the day, or the top three."""
    rows = rows.sort_by([(name, "ascending") for name in ("alarm", "time", "item") if name in rows.column_names])
    rows = rows.sort_by([(show.top, "descending")]) if show.top else rows.slice(len(rows) // 2)
    shown = rows.slice(0, 3)
    return shown.drop_columns([name for name in ("bidder", "closes") if name in rows.column_names]).to_pylist()


def aligned(rows: list[dict]) -> str:
    """Rows under the names of their columns, numbers to the right."""
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


def indented(lines: str) -> str:
    """For the screen."""
    return textwrap.indent(lines, "    ")


def main(count: str = "100000", where: str = "spark") -> None:
    """All six, and how fast they were."""
    bids = auction(int(count))
    first, last = bids["time"][0].as_py(), bids["time"][-1].as_py()
    items, sellers, bidders = (len(bids[name].unique()) for name in ("item", "seller", "bidder"))
    print(
        f"{len(bids):,} bids by {bidders:,} bidders on {items} items of {sellers} sellers, "
        f"{first:%H:%M} to {last:%H:%M}, {bids.nbytes / 2**20:.0f} MB"
    )
    place = (OnSpark if where == "spark" else OnArrow)(bids, arrivals(bids, PIECES), DELAY)
    print(f"on {place.name}")
    for show in SHOWS:
        run(show, place, len(bids))
    place.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
