"""The names of the columns that inwindow makes beside the user's, and so keeps for itself."""

from collections.abc import Iterable

from inwindow.udaf.errors import UsageError

PREFIX = "__inwindow_"
STREAM_ROW = f"{PREFIX}stream_row"  # a tuple's number in the whole stream
EVENT = f"{PREFIX}event"  # 0 in a point, a row of another table, which comes before the events (1) of its own time
BEGINS = f"{PREFIX}begins"  # 1 in the first tuple of a partition, else 0: a byte
SHARD = f"{PREFIX}shard"  # which shard of a partition that was cut a tuple is in
STRETCH = f"{PREFIX}stretch"  # which stretch of time of a key that was cut a row is in
HALO = f"{PREFIX}halo"  # < 0 in a tuple before its shard, > 0 behind it: there for the frames of others
FRAME_ROW = f"{PREFIX}frame_row"  # a row's number in a frame of another library, for its label
DIGEST = f"{PREFIX}digest"  # a number for what is in a tuple: whether the data are those of which partials were made


def check_names(names: Iterable[str], where: str) -> None:
    """No column has a name of ours, or an error."""
    for name in names:
        if name.startswith(PREFIX):
            raise UsageError(f"{where}: the column {name!r} has a name that inwindow keeps for itself: rename it")
