"""Names of SQL as names of Python: in lower case, no keyword or built-in function, nothing that begins with ``_``."""

import builtins
import keyword
import re
from collections.abc import Iterable

from inwindow.udaf.contract import WindowAggregate

# What the class has already, and what the source of a class says itself.
_CLASS = {name for name in dir(WindowAggregate) if not name.startswith("_")} | {
    "initialize", "iterate", "expire", "terminate", "merge", "unmerge", "inwindow", "source", "self", "iw",
}  # fmt: skip
_CALLED = {
    "any",
    "all",
    "sum",
    "len",
    "min",
    "max",
    "sorted",
    "list",
    "dict",
    "tuple",
    "int",
    "float",
    "str",
    "bool",
    "abs",
    "round",
}
_SOFT = {"match", "case", "type"}


def is_of_python(name: str) -> bool:
    """Whether a name means something in the code that is made."""
    return (
        keyword.iskeyword(name) or name in _CALLED or name in _SOFT or (name[:1].isupper() and hasattr(builtins, name))
    )


class Names:
    """Gives out names, each only once.

    >>> names = Names()
    >>> [names.fresh(wish) for wish in ("Next", "next", "class", "__dict__", "a b", "9")]
    ['next', 'next_2', 'class_', 'dict__', 'a_b', 'c_9']
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = {*taken}

    def fresh(self, wish: str) -> str:
        """A free name, as similar as possible to the wish."""
        name = re.sub(r"[^0-9a-z_]", "_", wish.lower()).lstrip("_")
        if not name[:1].isalpha():
            name = f"c_{name}"
        if is_of_python(name) or name in _CLASS:
            name += "_"
        found, number = name, 1
        while found in self.taken:
            number += 1
            found = f"{name.rstrip('_')}_{number}"
        self.taken.add(found)
        return found


def class_name(name: str) -> str:
    """``item_alarm`` as ``ItemAlarm``."""
    parts = re.findall(r"[0-9A-Za-z]+", name)
    made = "".join(part[:1].upper() + part[1:] for part in parts)
    return made if made[:1].isalpha() and not keyword.iskeyword(made) else f"A{made}"
