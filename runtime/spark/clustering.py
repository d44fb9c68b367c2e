"""What we know of where a DataFrame's rows lie: Spark itself forgets a partitioning behind a UDF."""

from collections.abc import Collection
from typing import Any

_MARK = "_inwindow_placed"

Placed = tuple[str, ...]  # the keys by which rows lie together in tasks; none: nothing is known


def placed_of(df: Any) -> Placed:
    """What we know of a DataFrame that we made; nothing of one that was made of it, which is another object."""
    placed: Placed = vars(df).get(_MARK, ())
    return placed


def marked(df: Any, placed: Placed, names: Collection[str]) -> Any:
    """The DataFrame, with what the next call may use; nothing where a key is not one of ``names``, the columns as they were."""
    setattr(df, _MARK, placed if all(key in names for key in placed) else ())
    return df
