"""``df.iw``: the calls as methods of frames, in the libraries that support accessors."""

import sys
from collections.abc import Callable
from typing import Any

from inwindow.optimizer.explain import Explanation
from inwindow.runtime.explain import explain
from inwindow.runtime.group_by import Grouped, group_by
from inwindow.runtime.select import select
from inwindow.runtime.with_columns import with_columns
from inwindow.udaf.errors import UsageError

NAME = "iw"


class Calls:
    """The calls of inwindow on a frame: ``df.iw.with_columns(...)`` is ``iw.with_columns(df, ...)``."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __repr__(self) -> str:
        return f"{NAME} of a {type(self._frame).__name__}: .with_columns(...), .select(...), .group_by(...) or .explain(...)"

    def with_columns(self, *applied: Any, **named: Any) -> Any:
        """As :func:`inwindow.with_columns`."""
        return with_columns(self._frame, *applied, **named)

    def select(self, *items: Any, **named: Any) -> Any:
        """As :func:`inwindow.select`."""
        return select(self._frame, *items, **named)

    def group_by(self, *keys: Any, **options: Any) -> Grouped:
        """As :func:`inwindow.group_by`."""
        return group_by(self._frame, *keys, **options)

    def explain(self, *applied: Any, **named: Any) -> Explanation:
        """As :func:`inwindow.explain`."""
        return explain(self._frame, *applied, **named)


def add_accessors() -> None:
    """Add ``df.iw`` to the frames of pandas, Polars and pandas-on-Spark, if these libraries are imported.

    >>> import pandas as pd
    >>> import inwindow as iw
    >>> iw.add_accessors()
    >>> bids = pd.DataFrame({"item": ["lamp", "lamp", "sofa"], "price": [10.0, 12.0, 300.0]})
    >>> bids.iw.with_columns(avg2=iw.avg("price").over(iw.rows(2, partition_by="item")))
       item  price   avg2
    0  lamp   10.0   10.0
    1  lamp   12.0   11.0
    2  sofa  300.0  300.0
    """
    found = {name: sys.modules[name] for name in _WAYS if name in sys.modules}
    if not found:
        raise UsageError(
            f"add_accessors(): none of {', '.join(_WAYS)} is imported yet: import it, then call add_accessors()"
        )
    for name, library in found.items():
        for frame, register in _WAYS[name](library):
            its = getattr(frame, NAME, None)
            if its is None:
                register(NAME)(Calls)
            elif its is not Calls:
                raise UsageError(
                    f"add_accessors(): {name}.{frame.__name__}.{NAME} is there already, of {its.__module__}: write "
                    "iw.with_columns(df, ...)"
                )


Register = Callable[[str], Callable[[type], type]]


def _of_polars(polars: Any) -> list[tuple[Any, Register]]:
    return [
        (polars.DataFrame, polars.api.register_dataframe_namespace),
        (polars.LazyFrame, polars.api.register_lazyframe_namespace),
    ]


def _of_pandas_on_spark(pandas: Any) -> list[tuple[Any, Register]]:
    from pyspark.pandas.extensions import register_dataframe_accessor

    return [(pandas.DataFrame, register_dataframe_accessor)]


_WAYS: dict[str, Callable[[Any], list[tuple[Any, Register]]]] = {
    "pandas": lambda pandas: [(pandas.DataFrame, pandas.api.extensions.register_dataframe_accessor)],
    "polars": _of_polars,
    "pyspark.pandas": _of_pandas_on_spark,
}
