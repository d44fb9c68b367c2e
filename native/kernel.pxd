# What all kernels share. A kernel of numbers is a `cdef class` derived from Kernel: it says in `fold` how frames are folded
# and how their results are written; the calls from Python, NULLs and columns are written once, in kernel.pyx.

from libc.stdint cimport int64_t, uint8_t


cdef struct Slice:           # a slice of the endless sequence, as an Arrow array has it
    const char* data         # the value at position p begins at data + p * (its width in bytes)
    const uint8_t* seen      # its validity is bit `bit + p` of seen; NULL where all are valid
    int64_t bit


cdef inline bint is_seen(const Slice* column, int64_t position) noexcept nogil:
    cdef int64_t bit = column.bit + position
    return column.seen == NULL or column.seen[bit >> 3] >> (bit & 7) & 1


cdef inline void set_null(uint8_t* validity, int64_t index) noexcept nogil:
    validity[index >> 3] &= ~(1 << (index & 7))


cdef Slice slice_of(object values, int64_t base, int64_t width)
cdef object column_of(object type, int64_t count, object values, object validity)
cdef object rows_from(const void* memory, int64_t rows, int64_t words)
cdef const int64_t* memory_of(object rows, int64_t words) except? NULL
cdef const uint8_t* counting(const uint8_t[::1] seen, int64_t base)     # the mask of tuples that count, by position
cdef int no_eviction(int64_t lo, int64_t start) except -1 nogil


# The states of kernels lie behind this: at a multiple of 16 bytes, or what two stacks keep takes up to 1.6 times as long.
cdef class Kernel:
    cdef object type         # of the results; each is one word of 64 bits, of a decimal two
    cdef int partial         # words of a pane's partial
    cdef bint over_panes     # the sequence is of panes, as roll_partials writes them
    cdef const int64_t* left # while it sweeps: the position of the k-th to leave; else NULL
    cdef void* kept          # the struct that its whole state is, if it is one, and its bytes
    cdef int64_t size

    cdef int keep(self, void* kept, int64_t size) except -1

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1
    cdef int fold_partials(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t n,
                           int64_t* out) except -1
    cdef int stuck(self, int64_t frame) except -1
