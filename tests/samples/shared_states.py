"""Classes whose state is in their body, in all ways in which one gets there: each is refused where it is defined."""

import functools
import itertools
import linecache
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

import inwindow as iw


class Pushed:
    """An object that can change."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.limit = 3

    def push(self, value: Any) -> int:
        """Keep it."""
        self.values.append(value)
        return len(self.values)


class Last(iw.Aggregate, abstract=True):
    """What the classes here share: nothing."""

    def iterate(self, v):
        self.last = v

    def terminate(self) -> int:
        return self.last


def bump(it: Any, v: Any) -> None:
    """From outside."""
    it.values.append(v)


def kept(function: Any) -> Any:
    """A decorator."""

    @functools.wraps(function)
    def wrapper(self, *values):
        return function(self, *values)

    return wrapper


class Mixin:
    """Not an aggregate."""

    values: ClassVar[list[Any]] = []

    def keep(self, v: Any) -> None:
        """State."""
        self.values.append(v)


# Each of them defines a class whose state is in its body.


def of_list() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            self.values.append(v)


def of_dict() -> Any:
    class A(Last):
        values = {}

        def iterate(self, v):
            self.values[v] = self.values.get(v, 0) + 1


def of_set() -> Any:
    class A(Last):
        values: ClassVar[set[int]] = set()

        def iterate(self, v):
            self.values |= {v}


def of_bytearray() -> Any:
    class A(Last):
        values = bytearray()

        def iterate(self, v):
            self.values.extend(b"a")


def of_deque() -> Any:
    class A(Last):
        values = deque(maxlen=3)

        def iterate(self, v):
            self.values.append(v)


def of_defaultdict() -> Any:
    class A(Last):
        values = defaultdict(int)

        def terminate(self) -> int:
            return self.values[3]


def of_counter() -> Any:
    class A(Last):
        values = Counter()

        def iterate(self, v):
            self.values[v] += 1


def of_ordered_dict() -> Any:
    class A(Last):
        values = OrderedDict()

        def iterate(self, v):
            self.values.move_to_end(v)


def of_an_array() -> Any:
    class A(Last):
        values = np.zeros(3)

        def iterate(self, v):
            self.values[0] += v


def of_a_row_of_an_array() -> Any:
    class A(Last):
        values = np.zeros((3, 3))

        def iterate(self, v):
            row = self.values[0]
            row += v


def of_an_array_of_its_own() -> Any:
    class A(Last):
        values = array("d", [0.0])

        def iterate(self, v):
            self.values[0] = v


def of_an_object() -> Any:
    class A(Last):
        values = Pushed()

        def iterate(self, v):
            self.values.push(v)


def of_an_attribute_of_an_object() -> Any:
    class A(Last):
        values = Pushed()

        def iterate(self, v):
            self.values.limit += 1


def of_a_tuple_of_lists() -> Any:
    class A(Last):
        values = ([], [])

        def iterate(self, v):
            self.values[0].append(v)


def of_a_proxy_of_lists() -> Any:
    class A(Last):
        values = MappingProxyType({"a": []})

        def iterate(self, v):
            for one in self.values.values():
                one.append(v)


def by_another_name() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            held = self.values
            more = held
            more += [v]


def by_a_helper() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            self.keep(v)

        def keep(self, v):
            self.values.append(v)


def by_a_property() -> Any:
    class A(Last):
        values = []

        @property
        def held(self):
            return self.values

        def iterate(self, v):
            self.held.append(v)


def by_a_decorated_hook() -> Any:
    class A(Last):
        values = []

        @kept
        def iterate(self, v):
            self.values.append(v)


def by_a_class_method() -> Any:
    class A(Last):
        values = []

        @classmethod
        def keep(cls, v):
            cls.values.append(v)

        def iterate(self, v):
            self.keep(v)


def by_the_class() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            type(self).values.append(v)


def by_its_name() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            A.values.append(v)


def by_a_text() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            getattr(self, "values").append(v)  # noqa: B009


def by_a_function() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            bump(self, v)


def by_a_private_name() -> Any:
    class A(Last):
        __values = []

        def iterate(self, v):
            self.__values.append(v)


def by_a_loop() -> Any:
    class A(Last):
        values = [0]

        def iterate(self, v):
            for self.values[0] in range(v):
                pass


def by_a_lambda() -> Any:
    class A(Last):
        values = []
        iterate = lambda self, v: self.values.append(v)  # noqa: E731


def in_terminate() -> Any:
    class A(Last):
        values = []

        def terminate(self) -> int:
            self.values.append(self.last)
            return len(self.values)


def in_expire() -> Any:
    class A(iw.WindowAggregate):
        values = []

        def iterate(self, v):
            self.last = v

        def expire(self, v):
            self.values.pop()

        def terminate(self) -> int:
            return self.last


def of_a_class_above() -> Any:
    class Above(iw.Aggregate, abstract=True):
        values = []

        def iterate(self, v):
            self.values.append(v)

    class A(Above):
        def terminate(self) -> int:
            return len(self.values)


def of_a_mixin() -> Any:
    class A(Mixin, Last):
        def iterate(self, v):
            self.keep(v)


def of_a_mixin_alone() -> Any:
    class Whole(Last):
        def iterate(self, v):
            self.keep(v)

        def keep(self, v):
            pass

    class A(Mixin, Whole):
        pass


def set_too_late() -> Any:
    class A(Last):
        values = []

        def initialize(self, v):
            self.values.append(v)
            self.values = []

        def iterate(self, v):
            self.values.append(v)


def set_at_times() -> Any:
    class A(Last):
        values = []

        def initialize(self, v):
            if v > 0:
                self.values = []

        def iterate(self, v):
            self.values.append(v)


def set_to_itself() -> Any:
    class A(Last):
        values = []

        def initialize(self, v):
            self.values = self.values

        def iterate(self, v):
            self.values.append(v)


def a_number_of_the_class() -> Any:
    class A(Last):
        seen = 0

        def iterate(self, v):
            type(self).seen += 1


def a_number_by_its_name() -> Any:
    class A(Last):
        seen = 0

        def iterate(self, v):
            A.seen = v


def of_an_iterator() -> Any:
    class A(Last):
        numbers = itertools.count()

        def iterate(self, v):
            self.last = next(self.numbers)


def of_an_iterator_in_a_loop() -> Any:
    class A(Last):
        numbers = iter([1, 2, 3])

        def iterate(self, v):
            for number in self.numbers:
                self.last = number


def given_back_by_max() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            max(self.values, []).append(v)


def held_in_a_dict() -> Any:
    class A(Last):
        values = []

        def iterate(self, v):
            dict(its=self.values)["its"].append(v)  # noqa: C408


def written_to_by_numpy() -> Any:
    class A(Last):
        values = np.zeros(2)

        def iterate(self, v):
            np.exp(v, self.values)


def a_number_of_a_class_within() -> Any:
    class A(Last):
        class Held:
            seen = 0

        def iterate(self, v):
            self.Held.seen += 1


def a_number_by_setattr() -> Any:
    class A(Last):
        seen = 0

        def iterate(self, v):
            setattr(type(self), "seen", v)  # noqa: B010


def a_default() -> Any:
    class A(Last):
        def iterate(self, v):
            self.keep(v)

        def keep(self, v, values=[]):  # noqa: B006
            values.append(v)
            self.last = len(values)


def a_number_of_a_class_of_a_module() -> Any:
    exec_source("""
import inwindow as iw
class A(iw.Aggregate):
    seen = 0
    def iterate(self, v):
        A.seen += v
        self.last = v
    def terminate(self) -> int:
        return self.last
""")


def exec_source(source: str) -> None:
    """Run a module whose source can be read."""
    name = f"<made {hash(source)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    exec(compile(source, name, "exec"), {"__name__": "made"})


REFUSED = [
    of_list, of_dict, of_set, of_bytearray, of_deque, of_defaultdict, of_counter, of_ordered_dict, of_an_array,
    of_a_row_of_an_array, of_an_array_of_its_own, of_an_object, of_an_attribute_of_an_object, of_a_tuple_of_lists,
    of_a_proxy_of_lists, by_another_name, by_a_helper, by_a_property, by_a_decorated_hook, by_a_class_method,
    by_the_class, by_its_name, by_a_text, by_a_function, by_a_private_name, by_a_loop, by_a_lambda, in_terminate,
    in_expire, of_a_class_above, of_a_mixin, of_a_mixin_alone, set_too_late, set_at_times, set_to_itself,
    a_number_of_the_class, a_number_by_its_name, of_an_iterator, of_an_iterator_in_a_loop, given_back_by_max, held_in_a_dict,
    written_to_by_numpy, a_number_of_a_class_within, a_number_by_setattr, a_default, a_number_of_a_class_of_a_module,
]  # fmt: skip
