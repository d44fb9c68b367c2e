"""Values that hooks give and the result type cannot hold: told with the value and the tuple."""

from datetime import UTC
from decimal import Decimal
from typing import Any

import numpy as np
from bad.hooks import OVER, Mean, over
from bad.input import MOMENT, TABLE, Bad

import inwindow as iw


class GivesAsItArrives(iw.Aggregate, returns="double"):
    def initialize(self, value):
        return str(value)


class GivesOverPanes(iw.Aggregate, returns="double"):
    def iterate(self, value):
        self.value = value

    def merge(self, later):
        self.value = "merged"

    def terminate(self):
        return self.value


ITSELF = object()


def gives(value: Any, returns: Any) -> Any:
    """An aggregate whose ``terminate`` gives a value."""

    class Gives(iw.Aggregate, returns=returns):
        def iterate(self, _):
            self.value = value

        def terminate(self):
            return self.value

    return over(Gives())


# How the messages of `gives` end.
FITTING = (
    ": return a fitting value, or declare another type, as in class Gives(..., returns='...')\n"
    "  in Gives(price), for the frame that ends at item='a', ts=2026-03-01 12:00:00, tuple 1 of its partition"
)
DIGITS = FITTING.replace("value,", "value (at most 3 digits before the point and 2 behind it),")

ROWS = [
    # What does not fit
    Bad(
        "a string",
        lambda: gives("x", float),
        iw.ResultTypeError,
        "Gives.terminate() gave 'x' (str), which does not fit the result type double" + FITTING,
    ),
    Bad(
        "a bool",
        lambda: gives(True, float),
        iw.ResultTypeError,
        "Gives.terminate() gave True (bool), which does not fit the result type double" + FITTING,
    ),
    Bad(
        "a decimal for an integer",
        lambda: gives(Decimal("1.5"), int),
        iw.ResultTypeError,
        "Gives.terminate() gave Decimal('1.5') (Decimal), which does not fit the result type int64" + FITTING,
    ),
    Bad(
        "a decimal that is not a number",
        lambda: gives(Decimal("NaN"), float),
        iw.ResultTypeError,
        "Gives.terminate() gave Decimal('NaN') (Decimal), which does not fit the result type double" + FITTING,
    ),
    Bad(
        "an array",
        lambda: gives(np.array(1.0), float),
        iw.ResultTypeError,
        "Gives.terminate() gave array(1.) (ndarray), which does not fit the result type double" + FITTING,
    ),
    Bad(
        "more than a double",
        lambda: gives(10**400, float),
        iw.ResultTypeError,
        "Gives.terminate() gave "
        "10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000..."
        " (int), which does not fit the result type double" + FITTING,
    ),
    Bad(
        "half an integer",
        lambda: gives(1.5, int),
        iw.ResultTypeError,
        "Gives.terminate() gave 1.5 (float), which does not fit the result type int64" + FITTING,
    ),
    Bad(
        "half an integer of 32 bits",
        lambda: gives(1.5, "int"),
        iw.ResultTypeError,
        "Gives.terminate() gave 1.5 (float), which does not fit the result type int32" + FITTING,
    ),
    Bad(
        "a float of whole value",
        lambda: gives(1.0, "int"),
        iw.ResultTypeError,
        "Gives.terminate() gave 1.0 (float), which does not fit the result type int32" + FITTING,
    ),
    Bad(
        "more than 64 bits",
        lambda: gives(2**64, int),
        iw.ResultTypeError,
        "Gives.terminate() gave 18446744073709551616 (int), which does not fit the result type int64" + FITTING,
    ),
    Bad(
        "more than 16 bits",
        lambda: gives(40_000, "smallint"),
        iw.ResultTypeError,
        "Gives.terminate() gave 40000 (int), which does not fit the result type int16" + FITTING,
    ),
    Bad(
        "a number",
        lambda: gives(3, str),
        iw.ResultTypeError,
        "Gives.terminate() gave 3 (int), which does not fit the result type string" + FITTING,
    ),
    Bad(
        "bytes",
        lambda: gives(b"x", str),
        iw.ResultTypeError,
        "Gives.terminate() gave b'x' (bytes), which does not fit the result type string" + FITTING,
    ),
    Bad(
        "text",
        lambda: gives("x", bytes),
        iw.ResultTypeError,
        "Gives.terminate() gave 'x' (str), which does not fit the result type binary" + FITTING,
    ),
    Bad(
        "one for true",
        lambda: gives(1, bool),
        iw.ResultTypeError,
        "Gives.terminate() gave 1 (int), which does not fit the result type bool" + FITTING,
    ),
    Bad(
        "a time of a day",
        lambda: gives(MOMENT, "date"),
        iw.ResultTypeError,
        "Gives.terminate() gave datetime.datetime(2026, 3, 1, 12, 0) (datetime), which does not fit the "
        "result type date32[day]" + FITTING,
    ),
    Bad(
        "a day of a time",
        lambda: gives(MOMENT.date(), "timestamp"),
        iw.ResultTypeError,
        "Gives.terminate() gave datetime.date(2026, 3, 1) (date), which does not fit the result type "
        "timestamp[us, tz=UTC]" + FITTING,
    ),
    Bad(
        "a number of a time",
        lambda: gives(5, "timestamp"),
        iw.ResultTypeError,
        "Gives.terminate() gave 5 (int), which does not fit the result type timestamp[us, tz=UTC]" + FITTING,
    ),
    Bad(
        "a zone",
        lambda: gives(MOMENT.replace(tzinfo=UTC), "timestamp_ntz"),
        iw.ResultTypeError,
        "Gives.terminate() gave datetime.datetime(2026, 3, 1, 12, 0, tzinfo=datetime.timezone.utc) "
        "(datetime), which does not fit the result type timestamp[us]" + FITTING,
    ),
    Bad(
        "too large a decimal",
        lambda: gives(Decimal(12345), "decimal(5,2)"),
        iw.ResultTypeError,
        "Gives.terminate() gave Decimal('12345') (Decimal), which does not fit the result type "
        "decimal128(5, 2)" + DIGITS,
    ),
    Bad(
        "no decimal",
        lambda: gives(Decimal("NaN"), "decimal(5,2)"),
        iw.ResultTypeError,
        "Gives.terminate() gave Decimal('NaN') (Decimal), which does not fit the result type decimal128(5, 2)" + DIGITS,
    ),
    Bad(
        "no list",
        lambda: gives(3, list[float]),
        iw.ResultTypeError,
        "Gives.terminate() gave 3 (int), which does not fit the result type list<element: double>" + FITTING,
    ),
    Bad(
        "text for a list",
        lambda: gives("abc", list[str]),
        iw.ResultTypeError,
        "Gives.terminate() gave 'abc' (str), which does not fit the result type list<element: string>" + FITTING,
    ),
    Bad(
        "a list of other things",
        lambda: gives([1, 1.5], list[int]),
        iw.ResultTypeError,
        "Gives.terminate() gave [1, 1.5] (list), which does not fit the result type list<element: int64>" + FITTING,
    ),
    Bad(
        "a struct of other fields",
        lambda: gives({"c": 1}, "a int, b string"),
        iw.ResultTypeError,
        "Gives.terminate() gave {'c': 1} (dict), which does not fit the result type struct<a: int32, b: "
        "string>" + FITTING,
    ),
    Bad(
        "a struct of other things",
        lambda: gives({"a": "x"}, "a int, b string"),
        iw.ResultTypeError,
        "Gives.terminate() gave {'a': 'x'} (dict), which does not fit the result type struct<a: int32, b:"
        " string>" + FITTING,
    ),
    Bad(
        "a map of other keys",
        lambda: gives({1: 1.0}, dict[str, float]),
        iw.ResultTypeError,
        "Gives.terminate() gave {1: 1.0} (dict), which does not fit the result type map<string, double>" + FITTING,
    ),
    Bad(
        "itself",
        lambda: gives(ITSELF, float),
        iw.ResultTypeError,
        "Gives.terminate() gave <object object> (object), which does not fit the result type double" + FITTING,
    ),
    Bad(
        "a refusal where none is heard",
        lambda: gives(iw.PUNT, float),
        iw.ResultTypeError,
        "Gives.terminate() gave iw.PUNT (Punt), which does not fit the result type double" + FITTING,
    ),
    Bad(
        "as a tuple arrives",
        lambda: iw.with_columns(TABLE, a=GivesAsItArrives()("price").over(OVER)),
        iw.ResultTypeError,
        "GivesAsItArrives.initialize() gave '1.0' (str), which does not fit the result type double: "
        "return a fitting value, or declare another type, as in class GivesAsItArrives(..., "
        "returns='...')\n"
        "  in GivesAsItArrives(price), at item='a', ts=2026-03-01 12:00:00, tuple 1 of its partition",
    ),
    Bad(
        "over panes",
        lambda: over(GivesOverPanes(), window=iw.rows(4, order_by="t", slide=2)),
        iw.ResultTypeError,
        "GivesOverPanes.terminate() gave 'merged' (str), which does not fit the result type double: "
        "return a fitting value, or declare another type, as in class GivesOverPanes(..., returns='...')\n"
        "  in GivesOverPanes(price), for the frame that ends at t=9, tuple 4 of its partition",
    ),
    Bad(
        "a Spark Aggregator",
        lambda: over(
            iw.udaf(Mean(finish=lambda buffer: "mean" if buffer[1] else 0.0)), window=iw.rows(1, order_by="t")
        ),
        iw.ResultTypeError,
        "Mean.finish() gave 'mean' (str), which does not fit the result type double: return a fitting "
        "value, or declare another type, in outputType\n"
        "  in Mean(price), for the frame that ends at t=1, tuple 1 of its partition",
    ),
]
