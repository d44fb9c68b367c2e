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
        ("tests/testing/test_fuzz_found.py", "tests/windows", "tests/runtime", "tests/stream"),
    ),
    "optimizer": Room(
        faults_of("optimizer"),
        ("frames", "extents", "frames", "streams", "points", "temporal"),
        ("tests/testing/test_fuzz_found.py", "tests/optimizer", "tests/runtime", "tests/stream"),
    ),
    "runtime": Room(
        faults_of("runtime"),
        ("frames", "extents", "ordering", "points", "emissions", "streams", "temporal"),
        ("tests/testing/test_fuzz_found.py", "tests/runtime", "tests/api", "tests/stream"),
    ),
    "stream": Room(faults_of("stream"), ("streams",), ("tests/stream", "tests/runtime")),
    "temporal": Room(faults_of("temporal"), ("temporal",), ("tests/temporal",)),
    "native": Room(
        faults_of("native") + faults_of("native_parts"),
        ("frames", "extents", "frames", "points", "emissions", "streams", "temporal"),
        ("tests/testing/test_fuzz_found.py", "tests/native", "tests/udaf", "tests/runtime"),
    ),
}

FAULTS = {fault.id: fault for fault in chain.from_iterable(room.faults for room in ROOMS.values())}


# What a fault is about: a part of its file or of what it means, and the family that has most of it.
_OWN = (
    ("EXCLUDE", "frames"), ("streams", "streams"), (" on a stream", "streams"), ("frontier", "streams"),
    ("point", "points"), ("active expiration", "emissions"), ("without terminate", "emissions"), ("row_operators", "emissions"),
    ("_emit", "emissions"), ("sweep", "temporal"), ("intervals", "temporal"), ("extent", "extents"),
    ("own_ends", "extents"), ("_ends", "extents"), ("grid", "extents"), ("group_operator", "extents"), ("filling", "extents"),
    ("clock", "extents"), ("arrivals", "ordering"), ("sorted_runs", "ordering"), ("ordering", "ordering"), ("_order", "ordering"),
)  # fmt: skip


def families_of(fault: Fault) -> tuple[str, ...]:
    """Those of its room; every second round is of its own family, if one is known."""
    its = room_of(fault).families
    own = next((family for part, family in _OWN if part in f"{fault.file} {fault.says}"), None)
    if own not in its or len(its) == 1:
        return its
    return tuple(chain.from_iterable((own, other) for other in its if other != own))


def room_of(fault: Fault) -> Room:
    """The room that a fault is of."""
    return next(room for room in ROOMS.values() if fault in room.faults)
