"""The text of a Column is the same whenever it is written; and what its Python functions do is told apart."""

from typing import Any

from pyspark.sql import functions as F

from inwindow.runtime.spark.column_functions import digest_of_functions
from inwindow.udaf.applied import column_text


def plus(by: int) -> Any:
    """A UDF, whose text has no ``by``."""
    return F.udf(lambda value: value + by, "int")


def test_a_text_is_the_same_whenever_it_is_written(spark: Any) -> None:
    made = [
        lambda: plus(1)(F.col("v") + F.col("w")) > 5,
        lambda: F.transform("a", lambda x: F.transform("b", lambda y: x + y + F.col("x_7"))),
        lambda: F.aggregate("a", F.lit(0), lambda acc, x: acc + x),
        lambda: F.col("v") * 2 > F.lit("x"),
    ]
    for make in made:
        one, other = make(), make()
        assert column_text(one) == column_text(other) and "@" not in column_text(one) and ".py" not in column_text(one)
        assert digest_of_functions(one) == digest_of_functions(other)
    assert "x_7" in column_text(made[1]())


def test_functions_are_told_by_what_they_do(spark: Any) -> None:
    v = F.col("v")
    columns = [v, plus(1)(v), plus(2)(v), plus(1)(v) > 5, plus(1)(plus(2)(v)), plus(2)(plus(1)(v)), plus(2)(plus(2)(v))]
    digests = [digest_of_functions(column) for column in columns]
    assert digests[0] == "" and digests[1] == digests[3]
    assert len({digests[at] for at in (0, 1, 2, 4, 5, 6)}) == 6
