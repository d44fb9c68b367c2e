"""What we know of where a DataFrame's rows lie: Spark itself forgets a partitioning behind a UDF."""

from collections.abc import Collection
from typing import Any

_MARK = "_inwindow_placed"

Clustering = tuple[str, ...]  # the keys by which rows lie together in tasks; none: nothing is known


def clustering_of(df: Any) -> Clustering:
    """What we know of a DataFrame that we made; nothing of one that was made of it, which is another object."""
    clustering: Clustering = vars(df).get(_MARK, ())
    return clustering


def with_clustering(df: Any, clustering: Clustering, names: Collection[str]) -> Any:
    """The DataFrame, with what the next call may use; nothing where a key is not one of ``names``, the columns as they were."""
    setattr(df, _MARK, clustering if all(key in names for key in clustering) else ())
    return df
