"""Random choices from one seed, the same on every machine and every Python."""

import random
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Choices that follow from what is given: a seed, the name of a family, the number of a round.

    Only the words of the Mersenne twister are used, which no version of Python changes; ``random.choice`` and its kin have changed.

    >>> Draw(7, "frames", 12).between(1, 6) == Draw(7, "frames", 12).between(1, 6)
    True
    """

    def __init__(self, *seeds: object) -> None:
        said = "/".join(map(str, seeds)).encode()
        self.words = random.Random(int.from_bytes(blake2b(said, digest_size=16).digest(), "little")).getrandbits

    def below(self, count: int) -> int:
        """A number in 0 .. count - 1."""
        return self.words(32) * count >> 32

    def between(self, low: int, high: int) -> int:
        """A number in low .. high, both included."""
        return low + self.below(high - low + 1)

    def once_in(self, count: int) -> bool:
        """True one time in ``count``."""
        return self.below(count) == 0

    def one(self, choices: Sequence[T]) -> T:
        """One of several things."""
        return choices[self.below(len(choices))]

    def weighed(self, weights: Sequence[tuple[T, int]]) -> T:
        """One of several things, as often as its weight says."""
        at = self.below(sum(weight for _, weight in weights))
        for choice, weight in weights:
            at -= weight
            if at < 0:
                return choice
        raise ValueError("no weights")
