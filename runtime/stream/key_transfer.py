"""Take some keys of a bucket's state, as a state of their own; and put them back in place of what a bucket has of them.

::

    state      | a | b | c | d |
    taken          | b |   | d |          continues by itself
    put back   | a | c |  b' d'           the other keys stay as they are, also in their stored chunks
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.runtime.ordering import numbers_of
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.log import ADDRESS

Mask = npt.NDArray[np.bool_]


def rows_of(table: pa.Table, by: Sequence[str], keys: pa.Table) -> Mask:
    """The rows of a table whose key is one of ``keys`` (a table with these columns only, not empty); without a key all are."""
    if not len(table) or not by:
        return np.ones(len(table), dtype=bool)
    number = numbers_of([keys, table], [keys.column_names, by])
    which: Mask = number[len(keys) :] <= number[: len(keys)].max()  # in the order of first appearance
    return which


def taken(bucket: Bucket, keys: pa.Table) -> dict[str, pa.Table]:
    """The state's tables for these keys; nothing of it is in a chunk."""
    by, tables = bucket.by_key(), bucket.tables()
    for name, (log, table) in bucket.logged.items():
        tables[name] = log.addressed(table.drop_columns([ADDRESS]))
    return {name: _of(table, by[name], keys) if name in by else table for name, table in tables.items()}


def _of(table: pa.Table, by: Sequence[str], keys: pa.Table) -> pa.Table:
    return table.filter(pa.array(rows_of(table, by, keys)))


def go_on_with(bucket: Bucket, tables: dict[str, pa.Table], done: int | None) -> None:
    """Let a bucket go on from such tables and the last watermark."""
    bucket.done = done
    bucket.take_logged(tables)
    bucket.take_tables(tables)


def put_back(bucket: Bucket, keys: pa.Table, other: Bucket) -> None:
    """Let a bucket go on with the state that another one has of these keys; both have processed the same watermark."""
    theirs, tables = _every(other), _every(bucket)
    for name, by in bucket.by_key().items():
        table = tables[name]
        others = table.filter(pa.array(~rows_of(table, by, keys)))
        tables[name] = pa.concat_tables([others, theirs[name].select(others.column_names)]).combine_chunks()
    go_on_with(bucket, tables, bucket.done)


def _every(bucket: Bucket) -> dict[str, pa.Table]:
    return {**bucket.tables(), **{name: table for name, (_, table) in bucket.logged.items()}}
