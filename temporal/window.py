"""``window``: a stream as a relation: each tuple is valid while it is in the window."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN
from inwindow.native.dictionaries import plain_type
from inwindow.optimizer.columns import check_columns, check_position_columns
from inwindow.runtime.dictionaries import read_column
from inwindow.runtime.intervals import Instants, Keys, Rows, in_order
from inwindow.runtime.operation import NUMBER, Advanced, Offsets, Operation, Turn
from inwindow.runtime.operations import carried_out
from inwindow.runtime.ordering import partition_numbers
from inwindow.temporal.frames import Tuples, distance, ends_of_extent, ends_of_window
from inwindow.temporal.names import names_of
from inwindow.temporal.relation import ENDS
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.frames import window_of
from inwindow.windows.interval import is_positive, negated
from inwindow.windows.order_key import OrderKey
from inwindow.windows.spec import Cumulate, Extent, Groups, Hop, Order, Range, Scope, Session, Window
from inwindow.windows.spec import Rows as RowsFrame

Data = TypeVar("Data")
_WHERE = "temporal.window"


def window(data: Data, window: Any, *, by: str | Iterable[str] | None = None) -> Data:
    """The tuples with ``since`` and ``until``: at every instant, exactly the tuples in the window hold (CQL's S [Range ...]).

    ``window``: a frame, such as ``iw.range("10 minutes", order_by="ts")`` or ``iw.rows(9, partition_by="item", order_by="ts")``, or
    an extent, such as ``iw.hop("ts", size="1 hour", every="5 minutes")`` (``by=`` are its keys, where it counts or has sessions).

    >>> import pyarrow as pa, inwindow as iw
    >>> from inwindow import temporal
    >>> bids = pa.table({"ts": [1, 3, 4], "price": [5, 7, 6]})
    >>> temporal.window(bids, iw.range(10, order_by="ts")).to_pylist()[0]         # seen from 1 to 11, both included
    {'ts': 1, 'price': 5, 'since': 1, 'until': 12}
    >>> temporal.window(bids, iw.rows(2, order_by="ts")).to_pylist()[0]           # until the second one after it
    {'ts': 1, 'price': 5, 'since': 1, 'until': 4}
    """
    keys = names_of(by, _WHERE, "by")
    if isinstance(window, (Hop, Cumulate, Session)):
        return carried_out(Windowed(window, keys or ()), data)
    if keys is not None:
        raise UsageError(
            f"{_WHERE}(by={shown(by)}): a frame has keys of its own: write iw.rows(..., partition_by={shown(by)})"
        )
    return carried_out(Windowed(window_of(window), ()), data)


@dataclass(frozen=True)
class Windowed(Operation):
    """Computes both ends of each tuple, from its own time and those of its neighbours."""

    window: Window | Extent
    by: tuple[str, ...]
    name = "window"
    steps = "both ends of each tuple, from its time and those that push it out"

    def described(self) -> str:
        return self.window.describe()

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """The partition, if tuples are counted or push each other out; otherwise each tuple is by itself."""
        self._key(schemas[0])
        return [self._partition] if self._looks_at_others else None

    @property
    def _partition(self) -> tuple[Any, ...]:
        return self.window.partition_by if isinstance(self.window, Window) else self.by

    @property
    def _looks_at_others(self) -> bool:
        if self._grows:
            return False
        if isinstance(self.window, Window):
            counts = isinstance(self.window.frame, (RowsFrame, Groups))
            return counts or self.window.slides_by_rows or self.window.slides_by_groups
        return isinstance(self.window, Session) or (isinstance(self.window, Hop) and self.window.rows)

    def _key(self, schema: pa.Schema) -> OrderKey:
        """The time column; an error where it has no instants."""
        taken = [name for name in ENDS if name in schema.names]
        if taken:
            raise UsageError(f"{_WHERE}: there is a column {taken[0]!r} already: rename or drop it")
        check_position_columns(schema, self._partition, (), _WHERE)
        order = self._order()
        check_columns(schema, [order.column], _WHERE)
        kind = plain_type(schema.field(order.column).type)
        is_ = pa.types
        whole = is_.is_integer(kind) or is_.is_date32(kind) or is_.is_timestamp(kind) or is_.is_decimal128(kind)
        if not whole or is_.is_uint64(kind) or (is_.is_decimal128(kind) and kind.precision > 18):
            raise UsageError(
                f"{_WHERE}: {order.column!r} is of type {kind}; instants are integers of 64 bits, decimals of at most 18 digits, "
                "dates or timestamps: cast it"
            )
        return OrderKey(order.column, kind, True, order.nulls_first)

    def _order(self) -> Order:
        if not isinstance(self.window, Window):
            if isinstance(self.window, Hop) and self.window.scope == "stream":
                raise UsageError(f"{_WHERE}: scope='stream' counts over all keys: drop it, and by= too, for the same")
            return Order(self.window.on)
        if self.window.active_expiration:
            raise UsageError(
                f"{_WHERE}: {self.window.describe()}: tuples leave at their until: drop active_expiration="
            )
        if self.window.exclude is not None:
            raise UsageError(
                f"{_WHERE}: {self.window.describe()}: when a tuple holds is told by times, and exclude= is about the tuple whose "
                "result it is: drop exclude="
            )
        orders = self.window.order_by
        if len(orders) != 1:
            raise UsageError(
                f"{_WHERE}: {self.window.describe()} has {len(orders) or 'no'} order columns; when a tuple holds is told by one "
                "time: write order_by='ts'"
            )
        if not orders[0].ascending:
            raise UsageError(f"{_WHERE}: {self.window.describe()}: time runs forwards: order ascending")
        return orders[0]

    def run(self, *tables: pa.Table) -> pa.Table:
        """Sort, and compute both ends."""
        (table,) = tables
        return self._seen(table, *self._ends(table))

    @property
    def _grows(self) -> bool:
        """Whether a tuple is seen from its time on, for ever, whatever the others are: all tuples so far."""
        frame = self.window.frame if isinstance(self.window, Window) and self.window.slide is None else None
        return isinstance(frame, (RowsFrame, Groups)) and frame.lower is None and frame.upper == 0

    def offsets(self, schema: pa.Schema) -> Offsets | None:
        """For frames of times that do not slide, and for all tuples so far."""
        window = self.window
        if self._grows:
            key = self._key(schema)
            return Offsets(key.column, 0, None, keeps_null=key.nulls_first)
        if not (isinstance(window, Window) and isinstance(window.frame, Range)) or window.slide is not None:
            return None
        key, bounds = self._key(schema), window.frame
        since = None if bounds.upper is None else distance(key, negated(bounds.upper), up=True)
        until = None if bounds.lower is None else distance(key, negated(bounds.lower), up=False) + 1
        return Offsets(key.column, since, until)

    def _ends(self, table: pa.Table) -> tuple[Rows, Keys, Keys]:
        """Rows in the order of (partition, time), and when each is in the window."""
        key = self._key(table.schema)
        rows, tuples = self._tuples(table, key)
        if isinstance(self.window, Window):
            return rows, *ends_of_window(self.window, tuples)
        return rows, *ends_of_extent(self.window, tuples)

    def _seen(self, table: pa.Table, rows: Rows, since: Keys, until: Keys) -> pa.Table:
        """The rows that are in the window at some time, in the order of arrival."""
        key = self._key(table.schema)
        since, until = (_within(end, key) for end in (since, until))
        holds = since < until
        rows, since, until = rows[holds], since[holds], until[holds]
        back = in_order(rows)
        if back is not None:
            rows, since, until = rows[back], since[back], until[back]
        taken, instants = table.take(pa.array(rows)), Instants(key.type)
        for name, end in zip(ENDS, (since, until), strict=True):
            taken = taken.append_column(name, instants.column(end))
        return taken

    # On a stream

    holds = "tuples that the window still sees"

    @property
    def waits(self) -> str:  # type: ignore[override]  # of what it waits for depends on the window
        """What makes a tuple leave."""
        return "the end of its session" if isinstance(self.window, Session) else "the tuple that pushes it out"

    def time(self) -> str:
        """When a tuple is."""
        return str(self._order().column)

    def timed_by(self) -> str | None:
        """The time, unless tuples are seen before it."""
        frame = self.window.frame if isinstance(self.window, Window) else None
        ahead = isinstance(frame, Scope) and frame.upper is not None
        if isinstance(frame, Range):
            ahead = frame.upper is None or is_positive(frame.upper)
        return None if ahead else self.time()

    def check_stream(self, *schemas: pa.Schema) -> None:
        """Windows that count following tuples work, and sessions; not windows that depend on the number of earlier tuples."""
        self._key(schemas[0])
        if isinstance(self.window, Session):
            return
        described = self.window.describe()
        window = self.window if isinstance(self.window, Window) else None
        by_groups = window is not None and window.slides_by_groups
        if self._looks_at_others and (window is None or window.slides_by_rows or by_groups):
            counted = "group of peers" if by_groups else "tuple"
            raise UsageError(
                f"{_WHERE}: {described} on a stream: it moves with every n-th {counted} since the first of the partition: use "
                "iw.with_columns or iw.select over it, or a slide of time"
            )
        frame = None if window is None else window.frame
        ahead = isinstance(frame, (RowsFrame, Groups)) and (frame.upper is None or frame.upper > 0)
        if ahead or self.timed_by() is None:
            raise UsageError(
                f"{_WHERE}: {described} on a stream: a tuple would be seen before its own time, when others have gone out already: "
                "end the frame at the current row"
            )

    def advance(self, turn: Turn) -> Advanced:
        """The tuples that have left the window, or whose session has ended; the others stay."""
        (given,) = turn.tables
        table = given.drop_columns([NUMBER])
        rows, since, until = self._ends(table)
        if isinstance(self.window, Session):
            key = self._key(table.schema)
            decided = until < key.read(pa.repeat(turn.until.cast(key.type), 1))[0][0]
        else:
            assert isinstance(self.window, Window) and isinstance(self.window.frame, (RowsFrame, Groups))
            decided = (since if self.window.frame.lower is None else until) != FOR_EVER
        stay = np.zeros(len(table), dtype=bool)
        stay[rows[~decided]] = True
        seen = self._seen(table, rows[decided], since[decided], until[decided])
        return Advanced(seen, seen.slice(0, 0), [stay])

    def goes_on(self, table: pa.Table, until: pa.Scalar) -> tuple[pa.Table, pa.Table]:
        """What the window holds so far, and the tuples that it holds, or will hold, at an instant or later."""
        rows, since, ends = self._ends(table)
        key = self._key(table.schema)
        stays = np.sort(rows[ends >= key.read(pa.repeat(until.cast(key.type), 1))[0][0]])
        return self._seen(table, rows, since, ends), table.take(pa.array(stays))

    # Tuples

    def _tuples(self, table: pa.Table, key: OrderKey) -> tuple[Rows, Tuples]:
        """The rows that have a time, in order; those whose time is NULL have always been there, for windows that count."""
        keys, side = key.read(read_column(table, key.column))
        counts = (
            isinstance(self.window, Window) and isinstance(self.window.frame, (RowsFrame, Groups)) and key.nulls_first
        )
        time = np.where(side == 0, keys, NEVER_BEGAN)
        rows = np.arange(len(table)) if counts else np.flatnonzero(side == 0)
        partition = self._partition
        group = (
            partition_numbers([table.column(name) for name in partition])
            if partition
            else np.zeros(len(table), np.int64)
        )
        time, group = np.ascontiguousarray(time[rows]), np.ascontiguousarray(group[rows])
        order = in_order(group, time)
        if order is not None:
            rows, time, group = rows[order], time[order], group[order]
        return rows, Tuples.of(key, time, group)


def _within(ends: Keys, key: OrderKey) -> Keys:
    """Cut ends to the range of the column's type."""
    if pa.types.is_decimal(key.type):
        most = 10**key.type.precision - 1
        least = -most
    elif pa.types.is_timestamp(key.type):
        return ends
    else:
        bits = key.type.bit_width
        signed = not pa.types.is_unsigned_integer(key.type)
        most = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
        least = -most - 1 if signed else 0
    return np.where(ends > most, FOR_EVER, np.where(ends < least, NEVER_BEGAN, ends))
