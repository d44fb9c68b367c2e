"""The aggregates of a statement over their windows, as ``iw.with_columns`` and ``iw.select`` take them."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from inwindow.runtime.spark.sql.before import Before
from inwindow.runtime.spark.sql.calls import Call
from inwindow.runtime.spark.sql.statement import Statement
from inwindow.runtime.spark.sql.text import Source, StatementError
from inwindow.udaf import builtins
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import DefinitionError, UsageError, shown
from inwindow.windows.spec import Order, Rows, Window

BUILT_IN: dict[str, Callable[..., Applied]] = {
    name: function
    for name, function in vars(builtins).items()
    if inspect.isfunction(function) and function.__module__ == builtins.__name__ and not name.startswith("_")
}


@dataclass(frozen=True)
class Windows:
    """The calls of a statement, over columns of the data."""

    statement: Statement
    registered: dict[str, Any]
    data: Before

    @property
    def source(self) -> Source:
        """The user's text."""
        return self.statement.source

    def check_yields(self) -> None:
        """All windows must make the same rows."""
        first, *others = self.statement.calls
        for call in others:
            one, two = (self._rows_of(c) for c in (first, call))
            if one != two:
                raise self.source.error(
                    f"iw.sql: the windows of one SELECT make the same rows, but {first.label} has {one} and {call.label} has "
                    f"{two}: use an iw.sql for each",
                    call.span,
                )
            if self._places(first) != self._places(call):
                raise self.source.error(
                    f"iw.sql: with {one}, all windows of one SELECT have the same PARTITION BY and ORDER BY, but those of "
                    f"{first.label} and {call.label} differ: use an iw.sql for each",
                    call.span,
                )

    def _rows_of(self, call: Call) -> str:
        over = call.over
        if over.active_expiration:
            return "ACTIVE EXPIRATION"
        if over.slide is None:
            return "no SLIDE"
        return f"SLIDE {over.slide}{' tuples' if isinstance(over.frame, Rows) else ' in order values'}"

    def _places(self, call: Call) -> Any:
        window = self._window(call)
        return window.partition_by, window.order_by

    def applied(self, call: Call) -> Applied:
        try:
            one = self._made(call)
            if call.condition is not None:
                one = one.filter(self.data.column(call.condition))
            return replace(one, shown=call.label).over(self._window(call))
        except StatementError:
            raise
        except (UsageError, DefinitionError) as error:
            raise self.source.error(f"iw.sql: {error}", call.span) from None

    def _made(self, call: Call) -> Applied:
        """The aggregate on its columns."""
        registered = self.registered.get(call.name)
        function = registered or BUILT_IN[call.name]
        arguments = call.arguments
        texts = [self.source[span].strip().upper() for span in arguments]
        options: dict[str, Any] = {}
        if call.distinct:
            if call.name != "count" or registered is not None:
                raise UsageError(f"{call.name}(DISTINCT ...) is not supported: only count(DISTINCT ...) is")
            function = builtins.count_distinct
        if registered is None and call.name in ("first", "last"):
            if len(texts) == 2 and texts[1] in ("TRUE", "FALSE"):
                arguments, options = arguments[:1], {"ignorenulls": texts[1] == "TRUE"}
            if call.ignore_nulls is not None:
                options = {"ignorenulls": call.ignore_nulls}
        elif call.ignore_nulls is not None:
            raise UsageError(
                f"{call.label}: IGNORE NULLS is for first and last; a class says nulls='skip' or nulls='pass'"
            )
        try:
            one = function(*[self.data.column(span) for span in arguments], **options)
        except TypeError as error:
            raise UsageError(f"{call.label}: {error}") from None
        if not isinstance(one, Applied):
            raise UsageError(
                f"{call.label}: what is registered gives {shown(one)}, not an aggregate applied to columns"
            )
        return one

    def _window(self, call: Call) -> Window:
        over = call.over
        orders = (Order(self.data.column(key.expression), key.ascending, key.nulls_first) for key in over.order_by)
        return Window(
            over.frame,
            tuple(self.data.column(key) for key in over.partition_by),
            tuple(orders),
            slide=over.slide,
            active_expiration=over.active_expiration,
        )
