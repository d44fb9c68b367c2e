"""What the tests of the kernels on two stacks share: streams in calls cut anywhere, pickled between two."""

import functools

import numpy as np
import pyarrow as pa
from samples.sliding import again


def column(values, type_):
    """A slice at an odd offset into a longer array, so that a kernel that forgets the offset is found out."""
    return pa.array([None, *values, None], type_)[1 : 1 + len(values)]


def in_calls(make, stream, cut):
    """The results of all calls; ``cut(base, end)`` is a slice of the sequence, no more than was promised."""
    _, start, end, cuts = stream
    kernel = make()
    lo = hi = 0
    for number, (first, last) in enumerate(zip(cuts, cuts[1:], strict=False)):
        if first == last:
            continue
        growing = start[last - 1] <= lo and getattr(make, "growing", False)
        base = hi if growing or start[first] >= hi else lo
        base = max(base, start[first]) if start[first] >= hi else base
        if hasattr(kernel, "absorb") and number % 2:
            kernel.absorb(cut(base, end[first]), base, start[first], end[first])
        result = kernel.roll(cut(base, end[last - 1]), base, np.array(start[first:last]), np.array(end[first:last]))
        result.validate(full=True)
        yield from result.to_pylist()
        lo, hi = start[last - 1], max(end[last - 1], start[last - 1])
        kernel = again(make, kernel)


def panes_of(kernel, values, pane, size):
    edges = np.arange(0, size + pane, pane)
    (partials,) = kernel.roll_partials(values, 0, edges[:-1], np.minimum(edges[1:], size))
    assert partials.dtype == np.int64
    assert partials.shape[0] == len(edges) - 1
    return partials


def in_panes(stream, pane):
    values, start, end, cuts = stream
    return values, [x // pane for x in start], [x // pane for x in end], cuts


def maker(kind, *args, growing=False):
    """Makes kernels; of growing frames what has been folded is let go."""
    make = functools.partial(kind, *args, evicts=not growing)
    make.growing = growing
    return make


def check(make, stream, cut, right):
    """Whether ``right(result, frame)`` for every frame; ``cut(values)`` is what a kernel takes."""
    values, start, end, _ = stream
    got = list(in_calls(make, stream, lambda base, end: cut(values[base:end])))
    assert len(got) == len(start)
    for i, x in enumerate(got):
        assert right(x, values[start[i] : end[i]]), (i, x, values[start[i] : end[i]])


def check_panes(kernel, make, stream, pane, cut, right):
    """The same over panes of ``pane`` values: those that ``kernel`` makes, and the kernels that ``make`` makes merge."""
    values = stream[0]
    partials = panes_of(kernel, cut(values), pane, len(values))
    values, start, end, cuts = in_panes(stream, pane)
    got = list(in_calls(make, (values, start, end, cuts), lambda base, end: (partials[base:end],)))
    assert len(got) == len(start)
    for i, x in enumerate(got):
        frame = values[start[i] * pane : end[i] * pane]
        assert right(x, frame), (i, x, frame)
