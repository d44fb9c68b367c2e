"""The bytes of a state as text, which Spark hands to Python much cheaper.

Spark sends a value of state as a pickle. For a binary column its pickler makes a string with a character per byte, and Python makes
bytes of that string again: 12.6 ms of CPU for each MB that is read. A text of ASCII letters is copied: with base64 at both ends
3.9 ms for each MB that is read and written. The third that base64 adds is less than what zstd saves (`../stream/storage.py`).
"""

import binascii

from pyspark.sql import types as T

# The type of a state variable. Not as a text: Python would ask the JVM to parse it, twice for each variable in each task.
STORED = T.StructType([T.StructField("content", T.StringType())])


def as_text(content: bytes) -> str:
    """For a state variable."""
    return binascii.b2a_base64(content, newline=False).decode("ascii")


def as_bytes(text: str) -> bytes:
    """The inverse of :func:`as_text`. What is no such text comes back as it is: it is not sealed, and is refused."""
    try:
        return binascii.a2b_base64(text)
    except ValueError:
        return text.encode()


def bytes_in_sql(column: str) -> str:
    """The same as an expression of Spark's."""
    return f"unbase64({column})"
