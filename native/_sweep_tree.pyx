# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A segment tree over pieces of time: what holds in a run of pieces is folded once into the few nodes that make up the run.

::

    node            1                  an interval over the pieces [1, 4) is folded into the nodes 5 and 3;
               2         3             the result of piece 3 (leaf 7) is the merge of 1, 3 and 7, of those that there are
             4   5     6   7
    piece    0   1     2   3           the leaf of piece p is p + size; the parent of a node is node / 2

Nothing is ever taken out. Intervals come to a node in no order that means anything, so the merge must commute.

*Cost*: an interval is in two nodes of each level at most. A piece merges as many nodes as are filled above it; objects are
merged on the way down, once per filled node.
"""

import numpy as np

from inwindow.native._hooks import HookRaised
from inwindow.native.kernel import space

from libc.stdint cimport int64_t


def nodes(const int64_t[::1] first, const int64_t[::1] last, int64_t size):
    """(node, interval) for the nodes that make up the pieces [first, last) of each interval.

    >>> import numpy as np
    >>> [column.tolist() for column in nodes(np.array([1, 0]), np.array([4, 4]), 4)]
    [[5, 3, 1], [0, 0, 1]]
    """
    cdef int64_t n = first.shape[0], i, low, high, k = 0, most = 2
    while (1 << most) < size:
        most += 1
    cdef int64_t[::1] node = space(2 * n * most, np.int64), owner = space(2 * n * most, np.int64)
    with nogil:
        for i in range(n):
            low = first[i] + size
            high = last[i] + size
            while low < high:
                if low & 1:
                    node[k] = low
                    owner[k] = i
                    k += 1
                    low += 1
                if high & 1:
                    high -= 1
                    node[k] = high
                    owner[k] = i
                    k += 1
                low >>= 1
                high >>= 1
    return node.base[:k].copy(), owner.base[:k].copy()


def paths(const int64_t[::1] filled, int64_t pieces, int64_t size):
    """The filled nodes above each piece: their numbers, and where each piece's begin. ``filled[node]`` is its number, or -1.

    >>> import numpy as np
    >>> [column.tolist() for column in paths(np.array([-1, 2, -1, 1, -1, 0, -1, -1]), 4, 4)]
    [[2, 0, 2, 1, 2, 1, 2], [0, 1, 3, 5, 7]]
    """
    cdef int64_t piece, node, k = 0, depth = 1
    while (1 << depth) <= 2 * size:
        depth += 1
    cdef int64_t[::1] number = space(pieces * depth, np.int64), offsets = space(pieces + 1, np.int64)
    offsets[0] = 0
    with nogil:
        for piece in range(pieces):
            node = piece + size
            while node:
                if filled[node] >= 0:
                    number[k] = filled[node]
                    k += 1
                node >>= 1
            offsets[piece + 1] = k
    return number.base[:k].copy(), offsets.base[:pieces + 1]


def merged(list states, const int64_t[::1] filled, int64_t pieces, int64_t size, empty, snapshot):
    """The result of each piece: the states of the filled nodes above it, merged, and asked for theirs.

    A state is None where no hook saw a tuple. On the way down each node's state takes in what was merged above it, so that none
    is copied; what is above is only read.
    """
    cdef int64_t piece, node, level, depth = 0, shared
    cdef list outcomes = [], down
    cdef object state, above, outcome
    while (1 << depth) < size:
        depth += 1
    down = [None] * (depth + 1)
    for piece in range(pieces):
        shared = 0                      # levels whose node is that of the piece before, too
        if piece:
            shared = depth
            while (piece >> (depth - shared)) != ((piece - 1) >> (depth - shared)):
                shared -= 1
            shared += 1
        for level in range(shared, depth + 1):
            node = (piece + size) >> (depth - level)
            above = down[level - 1] if level else None
            state = states[filled[node]] if filled[node] >= 0 else None
            if state is None:
                state = above
            elif above is not None:
                try:
                    state.merge(above)
                except Exception as error:
                    raise _raised("merge", piece, (above,), error) from error
            down[level] = state
        state = down[depth]
        if state is None:
            outcomes.append(empty)
            continue
        try:
            outcome = state.terminate()
        except Exception as error:
            raise _raised("terminate", piece, (), error) from error
        outcomes.append(outcome if snapshot is None else snapshot(outcome))
    return outcomes


def _raised(hook, piece, arguments, error):
    raised = HookRaised(hook, piece, arguments, error)
    raised.frame = piece
    return raised
