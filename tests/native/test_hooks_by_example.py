"""Delta and Recompute by example: types of results, one terminate for peers, hooks that raise, frames that break the protocol."""

import pickle
import traceback

import numpy as np
import pyarrow as pa
import pytest
from samples.frame_log import Log

from inwindow.native._hooks import Delta, HookRaised, Misfit, Recompute


class Count:
    """No arguments at all: count(*)."""

    def initialize(self):
        self.n = 1

    def iterate(self):
        self.n += 1

    def expire(self):
        self.n -= 1

    def terminate(self):
        return self.n


def test_an_aggregate_without_arguments():
    start, end = np.array([0, 0, 1, 3]), np.array([1, 2, 3, 3])
    counts = Delta(Count(), result="int64", empty=0).roll([], 0, None, start, end)
    assert counts.equals(pa.array([1, 2, 2, 0]))
    seen = np.array([1, 0, 1], dtype=np.uint8)
    assert Delta(Count(), result="int64", empty=0).roll([], 0, seen, start, end).to_pylist() == [1, 1, 1, 0]


def test_peers_share_one_terminate():
    class Counting(Log):
        terminated = 0

        def terminate(self):
            Counting.terminated += 1
            return super().terminate()

    start, end = np.array([0, 0, 0, 1]), np.array([3, 3, 3, 4])
    results = Delta(Counting()).roll([[1, 2, 3, 4]], 0, None, start, end)
    assert results[0] is results[1] is results[2]
    assert Counting.terminated == 2


class Average:
    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def expire(self, value):
        self.total -= value
        self.count -= 1

    def terminate(self):
        return self.total / self.count


def test_double_results_and_nulls():
    start, end = np.array([0, 0, 1, 2, 4]), np.array([1, 2, 3, 4, 4])
    seen = np.array([1, 1, 0, 0], dtype=np.uint8)
    averages = Delta(Average(), result="double").roll([[1.0, 2.0, None, 9.0]], 0, seen, start, end)
    assert averages.equals(pa.array([1.0, 1.5, 2.0, None, None]))


def test_a_result_that_does_not_fit():
    with pytest.raises(Misfit) as caught:
        Delta(Log(), result="double").roll([[1, 2]], 0, None, np.array([0, 0]), np.array([0, 1]))
    assert (caught.value.index, caught.value.value) == (1, ((1,),))


class Fragile(Log):
    def __init__(self, hook):
        self.hook = hook

    def check(self, hook, *row):
        if hook == self.hook and row in ((), (3, "c")):
            raise ValueError(f"no {hook}")

    def initialize(self, *row):
        self.check("initialize", *row)
        super().initialize(*row)

    def iterate(self, *row):
        self.check("iterate", *row)
        super().iterate(*row)

    def expire(self, *row):
        self.check("expire", *row)
        super().expire(*row)

    def terminate(self):
        self.check("terminate")
        return super().terminate()


@pytest.mark.parametrize(
    ("hook", "start", "end", "position", "arguments"),
    [
        ("initialize", 12, 14, 12, (3, "c")),
        ("iterate", 11, 14, 12, (3, "c")),
        ("expire", 13, 14, 12, (3, "c")),
        ("terminate", 10, 12, 11, ()),
    ],
)
@pytest.mark.parametrize("fields", [None, ("number", "letter")])
def test_a_hook_that_raises_is_named(hook, start, end, position, arguments, fields):
    columns = [[1, 2, 3, 4], ["a", "b", "c", "d"]]
    driver = Delta(Fragile(hook), record_fields=fields)
    if hook == "expire":
        driver.absorb(columns, 10, None, 12, 14)
    with pytest.raises(HookRaised, match=f"no {hook}") as caught:
        driver.roll(columns, 10, None, np.array([start]), np.array([end]))
    raised = caught.value
    assert (raised.hook, raised.position, raised.arguments) == (hook, position, arguments)
    assert raised.__cause__ is raised.error
    assert traceback.extract_tb(raised.error.__traceback__)[-1].name == "check"
    assert str(pickle.loads(pickle.dumps(raised))) == str(raised)


def test_recompute_names_the_hook_too():
    with pytest.raises(HookRaised) as caught:
        Recompute(Fragile("iterate")).roll([[2, 3], ["b", "c"]], 5, None, np.array([5]), np.array([7]))
    assert (caught.value.hook, caught.value.position, caught.value.arguments) == ("iterate", 6, (3, "c"))


def test_an_interrupt_passes_through():
    class Interrupted(Log):
        def iterate(self, *row):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Delta(Interrupted()).roll([[1, 2]], 0, None, np.array([0]), np.array([2]))


class Appending(Log):
    expire = None


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        ([0, 1], [2, 3], "no expire"),
        ([1, 0], [2, 3], "start goes backwards"),
        ([0, 0], [3, 2], "end goes backwards"),
        ([0, 0], [2, 9], "not in the slice"),
    ],
)
def test_frames_that_break_the_protocol_are_internal_errors(start, end, message):
    with pytest.raises(RuntimeError, match=message):
        Delta(Appending()).roll([[1, 2, 3]], 0, None, np.array(start), np.array(end))


def test_arguments_that_break_the_protocol():
    frame = np.array([0]), np.array([1])
    with pytest.raises(ValueError, match="result='float' is not one of"):
        Delta(Log(), result="float")
    with pytest.raises(ValueError, match="different lengths"):
        Delta(Log()).roll([[1], [1, 2]], 0, None, *frame)
    with pytest.raises(ValueError, match="2 starts but 1 ends"):
        Delta(Log()).roll([[1, 2]], 0, None, np.array([0, 0]), frame[1])
    with pytest.raises(ValueError, match="seen covers 1 positions"):
        Delta(Log()).roll([[1, 2]], 0, np.ones(1, dtype=np.uint8), *frame)
