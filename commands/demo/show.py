"""The demo, from the bids to what is on the screen: each window as a batch, then as a stream, then told."""

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw
from inwindow.commands.demo import screen
from inwindow.commands.demo.auctions import DELAY, PIECES, arrivals, auction
from inwindow.commands.demo.places import Place, Streamed, place_of
from inwindow.commands.demo.windows import SHOWS, Average, Quiet, Show
from inwindow.commands.progress import Bar
from inwindow.optimizer.explain import Explanation
from inwindow.udaf.errors import UsageError


@dataclass(frozen=True)
class Batch:
    """What a call gave on all bids."""

    rows: pa.Table
    seconds: float
    explanation: Explanation
    warned: tuple[str, ...]


@dataclass(frozen=True)
class Stream:
    """What the same call gave on the bids as they arrived."""

    rows: pa.Table
    seconds: float
    explanation: Explanation
    watermark: datetime
    is_same: bool  # exactly the rows of the batch that are known by the watermark
    waiting: int  # rows that are not known yet


@dataclass(frozen=True)
class Shown:
    """A window of the demo, run."""

    show: Show
    batch: Batch
    stream: Stream | None


def show(bids: int, engine: str, streams: bool, save: str | None, as_json: bool) -> int:
    """The whole demo; the exit code."""
    if save is not None and not Path(save).resolve().parent.is_dir():
        raise UsageError(f"demo --save {save}: there is no folder {str(Path(save).parent)!r}")
    say: Callable[[str], None] = (lambda text: None) if as_json else (lambda text: print(text, flush=True))
    table = auction(bids)
    bar = Bar(len(SHOWS) * (2 if streams else 1) + 1)
    place = place_of(engine, table, arrivals(table, PIECES), DELAY, bar)
    streams = streams and place.has_streams
    try:
        say(screen.opening(table, place.name))
        done = []
        for each in SHOWS:
            say(screen.heading(each))
            batch = run_batch(each, place)
            say(screen.of_batch(each, batch, bids))
            stream = run_stream(each, place, batch) if streams else None
            if stream is not None:
                say(screen.of_stream(stream))
            done.append(Shown(each, batch, stream))
    finally:
        place.close()
    if save is not None:
        from inwindow.commands.demo.chart import charts

        Path(save).write_text(charts(table, place.name, done), encoding="utf-8")
        say(f"\n{save}: a page with a chart of each result")
    if as_json:
        print(json.dumps({"bids": bids, "place": place.name, "windows": [as_data(one, bids) for one in done]}))
    return 0 if all(one.stream is None or one.stream.is_same for one in done) else 1


def run_batch(each: Show, place: Place) -> Batch:
    """A window over all bids."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        started = perf_counter()
        rows = place.run_batch(lambda bids: called(each, bids))
        seconds = perf_counter() - started
    said = dict.fromkeys(str(one.message) for one in warned if one.category is UserWarning)
    return Batch(rows, seconds, explained(each, place.bids), tuple(said))


def run_stream(each: Show, place: Place, batch: Batch) -> Stream:
    """The same window over the bids as they arrive."""
    started = perf_counter()
    streamed = place.run_stream(lambda bids: called(each, bids))
    seconds = perf_counter() - started
    is_same, waiting = compared(each, batch.rows, streamed)
    plan = explained(each, place.stream)
    return Stream(streamed.rows, seconds, plan, streamed.watermark, is_same, waiting)


def called(each: Show, bids: Any) -> Any:
    """The call as it is printed, on a batch or on a stream."""
    return evaluated(each.text, bids)


def explained(each: Show, bids: Any) -> Explanation:
    """The explanation of the call, by ``iw.explain``."""
    plan: Explanation = evaluated(f"iw.explain({each.on}, {each.aggregates})", bids)
    return plan


def evaluated(text: str, bids: Any) -> Any:
    """Run the call that is printed."""
    return eval(text, {"iw": iw, "bids": bids, "Average": Average, "Quiet": Quiet})


def compared(each: Show, rows: pa.Table, streamed: Streamed) -> tuple[bool, int]:
    """Whether the stream gave exactly those rows of the batch that are known by its watermark; how many are not."""
    watermark = pa.scalar(streamed.watermark, pa.timestamp("us", "UTC"))
    if each.known == "window":
        known = rows.filter(pc.less_equal(pc.struct_field(rows["window"], "end"), watermark))
    else:
        known = rows.filter(pc.less(rows[each.known], watermark))
    return in_order(known).columns == in_order(streamed.rows).columns, len(rows) - len(known)


def in_order(rows: pa.Table) -> pa.Table:
    """The same rows in an order that does not depend on how they came."""
    flat = rows.flatten()
    return flat.sort_by([(name, "ascending") for name in flat.column_names])


def as_data(one: Shown, bids: int) -> dict[str, Any]:
    """A window of the demo for ``--json``."""
    batch, stream = one.batch, one.stream
    data: dict[str, Any] = {"title": one.show.title, "call": one.show.text, "rows": len(batch.rows)}
    data |= {"seconds": round(batch.seconds, 3), "tuples_per_second": round(bids / batch.seconds)}
    data |= {"warnings": list(batch.warned), "explain": batch.explanation.as_data(), "stream": None}
    if stream is not None:
        data["stream"] = {
            "rows": len(stream.rows),
            "same": stream.is_same,
            "waiting": stream.waiting,
            "watermark": stream.watermark.isoformat(),
            "seconds": round(stream.seconds, 3),
            "explain": stream.explanation.as_data(),
        }
    return data
