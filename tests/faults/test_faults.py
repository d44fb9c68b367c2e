"""What was found of faults is whole, and who compares rows sees what is lost; the faults themselves: `make faults`."""

from collections import Counter

import pytest

from .damage import differing
from .found import kept
from .jobs import JOBS, compared, table
from .victims import DRIVERS, WITHIN


@pytest.mark.parametrize("job", JOBS)
def test_a_row_that_is_lost_doubled_or_changed_is_seen(job) -> None:
    rows = job(table(500))
    assert compared(rows.take(list(range(len(rows)))[::-1]), rows) == {"rows": len(rows), "lost": 0, "extra": 0}
    assert compared(rows.slice(1), rows) == {"rows": len(rows) - 1, "lost": 1, "extra": 0}
    doubled = [*range(len(rows)), 7]
    assert compared(rows.take(doubled), rows) == {"rows": len(rows) + 1, "lost": 0, "extra": 1}
    moved = rows.set_column(
        rows.column_names.index("id"), "id", rows["id"].take([len(rows) - 1, *range(1, len(rows) - 1), 0])
    )
    changed = compared(moved, rows)
    assert changed["lost"] == changed["extra"] == 2
    assert differing(Counter("ab"), Counter("bcc")) == (2, 1)


def test_no_fault_that_was_caused_gave_a_wrong_row() -> None:
    for kind, found in kept().items():
        assert not (found.get("lost") or found.get("extra") or found.get("wrong")), kind
        assert not found.get("our_files"), f"{kind}: {found['our_files']} stayed on disk"
        assert found.get("kills", {}).keys() <= {*DRIVERS, *WITHIN}
