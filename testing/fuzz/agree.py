"""When a result is that of the definition: to the last bit, but for doubles within a bound that docs/numerics.md promises."""

import math
from typing import Any


def agree(given: Any, expected: Any, within: float = 0.0) -> bool:
    """Whether two results are the same; finite doubles may be ``within`` of one another. NaN is NaN, and -0.0 is 0.0.

    >>> agree([1.0, None], [1.0, None]), agree(1.0, 1.5), agree(1.0, 1.5, within=0.5), agree(1, 1.0), agree(None, 0)
    (True, False, True, False, False)
    """
    if isinstance(given, float) and isinstance(expected, float):
        if given == expected or (given != given and expected != expected):
            return True
        return within > 0 and math.isfinite(given) and math.isfinite(expected) and abs(given - expected) <= within
    if isinstance(given, (list, tuple)) and isinstance(expected, (list, tuple)):
        return len(given) == len(expected) and all(agree(a, b, within) for a, b in zip(given, expected, strict=True))
    if isinstance(given, dict) and isinstance(expected, dict):
        return given.keys() == expected.keys() and all(agree(given[key], expected[key], within) for key in given)
    return type(given) is type(expected) and bool(given == expected)
