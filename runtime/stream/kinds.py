"""Rows of several kinds as one table: a column says the kind of a row, and each kind has a struct of its own.

::

    kind   row              late
    row    {t: 1, n: 1}     NULL          a result
    late   NULL             {t: 2}        a tuple behind the watermark, as it came
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from inwindow.runtime.stream.bucket import whole


def in_kinds(tables: Mapping[str, pa.Table]) -> pa.Table:
    """Tables of the kinds as one table, one kind after the other."""
    lengths = [len(table) for table in tables.values()]
    which = np.repeat(np.arange(len(tables)), lengths)
    columns = [pa.array(list(tables), pa.string()).take(pa.array(which))]
    first = 0
    for number, table in enumerate(tables.values()):
        rows = np.arange(len(which)) - first
        its = pa.array(rows, mask=which != number)
        fields = [column.take(its) for column in whole(table).columns]
        columns.append(pa.StructArray.from_arrays(fields, fields=list(table.schema), mask=pa.array(which != number)))
        first += len(table)
    return pa.table(columns, names=["kind", *tables])
