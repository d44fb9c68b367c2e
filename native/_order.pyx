# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows in the order of some columns: stable, by radix, for keys of any length.

A row's key is a string of bits (words.pxd, key_bits.pxd). As many of its first bits as fit go into one word, above the
number of the row, and the words are sorted (radix.pxd): nothing is moved but 8 bytes a row, and equal keys stay in the
order in which they came. Rows whose words are equal are then told apart by the next bits of their keys (ties.pxd)::

    k  t (59 bits)     1,000,000 rows: 20 bits of row, 44 of k and t; the other 15 only where these are equal
    long strings       the first 44 bits; then 64 less the bits of the largest group of ties, over and over

Cost: 9 ns a row for a million of (integer, timestamp), 11 for ten; 1.4 to see that they are in order. 16 bytes a row,
and 24 for each of the largest group of ties.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

import numpy as np
import pyarrow as pa

from inwindow.native.kernel import space

from inwindow.native.key_bits cimport Key, key_of
from inwindow.native.numbering cimport number
from inwindow.native.ties cimport mark_changes, sort_rows
from inwindow.native.words cimport (
    BLOCK, DECIMAL, DOUBLE, FIXED, FLOAT, HALF, SIGNED8, SIGNED16, SIGNED32, SIGNED64, TEXT32, TEXT64, UNSIGNED8, UNSIGNED16,
    UNSIGNED32, UNSIGNED64, Column, bit_length, blocks_of, is_null, read_words, text_of,
)

cdef const char* NOTHING = b""  # the bytes of texts that are all empty


cdef class Levels:
    """What to sort by, the most significant first: (array, ascending, nulls_first) each.

    Arrays are of numbers, times, decimals, or bytes; all of one length.

    >>> levels = Levels([(pa.array([2, 1, 2, None]), True, True), (pa.array(["b", "c", "a", "d"]), False, True)])
    >>> levels.ascend(0), levels.sorted(0, 2).tolist(), levels.sorted(0, 1).tolist()
    (False, [3, 1, 0, 2], [3, 1, 0, 2])
    >>> levels.numbers()[0].tolist()
    [0, 1, 2, 3]
    """

    cdef Column* columns
    cdef list arrays         # so that they stay
    cdef readonly int count
    cdef readonly int64_t rows

    def __cinit__(self, levels):
        self.arrays = [array for array, _, _ in levels]
        self.count = len(self.arrays)
        self.rows = len(self.arrays[0])
        self.columns = <Column*>calloc(self.count, sizeof(Column))
        if self.columns == NULL:
            raise MemoryError(f"no room for {self.count} levels")
        for index, (array, ascending, nulls_first) in enumerate(levels):
            if len(array) != self.rows:
                raise ValueError(f"levels of {self.rows} and {len(array)} rows")
            read_column(&self.columns[index], array)
            self.columns[index].descending = not ascending
            self.columns[index].nulls_first = nulls_first

    def __dealloc__(self):
        free(self.columns)

    @property
    def bits(self):
        """How long a key is."""
        cdef Key key
        with nogil:
            key = key_of(self.columns, self.count, self.rows)
        return key.bits

    def ascend(self, int first):
        """Whether the rows are in the order of the levels from this one on."""
        cdef bint ascends
        with nogil:
            ascends = all_ascend(&self.columns[first], self.count - first, self.rows)
        return ascends

    def sorted(self, int first, int last):
        """The rows in the order of the levels [first, last)."""
        return self._sorted(first, last, None)

    def groups(self):
        """The rows in the order of all levels, None if they are in it; and where in it each group of equal levels begins."""
        cdef uint8_t[::1] begins = np.zeros(self.rows, dtype=np.uint8)
        cdef Key key
        order = None if self.ascend(0) else self._sorted(0, self.count, begins)
        if order is None and self.rows:
            with nogil:
                key = key_of(self.columns, self.count, self.rows)
                mark_changes(&key, self.rows, &begins[0])
        return order, np.flatnonzero(begins)

    def ranks(self):
        """A number per row that compares as its levels do, from 0 on; equal levels, equal number. And how many there are."""
        cdef int64_t i, rank = -1, n = self.rows
        cdef uint8_t[::1] begins = np.zeros(n, dtype=np.uint8)
        cdef int64_t[::1] order = self._sorted(0, self.count, begins)
        ranked = space(n, np.int64)
        cdef int64_t[::1] out = ranked
        with nogil:
            for i in range(n):
                rank += begins[i]
                out[order[i]] = rank
        return ranked, rank + 1

    def numbers(self):
        """A number per row, in the order of first appearance; equal levels, equal number. And how many there are."""
        cdef int64_t n = self.rows, count = 1
        numbers = space(n, np.int64)
        cdef int64_t[::1] out = numbers
        cdef Key key
        cdef int64_t since = 0
        cdef int width
        with nogil:
            key = key_of(self.columns, self.count, n)
            memset(&out[0], 0, n * sizeof(int64_t))
            while since < key.bits:
                width = <int>min(64 - bit_length(<uint64_t>(count - 1)), key.bits - since)
                count = number(&key, since, width, bit_length(<uint64_t>(count - 1)), n, <uint64_t*>&out[0])
                since += width
        return numbers, count if n else 0

    cdef _sorted(self, int first, int last, uint8_t[::1] begins):
        """The rows in the order of some levels; ``begins``, zeros or None, is to say which differ from the row before."""
        cdef int64_t n = self.rows
        cdef Key key
        order, room = space(n, np.int64), space(n, np.uint64)
        cdef int64_t[::1] rows = order
        cdef uint64_t[::1] words = room
        if n:
            with nogil:
                key = key_of(&self.columns[first], last - first, n)
                sort_rows(&key, n, &rows[0], &words[0], NULL if begins is None else &begins[0])
        return order


cdef read_column(Column* column, array):
    """How the kernel reads an array."""
    kind = array.type
    buffers = array.buffers()
    at = [0 if buffer is None else buffer.address for buffer in buffers]
    column.kind, column.width = kind_of(kind)
    cdef int64_t offset = array.offset
    cdef int64_t step = 4 if column.kind == TEXT32 else 8 if column.kind == TEXT64 else column.width
    cdef uintptr_t data = at[1], text = at[2] if len(at) > 2 else 0, valid = at[0] if array.null_count else 0
    column.data = <const char*>data + offset * step
    column.text = <const char*>text if text else NOTHING
    column.valid = <const uint8_t*>valid
    column.bit = offset


cdef kind_of(kind):
    """The kind, and the bytes of a value."""
    is_ = pa.types
    if is_.is_string(kind) or is_.is_binary(kind):
        return TEXT32, 0
    if is_.is_large_string(kind) or is_.is_large_binary(kind):
        return TEXT64, 0
    if not (is_.is_primitive(kind) or is_.is_decimal(kind) or is_.is_fixed_size_binary(kind)) or is_.is_boolean(kind):
        raise TypeError(f"no order of {kind}")
    cdef int width = kind.bit_width // 8
    if is_.is_fixed_size_binary(kind):
        return FIXED, width
    if is_.is_decimal(kind) and width > 8:
        return DECIMAL, width
    if is_.is_floating(kind):
        return {2: HALF, 4: FLOAT, 8: DOUBLE}[width], width
    if is_.is_unsigned_integer(kind):
        return {1: UNSIGNED8, 2: UNSIGNED16, 4: UNSIGNED32, 8: UNSIGNED64}[width], width
    if is_.is_integer(kind) or is_.is_temporal(kind) and width <= 8 or is_.is_decimal(kind):
        return {1: SIGNED8, 2: SIGNED16, 4: SIGNED32, 8: SIGNED64}[width], width
    raise TypeError(f"no order of {kind}")


# --- One look ------------------------------------------------------------------------------------------------------

cdef bint all_ascend(Column* columns, int count, int64_t n) noexcept nogil:
    """Whether no row sorts before the one in front of it; ends at the first block with such a row."""
    cdef uint64_t words[BLOCK + 1]
    cdef uint8_t undecided[BLOCK]
    cdef int64_t block, first, i, m
    cdef int c
    cdef bint wrong
    for block in range(blocks_of(n - 1)):
        first = block * BLOCK
        m = min(<int64_t>BLOCK, n - 1 - first)
        memset(undecided, 1, m)
        wrong = False
        for c in range(count):
            read_words(&columns[c], 0, NULL, first, m + 1 if m < BLOCK else BLOCK, words)
            if m == BLOCK:
                read_words(&columns[c], 0, NULL, first + BLOCK, 1, &words[BLOCK])
            if columns[c].valid != NULL or columns[c].kind >= DECIMAL:
                wrong = descends_slowly(&columns[c], first, m, words, undecided)
            else:
                for i in range(m):
                    wrong |= undecided[i] & (words[i + 1] < words[i])
                    undecided[i] &= words[i + 1] == words[i]
            if wrong:
                return False
    return True


cdef bint descends_slowly(
    const Column* column, int64_t first, int64_t m, const uint64_t* words, uint8_t* undecided
) noexcept nogil:
    """As the loop above, for NULLs, and values of several words."""
    cdef int64_t i
    cdef int sign
    for i in range(m):
        if undecided[i]:
            sign = is_null(column, first + i) - is_null(column, first + i + 1)
            if sign:
                sign = sign if column.nulls_first else -sign
            elif not is_null(column, first + i):
                sign = (words[i + 1] > words[i]) - (words[i + 1] < words[i])
                if sign == 0 and column.kind >= DECIMAL:
                    sign = compared(column, first + i)
            if sign < 0:
                return True
            undecided[i] = sign == 0
    return False


cdef int compared(const Column* column, int64_t row) noexcept nogil:
    """How the row behind compares with a row whose first word is the same: -1, 0, 1."""
    cdef uint64_t a, b
    cdef int64_t word, length, other
    cdef const char* text = NULL
    cdef const char* behind = NULL
    cdef int sign
    if column.kind == DECIMAL:
        for word in range(1, column.width // 8):
            read_words(column, word, NULL, row, 1, &a)
            read_words(column, word, NULL, row + 1, 1, &b)
            if a != b:
                return 1 if b > a else -1
        return 0
    length, other = text_of(column, row, &text), text_of(column, row + 1, &behind)
    sign = memcmp(behind, text, <size_t>min(length, other))
    if sign == 0:
        sign = (other > length) - (other < length)
    return -sign if column.descending else sign
