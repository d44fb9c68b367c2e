"""Streams: what they give is what the definition gives of the tuples that are not late, whatever happens on the way.

A seed draws the query, the tuples, their disorder, where micro-batches end, watermarks, late tuples, idle sources, and in
each micro-batch whether the stream goes on, restarts from what is stored, runs it twice as after a crash, or goes on with a
changed query; and whether the stream begins with the state of a history, sorted as Spark sorts it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.testing.fuzz import definition
from inwindow.testing.fuzz.agree import agree
from inwindow.testing.fuzz.clocks import Clocked
from inwindow.testing.fuzz.extents import Extents
from inwindow.testing.fuzz.frames import Frames, as_test
from inwindow.testing.fuzz.kinds import said_on_error
from inwindow.testing.fuzz.simulation import HAPPENS, Planned, newest, run
from inwindow.testing.fuzz.trial import Difference, attempt
from inwindow.testing.fuzz.written import Drawn, literal, value_of
from inwindow.windows.spec import Groups, Rows

Place = tuple[Any, ...]


@dataclass(frozen=True)
class OneStream:
    """Tuples as they arrive: ``at`` is the micro-batch of each, ``source`` the stream from which it comes."""

    drawn: Drawn
    watermarks: tuple[Any, ...]  # of each micro-batch
    happens: tuple[str, ...]
    buckets: int
    chunks: bool
    clocks: tuple[Any, ...]  # the time of each micro-batch

    def on_time(self, bound: Any = None, clocked: Clocked | None = None) -> tuple[Drawn, list[int]]:
        """The tuples that are not late by more than a bound, in the order in which they came; and the numbers of the others."""
        kept: list[int] = []
        late: list[int] = []
        times, at = self.drawn.values["t"], self.drawn.values["at"]
        watermarks: Sequence[Any] = self.watermarks
        if clocked is not None:
            watermarks = clocked.watermarks(list(zip(at, self.drawn.values["source"], times, strict=True)), self.clocks)
        for i in range(len(self.drawn)):
            passed = max((mark for mark in watermarks[: at[i]] if mark is not None), default=None)
            if passed is not None and bound is not None:
                passed = passed - bound
            on_time = times[i] is not None and (passed is None or times[i] >= passed)
            on_time &= clocked is None or not clocked.is_ahead(times[i], self.clocks[at[i]])
            (kept if on_time else late).append(i)
        return self.drawn.rows(kept), sorted(self.drawn.values["id"][i] for i in late)

    def batches(self, sources: int) -> list[tuple[pa.Table, ...]]:
        """The tables of each micro-batch."""
        rows: dict[tuple[int, int], list[int]] = {}
        for i, place in enumerate(zip(self.drawn.values["at"], self.drawn.values["source"], strict=True)):
            rows.setdefault(place, []).append(i)
        its = {place: self.drawn.table.take(pa.array(numbers)) for place, numbers in rows.items()}
        none = self.drawn.table.slice(0, 0)
        return [tuple(its.get((number, one), none) for one in range(sources)) for number in range(len(self.watermarks))]


@dataclass(frozen=True)
class Streams:
    """A query, and streams on which it runs. What the query means is a trial on tables, whose table is none of them."""

    asked: Frames | Extents
    their: tuple[OneStream, ...]
    sources: int
    until: Any
    bound: str = ""  # of allowed_lateness, as text
    clocked: Clocked | None = None  # watermarks that go by the clock, in place of given ones
    in_kinds: bool = False  # rows and late tuples come as one table
    early: bool = False  # the row of an extent comes with each micro-batch that has a tuple of it

    @property
    def streams(self) -> int:
        return len(self.their)

    @property
    def cases(self) -> int:
        return sum(replace(self.asked, drawn=one.drawn).cases for one in self.their)

    @property
    def query(self) -> str:
        """The query, as a function of the streams."""
        each = [f"streams[{at}]" if self.clocked is None else self.clocked.stream(at) for at in range(self.sources)]
        united = f"iw.union({', '.join(each)}, order_by='t')" if self.sources > 1 else each[0]
        option = f", allowed_lateness={self.bound}" if self.bound else said_on_error(self.kinds)
        if isinstance(self.asked, Frames):
            applied = ", ".join(f"x{at}={over.text()}" for at, over in enumerate(self.asked.overs))
            return self._given(f"iw.with_columns({united}, {applied}{option})")
        assert self.asked.extent is not None
        keys = "".join(f", {key!r}" for key in self.asked.keys)
        applied = ", ".join(f"x{at}={one.text}" for at, one in enumerate(self.asked.ones))
        extent = self.asked.extent.text + (", early=True" if self.early else "")
        return self._given(f"iw.group_by({united}{keys}).window({extent}).agg({applied}{option})")

    def _given(self, text: str) -> str:
        return f"lambda *streams: iw.outputs({text})" if self.in_kinds else f"lambda *streams: {text}"

    @property
    def kinds(self) -> list[str]:
        """Of the aggregates."""
        its = self.asked.overs if isinstance(self.asked, Frames) else self.asked.ones
        return [one.kind for one in its]

    @property
    def by(self) -> list[str]:
        """The columns by which rows are merged, if a bound allows corrections."""
        return ["iw_row"] if isinstance(self.asked, Frames) else [*self.asked.keys, "window"]

    def on_time(self, one: OneStream) -> tuple[Drawn, list[int]]:
        """The tuples that must be taken, and the numbers of the others."""
        return one.on_time(value_of(self.bound) if self.bound else None, self.clocked)

    # Running

    def difference(self) -> Difference | None:
        planned, error = attempt(lambda: Planned(value_of(self.query), self.their[0].drawn.table.schema, self.sources))
        if error is not None:
            return Difference("planning", None, None, error=error)
        for number, one in enumerate(self.their):
            found = self._difference(planned, one)
            if found is not None:
                return replace(found, where=f"stream {number}: {found.where}")
        return None

    def _difference(self, planned: Planned, one: OneStream) -> Difference | None:
        table, late = self.on_time(one)
        expected, error = attempt(lambda: self._expected(table))
        if error is not None:
            return Difference("the definition", None, None, error=error)
        given, error = attempt(
            lambda: run(
                planned, one.batches(self.sources), one.watermarks, self.until, happens=one.happens,
                buckets=one.buckets, chunks=one.chunks, clocks=one.clocks if self.clocked else (),
            )
        )  # fmt: skip
        if error is not None:
            return Difference("the stream", None, None, error=error)
        rows, lates = given
        if sorted(lates["id"].to_pylist()) != late:
            return Difference("late tuples", sorted(lates["id"].to_pylist()), late)
        found = rows.to_pylist()
        if self.bound:
            found, error = attempt(lambda: newest(rows.to_pylist(), self.by))
            if error is not None:
                return Difference("revisions", None, None, error=error)
        places = [self._place(row) for row in found]
        if Counter(places) != (wanted := Counter(self._early(table) if self.early else expected.keys())):
            return Difference("rows", sorted(map(str, places)), sorted(map(str, wanted.elements())))
        if self.early:
            last = dict(zip(places, found, strict=True))  # the other rows are replaced
            places, found = list(last), list(last.values())
        for place, row in zip(places, found, strict=True):
            for at, (result, within) in enumerate(expected[place]):
                if not agree(row[f"x{at}"], result, within):
                    return Difference(f"x{at} of {place}", row[f"x{at}"], result, within)
        return None

    def _place(self, row: dict[str, Any]) -> Place:
        return (row["id"],) if isinstance(self.asked, Frames) else self.asked.place(row)

    def _expected(self, table: Drawn) -> dict[Place, list[definition.Wanted]]:
        """What must come, by row; but for the rows that wait for tuples which never come."""
        asked = replace(self.asked, drawn=table)
        if isinstance(asked, Extents):
            return {place: row for place, row in asked.expected().items() if self._is_over(table, place)}
        columns = [asked.expected(table, over) for over in asked.overs]
        waits: set[int] = set()
        for window in {over.window for over in asked.overs}:
            waits |= never_decided(table, window.made)
        ids = table.values["id"]
        return {(ids[i],): [column[i] for column in columns] for i in range(len(table)) if i not in waits}

    def _early(self, table: Drawn) -> Iterator[Place]:
        """The extents of each micro-batch."""
        assert isinstance(self.asked, Extents)
        for number in sorted(set(table.values["at"])):
            its = table.rows([i for i, at in enumerate(table.values["at"]) if at == number])
            yield from replace(self.asked, drawn=its).expected()

    def _is_over(self, table: Drawn, place: Place) -> bool:
        """Whether the extent of a row ends: one of counted tuples may not be full, one of tuples without an end never ends."""
        assert isinstance(self.asked, Extents) and self.asked.extent is not None
        if self.asked.extent.option("rows") is None:
            return place[-1] is not None
        keys = [table.values[key] for key in self.asked.keys]
        of_its = [i for i in range(len(table)) if all(definition.key_of(key[i]) == its for key, its in
                                                      zip(keys, place[:-2], strict=True))]  # fmt: skip
        return bool(place[-1] <= len(of_its))

    # Smaller

    def smaller(self) -> Iterator["Streams"]:
        if len(self.their) > 1:
            for one in self.their:
                yield replace(self, their=(one,))
            return
        (one,) = self.their
        if self.bound:
            yield replace(self, bound="")
        if self.in_kinds:
            yield replace(self, in_kinds=False)
        if self.early:
            yield replace(self, early=False)
        if self.clocked is not None:
            yield replace(self, clocked=None)
        for asked in self._simpler_queries():
            yield replace(self, asked=asked)
        for drawn in one.drawn.smaller():
            if len(drawn) and ordered(drawn):
                yield replace(self, their=(replace(one, drawn=drawn),))
        for at, what in enumerate(one.happens):
            if what != HAPPENS[0]:
                happens = (*one.happens[:at], HAPPENS[0], *one.happens[at + 1 :])
                yield replace(self, their=(replace(one, happens=happens),))
        if one.buckets > 1:
            yield replace(self, their=(replace(one, buckets=1),))
        if one.chunks:
            yield replace(self, their=(replace(one, chunks=False),))
        for at, mark in enumerate(one.watermarks):
            if mark is not None:
                marks = (*([None] * (at + 1)), *one.watermarks[at + 1 :])
                yield replace(self, their=(replace(one, watermarks=marks),))

    def _simpler_queries(self) -> Iterator[Any]:
        asked = self.asked
        if isinstance(asked, Frames):
            for at, over in enumerate(asked.overs if len(asked.overs) > 1 else ()):
                yield replace(asked, overs=(over,))
                yield replace(asked, overs=asked.overs[:at] + asked.overs[at + 1 :])
            if len(asked.overs) == 1:
                yield from (replace(asked, overs=(over,)) for over in asked.simpler(asked.overs[0], ("order_by",)))
            return
        for one in asked.ones if len(asked.ones) > 1 else ():
            yield replace(asked, ones=(one,))

    # As a test

    def test(self, difference: Difference, name: str) -> str:
        (one,) = self.their[:1]
        table, behind = self.on_time(one)
        rows = [[*place, *(result for result, _ in row)] for place, row in self._expected(table).items()]
        names = ["row['id']"]
        if isinstance(self.asked, Extents):
            names = [f"row[{key!r}]" for key in self.asked.keys] + ["row['window']['start']", "row['window']['end']"]
        width = len(self.asked.overs if isinstance(self.asked, Frames) else self.asked.ones)
        names += [f"row['x{at}']" for at in range(width)]
        clocks = f", clocks={literal(list(one.clocks))}" if self.clocked else ""
        merge = "newest" if self.bound else "latest" if self.early else ""
        merged = f"{merge}(rows.to_pylist(), {self.by!r})" if merge else "rows.to_pylist()"
        lines = [
            f"from inwindow.testing.fuzz.simulation import {merge and merge + ', '}simulated",
            "",
            f"table = {one.drawn.text}",
            "batches = [",
            "    tuple(table.filter((pc.field('at') == at) & (pc.field('source') == source)) for source in "
            f"range({self.sources}))",
            f"    for at in range({len(one.watermarks)})",
            "]",
            f"query = {self.query}",
            f"watermarks, until = {literal(list(one.watermarks))}, {literal(self.until)}",
            f"rows, late = simulated(query, batches, watermarks, until, happens={list(one.happens)!r}, "
            f"buckets={one.buckets}, chunks={one.chunks}{clocks})",
            f"assert sorted(late['id'].to_pylist()) == {behind}",
            f"given = [[{', '.join(names)}] for row in {merged}]",
            f"expected = {literal(rows)}",
            f"assert agree(sorted(given, key=str), sorted(expected, key=str), within={difference.within!r}), given",
        ]
        return as_test(name, lines)


def ordered(drawn: Drawn) -> bool:
    """Whether the tuples come as their micro-batches do."""
    at = drawn.values["at"]
    return list(at) == sorted(at)


def never_decided(table: Drawn, window: Any) -> set[int]:
    """The rows whose frames wait for tuples that do not come."""
    frame, waits = window.frame, set[int]()
    if not isinstance(frame, (Rows, Groups)) or (frame.upper or 0) <= 0:
        return waits
    for members in definition.partitions(table, window.partition_by):
        its = definition.in_order(table, members, window.order_by)
        if isinstance(frame, Rows):
            waits |= set(its[-(frame.upper or 0) :])
            continue
        times = table.values["t"]
        last = sorted({times[i] for i in its})[-(frame.upper or 0) :]
        waits |= {i for i in its if times[i] in last}
    return waits
