# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A sum of doubles from which each of them can be taken out again, as if it had never been in.

What a derived ``expire`` subtracts from. ``total -= value`` on a double keeps the rounding of every value that has left, for
ever; here the sum is kept whole, as a few doubles that do not overlap, and rounded once when it is read::

    exact sum  =  parts[0] + parts[1] + ...    increasing magnitude, no bit in two of them
    NaN, inf   :  counted beside it, so that they leave no trace either

Invariant: while ``lost`` is 0, the parts and the counts are those of the values that are in, to the last bit. A value that
is so large that sums may overflow, or a sum that needs more parts than there are, makes it *lost*: from then on it is a plain
running sum, as Python's, and nothing can be taken out (``take`` gives None: the frame is folded afresh).

Cost: O(parts) additions, two or three as a rule. First appeared: Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997.
"""

from cython cimport final
from libc.math cimport INFINITY, NAN, fabs, isnan, signbit
from libc.stdint cimport int64_t

cdef enum:
    MOST = 12

cdef double _LIMIT = 2.0 ** 980  # 2**40 values below it do not overflow, in whatever order


@final
cdef class ExactSum:
    """An exact sum of doubles, begun at ``start`` (None: nothing).

    >>> total = ExactSum()
    >>> [total.add(value) for value in (1e16, 1.0, float("nan"), 0.1)]
    [1e+16, 1e+16, nan, nan]
    >>> total.take(1e16), total.take(float("nan")), total.take(1.0)
    (nan, 1.1, 0.1)
    """

    cdef double parts[MOST]
    cdef int count
    cdef bint lost
    cdef double plain  # the running sum, once it is lost
    cdef int64_t values, negative_zeros, nans, ups, downs
    cdef object start

    def __init__(self, start=None):
        self.count = self.lost = 0
        self.plain = 0.0
        self.values = self.negative_zeros = self.nans = self.ups = self.downs = 0
        self.start = start
        if start is not None:
            self._put(start)

    def add(self, double value):
        """Put a value in; the sum."""
        if self.lost:
            self.plain += value
        else:
            self._count(value, 1)
        return self._read()

    def take(self, double value):
        """Take out a value that was put in; the sum, or None where that is not possible."""
        if self.lost:
            return None
        self._count(value, -1)
        return None if self.lost else self._read()

    def merge(self, ExactSum later not None):
        """Put in all values of another one, begun at nothing or at 0; the sum."""
        if later.lost or self.lost:
            self._lose(later.plain if later.lost else later._rounded())
            self.values += later.values
        else:
            self._join(later, 1)
        return self._read()

    def unmerge(self, ExactSum earlier not None):
        """Take out all values of another one; the sum, or None where that is not possible."""
        if self.lost or earlier.lost:
            return None
        self._join(earlier, -1)
        return None if self.lost else self._read()

    cdef object _read(self):
        if self.values == 0 and self.start is not None:
            return self.start  # as it was written: 0 is no 0.0
        return self.plain if self.lost else self._rounded()

    cdef void _count(self, double value, int sign) noexcept:
        self.values += sign
        if fabs(value) <= _LIMIT:
            if value == 0.0 and signbit(value):
                self.negative_zeros += sign
            else:
                self._put(sign * value)
        elif isnan(value):
            self.nans += sign
        elif value == INFINITY:
            self.ups += sign
        elif value == -INFINITY:
            self.downs += sign
        elif sign < 0:
            self.lost = True
        else:
            self._lose(value)

    cdef void _join(self, ExactSum other, int sign) noexcept:
        cdef int i
        for i in range(other.count):
            if not self.lost:
                self._put(sign * other.parts[i])
            else:
                self.plain += sign * other.parts[i]
        self.values += sign * other.values
        self.negative_zeros += sign * other.negative_zeros
        self.nans += sign * other.nans
        self.ups += sign * other.ups
        self.downs += sign * other.downs
        if self.lost and (other.nans or other.ups or other.downs):
            self.plain += other._rounded()

    cdef void _lose(self, double value) noexcept:
        """Go on as a plain sum, of what there is and the value."""
        if not self.lost:
            self.plain = self._rounded()
            self.lost = True
        self.plain += value

    cdef void _put(self, double x) noexcept:
        """Grow the expansion by x, by exact additions of two; in place, for it never grows past what was read."""
        cdef double y, high, low, of_y
        cdef int i, kept = 0
        for i in range(self.count):
            y = self.parts[i]
            high = x + y  # Knuth's exact sum of two: without asking which is larger, a branch that nothing could foretell
            of_y = high - x
            low = (x - (high - of_y)) + (y - of_y)
            self.parts[kept] = low  # that place has been read
            kept += low != 0.0
            x = high
        if x == 0.0:
            self.count = kept
        elif kept < MOST:
            self.parts[kept] = x
            self.count = kept + 1
        else:
            for i in range(MOST):
                x += self.parts[i]
            self.plain = self._rounded() if self.nans or self.ups or self.downs else x
            self.lost = True

    cdef double _rounded(self) noexcept:
        """The sum, rounded once to the nearest, ties to even."""
        cdef double high, low, y, x
        cdef int n = self.count
        if n == 2 and not (self.nans | self.ups | self.downs):
            return self.parts[1] + self.parts[0]  # as most often
        if self.nans or (self.ups and self.downs):
            return NAN
        if self.ups:
            return INFINITY
        if self.downs:
            return -INFINITY
        if n == 0:
            # -0.0 is the sum of -0.0 alone
            return -0.0 if self.negative_zeros and self.negative_zeros == self.values and self.start is None else 0.0
        n -= 1
        high, low = self.parts[n], 0.0
        while n > 0:
            x = high
            n -= 1
            y = self.parts[n]
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                break
        # What is below decides a tie.
        if n > 0 and ((low < 0.0 and self.parts[n - 1] < 0.0) or (low > 0.0 and self.parts[n - 1] > 0.0)):
            y = low * 2.0
            x = high + y
            if y == x - high:
                high = x
        return high

    def __copy__(self):
        return self.__deepcopy__(None)

    def __deepcopy__(self, memo):
        cdef ExactSum other = ExactSum.__new__(ExactSum)
        cdef int i
        for i in range(self.count):
            other.parts[i] = self.parts[i]
        other.count, other.lost, other.plain, other.start = self.count, self.lost, self.plain, self.start
        other.values, other.negative_zeros = self.values, self.negative_zeros
        other.nans, other.ups, other.downs = self.nans, self.ups, self.downs
        return other

    def __reduce__(self):
        cdef int i
        parts = [self.parts[i] for i in range(self.count)]
        counts = self.values, self.negative_zeros, self.nans, self.ups, self.downs
        return _restored, (parts, self.lost, self.plain, counts, self.start)

    def __repr__(self):
        return f"ExactSum({self._read()!r})"


def _restored(list parts, bint lost, double plain, tuple counts, start):
    cdef ExactSum it = ExactSum.__new__(ExactSum)
    cdef int i
    it.count = len(parts)
    for i in range(it.count):
        it.parts[i] = parts[i]
    it.lost, it.plain, it.start = lost, plain, start
    it.values, it.negative_zeros, it.nans, it.ups, it.downs = counts
    return it
