"""All that one stateful operator gives, as one DataFrame: a column says the kind of a row, and each kind has a struct of its own.

::

    kind   row                   late
    row    {item, ts, avg}       NULL                    a result
    late   NULL                  {item, ts, price}       a tuple behind the watermark, as it came
    failed ...                                           a tuple on which a hook raised

From Python the columns of all kinds come side by side, so that each is cast like a column of a plain result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.runtime.spark.buckets import StreamJob, unpack_function
from inwindow.runtime.spark.crossing import named, struct_of
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.types import AsItIs, Result, to_spark


@dataclass(frozen=True)
class Kind:
    """The rows of a kind: their columns as Python gives them, and in the order of the struct."""

    results: Mapping[str, Result]
    order: Sequence[str]
    tuples: Sequence[str] = ()  # the names of the last columns, in a struct of their own


def fields_of(kind: Kind, session: Session, first: int) -> list[Any]:
    """The columns of a kind, which come from the position ``first`` on."""
    fields = named(kind.results, kind.order, session, first)
    if not kind.tuples:
        return fields
    its = fields[-len(kind.tuples) :]
    whole = [field.alias(name) for field, name in zip(its, kind.tuples, strict=True)]
    return [*fields[: -len(kind.tuples)], session.F.struct(*whole).alias("tuple")]


def in_kinds(given: Any, kinds: Mapping[str, Kind], job: StreamJob, session: Session) -> Any:
    """The payloads of turns as rows: ``kind``, and a struct for each kind, NULL in the rows of the others."""
    F = session.F
    crossing = [Result.of(AsItIs(to_spark(pa.string())))]
    columns, first = [F.col("_0").alias("kind")], 1
    for name, kind in kinds.items():
        fields = fields_of(kind, session, first)
        columns.append(F.when(F.col("_0") == name, F.struct(*fields)).alias(name))
        crossing += [replace(result, nullable=True) for result in kind.results.values()]
        first += len(kind.results)
    return given.mapInArrow(unpack_function(job.columns_of_kinds()), struct_of(crossing)).select(*columns)
