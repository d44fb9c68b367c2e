"""The window buffer against a plain list of (position, record)."""

import doctest
import pickle
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _inwindow
from inwindow.native._inwindow import InWindow, enter, leave, leaving, positions

WAYS = ("enter", "expire", "delete", "spare")


@given(st.lists(st.tuples(st.sampled_from(WAYS), st.integers(0, 3)), max_size=150))
def test_it_behaves_like_a_list(steps):
    window, model, position = InWindow(("value", "twice")), [], 0
    for step, amount in steps:
        if step == "enter":
            for _ in range(10 * amount):
                enter(window, position, (position, 2 * position))
                model.append((position, (position, 2 * position)))
                position += amount
        elif step == "expire":
            start = position - 7 * amount
            while (oldest := leaving(window, start)) >= 0:
                assert window.oldest().value == oldest
                leave(window, oldest + 1)  # not there: nothing happens
                leave(window, oldest)
            model = [entry for entry in model if entry[0] >= start]
        else:
            spared = model[-1:] if step == "spare" else []
            kept = [entry for entry in model if entry[0] % 4 != amount or entry in spared]
            doomed = {entry[0] for entry in model if entry[0] % 4 == amount}
            deleted = window.delete(lambda record, doomed=doomed: record.value in doomed, step == "spare")
            assert deleted == len(model) - len(kept)
            model = kept
        assert len(window) == len(model)
        assert bool(window) == bool(model)
        assert [(p, tuple(record)) for p, record in zip(positions(window), window, strict=True)] == model
        if model:
            assert (window.oldest(), window.newest()) == (model[0][1], model[-1][1])


def test_a_tuple_that_left_is_let_go():
    class Value:
        pass

    value = Value()
    gone = weakref.ref(value)
    window = InWindow(("value",), [(value,), (1,)])
    del value
    leave(window, 0)
    assert gone() is None


def test_deleting_while_iterating_is_safe():
    window = InWindow(("value",), [(n,) for n in range(6)])
    counts = []
    for record in window:
        counts.append(window.delete(lambda later, limit=2 * record.value: later.value <= limit))
    assert counts == [1, 2, 2, 1, 0, 0]
    assert not window


def test_a_predicate_that_raises_has_deleted_nothing():
    window = InWindow(("value",), [(2,), (1,), (0,)])
    with pytest.raises(ZeroDivisionError):
        window.delete(lambda record: 1 / record.value)
    assert len(window) == 3


def test_a_predicate_must_not_delete():
    window = InWindow(("value",), [(1,), (2,)])
    with pytest.raises(RuntimeError, match="has itself deleted"):
        window.delete(lambda record: window.delete(lambda inner: True))


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_an_empty_window_has_no_tuple_to_give(which):
    message = rf"^inwindow\.{which}\(\): no tuple is in the window.*keep_newest=True"
    with pytest.raises(LookupError, match=message):
        getattr(InWindow(("value",)), which)()


def test_users_cannot_insert():
    public = {name for name in dir(InWindow) if not name.startswith("_")}
    assert public == {"delete", "newest", "oldest"}


def test_any_parameter_name_is_a_field():
    window = InWindow(("count", "_private"), [(1, 2)])
    assert window.oldest().count == 1
    assert tuple(window.oldest()) == (1, 2)


def test_it_pickles():
    window = InWindow(("value",))
    for position in (3, 5, 9):
        enter(window, position, (position,))
    leave(window, 3)
    copy = pickle.loads(pickle.dumps(window))
    assert (list(copy), positions(copy)) == ([(5,), (9,)], [5, 9])
    assert repr(copy) == "InWindow([Record(value=5), Record(value=9)])"


def test_docstrings():
    assert doctest.testmod(_inwindow) == (0, 4)
