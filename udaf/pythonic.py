"""Values of a column as Python values. Arrow has dates and timestamps beyond the year 9999, where Python's end."""

from typing import Any

import pyarrow as pa

from inwindow.udaf.errors import DataError


def pythonic(values: pa.Array, what: str) -> list[Any]:
    """The values as a list; a DataError that names the first one that Python cannot represent.

    >>> pythonic(pa.array([0], pa.date32()), "'day'")
    [datetime.date(1970, 1, 1)]
    """
    try:
        listed: list[Any] = values.to_pylist()
    except (OverflowError, ValueError):
        beyond = next((value for value in values if _is_beyond(value)), None)
        raise DataError(
            f"{what}: {'a date' if beyond is None else text_of(beyond)} is none of Python's dates, which end with the year 9999: "
            "filter such tuples out, or make the value NULL"
        ) from None
    return listed


def text_of(value: pa.Scalar) -> str:
    """A value in a message.

    >>> text_of(pa.scalar(2**30, pa.int32()).cast(pa.date32()))
    '1073741824 as a date32[day]'
    """
    if not _is_beyond(value):
        return str(value.as_py())
    if not pa.types.is_temporal(value.type):
        return f"a {value.type}"
    number = value.cast(pa.int32() if value.type.bit_width == 32 else pa.int64())
    return f"{number.as_py()} as a {value.type}"


def _is_beyond(value: pa.Scalar) -> bool:
    try:
        value.as_py()
    except (OverflowError, ValueError):
        return True
    return False
