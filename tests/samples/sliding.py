"""Frames for the kernels' tests: any whose ends never move backwards, in calls cut anywhere."""

import pickle

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st


@st.composite
def sliding(draw, elements, growing=False):
    """(values, start, end, cuts): frames whose ends never move back, and the rows before which a call ends."""
    values = draw(st.lists(elements, min_size=1, max_size=60))
    if draw(st.booleans()):  # ROWS BETWEEN w - 1 PRECEDING AND CURRENT ROW
        rows = len(values)
        end = list(range(1, rows + 1))
        window = rows if growing else draw(st.integers(1, 12))
        start = [max(x - window, 0) for x in end]
    else:
        rows = draw(st.integers(1, 40))
        bound = st.lists(st.integers(0, len(values)), min_size=rows, max_size=rows).map(sorted)
        end = draw(bound)
        start = [0] * rows if growing else [min(pair) for pair in zip(draw(bound), end, strict=True)]
    cuts = draw(st.lists(st.integers(0, rows), max_size=4).map(sorted))
    return values, start, end, [0, *cuts, rows]


def steps_of(most, size):
    """How far the ends of each frame move: up to ``size`` pairs for :func:`frames_of`."""
    return st.lists(st.tuples(st.integers(0, most), st.integers(0, most)), max_size=size)


STEPS = steps_of(4, 40)
CUTS = st.lists(st.integers(0, 10_000), max_size=5)


def frames_of(steps, evicts=True):
    """Bounds that never decrease, from how far each frame's ends move; gaps and empty frames too.

    If no tuple may leave a frame, the lower end stands still or jumps to the upper one.
    """
    frames = []
    lower = upper = 0
    for down, up in steps:
        if evicts:
            lower += down
        elif down == 0:
            lower = upper
        upper = max(upper + up, lower)
        frames.append((lower, upper))
    return frames


def filled(elements, frames):
    """The elements again and again, one for each position up to the last frame's end."""
    length = frames[-1][1] if frames else 0
    return (elements * length)[:length]


def bounds_of(frames):
    """``start`` and ``end`` as a kernel takes them."""
    return np.array(frames, np.int64).reshape(-1, 2).T.copy()


def calls_of(frames, cuts, held):
    """(which frames a call has, as a slice, the first position it has, the last): as few positions as are allowed.

    If the folded frame is not held, a call has what is new alone.
    """
    lo = hi = 0
    cuts = sorted(cut % (len(frames) + 1) for cut in cuts)
    for first, last in zip([0, *cuts], [*cuts, len(frames)], strict=True):
        base = lo if held else hi
        if first < last:
            base = max(base, frames[first][0]) if frames[first][0] >= hi else base
            lo, hi = frames[last - 1]
        yield slice(first, last), base, hi


def again(make, kernel):
    """Another kernel, in the same state."""
    other = make()
    other.restore(pickle.loads(pickle.dumps(kernel.state())))
    return other


def rolled_in_calls(make, frames, cuts, held, call):
    """Yield which frames a call has, as a slice, and their results; it has only the values that it may read.

    ``call(method, base, end, *bounds)`` calls a kernel's method with what is at [base, end). The kernel of each call
    is restored from the state of the one before. Every third call absorbs its frames: it has no results.
    """
    kernel = make()
    for number, (part, base, end) in enumerate(calls_of(frames, cuts, held)):
        if number % 3 == 2:
            for frame in frames[part]:
                call(kernel.absorb, base, end, *frame)
        else:
            result = call(kernel.roll, base, end, *bounds_of(frames[part]))
            if isinstance(result, pa.Array):
                result.validate(full=True)
            yield part, result
        check_invariants(kernel)
        kernel = again(make, kernel)
        check_invariants(kernel)


def with_slices_of(array):
    """The ``call`` of a kernel of one column: a copy of what is at [base, end), between two NULLs that are not of it."""

    def call(method, base, end, *bounds):
        held = array.slice(base, end - base).to_pylist()
        return method(pa.array([None, *held, None], array.type).slice(1, end - base), base, *bounds)

    return call


def check_invariants(kernel):
    if hasattr(kernel, "_check"):
        kernel._check()


def same(one, other):
    """Equal, also two NaN: -0.0 and 0.0 are."""
    return one == other or one != one and other != other
