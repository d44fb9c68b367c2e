"""A Python worker and its driver are killed: a few of the faults of ``python -m benchmarks.stream_faults``."""

from pathlib import Path

from benchmarks.stream_faults import Trial


def test_no_row_is_lost_none_doubled(tmp_path: Path) -> None:
    trial = Trial(tmp_path, seed=3)
    trial.kill_workers(1)  # of a driver that is then killed, too, inside a micro-batch
    assert all(verdict.identical and verdict.rows for verdict in trial.finish()), "\n".join(trial.log)
