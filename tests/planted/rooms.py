"""All planted faults, by their room; for each room what is likely to catch them."""

from dataclasses import dataclass
from itertools import chain

from . import native, optimizer, runtime, stream, temporal, windows
from .fault import Fault


@dataclass(frozen=True)
class Room:
    """Faults, the fuzzer's families that are asked for them, in turn, and the tests that are asked after it."""

    faults: tuple[Fault, ...]
    families: tuple[str, ...]
    tests: tuple[str, ...]


ROOMS = {
    "windows": Room(
        windows.FAULTS,
        ("frames", "extents", "frames", "streams", "points", "ordering"),
        ("tests/windows", "tests/runtime", "tests/stream"),
    ),
    "optimizer": Room(
        optimizer.FAULTS,
        ("frames", "extents", "frames", "streams", "points", "ordering", "emissions"),
        ("tests/optimizer", "tests/runtime", "tests/stream"),
    ),
    "runtime": Room(
        runtime.FAULTS,
        ("frames", "extents", "ordering", "points", "emissions", "streams"),
        ("tests/runtime", "tests/api", "tests/stream"),
    ),
    "stream": Room(stream.FAULTS, ("streams",), ("tests/stream", "tests/runtime")),
    "temporal": Room(temporal.FAULTS, ("temporal",), ("tests/temporal",)),
    "native": Room(
        native.FAULTS,
        ("frames", "extents", "frames", "points", "emissions", "streams", "temporal"),
        ("tests/native", "tests/udaf", "tests/runtime"),
    ),
}

FAULTS = {fault.id: fault for fault in chain.from_iterable(room.faults for room in ROOMS.values())}


def room_of(fault: Fault) -> Room:
    """The room that a fault is of."""
    return next(room for room in ROOMS.values() if fault in room.faults)
