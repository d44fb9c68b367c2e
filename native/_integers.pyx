# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums and averages of integers: exact, in 128 bits, with nothing to watch.

The running total of 64-bit integers cannot leave 128 bits, so what leaves is subtracted and nothing is lost; only
a *result* can overflow, where a frame's true sum does not fit 64 bits. That is an error (``ansi=True``, as in Spark) or
wraps around. The average is the exact total over the count, rounded once.

*Invariant*: ``amount`` is the exact sum, and ``count`` the number, of the values at positions [lo, hi). *Cost*: O(1) a tuple.
A pane's partial is its total in two halves of 64 bits, and its count.
"""

import numpy as np
import pyarrow as pa

from inwindow.native.space import space

from libc.math cimport ldexp
from libc.stdint cimport int64_t, uint8_t, uint64_t, uintptr_t

cdef extern from *:
    """
    typedef __int128 int128_t;
    """
    ctypedef long long int128_t         # Cython needs a name and a rank; the C compiler knows the size


# A slice of the endless sequence, as an Arrow array has it: position + shift = index into both buffers.
cdef struct Longs:
    const int64_t* data
    const uint8_t* validity
    int64_t shift


cdef inline bint valid(const uint8_t* validity, int64_t index) noexcept nogil:
    return validity == NULL or (validity[index >> 3] >> (index & 7)) & 1


cdef const uint8_t* bitmap(array):
    return <const uint8_t*><uintptr_t>(array.buffers()[0].address if array.null_count else 0)


cdef const void* data(array):
    return <const void*><uintptr_t>array.buffers()[1].address


cdef Longs read_longs(array, int64_t base):
    return Longs(<const int64_t*>data(array), bitmap(array), array.offset - base)


cdef all_valid(int64_t n):
    return np.full((n + 7) // 8, 255, dtype=np.uint8)


cdef inline void set_null(uint8_t* validity, int64_t i) noexcept nogil:
    validity[i >> 3] &= ~(1 << (i & 7))


cdef column(type, values, validity):
    buffers = [None if validity is None else pa.py_buffer(validity), pa.py_buffer(values)]
    return pa.Array.from_buffers(type, len(values), buffers)


cdef bint is_average(op) except -1:
    if op not in ("sum", "avg"):
        raise ValueError(f"op must be 'sum' or 'avg', not {op!r}")
    return op == "avg"


# Panes: their sums in halves of 64 bits, and how many values they hold.
cdef struct Halves:
    const int64_t* high
    const int64_t* low
    const int64_t* count
    int64_t shift


ctypedef fused Terms:
    Longs
    Halves


cdef struct Total:
    int64_t lo, hi
    int64_t count
    int128_t amount                     # the exact sum over [lo, hi)


cdef inline int64_t count_at(const Terms* terms, int64_t position) noexcept nogil:
    if Terms is Longs:
        return valid(terms.validity, position + terms.shift)
    else:
        return terms.count[position + terms.shift]


cdef inline int128_t amount_at(const Terms* terms, int64_t position) noexcept nogil:
    cdef int64_t index = position + terms.shift
    if Terms is Longs:
        return terms.data[index] if valid(terms.validity, index) else 0
    else:
        return ((<int128_t>terms.high[index]) << 64) + <uint64_t>terms.low[index]


cdef inline void shift_to(Total* total, const Terms* terms, int64_t start, int64_t end) noexcept nogil:
    cdef int64_t position
    if start >= total.hi:
        total[0] = Total(start, start, 0, 0)
    for position in range(total.lo, start):
        total.count -= count_at(terms, position)
        total.amount -= amount_at(terms, position)
    for position in range(total.hi, end):
        total.count += count_at(terms, position)
        total.amount += amount_at(terms, position)
    total.lo, total.hi = start, end


cdef double quotient(int128_t amount, int64_t count) noexcept nogil:
    """amount / count, rounded once: a double carries both exactly, or 62 bits after the point are enough."""
    cdef int128_t size, fraction
    if -(1LL << 53) <= amount <= (1LL << 53):
        return <double><int64_t>amount / count
    size = -amount if amount < 0 else amount
    fraction = (size % count) << 62
    size = ((size // count) << 62) + fraction // count
    if fraction % count:
        size |= 1                       # sticky: there is more behind the last bit
    return ldexp(<double>(-size if amount < 0 else size), -62)


cdef int64_t slide(Total* total, const Terms* terms, const int64_t[::1] start, const int64_t[::1] end, int64_t i,
                   bint ansi, int64_t[::1] sums, double[::1] averages, uint8_t* validity) noexcept nogil:
    """Compute the rows from i on, sums or averages; stop at a NULL without a bitmap and at an ANSI overflow."""
    cdef Total now = total[0]
    cdef int64_t n = start.shape[0]
    while i < n:
        shift_to(&now, terms, start[i], end[i])
        if now.count == 0:
            if validity == NULL:
                break
            set_null(validity, i)
        if averages.shape[0]:
            averages[i] = quotient(now.amount, now.count) if now.count else 0.0
        elif ansi and now.amount != <int64_t>now.amount:
            break
        else:
            sums[i] = <int64_t>now.amount
        i += 1
    total[0] = now
    return i


cdef integer_rows(Total* total, const Terms* terms, const int64_t[::1] start, const int64_t[::1] end, bint average,
                  bint ansi):
    cdef int64_t n = start.shape[0], done
    cdef int64_t[::1] sums = space(0 if average else n, np.int64)
    cdef double[::1] averages = space(n if average else 0, np.float64)
    cdef uint8_t[::1] bits = None
    with nogil:
        done = slide(total, terms, start, end, 0, ansi, sums, averages, NULL)
    if done < n and total.count == 0:
        bits = all_valid(n)
        with nogil:
            done = slide(total, terms, start, end, done, ansi, sums, averages, &bits[0])
    if done < n:
        raise OverflowError("the sum of a frame does not fit in 64 bits", done)
    validity = None if bits is None else bits.base
    if average:
        return column(pa.float64(), averages.base, validity)
    return column(pa.int64(), sums.base, validity)


cdef class IntSum:
    """``sum`` (int64) or ``avg`` (float64: the exact quotient, rounded once) of int64 values.

    A sum beyond 64 bits raises OverflowError(message, index of the frame) if ``ansi``, else it wraps around.
    """

    cdef Total total
    cdef bint average, ansi

    def __cinit__(self, op, bint ansi=True):
        self.average = is_average(op)
        self.ansi = ansi

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame."""
        cdef Longs longs = read_longs(values, base)
        return integer_rows(&self.total, &longs, start, end, self.average, self.ansi)

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: int64 arrays ``(high, low, count)``, the sums in halves of 64 bits."""
        cdef Longs longs = read_longs(values, base)
        cdef int64_t n = start.shape[0], i
        cdef int64_t[:, ::1] columns = np.empty((3, n), dtype=np.int64)
        with nogil:
            for i in range(n):
                shift_to(&self.total, &longs, start[i], end[i])
                columns[0, i] = <int64_t>(self.total.amount >> 64)
                columns[1, i] = <int64_t>self.total.amount
                columns[2, i] = self.total.count
        return tuple(columns.base)

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Move to the frame [start, end) without a result."""
        cdef Longs longs = read_longs(values, base)
        with nogil:
            shift_to(&self.total, &longs, start, end)

    def state(self):
        return (self.total,)

    def restore(self, state):
        self.total, = state


cdef class IntSumOfPartials:
    """The second level: ``sum`` or ``avg`` over panes, given by :meth:`IntSum.roll_partials`."""

    cdef Total total
    cdef bint average, ansi

    def __cinit__(self, op, bint ansi=True):
        self.average = is_average(op)
        self.ansi = ansi

    def roll(self, partials, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame of panes."""
        cdef const int64_t[::1] high, low, count
        high, low, count = partials
        cdef Halves halves = Halves(&high[0], &low[0], &count[0], -base)
        return integer_rows(&self.total, &halves, start, end, self.average, self.ansi)

    def state(self):
        return (self.total,)

    def restore(self, state):
        self.total, = state
