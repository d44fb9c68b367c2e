"""All planted faults, by their room; for each room what is likely to catch them."""

from dataclasses import dataclass
from itertools import chain

from .fault import Fault, faults_of


@dataclass(frozen=True)
class Room:
    """Faults, the fuzzer's families that are asked for them, in turn, and the tests that are asked after it."""

    faults: tuple[Fault, ...]
    families: tuple[str, ...]
    tests: tuple[str, ...]


ROOMS = {
    "windows": Room(
        faults_of("windows"),
        ("frames", "extents", "frames", "streams", "points", "ordering"),
        ("tests/windows", "tests/runtime", "tests/stream"),
    ),
    "optimizer": Room(
        faults_of("optimizer"),
        ("frames", "extents", "frames", "streams", "points", "temporal"),
        ("tests/optimizer", "tests/runtime", "tests/stream"),
    ),
    "runtime": Room(
        faults_of("runtime"),
        ("frames", "extents", "ordering", "points", "emissions", "streams", "temporal"),
        ("tests/runtime", "tests/api", "tests/stream"),
    ),
    "stream": Room(faults_of("stream"), ("streams",), ("tests/stream", "tests/runtime")),
    "temporal": Room(faults_of("temporal"), ("temporal",), ("tests/temporal",)),
    "native": Room(
        faults_of("native") + faults_of("native_parts"),
        ("frames", "extents", "frames", "points", "emissions", "streams", "temporal"),
        ("tests/native", "tests/udaf", "tests/runtime"),
    ),
}

FAULTS = {fault.id: fault for fault in chain.from_iterable(room.faults for room in ROOMS.values())}


def room_of(fault: Fault) -> Room:
    """The room that a fault is of."""
    return next(room for room in ROOMS.values() if fault in room.faults)
