"""Tables run as an engine's worker runs them: tuples in any order, sorted runs on disk above a budget, results back in order."""

from typing import Any

import pyarrow as pa

from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.arrivals import ROW_FIELD
from inwindow.runtime.tasks import ResultColumns, Room
from inwindow.runtime.with_columns import EveryRow


def in_a_task(table: pa.Table, size: int, budget: int, **applied: Any) -> dict[str, list[Any]]:
    """The results of a task that may hold ``budget`` bytes, on batches of ``size`` rows."""
    passes = plan_windows(table.schema, applied)
    parts = tuple(EveryRow(work, (ROW_FIELD.name,)) for work in passes)
    task = ResultColumns(parts, (tuple(table.column_names),) * len(parts))
    names = [step.name for work in passes for step in work.steps]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for batch in task.run(iter(table.to_batches(max_chunksize=size)), table.schema, Room(budget, lambda written: None)):
        for name, column in zip(names, batch.columns, strict=True):
            columns[name] += column.to_pylist()
    return columns
