"""``on_error=`` that is told wrong, goes with what it cannot, or has no way back."""

import threading

import pyarrow as pa
from bad.input import TABLE, Bad, MyAvg

import inwindow as iw

WINDOW = iw.rows(2)


class Locked(iw.Aggregate):
    """Keeps what cannot be copied."""

    def iterate(self, value) -> int:
        self.lock = threading.Lock()
        return value


ROWS = [
    Bad(
        "a value of on_error= that is none",
        lambda: iw.with_columns(TABLE, a=MyAvg()("n").over(WINDOW), on_error="ignore"),
        iw.UsageError,
        "with_columns(on_error='ignore'): write 'fail' (a hook that raises ends the call), 'skip' (its tuple is left out of that "
        "aggregate) or 'collect' (left out, and had with iw.failed(result))",
    ),
    Bad(
        "on_error= by another name",
        lambda: iw.with_columns(TABLE, a=MyAvg()("n").over(WINDOW), on_errors="skip"),
        iw.UsageError,
        "with_columns(on_errors='skip') is not an aggregate applied to columns: write my_avg('price'), with .over(window) where "
        "one is needed; if you mean the option, write on_error=",
    ),
    Bad(
        "on_error=None of a group",
        lambda: iw.group_by(TABLE, "item").agg(a=MyAvg()("n"), on_error=None),
        iw.UsageError,
        "agg(on_error=None): write 'fail' (a hook that raises ends the call), 'skip' (its tuple is left out of that aggregate) or "
        "'collect' (left out, and had with iw.failed(result))",
    ),
    Bad(
        "on_error= over frames with a hole",
        lambda: iw.with_columns(
            TABLE, a=MyAvg()("n").over(iw.rows_between(-2, 2, exclude="current row")), on_error="skip"
        ),
        iw.UsageError,
        "MyAvg(n): on_error='skip' does not go with exclude=: drop one of them, or write a call of its own for this aggregate",
    ),
    Bad(
        "on_error= over rows that hold for a while",
        lambda: iw.with_columns(
            TABLE.select(["t"]),
            a=MyAvg()("n").over(iw.temporal.valid(order_by="t")),
            of=pa.table({"since": [1], "until": [9], "n": [1]}),
            on_error="skip",
        ),
        iw.UsageError,
        "with_columns(on_error='skip', of=...): rows that hold for a while leave in any order, and hooks that raise end the call "
        "there: leave on_error= out",
    ),
    Bad(
        "on_error= where late tuples correct rows",
        lambda: iw.testing.replay(
            [TABLE],
            lambda df: iw.with_columns(
                df, a=MyAvg()("n").over(iw.rows(2, order_by="t")), on_error="skip", allowed_lateness=3
            ),
        ),
        iw.UsageError,
        "with_columns(allowed_lateness=3) with on_error='skip': a tuple on which a hook raises would be reported for each row that "
        "is corrected: drop one of the two",
    ),
    Bad(
        "on_error= where nothing was collected",
        lambda: iw.failed(iw.with_columns(TABLE, a=MyAvg()("n").over(WINDOW), on_error="skip")),
        iw.UsageError,
        "failed(Table): give the very result of iw.with_columns, iw.select, agg() or emit() that was called with "
        "on_error='collect', before any other operation on it",
    ),
    Bad(
        "on_error= and a state that cannot be copied",
        lambda: iw.with_columns(TABLE.to_reader(2), a=Locked()("n"), on_error="skip").read_all(),
        iw.UsageError,
        "Locked(n): on_error='skip' goes back to the state before a hook raised, but the state cannot be copied (TypeError: cannot "
        "pickle '_thread.lock' object): make connections, locks and open files where they are used, or write on_error='fail'",
    ),
]
