"""How many bytes of tuples a task may hold before it writes sorted runs to disk."""

import os
import re

from inwindow.udaf.errors import UsageError, shown

OPTION = "spark.inwindow.memory"  # of the Spark session
DEFAULT = 64 << 20
_LEAST = 1 << 20
# The share of a worker's memory: tuples, their ordered copy and results are in memory at once, and so is Python itself.
_SHARE = 8
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def bytes_of(text: str) -> int:
    """The number of bytes in the option's value, in Spark's notation for sizes.

    >>> bytes_of("64m"), bytes_of("1 GB"), bytes_of("2000000")
    (67108864, 1073741824, 2000000)
    """
    found = re.fullmatch(r"\s*(\d+)\s*([bkmgt]?)i?b?\s*", text.lower())
    size = int(found[1]) * _UNITS[found[2]] if found else 0
    if size < _LEAST:
        raise UsageError(
            f"{OPTION}={shown(text)} is not a size of at least 1m: write a number with a unit, such as 256m or 1g"
        )
    return size


def allowed(asked: int | None) -> int:
    """In a worker: the option; else a share of ``spark.executor.pyspark.memory`` if that is set; else the default."""
    if asked is not None:
        return asked
    limit = int(os.environ.get("PYSPARK_EXECUTOR_MEMORY_MB") or -1)  # Spark sets it to each worker's part of that
    return DEFAULT if limit <= 0 else max((limit << 20) // _SHARE, _LEAST)


def described(asked: int | None) -> str:
    """The budget in words, for explain.

    >>> described(256 << 20)
    'at most 256 MB of tuples (spark.inwindow.memory)'
    """
    if asked is not None:
        return f"at most {asked >> 20} MB of tuples ({OPTION})"
    return f"at most {DEFAULT >> 20} MB of tuples, or 1/{_SHARE} of spark.executor.pyspark.memory ({OPTION} changes it)"
