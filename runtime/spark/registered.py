"""``iw.register``: give an aggregate a name, for ``iw.sql`` and, as a Spark function, for plain ``spark.sql``."""

import inspect
import re
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import pyarrow as pa

from inwindow.native.compiled import Hooks
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.spark.registered_call import CallJob, call_function, column_names
from inwindow.runtime.spark.session import Session, is_connect
from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.compiled.aggregate import CompiledAggregate
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import InWindowError, UsageError, shown
from inwindow.udaf.traits import Traits
from inwindow.udaf.types import arrow_type
from inwindow.windows.frames import unbounded, window_of
from inwindow.windows.spec import Window


@says_what_it_takes
def register(spark: Any, name: str, aggregate: Any = None, *, over: Any = None, returns: Any = None) -> None:
    """Give SQL an aggregate: an instance of your class, or a built-in such as ``iw.median``.

    :func:`inwindow.sql` accepts it with any window. In plain ``spark.sql`` it is a function of the row number, the columns of
    PARTITION BY and the arguments. Its frame is given here: all tuples so far by default, or another frame of ROWS that does not
    look ahead. There, ``returns=`` gives the type of a built-in if it depends on the arguments. Aggregates with any number of
    arguments, aggregates that yield several values, and Spark 4.0 work only with ``iw.sql``.

    >>> iw.register(spark, "my_avg", my_avg, over=iw.rows(50))  # doctest: +SKIP
    >>> iw.sql(spark, "SELECT item, my_avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 9 PRECEDING) AS a "
    ...     "FROM bids").show()  # doctest: +SKIP
    >>> spark.sql("SELECT *, my_avg(row_number() OVER (PARTITION BY item ORDER BY ts), item, price) AS a "
    ...     "FROM bids").show()  # doctest: +SKIP
    """
    check_session(spark, "register")
    key = _checked_name(spark, name)
    traits = _traits_of(name, aggregate)
    window = _checked_window(name, over)
    reason = _only_for_sql(spark, name, traits, returns)
    if reason is None:
        _register_function(spark, name, aggregate, traits, window, returns)
    elif over is not None or returns is not None:
        given = "over=" if over is not None else "returns="
        raise UsageError(f"register({name!r}): {reason}; iw.sql takes it with any window: drop {given}")
    aggregates_of(spark)[key] = aggregate


class _Aggregates(dict[str, Any]):
    """The aggregates of a session, by name in lower case; a dict that can be referred to weakly."""


# Several Python objects may stand for one session: its aggregates live as long as any of the objects that asked for them.
_KNOWN: WeakValueDictionary[str, _Aggregates] = WeakValueDictionary()
_FINDING = Lock()  # a weak dictionary's setdefault is more than one step
_HELD = "_inwindow_aggregates"


def aggregates_of(spark: Any) -> dict[str, Any]:
    """The aggregates that are registered with a session, by name in lower case."""
    identity = spark.session_id if is_connect(spark) else spark._jsparkSession.sessionUUID()
    with _FINDING:
        known = _KNOWN.setdefault(identity, _Aggregates())
    main = getattr(type(spark), "_instantiatedSession", None)
    same = main is not None and not is_connect(spark) and main._jsparkSession.sessionUUID() == identity
    for holder in (spark, main) if same else (spark,):
        setattr(holder, _HELD, known)
    return known


def check_session(spark: Any, where: str) -> None:
    """The first argument is a session, or an error."""
    kind = type(spark)
    if kind.__name__ != "SparkSession" or not kind.__module__.startswith("pyspark."):
        raise UsageError(
            f"iw.{where}({shown(spark)}, ...): the first argument is the SparkSession: iw.{where}(spark, ...)"
        )


def _checked_name(spark: Any, name: Any) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise UsageError(f"register({shown(name)}): a name is a word of letters, digits and _, as in 'my_avg'")
    known = aggregates_of(spark)
    if name.lower() not in known and _is_sparks(spark, name):
        raise UsageError(
            f"register({name!r}): {name} is a function of Spark's own, and would be hidden: take another name, such as "
            f"'my_{name}'. (iw.sql takes inwindow's built-ins with SLIDE as they are)"
        )
    return name.lower()


def _is_sparks(spark: Any, name: str) -> bool:
    from pyspark.errors import PySparkException

    from inwindow.runtime.spark.analysis import ask_quietly

    try:
        function = ask_quietly(lambda: spark.catalog.getFunction(name))
    except PySparkException:
        return False
    return (function.className or "").startswith("org.apache.spark.sql.catalyst.")


def _traits_of(name: str, aggregate: Any) -> Traits:
    """The traits that are known before the types of the arguments."""
    if isinstance(aggregate, Applied):
        raise UsageError(f"register({name!r}, {aggregate}): give the aggregate without columns; SQL says them")
    if isinstance(aggregate, type):
        it = aggregate.__name__
        raise UsageError(f"register({name!r}, {it}): {it} is a class: make one, as in {it}()")
    if isinstance(aggregate, Aggregate):
        traits = type(aggregate)._traits
        assert traits is not None
        return traits
    if isinstance(aggregate, (CompiledAggregate, Hooks)):
        return aggregate.traits
    if not callable(aggregate):
        raise UsageError(
            f"register({name!r}, {shown(aggregate)}): give an instance of your class, or a built-in such as iw.median"
        )
    try:
        needed = [p for p in inspect.signature(aggregate).parameters.values() if p.default is p.empty]
        given = ["column" for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        any_number = any(p.kind is p.VAR_POSITIONAL for p in needed)
        one = aggregate(*given or (["column"] if any_number else []))
    except InWindowError:
        raise
    except Exception as error:
        raise UsageError(
            f"register({name!r}, {shown(aggregate)}): calling it with a column's name gave {type(error).__name__}: {error}; "
            "give an instance of your class, or a built-in such as iw.median"
        ) from None
    if not isinstance(one, Applied):
        raise UsageError(
            f"register({name!r}, {shown(aggregate)}): it gives {shown(one)}; give an instance of your class, or a built-in such "
            "as iw.median"
        )
    return one.traits


def _checked_window(name: str, over: Any) -> Window:
    window = unbounded() if over is None else window_of(over)
    if window.partition_by or window.order_by:
        raise UsageError(
            f"register({name!r}, over={window.describe()}): PARTITION BY and ORDER BY are said in SQL, by "
            "row_number() OVER (...): give the frame alone, as in over=iw.rows(50)"
        )
    if window.looks_ahead:
        raise UsageError(
            f"register({name!r}, over={window.describe()}): Spark moves a LIMIT below a function, so a registered one may not "
            "depend on tuples behind the current one: give a ROWS frame that ends at the current tuple or before it, and a slide "
            "in tuples; for others use iw.sql or iw.with_columns, and drop over="
        )
    return window


def _only_for_sql(spark: Any, name: str, traits: Traits, returns: Any) -> str | None:
    """Why an aggregate cannot be a Spark function; None if it can."""
    if why := Session.of(spark.range(0)).why_no_udf:
        return f"it cannot be a function of spark.sql ({why})"
    if traits.arity is None:
        return f"{traits.name} takes any number of arguments, so a call would not say which of its arguments are keys"
    if traits.emits_many:
        return f"{traits.name} yields any number of values per tuple, and a function gives one"
    if traits.result is None and returns is None:
        return f"the type of {traits.name} depends on its arguments, and Spark must know it now: give returns='double'"
    if traits.result is not None and returns is not None:
        return f"{traits.name} says its type itself, {traits.result}"
    return None


def _register_function(spark: Any, name: str, aggregate: Any, traits: Traits, window: Window, returns: Any) -> None:
    from inwindow.runtime.spark.shipping import shipped  # `from inwindow import *` works without pyspark
    from inwindow.runtime.spark.types import to_spark

    session = Session.of(spark.range(0))
    result = arrow_type(returns) if traits.result is None else traits.result
    job = CallJob(
        work=_plan(name, aggregate, traits, window, session.ansi),
        name=name,
        aggregate=aggregate,
        parameters=traits.parameters,
        window=window,
        **session.planning,
        result=result,
        memory=session.memory,
    )
    # Spark's optimizer moves deterministic functions through sorts, which changes the order of the tuples.
    udf = session.F.arrow_udf(call_function(shipped(job)), to_spark(result)).asNondeterministic()
    spark.udf.register(name, udf)


def _plan(name: str, aggregate: Any, traits: Traits, window: Window, ansi: bool) -> Pass:
    """A first plan: a class can be checked and shipped before the types of its arguments are known."""
    if not isinstance(aggregate, Aggregate):
        return Pass((), (), (), None, None, False)
    names = column_names(0, traits.parameters)
    kind = traits.result if traits.algebraic and not traits.has_merge else pa.float64()
    schema = pa.schema([pa.field(column, kind) for column in names])
    (work,) = plan_windows(schema, {name: aggregate(*names).over(window)}, ansi=ansi)
    return work
