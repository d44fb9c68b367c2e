"""``iw.aggregate``: an aggregate written in SQL, as a class."""

from inwindow.language.esl.definition import read_definition
from inwindow.language.esl.written import made_class
from inwindow.language.text import Source, not_too_deep
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown


@says_what_it_takes
def aggregate(text: str) -> type[Aggregate]:
    """The class of an aggregate that is written in SQL, as in ESL; needs sqlglot (``pip install 'inwindow[sql]'``).

    ``.source`` is the generated source, as one would write it in Python. The class is used, derived and compiled like any other.

    >>> import pyarrow as pa
    >>> import inwindow as iw
    >>> MyAvg = iw.aggregate('''
    ...     CREATE AGGREGATE my_avg(next Real) : Real {
    ...         TABLE state(total Real, n Int);
    ...         INITIALIZE: { INSERT INTO state VALUES (next, 1); }
    ...         ITERATE:    { UPDATE state SET total = total + next, n = n + 1; }
    ...         TERMINATE:  { INSERT INTO RETURN SELECT total / n FROM state; }
    ...     }''')
    >>> iw.with_columns(pa.table({"p": [1.0, 2.0, 6.0]}), a=MyAvg()("p").over(iw.rows(2)))["a"].to_pylist()
    [1.0, 1.5, 4.0]
    """
    if not isinstance(text, str) or not text.strip():
        example = "'CREATE AGGREGATE my_avg(next Real) : Real { ... }'"
        raise UsageError(f"iw.aggregate({shown(text)}): an aggregate is a text, as in {example}")
    source = Source(text, "iw.aggregate")
    with not_too_deep(source):
        return made_class(read_definition(source))
