"""The auction stream of the demo, made by a seeded generator: bids on items, and how they arrive.

The streams of the NEXMark benchmark in small: bids within six hours, in bursts and just before an item closes, many on
some items and few on most. They arrive up to half a minute late, each by its own delay, so in disorder.
"""

import numpy as np
import pyarrow as pa

NOON, HOUR = np.datetime64("2026-05-01T12:00", "us"), 3600.0
DELAY = "30 seconds"  # no bid arrives later than that
PIECES = 4  # micro-batches of the stream


def auction(bids: int, items: int = 200, sellers: int = 40, seed: int = 2006) -> pa.Table:
    """The bids in time order, no two at the same moment, with the seller and the closing time of their item."""
    random = np.random.default_rng(seed)
    opens = random.uniform(0, 4.5 * HOUR, items)
    closes = opens + random.uniform(0.75 * HOUR, 1.5 * HOUR, items)
    bursts = random.uniform(opens, closes, (6, items))
    seller, asked = random.integers(0, sellers, items), random.lognormal(4, 1, items)

    popularity = 1 / np.arange(1, items + 1) ** 1.2
    item = np.sort(random.choice(items, bids, p=popularity / popularity.sum()))
    kind = random.random(bids)
    now_and_then = random.uniform(opens[item], closes[item])
    in_a_burst = bursts[random.integers(0, 6, bids), item] + random.exponential(40, bids)
    at_the_end = closes[item] - random.exponential(90, bids)
    time = np.select([kind < 0.3, kind < 0.7], [now_and_then, in_a_burst], at_the_end)
    time = np.clip(time, opens[item], closes[item])
    time = time[np.lexsort((time, item))]  # within each item
    nth = np.arange(bids) - np.searchsorted(item, item)
    price = np.ceil(asked[item] * (1 + 0.3 * np.log1p(nth)) * random.uniform(0.95, 1.05, bids))

    order = np.argsort(time, kind="stable")
    item, number = item[order], np.arange(bids)
    micros = np.maximum.accumulate((time[order] * 1e6).astype(np.int64) - number) + number  # each after the one before
    instant = pa.timestamp("us", "UTC")
    return pa.table({
        "item": pa.array([f"item {number:03}" for number in range(items)]).take(pa.array(item)),
        "seller": seller[item],
        "bidder": random.integers(1000, 4000, bids),
        "price": price[order].astype(np.int64),
        "time": pa.array(NOON + micros.astype("timedelta64[us]"), instant),
        "closes": pa.array(NOON + (closes[item] * 1e6).astype("timedelta64[us]"), instant),
    })  # fmt: skip


def arrivals(bids: pa.Table, batches: int, seed: int = 2006) -> list[pa.Table]:
    """The same bids as they arrive, in micro-batches."""
    late = np.random.default_rng(seed).integers(0, 30_000_000, len(bids)).astype("timedelta64[us]")
    arrived = bids.take(pa.array(np.argsort(bids["time"].to_numpy() + late, kind="stable")))
    size = -(-len(bids) // batches)
    return [arrived.slice(start, size) for start in range(0, len(bids), size)]
