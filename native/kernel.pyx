# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""What all kernels share: how a call comes in from Python and how its results go back as an Arrow column.

Most columns have no NULL in their results. So the frames are folded without a validity bitmap at first; at the first NULL
the kernel stops, and goes on from there with a bitmap.

Results are in memory of Arrow's pool, uninitialised. The pool hands out again what was given back, while the C library
returns large pieces to the system, to be fetched and cleared anew, page by page: 3 ns a tuple where a kernel takes 2.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy, memset

import numpy as np
import pyarrow as pa


def space(int64_t count, dtype):
    """Room for ``count`` numbers of 8 bytes, to be filled.

    >>> space(3, np.int64).shape
    (3,)
    """
    return np.frombuffer(pa.allocate_buffer(8 * max(count, 1)), dtype=dtype, count=count)


cdef Slice slice_of(object values, int64_t base, int64_t width):
    """``values`` holds the positions from ``base`` on; a value has ``width`` bytes."""
    cdef int64_t offset = values.offset
    bitmap, data = values.buffers()[:2]
    cdef const char* at = <const char*><uintptr_t>(0 if data is None else data.address)
    cdef const uint8_t* seen = <const uint8_t*><uintptr_t>(bitmap.address if values.null_count else 0)
    return Slice(at + (offset - base) * width, seen, offset - base)


cdef object column_of(object type, int64_t count, object values, object validity):
    """Buffers as an Arrow array; ``validity`` is None where no result is NULL."""
    return pa.Array.from_buffers(type, count, [validity, values])


cdef object rows_from(const void* memory, int64_t rows, int64_t words):
    """A copy of C structs as rows of 64-bit words: what a state is made of."""
    copy = np.empty((rows, words), np.int64)
    if rows:
        memcpy(<void*><uintptr_t>copy.ctypes.data, memory, 8 * rows * words)
    return copy


cdef const int64_t* memory_of(object rows, int64_t words) except? NULL:
    """The memory of what ``rows_from`` has made, as long as ``rows`` lives."""
    if rows.dtype != np.int64 or rows.ndim != 2 or rows.shape[1] != words or not rows.flags.c_contiguous:
        raise ValueError(f"a state has other rows than of {words} words")
    return <const int64_t*><uintptr_t>rows.ctypes.data


cdef const uint8_t* counting(const uint8_t[::1] seen, int64_t base):
    """The mask of the tuples that count, so that the byte of a position is at its index; NULL where all do."""
    return NULL if seen is None or seen.shape[0] == 0 else &seen[0] - base


cdef int no_eviction(int64_t lo, int64_t start) except -1 nogil:
    with gil:
        raise RuntimeError(f"evicts=False, but the lower end moved from {lo} to {start} inside a frame")


cdef class Kernel:
    """A kernel of Arrow columns. A subclass defines ``fold``, and for panes ``fold_partials``; what it keeps between calls is one
    struct without pointers, named by ``keep``, or it defines ``state`` and ``restore``."""

    cdef int keep(self, void* kept, int64_t size) except -1:
        self.kept, self.size = kept, size

    def state(self):
        """What ``restore`` goes on from: the bytes of the struct."""
        return PyBytes_FromStringAndSize(<char*>self.kept, self.size)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        if type(state) is not bytes or len(state) != self.size:
            raise ValueError(f"a state of this kernel is {self.size} bytes, not {state!r:.80}")
        memcpy(self.kept, PyBytes_AS_STRING(state), self.size)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        """Fold the frames from i on and write their results; return the first that has none, n if all have.

        A result that is NULL is noted in ``validity``; where that is NULL itself the loop stops, at a frame that it has
        moved to: it must do no harm to move to it again.
        """
        raise NotImplementedError

    cdef int fold_partials(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t n,
                           int64_t* out) except -1:
        """Write a row of ``partial`` words for each frame."""
        raise NotImplementedError

    cdef int stuck(self, int64_t frame) except -1:
        """The frame has no result, not even NULL."""
        raise RuntimeError(f"internal error: the loop stopped at frame {frame}")

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame [start, end), NULL where it has none; ``values`` holds the positions from ``base`` on."""
        cdef int64_t n = start.shape[0], done
        out = pa.allocate_buffer(max(n, 1) * (16 if self.type.bit_width == 128 else 8))
        cdef int64_t* results = <int64_t*><uintptr_t>out.address
        cdef uint8_t* valid
        done = self.fold(values, base, &start[0], &end[0], 0, n, results, NULL)
        if done == n:
            return column_of(self.type, n, out, None)
        bits = pa.allocate_buffer((n + 7) // 8)
        valid = <uint8_t*><uintptr_t>bits.address
        memset(valid, 255, (n + 7) // 8)
        done = self.fold(values, base, &start[0], &end[0], done, n, results, valid)
        if done < n:
            self.stuck(done)
        return column_of(self.type, n, out, bits)

    def resume(self, values, const int64_t[::1] first, const int64_t[::1] end, const int64_t[::1] folded,
               const int64_t[::1] grown, const int64_t[::1] shift, list states):
        """Go on with many frames that only grow, each from a state of its own (None: afresh): as ``resume`` of hooks does.

        Number k has the frames first[k] .. first[k + 1], which end before the values end[i]; it has folded those before
        folded[k], and then folds all before grown[k]. Its tuple p is value p + shift[k]. The new states take the place of the
        old ones. This kernel must be fresh.
        """
        cdef int64_t n = end.shape[0], i, k, last, hi
        out = pa.allocate_buffer(max(n, 1) * (16 if self.type.bit_width == 128 else 8))
        bits = pa.allocate_buffer(max((n + 7) // 8, 1))
        cdef int64_t* results = <int64_t*><uintptr_t>out.address
        cdef uint8_t* valid = <uint8_t*><uintptr_t>bits.address
        cdef int64_t[::1] starts = np.zeros(n + 1, np.int64), ends = np.empty(n + 1, np.int64)
        fresh = self.state()
        memset(valid, 255, (n + 7) // 8)
        for k in range(shift.shape[0]):
            self.restore(fresh if states[k] is None else states[k])
            last, hi = first[k + 1], folded[k] - shift[k]
            for i in range(first[k], last):
                ends[i] = end[i] - shift[k]
            if first[k] < last:
                i = self.fold(values, -shift[k], &starts[0], &ends[0], first[k], last, results, valid)
                if i < last:
                    self.stuck(i)
                hi = max(hi, ends[last - 1])
            if grown[k] - shift[k] > hi:
                self.absorb(values, -shift[k], 0, grown[k] - shift[k])
            states[k] = self.state()
        return column_of(self.type, n, out, bits)

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: one int64 array, a row of words per pane."""
        cdef int64_t n = start.shape[0]
        rows = np.empty((n, self.partial), np.int64)
        if n:
            self.fold_partials(values, base, &start[0], &end[0], n, <int64_t*><uintptr_t>rows.ctypes.data)
        return (rows,)

    def sweep(self, values, const int64_t[::1] left, const int64_t[::1] start, const int64_t[::1] end):
        """As ``roll``, but frame i holds the positions before end[i] without left[: start[i]]: where ``fold`` reads ``left``."""
        self.left = &left[0]
        try:
            return self.roll(values, 0, start, end)
        finally:
            self.left = NULL

    def of_panes(self):
        """This kernel, to be rolled over panes: the rows of ``roll_partials`` take the place of values."""
        self.over_panes = True
        return self

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Fold the frame [start, end) in without a result."""
        cdef int64_t[2] word
        self.fold(values, base, &start, &end, 0, 1, word, NULL)
