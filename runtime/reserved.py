"""The names of the columns that inwindow adds to the user's, and therefore reserves."""

from collections.abc import Iterable

from inwindow.udaf.errors import UsageError

PREFIX = "__inwindow_"
STREAM_ROW = f"{PREFIX}stream_row"  # a tuple's number in the whole stream
TUPLE = f"{PREFIX}tuple"  # a tuple's number in its bucket, if its row may be replaced
EVENT = f"{PREFIX}event"  # 0 for a point (a row of another table), which comes before the events (1) of the same time
BEGINS = f"{PREFIX}begins"  # a byte: 1 for the first tuple of a partition, else 0
SHARD = f"{PREFIX}shard"  # the shard that a tuple is in, if its partition was cut
STRETCH = f"{PREFIX}stretch"  # which stretch of time of a key that was cut a row is in
HALO = f"{PREFIX}halo"  # in a halo: < 0 before the shard, > 0 after it; 0 for the shard's own tuples
AHEAD = f"{PREFIX}ahead"  # whether a tuple of a stream is too far ahead of the clock
FRAME_ROW = f"{PREFIX}frame_row"  # a row's number in a frame of another library, to find its label
DIGEST = f"{PREFIX}digest"  # a hash of a tuple's values, to notice that the data have changed since partials were made


def hidden_of(step: str) -> str:
    """The column that says which tuples are hidden from the hooks of a step, by its name: they raised on them."""
    return f"{PREFIX}hidden_{step}"


def check_names(names: Iterable[str], where: str) -> None:
    """Check that no column has a reserved name."""
    for name in names:
        if name.startswith(PREFIX):
            raise UsageError(f"{where}: the column {name!r} has a name that inwindow keeps for itself: rename it")
