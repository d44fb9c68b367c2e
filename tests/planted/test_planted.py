"""Planted faults: each can still be planted, and the fuzzer sees some of them at once. All of them: `make thorough`."""

import re

import pytest

from .fault import Fault
from .found import kept
from .rooms import FAULTS, ROOMS, room_of
from .table import PAGE, table
from .trying import fuzzed

# One of each kind that the fuzzer sees within its first rounds, in Python, so that nothing is compiled here.
SEEN_AT_ONCE = (
    "GROUPS: the last group of a frame is left out",
    "new partials are put before the older ones",
    "a tuple at the watermark is late",
)


@pytest.mark.parametrize("room", ROOMS)
def test_each_fault_can_be_planted(room: str) -> None:
    assert not (cannot := [why for fault in ROOMS[room].faults if (why := not_planted(fault))]), "\n".join(cannot)


def not_planted(fault: Fault) -> str | None:
    """Why a fault cannot be planted any more; its line may have changed."""
    try:
        planted = fault.planted()
        if not fault.is_compiled:
            compile(planted, fault.file, "exec")
    except (ValueError, SyntaxError) as error:
        return f"{fault.says}: {error}"
    return None


def test_each_fault_is_one_and_is_said_once() -> None:
    every = [fault for room in ROOMS.values() for fault in room.faults]
    assert len(FAULTS) == len(every) >= 200
    said = [fault.says for fault in every]
    twice = {one for one in said if said.count(one) > 1}
    assert not twice, "who reads what lives must know which one it is"
    assert not [fault.says for fault in every if len(fault.says) > 132 or re.search(r"[.|`]$", fault.says)]


@pytest.mark.parametrize("says", SEEN_AT_ONCE)
def test_the_fuzzer_sees_a_fault(says: str) -> None:
    (fault,) = [one for one in FAULTS.values() if one.says == says]
    found = fuzzed(fault.id, seconds=30, families=room_of(fault).families)
    assert found["by"] is not None, found


def test_the_tables_on_the_page_are_of_what_was_found() -> None:
    assert f"\n{table()}\n" in PAGE.read_text(encoding="utf-8"), "run python -m tests.planted --table"


def test_what_is_kept_is_of_faults_that_are_there() -> None:
    assert kept().keys() <= FAULTS.keys(), "a fault was changed: run python -m tests.planted, which tries it anew"


def test_a_fault_that_is_not_there_any_more_says_so() -> None:
    with pytest.raises(ValueError, match="is there 0 times, not once: write the fault anew"):
        Fault("windows/bounds.py", "no such text", "", "nothing").planted()
