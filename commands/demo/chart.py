"""The demo as a page: each window's result as a chart, its strategy, what it cost, and what ``iw.explain`` says.

Each chart shows what its window is about: a line over the bids of the busiest item, an hour's bar for each hop, a bar for
each session, a line from the last bid to the alarm.
"""

import inspect
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw
from inwindow.commands.demo import screen, windows
from inwindow.commands.demo.plot import Plot
from inwindow.commands.page import page

if TYPE_CHECKING:
    from inwindow.commands.demo.show import Shown

_DOTS, _POINTS, _BARS = 500, 60, 12  # of a chart: dots at most, points about, rows of bars
_STYLE = """
.axis{stroke:var(--line)}.grid{stroke:var(--line);stroke-dasharray:2 4}.tick,.name{font:12px system-ui,'DejaVu Sans',sans-serif;
fill:var(--soft)}.name{fill:var(--ink)}.dot{fill:var(--dot);fill-opacity:.55}.line{fill:none;stroke:var(--main);stroke-width:2;
stroke-linejoin:round}.bar{fill:var(--area);stroke:var(--main)}.point{fill:var(--main)}.wait{stroke:var(--main);stroke-width:2}
.alarm{fill:var(--mark)}.wide{overflow-x:auto}
@media(max-width:600px){.wide svg{min-width:30rem}.tick,.name{font-size:15px}body{padding:.7rem}
section{padding:.7rem .8rem}th{white-space:normal}td,th{padding-right:.6rem}pre{white-space:pre-wrap}}
"""


def charts(bids: pa.Table, place: str, done: Sequence["Shown"]) -> str:
    """The page."""
    head = (
        f"<h1>inwindow: an auction through {len(done)} windows</h1>\n<p>{escape(screen.described(bids))}. On "
        f'{escape(place)}. <span class="soft">inwindow {iw.__version__}, <code>inwindow demo</code></span></p>'
    )
    parts = [head, *(section(bids, one) for one in done), overview(bids, done)]
    return page("inwindow demo", "\n".join(parts), _STYLE)


def section(bids: pa.Table, one: "Shown") -> str:
    """A window: its call, its chart, its cost."""
    batch, plan = one.batch, one.batch.explanation.as_data()
    steps = [step for work in plan["passes"] for step in work["results"]]
    facts = [
        ("strategy", "; ".join(dict.fromkeys(f"{step['strategy']}: {step['why']}" for step in steps))),
        ("costs", "; ".join(dict.fromkeys(f"{step['time']}; keeps {step['memory']}" for step in steps))),
        ("batch", f"{len(batch.rows):,} rows in {batch.seconds:.2f} s: {len(bids) / batch.seconds:,.0f} tuples/s"),
        *(("warning", text) for text in batch.warned),
    ]
    if one.stream is not None:
        facts.append(("stream", screen.outcome(one.stream)))
    rows = "".join(f"<tr><th>{escape(title)}</th><td>{escape(text)}</td></tr>" for title, text in facts)
    own = next((name for name in ("Average", "Quiet") if f"{name}(" in one.show.text), None)
    source = "" if own is None else f"<pre>{escape(inspect.getsource(getattr(windows, own)))}</pre>"
    return (
        f"<section><h2>{escape(one.show.title)}</h2><pre>{escape(one.show.text)}</pre><div class='wide'>{chart(bids, one)}</div>"
        f"<table>{rows}</table><details><summary>{'the class, and ' if own else ''}what iw.explain says</summary>"
        f"{source}{batch.explanation._repr_html_()}</details></section>"
    )


def overview(bids: pa.Table, done: Sequence["Shown"]) -> str:
    """All windows in one table."""
    rows = []
    for one in done:
        stream = "" if one.stream is None else f"{one.stream.seconds:.2f} s"
        cells = [f"{len(one.batch.rows):,}", f"{len(bids) / one.batch.seconds:,.0f}", stream]
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
        rows.append(f"<tr><td>{escape(one.show.title.split(':')[0])}</td>{numbers}</tr>")
    head = "<tr><th>window</th><th>rows</th><th>tuples/s, batch</th><th>stream</th></tr>"
    return f"<section><h2>All of them</h2><div class='wide'><table>{head}{''.join(rows)}</table></div></section>"


def chart(bids: pa.Table, one: "Shown") -> str:
    """The picture of a result."""
    rows = one.batch.rows
    if not len(rows):
        return '<p class="soft">(no row)</p>'
    return {"line": line, "yields": yields, "hops": hops, "sessions": sessions, "alarms": alarms}[one.show.chart](
        bids, rows, one.show
    )


def line(bids: pa.Table, rows: pa.Table, show: windows.Show) -> str:
    """A result per bid, along with the bids: those on the busiest item, or all."""
    name = show.aggregates.partition("=")[0]
    item = busiest(bids) if "partition_by" in show.aggregates else None
    if item is not None:
        rows, bids = of_item(rows, item), of_item(bids, item)
    rows = rows.sort_by("time")
    times, values = moments(rows["time"]), floats(rows[name])
    some = bids.take(pa.array(np.arange(0, len(bids), max(1, len(bids) // _DOTS))))
    prices = floats(some["price"])
    what = f"{name}, {item or 'all items'}; dots: {'bids' if len(some) == len(bids) else 'some of the bids'}"
    plot = Plot(span(times), (0.0, float(max(values.max(), prices.max()))), what)
    plot.dots(moments(some["time"]), prices)
    plot.line(times, values)
    return plot.picture(show.title)


def yields(bids: pa.Table, rows: pa.Table, show: windows.Show) -> str:
    """A result after every few bids, on an item of which they can be told apart."""
    name = show.aggregates.partition("=")[0]
    counted = rows.group_by("item").aggregate([("time", "count")]).sort_by([("time_count", "descending")])
    at = int(np.argmin(np.abs(counted["time_count"].to_numpy() - _POINTS)))
    item = counted["item"][at].as_py()
    rows = of_item(rows, item).sort_by("time")
    times, values = moments(rows["time"]), floats(rows[name])
    plot = Plot(span(times), (0.0, float(values.max())), f"{name}, {item}; a point is a row of the result")
    plot.line(times, values)
    plot.points(times, values)
    return plot.picture(show.title)


def hops(bids: pa.Table, rows: pa.Table, show: windows.Show) -> str:
    """A bar as long as its hop, as high as its average."""
    item = busiest(bids)
    rows = of_item(rows, item)
    starts, ends = bounds(rows)
    values = floats(rows["avg"])
    what = f"avg, {item}; a line is the hour that it is of"
    plot = Plot((starts.min(), ends.max()), (float(values.min()), float(values.max())), what)
    for start, end, value in zip(starts, ends, values, strict=True):
        plot.segment(start, end, value)
    return plot.picture(show.title)


def sessions(bids: pa.Table, rows: pa.Table, show: windows.Show) -> str:
    """A row for each of the busiest items, a bar for each of its sessions."""
    items = by_bids(bids)[:_BARS]
    rows = rows.filter(pc.is_in(rows["item"], pa.array(items)))
    starts, ends = bounds(rows)
    plot = Plot((starts.min(), ends.max()), (0.0, float(len(items))), "sessions of the items with most bids", items)
    for start, end, item, bids_in in zip(starts, ends, rows["item"].to_pylist(), rows["bids"].to_pylist(), strict=True):
        plot.bar(start, end, items.index(item), f"{item}: {bids_in:,} bids")
    return plot.picture(show.title)


def alarms(bids: pa.Table, rows: pa.Table, show: windows.Show) -> str:
    """A line from the last bid to the alarm, one above the other."""
    rows = rows.sort_by("alarm")
    last, alarm = moments(rows["time"]), moments(rows["alarm"])
    plot = Plot(
        (last.min(), alarm.max()), (0.0, float(len(rows))), f"{len(rows)} alarms: from the last bid to the alarm"
    )
    for number, (start, end) in enumerate(zip(last, alarm, strict=True)):
        plot.wait(start, end, number + 0.5, rows["item"][number].as_py())
    return plot.picture(show.title)


def by_bids(bids: pa.Table) -> list[str]:
    """The items, those with most bids first."""
    counted = bids.group_by("item").aggregate([("price", "count")])
    items: list[str] = counted.sort_by([("price_count", "descending")])["item"].to_pylist()
    return items


def busiest(bids: pa.Table) -> str:
    """The item with most bids."""
    return by_bids(bids)[0]


def of_item(rows: pa.Table, item: str) -> pa.Table:
    """The rows of one item."""
    return rows.filter(pc.equal(rows["item"], item))


def bounds(rows: pa.Table) -> tuple[Any, Any]:
    """The starts and the ends of extents, in seconds."""
    return moments(pc.struct_field(rows["window"], "start")), moments(pc.struct_field(rows["window"], "end"))


def moments(column: pa.ChunkedArray) -> Any:
    """Times in seconds."""
    return pc.cast(column, pa.timestamp("us", "UTC")).to_numpy().astype("datetime64[us]").astype(np.int64) / 1e6


def floats(column: pa.ChunkedArray) -> Any:
    """Numbers for a chart."""
    return np.asarray(column.to_numpy(), float)


def span(times: Any) -> tuple[float, float]:
    """From the first to the last."""
    return float(times.min()), float(times.max())
