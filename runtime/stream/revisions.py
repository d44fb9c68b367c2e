"""The revisions of rows: which row replaces which, and how often that has happened.

::

    before      1 a 10 | 1 b 20 | 2 a 30              rows that were given, by identity
    now         1 a 10 | 1 b 25 |        | 3 a 40     rows over all tuples that are known now
    come out             1 b 25   2 a 30   3 a 40     replaced (revision 1), withdrawn (revision 1), new (revision 0)

The numbers of replaced and withdrawn rows are kept as long as their rows may change again. Rows that never changed need no entry.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.runtime.ordering import numbers_of
from inwindow.runtime.unpacked import empty_table

REVISION, WITHDRAWN = "iw_revision", "iw_withdrawn"
_UNTIL, _AWAY = "until", "away"

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


class Revisions:
    """The rows of a bucket that were replaced or withdrawn, by the columns that identify them."""

    def __init__(self, identity: pa.Schema) -> None:
        self.names = identity.names
        own = [pa.field(REVISION, pa.int32()), pa.field(_AWAY, pa.bool_()), pa.field(_UNTIL, pa.int64())]
        # By position, as names may be ours
        fields = [pa.field(f"_{at}", field.type) for at, field in enumerate(identity)]
        self.by = [field.name for field in fields]
        self.table = empty_table(pa.schema([*fields, *own]))

    def first(self, rows: pa.Table, until: int) -> pa.Table:
        """Rows that come in due course; one that was withdrawn comes again under its next number."""
        if not len(rows) or not self.table.column(_AWAY).combine_chunks().true_count:
            return _marked(rows, np.zeros(len(rows), dtype=np.int64), withdrawn=False)
        number = self._known(rows, np.full(len(rows), -1)) + 1
        given = _marked(rows, number, withdrawn=False)
        self._keep(given.filter(pa.array(number > 0)), until)
        return given

    def compared(self, before: pa.Table, now: pa.Table, until: int) -> pa.Table:
        """What must come out, so that who has the rows ``before`` gets to the rows ``now``."""
        every = before.column_names
        row = numbers_of([before, now], [every, every])
        identity = numbers_of([before, now], [self.names, self.names])
        at = len(before)
        is_other = ~np.isin(row[at:], row[:at])
        was_there = np.isin(identity[at:], identity[:at])
        replaced = now.filter(pa.array(is_other))
        number = self._known(replaced, was_there[is_other].astype(np.int64) - 1) + 1
        gone = before.filter(pa.array(~np.isin(identity[:at], identity[at:])))
        parts = [
            _marked(replaced, number, withdrawn=False),
            _marked(gone, self._known(gone, np.zeros(len(gone), dtype=np.int64)) + 1, withdrawn=True),
        ]
        given = pa.concat_tables(parts)
        self._keep(given.filter(pa.array(given.column(REVISION).to_numpy() > 0)), until)
        return given

    def forget(self, until: int) -> None:
        """Forget the rows that no tuple before this watermark can change any more."""
        if len(self.table):
            self.table = self.table.filter(pa.array(self.table.column(_UNTIL).to_numpy() > until)).combine_chunks()

    def _known(self, rows: pa.Table, number: Numbers) -> Numbers:
        """The newest numbers of rows; ``number`` where a row has no entry."""
        if not len(self.table) or not len(rows):
            return number
        which = numbers_of([self.table, rows], [self.by, self.names])
        known, its = which[: len(self.table)], which[len(self.table) :]
        found = its <= known.max()  # numbers ascend by first appearance, and no entry comes twice
        number[found] = self.table.column(REVISION).to_numpy()[its[found]]
        return number

    def _keep(self, rows: pa.Table, until: int) -> None:
        """Remember the numbers of rows that have just come out, until the watermark is so far."""
        if not len(rows):
            return
        added = pa.table(
            [*(rows.column(name) for name in self.names), rows.column(REVISION), rows.column(WITHDRAWN),
             pa.array(np.full(len(rows), until))],
            schema=self.table.schema,
        )  # fmt: skip
        kept = self.table
        if len(kept):
            which = numbers_of([added, kept], [self.by, self.by])
            kept = kept.filter(pa.array(which[len(added) :] > which[: len(added)].max()))
        self.table = pa.concat_tables([kept, added]).combine_chunks()


def _marked(rows: pa.Table, number: Numbers, *, withdrawn: bool) -> pa.Table:
    marks = pa.array(np.full(len(rows), withdrawn))
    return rows.append_column(REVISION, pa.array(number, pa.int32())).append_column(WITHDRAWN, marks)
