"""Names of other libraries, and what to write instead: the error for ``iw.quantile`` suggests ``iw.percentile('x', 0.5)``.

Names are compared without underscores and case: ``groupBy``, ``groupby`` and ``GROUP_BY`` are the same guess.
"""

import difflib
from collections.abc import Iterable, Mapping

from inwindow.udaf.errors import UnknownNameError

_ROLLING = ".over(iw.rows(50, order_by='ts'))"
_SO_FAR = ".over(iw.unbounded(order_by='ts'))"

NAMES = {  # functions: an expression to write instead
    # pandas, Polars
    "quantile": "iw.percentile('x', 0.5)",
    "nunique": "iw.count_distinct('x')",
    "average": "iw.avg('x')",
    "var": "iw.var_samp('x')",
    "skew": "iw.skewness('x')",
    "kurt": "iw.kurtosis('x')",
    "cov": "iw.covar_samp('x', 'y')",
    "prod": "iw.product('x')",
    "len": "iw.count()",
    "size": "iw.count()",
    "nth": "iw.nth_value('x', 2)",
    "idxmax": "iw.max_by('ts', 'x')",
    "idxmin": "iw.min_by('ts', 'x')",
    "argmax": "iw.max_by('ts', 'x')",
    "argmin": "iw.min_by('ts', 'x')",
    "implode": "iw.collect_list('x')",
    "rolling": f"iw.avg('x'){_ROLLING}",
    "rollingmean": f"iw.avg('x'){_ROLLING}",
    "rollingsum": f"iw.sum('x'){_ROLLING}",
    "rollingmin": f"iw.min('x'){_ROLLING}",
    "rollingmax": f"iw.max('x'){_ROLLING}",
    "rollingstd": f"iw.stddev('x'){_ROLLING}",
    "rollingvar": f"iw.var_samp('x'){_ROLLING}",
    "rollingmedian": f"iw.median('x'){_ROLLING}",
    "rollingquantile": f"iw.percentile('x', 0.5){_ROLLING}",
    "rollingcount": f"iw.count('x'){_ROLLING}",
    "rollingrank": f"iw.rank('x'){_ROLLING}",
    "expanding": f"iw.avg('x'){_SO_FAR}",
    "cumsum": f"iw.sum('x'){_SO_FAR}",
    "cummax": f"iw.max('x'){_SO_FAR}",
    "cummin": f"iw.min('x'){_SO_FAR}",
    "cumprod": f"iw.product('x'){_SO_FAR}",
    "cumcount": f"iw.count(){_SO_FAR}",
    "ewm": f"iw.ewm_avg('x', alpha=0.1){_SO_FAR}",
    "ewmmean": f"iw.ewm_avg('x', alpha=0.1){_SO_FAR}",
    "ewmmeanby": f"iw.ewm_avg('x', half_life=10, times='ts', adjust=False){_SO_FAR}",
    "shift": f"iw.lag('x'){_SO_FAR}",
    "diff": f"iw.lag('x'){_SO_FAR}",
    "resample": "iw.group_by(df).window(iw.tumble('ts', size=10))",
    "groupbydynamic": "iw.group_by(df).window(iw.hop('ts', size=10, every=5))",
    # Spark, SQL
    "partitionby": "iw.rows(50, partition_by='item', order_by='ts')",
    "orderby": "iw.rows(50, partition_by='item', order_by='ts')",
    "over": "iw.avg('x').over(iw.rows(50, partition_by='item', order_by='ts'))",
    "agg": "iw.group_by(df, 'item').agg(a=iw.avg('x'))",
    "withcolumn": "iw.with_columns(df, a=iw.avg('x').over(iw.rows(50, order_by='ts')))",
    "window": "iw.tumble('ts', size='1 hour')",
    "sessionwindow": "iw.session('ts', gap='30 minutes')",
    "percentilecont": "iw.percentile('x', 0.5)",
    "aggregator": "iw.udaf(aggregator)",
    # Flink, Beam, Kafka Streams
    "sliding": "iw.hop('ts', size='1 hour', every='5 minutes')",
    "slidingwindow": "iw.hop('ts', size='1 hour', every='5 minutes')",
    "slide": "iw.rows(50, order_by='ts', slide=10)",
    "hopping": "iw.hop('ts', size='1 hour', every='5 minutes')",
    "tumbling": "iw.tumble('ts', size='1 hour')",
    "fixed": "iw.tumble('ts', size='1 hour')",
    "sessions": "iw.session('ts', gap='30 minutes')",
}

ELSEWHERE = {  # names for which there is no expression
    "col": "a column is its name, as in iw.avg('price'), or an expression of your library",
    "expr": "a column is its name, as in iw.avg('price'), or an expression of your library",
    "pandasudf": "an aggregate of your own is a class: class MyAvg(iw.WindowAggregate)",
    "udf": "an aggregate of your own is a class: class MyAvg(iw.WindowAggregate)",
    "aggregatefunction": "an aggregate of your own is a class: class MyAvg(iw.WindowAggregate)",
}

OPTIONS = {  # keywords of calls: their names here
    "lateness": ("allowed_lateness",),
    "late": ("allowed_lateness",),
    "errors": ("on_error",),
    "partition": ("partition_by",),
    "partitions": ("partition_by",),
    "groupby": ("partition_by",),
    "key": ("partition_by", "keys"),
    "order": ("order_by",),
    "sort": ("order_by",),
    "sortby": ("order_by",),
    "on": ("order_by",),
    "ts": ("order_by", "on"),
    "timecolumn": ("on", "order_by"),
    "n": ("size", "k"),
    "rows": ("size",),
    "width": ("size",),
    "length": ("size",),
    "window": ("size",),
    "windowsize": ("size",),
    "windowduration": ("size",),
    "duration": ("size",),
    "interval": ("size", "gap"),
    "period": ("every", "slide", "size"),
    "step": ("every", "slide"),
    "hop": ("every",),
    "slideduration": ("every", "slide"),
    "timeout": ("gap",),
    "inactivity": ("gap",),
    "gapduration": ("gap",),
    "offset": ("origin", "lag"),
    "starttime": ("origin",),
    "minperiods": ("min_count",),
    "minsamples": ("min_count",),
    "q": ("percentage",),
    "p": ("percentage",),
    "alpha": ("decay", "alpha"),
    "by": ("partition_by", "keys", "times"),
    "decay": ("alpha",),
    "ignorena": ("ignore_nulls",),
    "ignorenulls": ("ignorenulls", "ignore_nulls"),
    "nullslast": ("nulls_first",),
    "sep": ("delimiter", "separator"),
}

_ALONE = "iw.with_columns(df, a=...), and then compute on the column 'a'"
OF_APPLIED = {  # methods of an aggregate applied to columns
    "over": ".over(window)",
    "alias": ".alias('name')",
    "as": ".alias('name')",
    "label": ".alias('name')",
    "rename": ".alias('name')",
    "filter": ".filter(condition)",
    "where": ".filter(condition)",
    "window": ".over(window)",
    "rolling": f"{_ROLLING}",
    "expanding": f"{_SO_FAR}",
    "partitionby": ".over(iw.rows(50, partition_by='item', order_by='ts'))",
    "orderby": ".over(iw.rows(50, partition_by='item', order_by='ts'))",
    "rowsbetween": ".over(iw.rows_between(-49, 0, order_by='ts'))",
    "rangebetween": ".over(iw.range_between(-300, 0, order_by='ts'))",
    "cast": _ALONE,
    "round": _ALONE,
    "fillna": _ALONE,
    "isnull": _ALONE,
    "shift": ".over(window, lag=1)",
    "lag": ".over(window, lag=1)",
}
OF_WINDOW = {  # methods of PySpark's Window
    "partitionby": "iw.rows(50, partition_by='item', order_by='ts')",
    "orderby": "iw.rows(50, partition_by='item', order_by='ts')",
    "rowsbetween": "iw.rows_between(-49, 0, partition_by='item', order_by='ts')",
    "rangebetween": "iw.range_between(-300, 0, partition_by='item', order_by='ts')",
    "over": "iw.avg('x').over(window)",
    "apply": "iw.with_columns(df, a=iw.avg('x').over(window))",
    "avg": "iw.avg('x').over(window)",
    "mean": "iw.avg('x').over(window)",
    "sum": "iw.sum('x').over(window)",
    "agg": "iw.with_columns(df, a=iw.avg('x').over(window))",
}
OF_GROUPED = {  # methods of iw.group_by(...), besides built-ins
    "tumble": ".window(iw.tumble('ts', size=10)).agg(a=iw.avg('x'))",
    "hop": ".window(iw.hop('ts', size=10, every=5)).agg(a=iw.avg('x'))",
    "cumulate": ".window(iw.cumulate('ts', size=10, every=5)).agg(a=iw.avg('x'))",
    "session": ".window(iw.session('ts', gap=10)).agg(a=iw.avg('x'))",
    "resample": ".window(iw.tumble('ts', size=10)).agg(a=iw.avg('x'))",
    "over": "iw.with_columns(df, a=iw.avg('x').over(iw.rows(50, partition_by='item', order_by='ts')))",
    "rolling": "iw.with_columns(df, a=iw.avg('x').over(iw.rows(50, partition_by='item', order_by='ts')))",
    "withcolumns": "iw.with_columns(df, a=iw.avg('x').over(iw.rows(50, partition_by='item', order_by='ts')))",
    "apply": ".agg(a=MyAvg()('x')), of an aggregate class",
    "applyinpandas": ".agg(a=MyAvg()('x')), of an aggregate class",
    "aggregate": ".agg(a=iw.avg('x'))",
    "size": ".agg(n=iw.count())",
    "count": ".agg(n=iw.count())",
    **{
        name: f".agg(a=iw.{name}('x'))"
        for name in ("avg", "mean", "sum", "min", "max", "first", "last", "median", "stddev")
    },
    "nunique": ".agg(a=iw.count_distinct('x'))",
    "quantile": ".agg(a=iw.percentile('x', 0.5))",
    "having": ".agg(...), and filter the result",
    "filter": ".agg(a=iw.avg('x').filter(condition))",
}

BOUNDED = {"rows": "rows_between", "range": "range_between"}  # frames of a size: those of two bounds


INSTEAD = {  # of options that no call has: what to write
    "descending": "for a descending order write order_by=iw.desc('ts')",
    "ascending": "for a descending order write order_by=iw.desc('ts')",
    "reverse": "for a descending order write order_by=iw.desc('ts')",
    "desc": "for a descending order write order_by=iw.desc('ts')",
    "pct": "shares are iw.percent_rank('x') and iw.cume_dist('x')",
    "center": "a frame around the tuple is iw.rows_between(-2, 2)",
    "closed": "a frame's bounds are in it; iw.range_between(...) and lag= move them",
    "window": "an extent goes behind group_by: iw.group_by(df, 'item').window(iw.tumble('ts', size='1 hour'))",
}


def instead_of_option(name: str) -> str | None:
    """What to write in place of an option that no call has."""
    return INSTEAD.get(_flat(name))


def unknown_name(name: str, public: Iterable[str]) -> UnknownNameError:
    """The error for ``iw.name``.

    >>> print(unknown_name("nunique", []))
    module 'inwindow' has no attribute 'nunique': write iw.count_distinct('x')
    """
    said = f"module 'inwindow' has no attribute {name!r}"
    public = [one for one in public if not one.startswith("_")]
    flat = {_flat(one): one for one in (*ELSEWHERE, *NAMES, *public)}
    if name == "Window":  # PySpark's; "window" is a function
        return UnknownNameError(f"{said}: write {NAMES['partitionby']}, or take pyspark.sql.Window")
    close = [_flat(name)] if _flat(name) in flat else difflib.get_close_matches(_flat(name), flat, 1, 0.75)
    if not close:
        return UnknownNameError(said)
    found = flat[close[0]]
    if found in public:
        return UnknownNameError(f"{said}: did you mean iw.{found}?")
    return UnknownNameError(f"{said}: {ELSEWHERE[found] if found in ELSEWHERE else f'write {NAMES[found]}'}")


def unknown_attribute(what: str, name: str, guesses: Mapping[str, str]) -> AttributeError:
    """The error for a method that ``what`` does not have.

    >>> print(unknown_attribute("an applied aggregate", "rolling", OF_APPLIED))
    an applied aggregate has no 'rolling': write .over(iw.rows(50, order_by='ts'))
    """
    said = f"{what} has no {name!r}"
    if name.startswith("_"):
        return AttributeError(said)  # Python looks for such names, and does not expect them
    close = difflib.get_close_matches(_flat(name), guesses, 1, 0.75)
    return UnknownNameError(f"{said}: write {guesses[close[0]]}" if close else said)


def near_option(name: str, options: Iterable[str]) -> str | None:
    """The option that a keyword means, among those that a call takes.

    >>> near_option("orderBy", ["partition_by", "order_by"]), near_option("timeout", ["on", "gap"])
    ('order_by', 'gap')
    """
    options, meant = list(options), OPTIONS.get(_flat(name), ())
    for one in options:
        if one in meant or _flat(one) == _flat(name):
            return one
    return next(iter(difflib.get_close_matches(name, options, 1)), None)


def _flat(name: str) -> str:
    return name.replace("_", "").casefold()
