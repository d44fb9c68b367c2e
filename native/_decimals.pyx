# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums and averages of decimals, and averages of integers as integers: exact, in 192 bits, rounded once.

A decimal is an integer of 128 bits, its value times 10 ** scale. Its halves are added up apart::

    value     [ high, signed ][ low ]            64 bits each
    total   [ sum of the highs      ]            128 bits
                      [ sum of the lows     ]    128 bits

so there is no carry to watch in the loop: neither sum can leave its 128 bits before 2 ** 62 tuples. (An int64 is a
low, signed.) What leaves a frame is subtracted and nothing is lost; only a *result* can overflow, where the true one
has more digits than its type holds. That is an error (``ansi=True``, as in Spark) or NULL.

The average is (total * 10 ** (scale of the result - scale of the input)) / count, in long division by words of 64 bits
(Knuth, volume 2, 4.3.1, exercise 16), rounded half away from zero (HALF_UP).

*Invariant*: high * 2 ** 64 + low is the exact sum, and ``count`` the number, of the values at positions [lo, hi).
*Cost*: O(1) a tuple, and up to four divisions for an average. A pane's partial is its total in three words, and its
count.
"""

from libc.stdint cimport uint64_t

include "slices.pxi"

cdef extern from *:
    """
    typedef __int128 int128_t;
    typedef unsigned __int128 uint128_t;
    """
    ctypedef long long int128_t         # Cython needs a name and a rank; the C compiler knows the size
    ctypedef unsigned long long uint128_t

# What is added up, at a position of the endless sequence.
cdef struct Wides:
    Slice slice                         # decimal128: low word, high word

cdef struct Longs:
    Slice slice                         # int64

cdef struct Panes:                      # index = position - base
    const int64_t* high
    const int64_t* middle
    const int64_t* low
    const int64_t* count
    int64_t base

ctypedef fused Terms:
    Wides
    Longs
    Panes

cdef struct Total:
    int64_t lo, hi
    int64_t count
    int128_t high, low

# What becomes of a total.
cdef struct Sum:
    int128_t bound                      # 10 ** precision

cdef struct Average:
    int128_t bound
    uint64_t factor                     # 10 ** (scale of the result - scale of the input)

ctypedef fused Outcome:
    Sum
    Average


cdef inline Total term_at(const Terms* terms, int64_t position) noexcept nogil:
    """What a tuple or a pane adds: nothing where it is NULL."""
    cdef const int64_t* words
    cdef int64_t index, mask
    if Terms is Panes:
        index = position - terms.base
        return Total(
            0, 0, terms.count[index],
            (<int128_t>terms.high[index] << 64) + <int128_t><uint64_t>terms.middle[index],
            <int128_t><uint64_t>terms.low[index],
        )
    else:
        mask = -<int64_t>is_seen(&terms.slice, position)
        if Terms is Wides:
            words = <const int64_t*>terms.slice.data + 2 * position
            return Total(0, 0, -mask, <int128_t>(words[1] & mask), <int128_t><uint64_t>(words[0] & mask))
        else:
            index = (<const int64_t*>terms.slice.data)[position] & mask
            return Total(0, 0, -mask, 0, <int128_t>index)


cdef inline void shift_to(Total* total, const Terms* terms, int64_t start, int64_t end) noexcept nogil:
    cdef Total term
    cdef int64_t position
    if start >= total.hi:
        total[0] = Total(start, start, 0, 0, 0)
    for position in range(total.lo, start):
        term = term_at(terms, position)
        total.count -= term.count
        total.high -= term.high
        total.low -= term.low
    for position in range(total.hi, end):
        term = term_at(terms, position)
        total.count += term.count
        total.high += term.high
        total.low += term.low
    total.lo, total.hi = start, end


cdef inline int128_t carried(const Total* total) noexcept nogil:
    """The total without its lowest word."""
    return total.high + (total.low >> 64)


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


cdef inline bint conclude(const Total* total, const Outcome* outcome, int128_t* out) noexcept nogil:
    """Write the result of a frame that holds a value; false if it has too many digits."""
    cdef int128_t top = carried(total)
    cdef uint128_t product, size
    cdef uint64_t low = <uint64_t>total.low, rest = 0, upper, third, second, first, count
    cdef uint64_t sign
    if Outcome is Sum:
        out[0] = <int128_t>((<uint128_t>top << 64) | <uint128_t>low)
        return top == <int128_t><int64_t>top and -outcome.bound < out[0] < outcome.bound
    else:
        sign = <uint64_t>(top >> 127)             # all ones if negative: then complement, and add one
        low = (low ^ sign) - sign
        top = (top ^ <int128_t><int64_t>sign) + <int128_t>(sign & (low == 0))
        product = <uint128_t>low * <uint128_t>outcome.factor
        first = <uint64_t>product
        product = <uint128_t><uint64_t>top * <uint128_t>outcome.factor + (product >> 64)
        second = <uint64_t>product
        product = <uint128_t><uint64_t>(top >> 64) * <uint128_t>outcome.factor + (product >> 64)
        third = <uint64_t>product

        count = <uint64_t>total.count
        upper = 0
        if product:
            upper = divide(&rest, <uint64_t>(product >> 64), count)
            upper |= divide(&rest, third, count)
        size = <uint128_t>divide(&rest, second, count) << 64
        size |= <uint128_t>divide(&rest, first, count)
        size += <uint128_t>(rest >= count - rest)
        out[0] = (<int128_t>size ^ <int128_t><int64_t>sign) - <int128_t><int64_t>sign
        return upper == 0 and size < <uint128_t>outcome.bound


cdef int64_t slide(Total* total, const Terms* terms, const Outcome* outcome, const int64_t[::1] start,
                   const int64_t[::1] end, int64_t i, int128_t* out, bint ansi, uint8_t* validity) noexcept nogil:
    """Compute the rows from i on; stop at a NULL without a bitmap, and at an ANSI overflow."""
    cdef Total now = total[0]
    while i < start.shape[0]:
        shift_to(&now, terms, start[i], end[i])
        if now.count == 0 or not conclude(&now, outcome, &out[i]):
            if validity == NULL or (ansi and now.count):
                break
            set_null(validity, i)
            out[i] = 0
        i += 1
    total[0] = now
    return i


cdef bint is_wide(values) except -1:
    if pa.types.is_decimal128(values.type):
        return True
    if pa.types.is_int64(values.type):
        return False
    raise TypeError(f"values are decimal128 or int64, not {values.type}")


cdef class _Running:
    """The running total, whatever becomes of it."""

    cdef Total total
    cdef bint ansi
    cdef object type

    def roll_partials(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """The first level of a cascade: int64 arrays ``(high, middle, low, count)``, the totals in words."""
        cdef int64_t n = start.shape[0], i
        cdef int64_t[:, ::1] columns = np.empty((4, n), dtype=np.int64)
        cdef bint wide = is_wide(values)
        cdef Wides wides = Wides(slice_of(values, base, 16))
        cdef Longs longs = Longs(slice_of(values, base, 8))
        with nogil:
            for i in range(n):
                if wide:
                    shift_to(&self.total, &wides, start[i], end[i])
                else:
                    shift_to(&self.total, &longs, start[i], end[i])
                columns[0, i] = <int64_t>(carried(&self.total) >> 64)
                columns[1, i] = <int64_t>carried(&self.total)
                columns[2, i] = <int64_t>self.total.low
                columns[3, i] = self.total.count
        return tuple(columns.base)

    def absorb(self, values, int64_t base, int64_t start, int64_t end):
        """Move to the frame [start, end) without a result."""
        cdef Wides wides = Wides(slice_of(values, base, 16))
        cdef Longs longs = Longs(slice_of(values, base, 8))
        cdef bint wide = is_wide(values)
        with nogil:
            if wide:
                shift_to(&self.total, &wides, start, end)
            else:
                shift_to(&self.total, &longs, start, end)

    def state(self):
        """What :meth:`restore` goes on from."""
        return (self.total,)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        self.total, = state


cdef results(_Running kernel, const Terms* terms, const Outcome* outcome, const int64_t[::1] start,
             const int64_t[::1] end):
    """One result per frame, of the kernel's type."""
    cdef int64_t n = start.shape[0], done
    cdef int64_t[::1] words = space(2 * n, np.int64)
    cdef int128_t* out = <int128_t*>&words[0]
    cdef uint8_t[::1] bits = None
    with nogil:
        done = slide(&kernel.total, terms, outcome, start, end, 0, out, kernel.ansi, NULL)
    if done < n and not (kernel.ansi and kernel.total.count):
        bits = all_valid(n)
        with nogil:
            done = slide(&kernel.total, terms, outcome, start, end, done, out, kernel.ansi, &bits[0])
    if done < n:
        raise OverflowError("the result of a frame has more digits than its type holds", done)
    rows = words.base.view("V16") if kernel.type.bit_width == 128 else np.ascontiguousarray(words.base[::2])
    return column_of(kernel.type, rows, None if bits is None else bits.base)


cdef rolled(_Running kernel, const Outcome* outcome, values, int64_t base, const int64_t[::1] start,
            const int64_t[::1] end):
    cdef Wides wides = Wides(slice_of(values, base, 16))
    cdef Longs longs = Longs(slice_of(values, base, 8))
    if is_wide(values):
        return results(kernel, &wides, outcome, start, end)
    return results(kernel, &longs, outcome, start, end)


cdef rolled_panes(_Running kernel, const Outcome* outcome, partials, int64_t base, const int64_t[::1] start,
                  const int64_t[::1] end):
    cdef const int64_t[::1] high, middle, low, count
    high, middle, low, count = partials
    cdef Panes panes = Panes(&high[0], &middle[0], &low[0], &count[0], base)
    return results(kernel, &panes, outcome, start, end)


cdef class DecimalSum(_Running):
    """``sum`` of decimals (or of int64, as decimals) of the same scale as ``result``, the type of the results.

    A sum with more digits than ``result`` raises OverflowError(message, index of the frame) if ``ansi``, else it is NULL.

    >>> from decimal import Decimal
    >>> values = pa.array([Decimal("0.10"), None, Decimal("99.90")])
    >>> start, end = np.array([0, 0, 1]), np.array([1, 3, 3])
    >>> DecimalSum(pa.decimal128(4, 2), ansi=False).roll(values, 0, start, end).to_pylist()
    [Decimal('0.10'), None, Decimal('99.90')]
    """

    cdef Sum outcome

    def __cinit__(self, result, bint ansi=True):
        self.type, self.ansi = result, ansi
        self.outcome.bound = 10 ** result.precision

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame."""
        return rolled(self, &self.outcome, values, base, start, end)


cdef class DecimalSumOfPartials(DecimalSum):
    """The second level: ``sum`` over panes, given by :meth:`DecimalSum.roll_partials`."""

    def roll(self, partials, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame of panes."""
        return rolled_panes(self, &self.outcome, partials, base, start, end)


cdef class DecimalAvg(_Running):
    """``avg`` of decimals (or of int64, as decimals) of ``input_scale``, rounded half up to the scale of ``result``.

    An average with more digits than ``result`` is as for :class:`DecimalSum`.
    """

    cdef Average outcome

    def __cinit__(self, int input_scale, result, bint ansi=True):
        self.type, self.ansi = result, ansi
        if not 0 <= result.scale - input_scale <= 19:
            raise ValueError(f"an average of scale {input_scale} has 0 to 19 digits more, not the scale {result.scale}")
        self.outcome = Average(10 ** result.precision, 10 ** (result.scale - input_scale))

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame."""
        return rolled(self, &self.outcome, values, base, start, end)


cdef class DecimalAvgOfPartials(DecimalAvg):
    """The second level: ``avg`` over panes, given by :meth:`DecimalAvg.roll_partials`."""

    def roll(self, partials, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame of panes."""
        return rolled_panes(self, &self.outcome, partials, base, start, end)


cdef class IntAvg(_Running):
    """``avg`` of int64, rounded half up to an int64: for durations. It cannot overflow.

    >>> IntAvg().roll(pa.array([2, 3, -7, -10]), 0, np.array([0, 2]), np.array([2, 4])).to_pylist()
    [3, -9]
    """

    cdef Average outcome

    def __cinit__(self):
        self.type = pa.int64()
        self.outcome = Average(<int128_t>1 << 64, 1)

    def roll(self, values, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame."""
        return rolled(self, &self.outcome, values, base, start, end)


cdef class IntAvgOfPartials(IntAvg):
    """The second level: ``avg`` over panes, given by :meth:`IntAvg.roll_partials`."""

    def roll(self, partials, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame of panes."""
        return rolled_panes(self, &self.outcome, partials, base, start, end)
