"""Emit and ActiveExpiration: the paper's examples by hand, what is kept between calls, and hooks that raise."""

import doctest

import numpy as np
import pytest

from inwindow.native import _emit
from inwindow.native._emit import ActiveExpiration, Emit
from inwindow.native._hooks import HookRaised


def rows(size, n):
    """The starts of ROWS size - 1 PRECEDING over one partition of n tuples."""
    return np.maximum(np.arange(n, dtype=np.int64) - size + 1, 0), np.zeros(n, dtype=np.int64)


def seconds(size, times):
    """The starts of RANGE size PRECEDING over one partition with these order values."""
    start = np.searchsorted(times, np.array(times) - size)
    return start.astype(np.int64), np.zeros(len(times), dtype=np.int64)


def emitted(driver, columns, start, partition):
    values, owners = driver.roll(columns, 0, None, 0, start, partition)
    return list(zip(owners.tolist(), values, strict=True))


# The examples of the ESL paper


class DecayedAverage:
    """Example 8."""

    def initialize(self, value):
        self.total, self.count = value, 1
        return value

    def iterate(self, value):
        self.total = 0.9 * self.total + 1.1 * value
        self.count += 1
        return self.total / self.count


class CumulativeAverage:
    """Example 10."""

    def initialize(self, value):
        self.total, self.count = value, 1
        return self.total / self.count

    def iterate(self, value):
        self.total += value
        self.count += 1
        return self.total / self.count


class NaiveAverage:
    """Example 11: no state, no expire; tuples leave inwindow all the same."""

    def iterate(self, value):
        return sum(record.value for record in self.inwindow) / len(self.inwindow)


class DeltaAverage(CumulativeAverage):
    """Example 12."""

    def expire(self, value):
        assert self.inwindow.oldest().value == value
        self.total -= value
        self.count -= 1


class Largest:
    """Example 13: what cannot be the maximum any more is deleted from inwindow."""

    def initialize(self, value):
        return value

    def iterate(self, value):
        self.inwindow.delete(lambda record: record.value <= value, keep_newest=True)
        return self.inwindow.oldest().value


class LargestOnExpiry:
    """Example 16."""

    def iterate(self, value):
        self.inwindow.delete(lambda record: record.value <= value, keep_newest=True)

    def expire(self, value):
        return self.inwindow.oldest().value


class Groups:
    """Example 17: a gap above the threshold begins a new group; two columns in, a pair out."""

    def __init__(self, threshold):
        self.threshold = threshold

    def initialize(self, product, time):
        self.group, self.last = 0, time
        return product, self.group

    def iterate(self, product, time):
        if time - self.last > self.threshold:
            self.group += 1
        self.last = time
        return product, self.group


class ItemAlarm:
    """Example 18: an item leaves the door's window and no authorised person was near."""

    def iterate(self, tag, kind, time):
        # The new tuple is in inwindow too, so an authorised person saves the items on both sides.
        if any(record.kind == "ap" for record in self.inwindow):
            self.inwindow.delete(lambda record: record.kind == "item")

    def expire(self, tag, kind, time):
        if kind == "item" and not any(record.kind == "ap" for record in self.inwindow):
            yield f"larceny alarm: {tag}"


@pytest.mark.parametrize(
    ("prototype", "size", "expected"),
    [
        (DecayedAverage(), 4, [10.0, (9 + 22) / 2, (0.9 * 31 + 33) / 3, (0.9 * 60.9 + 11) / 4]),
        (CumulativeAverage(), 4, [10.0, 15.0, 20.0, 17.5]),
        (NaiveAverage(), 2, [10.0, 15.0, 25.0, 20.0]),
        (DeltaAverage(), 2, [10.0, 15.0, 25.0, 20.0]),
        (Largest(), 2, [10.0, 20.0, 30.0, 30.0]),
    ],
)
def test_examples_8_to_13(prototype, size, expected):
    driver = Emit(prototype, record_fields=("value",))
    values, owners = driver.roll([[10.0, 20.0, 30.0, 10.0]], 0, None, 0, *rows(size, 4))
    assert values == pytest.approx(expected)
    assert owners.tolist() == [0, 1, 2, 3]


def test_example_16_emits_each_maximum_as_it_leaves():
    driver = ActiveExpiration(LargestOnExpiry(), record_fields=("value",))
    times = [0, 1, 2, 8, 9]
    assert emitted(driver, [[5.0, 3.0, 4.0, 1.0, 2.0]], *seconds(5, times)) == [(0, 5.0), (2, 4.0)]
    values, owners = driver.drain([[]], 5, None)
    assert (values, owners.tolist()) == ([2.0], [4])


def test_example_17_numbers_the_groups():
    products, times = ["a", "b", "c", "d"], [0, 2, 7, 8]
    driver = Emit(Groups(threshold=2))
    assert emitted(driver, [products, times], *rows(1, 4)) == [
        (0, ("a", 0)), (1, ("b", 0)), (2, ("c", 1)), (3, ("d", 1)),
    ]  # fmt: skip


def test_example_18_raises_the_alarm():
    #  time     0      3      10     20     24     40
    #           item   ap     item   item   item   item        RANGE 5 SECONDS
    #           [...........]                                  saved by the ap at 3
    #                         [...........]                    alarm at 15
    tags = ["i0", "ann", "i10", "i20", "i24", "i40"]
    kinds = ["item", "ap", "item", "item", "item", "item"]
    times = [0, 3, 10, 20, 24, 40]
    driver = ActiveExpiration(ItemAlarm(), record_fields=("tag", "kind", "time"))
    assert emitted(driver, [tags, kinds, times], *seconds(5, times)) == [
        (2, "larceny alarm: i10"), (3, "larceny alarm: i20"), (4, "larceny alarm: i24"),
    ]  # fmt: skip
    values, owners = driver.drain([[], [], []], 6, None)
    assert (values, owners.tolist()) == (["larceny alarm: i40"], [5])


def test_state_survives_an_empty_frame():
    class Surviving(DeltaAverage):
        def iterate(self, value):
            self.total += value
            self.count += 1
            return self.count, self.total

    driver = Emit(Surviving(), record_fields=("value",))
    assert emitted(driver, [[1.0, 2.0, 4.0]], *rows(1, 3)) == [(0, 1.0), (1, (1, 2.0)), (2, (1, 4.0))]


def test_absorb_drops_the_emissions_only():
    driver = Emit(CumulativeAverage())
    start, partition = rows(9, 4)
    driver.absorb([[1.0, 3.0]], 0, None, 0, start[:2], partition[:2])
    assert driver.roll([[5.0, 7.0]], 2, None, 2, start[2:], partition[2:])[0] == [3.0, 4.0]


def test_a_drain_may_stop_before_the_end():
    class Leaving:
        def iterate(self, value):
            return "never seen"

        def expire(self, value):
            return value

    driver = ActiveExpiration(Leaving())
    columns, (start, partition) = [["a", "b", "c"]], rows(9, 3)
    assert emitted(driver, columns, start, partition) == []
    assert driver.drain(columns, 0, None, until=2)[0] == ["a", "b"]
    assert driver.drain(columns, 0, None)[0] == ["c"]
    assert driver.drain(columns, 0, None)[0] == []


def test_a_driver_that_saw_nothing_drains_nothing():
    values, owners = ActiveExpiration(LargestOnExpiry()).drain([], 0, None)
    assert (values, owners.tolist(), owners.dtype) == ([], [], np.int64)


class Fragile:
    def __init__(self, point):
        self.point = point

    def check(self, hook, value):
        if (hook, value) == ("initialize", 1) and self.point == 1 or (hook, value) == (self.point, 3):
            raise ValueError(f"no {hook}")

    def initialize(self, value, letter):
        self.check("initialize", value)

    def iterate(self, value, letter):
        self.check("iterate", value)
        yield "something first"
        self.check("later", value)

    def expire(self, value, letter):
        self.check("expire", value)


@pytest.mark.parametrize(
    ("point", "hook", "position"),
    [(1, "initialize", 10), ("iterate", "iterate", 12), ("later", "iterate", 12), ("expire", "expire", 12)],
)
@pytest.mark.parametrize("fields", [None, ("value", "letter")])
def test_a_hook_that_raises_is_named(point, hook, position, fields):
    columns, start = [[1, 2, 3, 4, 5], list("abcde")], np.array([10, 11, 12, 13, 14])
    driver = Emit(Fragile(point), record_fields=fields)
    with pytest.raises(HookRaised, match="no ") as caught:
        driver.roll(columns, 10, None, 10, start, np.full(5, 10))
    raised = caught.value
    assert (raised.hook, raised.position) == (hook, position)
    assert raised.arguments == (columns[0][position - 10], columns[1][position - 10])
    assert raised.__cause__ is raised.error


def test_a_drain_that_raises_is_named():
    driver = ActiveExpiration(Fragile("expire"), record_fields=("value", "letter"))
    driver.roll([[3], ["c"]], 7, None, 7, np.array([7]), np.array([7]))
    with pytest.raises(HookRaised) as caught:
        driver.drain([[], []], 8, None)
    assert (caught.value.hook, caught.value.position, caught.value.arguments) == ("expire", 7, (3, "c"))


def test_positions_outside_of_the_slice_are_internal_errors():
    with pytest.raises(RuntimeError, match="position 3 is not in the slice"):
        Emit(CumulativeAverage()).roll([[1.0]], 4, None, 3, np.array([3]), np.array([3]))


@pytest.mark.parametrize("others", [([0],), ([0, 0], [0])])
def test_every_tuple_has_a_frame_and_a_partition(others):
    with pytest.raises(ValueError, match="must all have 2 entries"):
        Emit(CumulativeAverage()).roll([[1.0, 2.0]], 0, None, 0, np.array([0, 0]), *map(np.array, others))


def test_docstrings():
    assert doctest.testmod(_emit) == (0, 5)
