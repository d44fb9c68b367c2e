"""What may happen to an aggregate between two tuples, and to a text between two processes."""

import pickle
import zlib
from importlib.util import find_spec
from typing import Any, TypeVar

from inwindow.native._fresh import freeze, thaw

Its = TypeVar("Its")


def pickled(aggregate: Its) -> Its:
    """The aggregate after its state has been pickled and read again, as on its way to another process.

    What plain pickle knows no module for (a class of your script inside the state) goes by value where there is a
    cloudpickle, as on Spark.

    >>> import inwindow as iw
    >>> class Total(iw.Aggregate):
    ...     def iterate(self, value): self.total = getattr(self, "total", 0) + value
    ...     def terminate(self) -> int: return self.total
    >>> total = Total()
    >>> total.iterate(3)
    >>> pickled(total).terminate()
    3
    """
    again: Any = thaw(aggregate, pickle.loads(_dumped(freeze(aggregate))))
    return again


def _dumped(state: Any) -> bytes:
    try:
        return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        if find_spec("pyspark") is None:
            raise
        from pyspark import cloudpickle

        by_value: bytes = cloudpickle.dumps(state)  # type: ignore[no-untyped-call]
        return by_value


class Rehashed(str):
    """A text with another hash, as the same text has it in another process: sets and hashes must not show in results.

    >>> Rehashed("a", 1) == "a", hash(Rehashed("a", 1)) == hash(Rehashed("a", 2))
    (True, False)
    """

    salt: int

    def __new__(cls, text: str, salt: int) -> "Rehashed":
        """The same text for every ``salt``."""
        self = super().__new__(cls, text)
        self.salt = salt
        return self

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return str.__str__(self), self.salt

    def __hash__(self) -> int:
        return zlib.crc32(f"{self.salt}{str.__str__(self)}".encode("utf-8", "surrogatepass"))

    def __repr__(self) -> str:
        return f"iw.testing.Rehashed({str.__repr__(self)}, {self.salt})"
