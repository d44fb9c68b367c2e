"""The C hooks keep their promises, and give what the plain definition gives."""

import math

import pyarrow as pa
import pytest
from my_aggregates import Decayed, MyAvg, Odd, Vwap

import inwindow as iw


@pytest.mark.parametrize("aggregate", [MyAvg(), Decayed(3.0), Odd()], ids=repr)
def test_promises(aggregate):
    iw.testing.check(aggregate, examples=20)


def test_average():
    table = pa.table({"price": [1.0, 2.0, math.nan, 6.0, None, 4.0]})
    given = iw.with_columns(table, a=MyAvg()("price").over(iw.rows(2)))["a"].to_pylist()
    assert str(given) == "[1.0, 1.5, nan, nan, 6.0, 4.0]"


def test_weighted():
    table = pa.table({"price": [1.0, 3.0, 5.0], "volume": [0, 1, 3]})
    given = iw.with_columns(table, a=Vwap()("price", "volume").over(iw.rows(2)))["a"].to_pylist()
    assert given == [None, 3.0, 4.5]
