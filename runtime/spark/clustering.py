"""By which keys a DataFrame's rows lie together in tasks. We note it ourselves: Spark forgets a partitioning after a UDF."""

from collections.abc import Collection
from typing import Any

_MARK = "_inwindow_placed"

Clustering = tuple[str, ...]  # the keys by which rows lie together in tasks; none: nothing is known


def clustering_of(df: Any) -> Clustering:
    """The clustering of a DataFrame that we made. A DataFrame derived from it is another object, so nothing is known of it."""
    clustering: Clustering = vars(df).get(_MARK, ())
    return clustering


def with_clustering(df: Any, clustering: Clustering, names: Collection[str]) -> Any:
    """Note the clustering on the DataFrame, for the next call; only if all keys are among ``names``, its original columns."""
    setattr(df, _MARK, clustering if all(key in names for key in clustering) else ())
    return df
