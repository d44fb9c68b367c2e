# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: auto_pickle=False
"""Counts, and sums and averages of integers and decimals: exact totals, rounded once in the result, with nothing to watch.

A *term* is what a tuple adds to the *total*, and what is subtracted again when it leaves: a count, and a number in two parts ::

    decimal   [ high, signed ][ low ]            64 bits each; an integer is a low, signed
    total   [ sum of the highs      ]            128 bits
                      [ sum of the lows     ]    128 bits

so there is no carry in the loop: neither sum can leave its 128 bits before 2 ** 62 tuples. Nothing is lost, whatever comes and
goes; only a *result* can overflow, where the true one does not fit its type. That is an error (``ansi=True``, as in Spark);
else a sum of integers wraps around, and one of decimals is NULL. The average of integers is the exact total over the count, as
a double; the average of decimals is (total * 10 ** (scale of the result - scale of the input)) / count, in long division by
words of 64 bits (Knuth, volume 2, 4.3.1, exercise 16), rounded half away from zero (HALF_UP).

*Invariant*: high * 2 ** 64 + low is the exact sum, and ``count`` the number, of the values at positions [lo, hi).
*Cost*: O(1) a tuple, and up to four divisions for an average of decimals. A count of what has no NULL reads nothing at all. A
pane's partial is its count, and its total in three words.
"""

from libc.math cimport ldexp
from libc.stdint cimport int64_t, uint8_t, uint64_t, uintptr_t

import pyarrow as pa

from inwindow.native.int128 cimport int128_t, uint128_t
from inwindow.native.kernel cimport Kernel, memory_of, set_null, slice_of
from inwindow.native.totals cimport (
    ByEnd, Counts, InOrder, Leaving, LongPanes, Longs, Marks, Panes, Row, Terms, Total, Values, Wides, shift_to,
)


# What becomes of a total.
cdef enum Kind:
    COUNT
    INTEGER                             # the sum, of 64 bits
    TRIED                               # the same; NULL if it does not fit
    QUOTIENT                            # the average, a double
    DECIMAL                             # the sum, of 128 bits
    ROUNDED                             # the average, rounded to a decimal, or an integer of 64 bits

cdef struct Outcome:
    Kind kind
    bint ansi
    bint wide                           # a result has 128 bits
    int128_t bound                      # 10 ** precision
    uint64_t factor                     # 10 ** (scale of the result - scale of the input)


# --- results --------------------------------------------------------------------------------------------------


cdef inline double quotient(int128_t amount, int64_t count) noexcept nogil:
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


cdef inline uint64_t divide(uint64_t* rest, uint64_t word, uint64_t divisor) noexcept nogil:
    """One step of a long division: the next word of the quotient, out of the rest so far and the next word."""
    cdef uint128_t dividend
    cdef uint64_t quotient
    if rest[0] == 0:
        quotient = word / divisor
    else:
        dividend = (<uint128_t>rest[0] << 64) | <uint128_t>word
        quotient = <uint64_t>(dividend / <uint128_t>divisor)
    rest[0] = word - quotient * divisor           # modulo 2 ** 64, where it is exact
    return quotient


cdef bint rounded(int64_t count, int128_t top, uint64_t low, const Outcome* outcome, int128_t* out) noexcept nogil:
    """The average; false if it has too many digits."""
    cdef uint128_t product, size
    cdef uint64_t rest = 0, upper = 0, third, second, first
    cdef uint64_t divisor = <uint64_t>count, sign = <uint64_t>(top >> 127)
    low = (low ^ sign) - sign                     # sign is all ones if negative: then complement, and add one
    top = (top ^ <int128_t><int64_t>sign) + <int128_t>(sign & (low == 0))
    product = <uint128_t>low * <uint128_t>outcome.factor
    first = <uint64_t>product
    product = <uint128_t><uint64_t>top * <uint128_t>outcome.factor + (product >> 64)
    second = <uint64_t>product
    product = <uint128_t><uint64_t>(top >> 64) * <uint128_t>outcome.factor + (product >> 64)
    third = <uint64_t>product
    if product:
        upper = divide(&rest, <uint64_t>(product >> 64), divisor)
        upper |= divide(&rest, third, divisor)
    size = <uint128_t>divide(&rest, second, divisor) << 64
    size |= <uint128_t>divide(&rest, first, divisor)
    size += <uint128_t>(rest >= divisor - rest)
    out[0] = (<int128_t>size ^ <int128_t><int64_t>sign) - <int128_t><int64_t>sign
    return upper == 0 and size < <uint128_t>outcome.bound


cdef inline bint conclude(const Terms* terms, int64_t count, int128_t high, int128_t low, Kind kind, bint ansi,
                          const Outcome* outcome, int64_t i, int64_t* out) noexcept nogil:
    """Write the result of a frame that holds a value; false if it does not fit.

    It is given the parts of the total: the address of the whole would keep it out of registers.
    """
    cdef int128_t top = high + (low >> 64), value         # the total without its lowest word
    cdef bint fits
    if Terms is Longs or Terms is LongPanes:
        if kind == INTEGER:
            out[i] = <int64_t>low
            return not ansi or (low + (high << 64) == <int128_t><int64_t>low)
        if kind == TRIED:
            out[i] = <int64_t>low
            return low + (high << 64) == <int128_t><int64_t>low
        if kind == QUOTIENT:
            (<double*>out)[i] = quotient(low + (high << 64), count)
            return True
    if kind == DECIMAL:
        value = <int128_t>((<uint128_t>top << 64) | <uint128_t><uint64_t>low)
        fits = top == <int128_t><int64_t>top and -outcome.bound < value < outcome.bound
    else:
        fits = rounded(count, top, <uint64_t>low, outcome, &value)
    if outcome.wide:
        (<int128_t*>out)[i] = value
    else:
        out[i] = <int64_t>value
    return fits


cdef int64_t count_alike(Total* total, int64_t each, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                         int64_t* out) noexcept nogil:
    """The counts where each held position counts the same: nothing is read, and NULLs of earlier calls stay in the frame."""
    cdef int64_t missing = each * (total.hi - total.lo) - total.count, hi = total.hi
    while missing and i < n and start[i] < hi:
        out[i] = each * (end[i] - start[i]) - missing
        i += 1
    for i in range(i, n):
        out[i] = each * (end[i] - start[i])
    if n:
        total[0] = Total(start[n - 1], end[n - 1], out[n - 1], 0, 0)
    return n


cdef int64_t slide(Total* total, const Terms* terms, Leaving leaving, const Outcome* asked, const int64_t* start,
                   const int64_t* end, int64_t i, int64_t n, int64_t* out, uint8_t* validity) noexcept nogil:
    """Compute the rows from i on; stop at a NULL without a bitmap, and at an ANSI overflow."""
    if Terms is Marks:
        if terms.bits == NULL:
            return count_alike(total, terms.each, start, end, i, n, out)
    cdef Total now = total[0]
    cdef Terms source = terms[0]
    cdef Kind kind = asked.kind
    cdef bint ansi = asked.ansi, wide = asked.wide
    while i < n:
        shift_to(&now, &source, leaving, start[i], end[i])
        if Terms is Marks or Terms is Counts:
            out[i] = now.count
        elif now.count == 0 or not conclude(
            terms, now.count, 0 if Terms is Longs or Terms is LongPanes else now.high, now.low, kind, ansi, asked, i, out
        ):
            if validity == NULL or (ansi and now.count):
                break
            set_null(validity, i)
            if wide:
                (<int128_t*>out)[i] = 0
            else:
                out[i] = 0
        i += 1
    total[0] = now
    return i


cdef void write_partials(Total* total, const Values* terms, const int64_t* start, const int64_t* end, int64_t n,
                         int64_t* out) noexcept nogil:
    cdef Total now = total[0]
    cdef Values source = terms[0]
    cdef Row* rows = <Row*>out
    cdef int128_t top
    cdef int64_t i
    for i in range(n):
        shift_to(&now, &source, InOrder(False), start[i], end[i])
        top = now.high + (now.low >> 64)
        rows[i] = Row(now.count, <int64_t>now.low, <int64_t>top, <int64_t>(top >> 64))
    total[0] = now


# --- the kernels ----------------------------------------------------------------------------------------------


cdef Marks marks_of(array, int64_t base):
    if array is None or array.null_count == 0:
        return Marks(NULL, 0, 1)
    bitmap = array.buffers()[0]
    if bitmap is None:                  # an array of type null has no buffers
        return Marks(NULL, 0, 0)
    return Marks(<const uint8_t*><uintptr_t>bitmap.address, array.offset - base, 1)


cdef bint is_wide(values) except -1:
    if pa.types.is_decimal128(values.type):
        return True
    if pa.types.is_int64(values.type):
        return False
    raise TypeError(f"values are decimal128 or int64, not {values.type}")


cdef bint is_average(op) except -1:
    if op not in ("sum", "avg"):
        raise ValueError(f"op must be 'sum' or 'avg', not {op!r}")
    return op == "avg"


cdef class _Totals(Kernel):
    """The running total, whatever becomes of it."""

    cdef Total total
    cdef Outcome outcome
    cdef int becomes(self, Kind kind, type, bint ansi, int64_t factor) except -1:
        self.type, self.partial = type, 1 if kind == COUNT else 4
        self.keep(&self.total, sizeof(Total))
        self.outcome = Outcome(kind, ansi, type.bit_width == 128, <int128_t>1 << 64, factor)
        if self.outcome.wide:
            self.outcome.bound = 10 ** type.precision

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Panes panes
        cdef LongPanes longs
        cdef Counts counts
        if not self.over_panes:
            if self.left == NULL:
                return self.fold_values(values, base, InOrder(False), start, end, i, n, out, validity)
            return self.fold_values(values, base, ByEnd(self.left), start, end, i, n, out, validity)
        if self.outcome.kind == COUNT:
            counts = Counts(memory_of(values[0], 1) - base)
            with nogil:
                return slide(&self.total, &counts, InOrder(False), &self.outcome, start, end, i, n, out, validity)
        if self.outcome.kind < DECIMAL:
            longs = LongPanes(<const Row*>memory_of(values[0], 4) - base)
            with nogil:
                return slide(&self.total, &longs, InOrder(False), &self.outcome, start, end, i, n, out, validity)
        panes = Panes(<const Row*>memory_of(values[0], 4) - base)
        with nogil:
            return slide(&self.total, &panes, InOrder(False), &self.outcome, start, end, i, n, out, validity)

    cdef int64_t fold_values(self, object values, int64_t base, Leaving leaving, const int64_t* start, const int64_t* end,
                             int64_t i, int64_t n, int64_t* out, uint8_t* validity) except -1:
        cdef Marks marks
        cdef Longs longs
        cdef Wides wides
        if self.outcome.kind == COUNT:
            marks = marks_of(values, base)
            with nogil:
                return slide(&self.total, &marks, leaving, &self.outcome, start, end, i, n, out, validity)
        if is_wide(values):
            wides = Wides(slice_of(values, base, 16))
            with nogil:
                return slide(&self.total, &wides, leaving, &self.outcome, start, end, i, n, out, validity)
        longs = Longs(slice_of(values, base, 8))
        with nogil:
            return slide(&self.total, &longs, leaving, &self.outcome, start, end, i, n, out, validity)

    cdef int fold_partials(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t n,
                           int64_t* out) except -1:
        cdef Marks marks
        cdef Longs longs
        cdef Wides wides
        if self.outcome.kind == COUNT:
            marks = marks_of(values, base)
            slide(&self.total, &marks, InOrder(False), &self.outcome, start, end, 0, n, out, NULL)
        elif is_wide(values):
            wides = Wides(slice_of(values, base, 16))
            write_partials(&self.total, &wides, start, end, n, out)
        else:
            longs = Longs(slice_of(values, base, 8))
            write_partials(&self.total, &longs, start, end, n, out)

    cdef int stuck(self, int64_t frame) except -1:
        if self.outcome.kind == INTEGER:
            raise OverflowError("the sum of a frame does not fit in 64 bits", frame)
        raise OverflowError("the result of a frame has more digits than its type holds", frame)


cdef class Count(_Totals):
    """The number of values in the frame that are not NULL; of all tuples, where the values are None.

    >>> import numpy as np
    >>> Count().roll(pa.array(["a", None, "b"]), 0, np.array([0, 0, 1]), np.array([1, 3, 3])).to_pylist()
    [1, 2, 1]
    """

    def __cinit__(self):
        self.becomes(COUNT, pa.int64(), False, 1)


cdef class IntSum(_Totals):
    """``sum`` (int64) or ``avg`` (float64: the exact quotient, rounded once) of int64 values.

    A sum beyond 64 bits raises OverflowError(message, index of the frame) if ``ansi``, else it wraps around.
    """

    def __cinit__(self, op, bint ansi=True):
        if is_average(op):
            self.becomes(QUOTIENT, pa.float64(), ansi, 1)
        else:
            self.becomes(INTEGER, pa.int64(), ansi, 1)


cdef class IntTrySum(_Totals):
    """``sum`` of int64 values; NULL where it does not fit 64 bits.

    >>> import numpy as np
    >>> IntTrySum().roll(pa.array([2**62, 2**62, -1]), 0, np.array([0, 0, 0]), np.array([1, 2, 3])).to_pylist()
    [4611686018427387904, None, 9223372036854775807]
    """

    def __cinit__(self):
        self.becomes(TRIED, pa.int64(), False, 1)


cdef class DecimalSum(_Totals):
    """``sum`` of decimals (or of int64, as decimals) of the same scale as ``result``, the type of the results.

    A sum with more digits than ``result`` raises OverflowError(message, index of the frame) if ``ansi``, else it is NULL.

    >>> import numpy as np
    >>> from decimal import Decimal
    >>> values = pa.array([Decimal("0.10"), None, Decimal("99.90")])
    >>> start, end = np.array([0, 0, 1]), np.array([1, 3, 3])
    >>> DecimalSum(pa.decimal128(4, 2), ansi=False).roll(values, 0, start, end).to_pylist()
    [Decimal('0.10'), None, Decimal('99.90')]
    """

    def __cinit__(self, result, bint ansi=True):
        self.becomes(DECIMAL, result, ansi, 1)


cdef class DecimalAvg(_Totals):
    """``avg`` of decimals (or of int64, as decimals) of ``input_scale``, rounded half up to the scale of ``result``.

    An average with more digits than ``result`` is as for :class:`DecimalSum`.
    """

    def __cinit__(self, int input_scale, result, bint ansi=True):
        if not 0 <= result.scale - input_scale <= 19:
            raise ValueError(f"an average of scale {input_scale} has 0 to 19 digits more, not the scale {result.scale}")
        self.becomes(ROUNDED, result, ansi, 1)
        self.outcome.factor = 10 ** (result.scale - input_scale)


cdef class IntAvg(_Totals):
    """``avg`` of int64, rounded half up to an int64: for durations. It cannot overflow.

    >>> import numpy as np
    >>> IntAvg().roll(pa.array([2, 3, -7, -10]), 0, np.array([0, 2]), np.array([2, 4])).to_pylist()
    [3, -9]
    """

    def __cinit__(self):
        self.becomes(ROUNDED, pa.int64(), False, 1)
