"""Watermarks that go by the clock, drawn as text; and what they must be, said by plain Python over the tuples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.written import value_of

_SPANS = {  # as what is added to a time
    "int64": ("1", "3", "8", "40"),
    "timestamp with zone": ("timedelta(seconds=1)", "timedelta(seconds=4)", "timedelta(hours=1)"),
    "timestamp in seconds": ("timedelta(seconds=1)", "timedelta(seconds=3)", "timedelta(hours=1)"),
    "date": ("timedelta(days=1)", "timedelta(days=3)", "timedelta(days=90)"),
}


@dataclass(frozen=True)
class Clocked:
    """The delay of each source and how long it may be silent ("": for ever), and how far ahead tuples may be ("": any)."""

    delays: tuple[str, ...]
    idles: tuple[str, ...]
    ahead: str

    def stream(self, source: int) -> str:
        """A source with its watermark, as text."""
        bounds = f", ahead={self.ahead}" if self.ahead else ""
        bounds += f", idle={self.idles[source]}" if self.idles[source] else ""
        return f"iw.with_watermark(streams[{source}], 't', {self.delays[source]}{bounds})"

    def is_ahead(self, time: Any, clock: Any) -> bool:
        """Whether a tuple moves no watermark, and is late."""
        return bool(self.ahead and time is not None and time > clock + value_of(self.ahead))

    def watermarks(self, tuples: Sequence[tuple[int, int, Any]], clocks: Sequence[Any]) -> list[Any]:
        """The watermark of each micro-batch, and the one after them; of tuples only (micro-batch, source, time) counts."""
        marks: list[Any] = [None]
        for until, _ in enumerate(clocks):
            reached = [self._reached(source, tuples, clocks[: until + 1]) for source in range(len(self.delays))]
            marks.append(None if None in reached else min(reached))
        return marks

    def _reached(self, source: int, tuples: Sequence[tuple[int, int, Any]], clocks: Sequence[Any]) -> Any:
        times = [
            time
            for at, its, time in tuples
            if its == source and at < len(clocks) and time is not None and not self.is_ahead(time, clocks[at])
        ]
        if self.idles[source]:
            times += [clock - value_of(self.idles[source]) for clock in clocks]
        return max(times) - value_of(self.delays[source]) if times else None


def draw_clocked(draw: Draw, kind: str, sources: int) -> Clocked:
    """For times of a kind."""
    spans = _SPANS[kind]
    delays = tuple("0" if draw.once_in(3) else draw.one(spans[:2]) for _ in range(sources))
    delays = tuple("timedelta(0)" if delay == "0" and kind != "int64" else delay for delay in delays)
    idles = tuple("" if draw.once_in(2) else draw.one(spans) for _ in range(sources))
    return Clocked(delays, idles, draw.one(spans) if draw.once_in(2) else "")
