"""An aggregate applied to columns: ``my_avg("price").over(w).filter(c).alias("a")``.

Pure data until :func:`inwindow.with_columns` and its kin put it to work. An argument is a column name, an
Arrow expression (``pyarrow.compute.field("a") * 2``) on local data, or a Spark Column on a DataFrame.
"""

import re
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack, cast

from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.failures import Failures
from inwindow.udaf.guesses import OF_APPLIED, unknown_attribute
from inwindow.udaf.sentinel import Sentinel, sentinel_of
from inwindow.udaf.traits import Traits
from inwindow.windows.frames import window_of
from inwindow.windows.interval import count_of
from inwindow.windows.options import LaidOver, OverOptions, shows_options
from inwindow.windows.own_frame import in_own_frame, no_count
from inwindow.windows.spec import Window

_NO_WINDOW: Any = object()
_shows_options = shows_options(OverOptions, {})


@dataclass(frozen=True, eq=False)
class Applied:
    """An aggregate over columns; give it a window with :meth:`over`.

    >>> import inwindow as iw
    >>> iw.avg("price").over(iw.rows(50, partition_by="item", order_by="ts", slide=10)).alias("avg50")
    avg(price) over (partition by item order by ts rows between 49 preceding and current row slide 10) as avg50
    """

    aggregate: Any
    columns: tuple[Any, ...]
    window: Window | None = None
    condition: Any = None
    name: str | None = None
    shown: str | None = None  # the call as the user wrote it, if columns have been computed since
    watch: Sentinel | None = None
    failures: Failures | None = None  # what the call does where a hook raises; None: it fails
    least: int | None = None  # the result is NULL if fewer tuples are seen

    @_shows_options
    def over(self, window: Any = _NO_WINDOW, **options: Unpack[OverOptions]) -> "Applied":
        """Apply over a window: one of ``iw.rows/range/...`` or a ``pyspark.sql.WindowSpec``.

        Options: ``slide=``, ``slide_by=``, ``lag=``, ``origin=``, ``final=``, ``active_expiration=``, ``strategy=``,
        ``min_count=``, as :meth:`min_count`; and ``sentinel=``, as :meth:`sentinel`.
        """
        if window is _NO_WINDOW:
            said = ", ".join(f"{name}={shown(value)}" for name, value in options.items())
            unbounded = (
                f"iw.unbounded({said})" if set(options) <= set(OverOptions.__annotations__) else "iw.unbounded()"
            )
            raise UsageError(f"{self}: over({said}) has no window: write .over({unbounded}), or iw.rows, iw.range")
        watch = options.pop("sentinel", None)
        made = window_of(window, **cast(LaidOver, options))
        if self.traits.frame is not None:
            made = in_own_frame(self.label, made, self.traits.frame)
        over = replace(self, window=made)
        return over if watch is None else over.sentinel(watch)

    def sentinel(self, share: Any) -> "Applied":
        """Fold a share of the results afresh from their tuples, and compare: ``sentinel(0.001)``, or an :class:`iw.Sentinel`.

        Over a window ``.over(w, sentinel=0.001)`` is the same.
        """
        return replace(self, watch=sentinel_of(share))

    def filter(self, condition: Any) -> "Applied":
        """SQL's ``FILTER (WHERE condition)``: tuples that fail it are in the frame, but no hook sees them."""
        if self.traits.frame is not None:
            raise UsageError(
                f"{self}: filter() is for aggregates, and this numbers or reads tuples, all of them: filter the data before"
            )
        if self.condition is not None:
            raise UsageError(f"{self}: filter() is given twice; combine the conditions with & in one filter()")
        if not isinstance(condition, str) and not is_expression(condition):
            raise UsageError(
                f"{self}: filter({shown(condition)}) is not a condition: give the name of a boolean column or a column "
                "expression, as in pyarrow.compute.field('price') > 0"
            )
        return replace(self, condition=condition)

    def min_count(self, count: int) -> "Applied":
        """NULL where hooks see fewer than ``count`` tuples; NULL arguments, and what a filter rejects, do not count.

        Over a window ``.over(w, min_count=10)`` is the same, and so is ``iw.rows(50, min_count=10)``.
        """
        least = count_of(count, f"{self}: min_count")
        if self.traits.frame is not None:
            raise UsageError(f"{self}: {no_count(least)}")
        return replace(self, least=least)

    def alias(self, name: str) -> "Applied":
        """Name the result column."""
        if not isinstance(name, str) or not name:
            raise UsageError(f"{self}: alias({shown(name)}) is not a column name: write alias('name')")
        return replace(self, name=name)

    @property
    def traits(self) -> Traits:
        """What the optimizer knows of the aggregate."""
        traits: Traits = traits_of(self.aggregate)
        return traits

    @property
    def label(self) -> str:
        """The call as a user would write it: ``avg(price)``."""
        return self.shown or f"{self.traits.name}({', '.join(map(column_text, self.columns))})"

    @property
    def output_name(self) -> str:
        """The result's column name: the alias, else the call."""
        return self.name or self.label

    def __repr__(self) -> str:
        condition = "" if self.condition is None else f" filter (where {self.condition})"
        over = "" if self.window is None else f" over {self.window.describe()}"
        alias = "" if self.name is None else f" as {self.name}"
        return f"{self.label}{condition}{over}{alias}"

    if not TYPE_CHECKING:  # a type checker would take any name

        def __getattr__(self, name: str) -> Any:
            raise unknown_attribute("an applied aggregate", name, OF_APPLIED)

    @property  # type: ignore[misc]  # of an object it can be set, of this one not
    def __class__(self) -> type["Applied"]:
        """The class; or an error where another library asks for it, to see whether this is an expression of its own.

        ``isinstance(it, Column)`` looks here, in ``df.withColumn("a", iw.avg("x").over(w))``.
        """
        asking = str(sys._getframe(1).f_globals.get("__name__", ""))
        if asking.startswith(("pyspark.sql.", "pyspark.pandas.", "pandas.", "polars.")):
            raise UsageError(
                f"{self} is an aggregate of inwindow, no column of {asking.partition('.')[0]}: write "
                "iw.with_columns(df, a=...), or iw.select(df, ...), or iw.group_by(df, ...).agg(...)"
            )
        return Applied

    def __bool__(self) -> bool:
        raise UsageError(f"{self} is an expression, not a value: apply it with iw.with_columns(df, name=...)")


def _refusing(sign: str) -> Any:
    def refused(self: Applied, *other: Any) -> Any:
        raise UsageError(
            f"{sign} on {self}: nothing is computed with an aggregate before it is a column: add it as one, "
            "df = iw.with_columns(df, name=...), then compute on the column 'name'"
        )

    return refused


for _sign, _names in {
    "+": "add radd pos", "-": "sub rsub neg", "*": "mul rmul", "/": "truediv rtruediv", "//": "floordiv rfloordiv",
    "%": "mod rmod", "**": "pow rpow", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&": "and rand", "|": "or ror",
    "^": "xor rxor", "~": "invert", "abs()": "abs", "[]": "getitem", "iteration": "iter",
}.items():  # fmt: skip
    for _name in _names.split():
        setattr(Applied, f"__{_name}__", _refusing(_sign))


def traits_of(aggregate: Any) -> Traits:
    """The traits of a user's aggregate (kept by its class) or of a built-in (its own)."""
    traits: Traits = getattr(aggregate, "_traits", None) or aggregate.traits
    return traits


def apply(aggregate: Any, columns: tuple[Any, ...]) -> Applied:
    """Apply ``aggregate`` to ``columns``, checking their number."""
    traits = traits_of(aggregate)
    for column in columns:
        if isinstance(column, Applied):
            raise UsageError(
                f"{traits.name}({column}): an aggregate cannot be an argument of another; add the inner one as a "
                "column first, with iw.with_columns"
            )
        if not isinstance(column, str) and not is_expression(column):
            name = getattr(column, "name", None)
            hint = f": give its name, {name!r}" if isinstance(name, str) else ""
            if type(column).__module__.startswith("polars."):
                hint = ": add it as a column first, df.with_columns(...), or write pyarrow.compute.field('a') * 2"
            elif type(column).__module__.startswith("pandas."):  # df.a * 2 has the name of df.a
                named = f"{hint}; if it is computed," if hint else ":"
                hint = f"{named} add it as a column first, df.assign(...), or write pyarrow.compute.field('a') * 2"
            raise UsageError(
                f"{traits.name}({shown(column)}): an argument is a column name or a column expression, not "
                f"{type(column).__name__}{hint}"
            )
    if traits.arity is not None and len(columns) != traits.arity:
        wanted = ", ".join(traits.parameters) or "no columns"
        raise UsageError(
            f"{traits.name} takes {traits.arity} column{'s' if traits.arity != 1 else ''} ({wanted}) but got "
            f"{len(columns)}: {', '.join(map(str, columns)) or 'none'}"
        )
    return Applied(aggregate, columns)


def column_text(column: Any) -> str:
    """A column as a message shows it: Spark's ``Column<'(a * 2)'>`` is ``(a * 2)``."""
    text = str(column)
    return steady(text[8:-2]) if text.startswith("Column<'") and text.endswith("'>") else text


_ORIGIN = re.compile(
    r",?Origin\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
)  # where an expression was written: line, object
_ATTRIBUTE = re.compile(r"UnresolvedAttribute\(List\(([^()]*)\),None,(?:true|false)\)")
_BINDS = re.compile(r"\(?((?:\w+_\d+(?:, )?)+)\)? ->|LambdaFunction\(")


def steady(text: str) -> str:
    """The text of a Spark Column, the same whenever it is written: no addresses, no lines, variables of functions numbered from 0.

    >>> steady("transform(a, x_12 -> +(x_12, b_12))")
    'transform(a, x_0 -> +(x_0, b_12))'
    >>> steady("aggregate(a, 0, LambdaFunction(+(x_2, y_3), x_2, y_3))")
    'aggregate(a, 0, LambdaFunction(+(x_0, y_1), x_0, y_1))'
    """
    text = _ATTRIBUTE.sub(r"\1", _ORIGIN.sub("", text))
    bound: dict[str, str] = {}
    for found in _BINDS.finditer(text):
        for name in (found[1] or ", ".join(_last_arguments(text, found.end()))).split(", "):
            if re.fullmatch(r"\w+_\d+", name):
                bound.setdefault(name, f"{name.rpartition('_')[0]}_{len(bound)}")
    return re.sub(r"\w+", lambda word: bound.get(word[0], word[0]), text) if bound else text


def _last_arguments(text: str, at: int) -> list[str]:
    """The arguments of a call but for the first, which begins at a place."""
    depth, begin, arguments = 0, at, []
    for place in range(at, len(text)):
        sign = text[place]
        if (sign == "," or sign == ")") and not depth:
            arguments.append(text[begin:place].strip())
            begin = place + 1
            if sign == ")":
                break
        depth += (sign == "(") - (sign == ")")
    return arguments[1:]


def is_expression(column: Any) -> bool:
    """Whether this is a column expression, of Arrow or of Spark; neither needs to be imported."""
    kind = type(column)
    known = (("pyarrow", "Expression"), ("pyspark.sql", "Column"))
    return any(kind.__module__.startswith(package) and kind.__name__ == name for package, name in known)
