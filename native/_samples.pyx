# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Uniform samples of sliding frames: the priority sampling of Babcock, Datar and Motwani (SODA 2002).

For each of k samples every tuple has a random priority of its own, and a sample of a frame is its tuple of the highest
priority. A tuple with a higher priority behind it can never be that again, so only those with nothing higher behind
them are kept: a monotone deque for each sample::

    priority  5 9 3 7 2 6        kept, oldest first: 9 7 6     the sample: 9
    add 8     5 9 3 7 2 6 8      7 and 6 are beaten: 9 8       9
    evict 5 9     3 7 2 6 8      the head 9 leaves:  8         8

A priority is a mix of the seed, of the sample's number and of the tuple's *ordinal*, its number within its partition:
a sample is a function of the frame's ordinals, in whatever place and however the stream was cut. The mix is one to one
in the ordinal, so two tuples of a partition never tie.

Invariant: from head to tail the positions of a deque ascend and the priorities descend; each is the highest of
[its position, hi), the head's of the whole frame [lo, hi).
Cost: amortised O(k) per tuple. In a frame of n tuples the i-th from its end is kept with probability 1/i,
independently: H(n) = 1 + 1/2 + ... + 1/n in the mean for each sample. For all k together, more than k * (H(n) +
6 * sqrt(H(n)) + 6) has a probability below exp(-14 * k) (Bernstein's inequality: with mean k * H and an excess
of t = 6 * k * (sqrt(H) + 1) it is at most exp(-t * t / (2 * k * H + 2 * t / 3)), whose exponent is at least 18 *
k * q / (q + 1) for q = (sqrt(H) + 1)**2 >= 4). Where no tuple leaves a growing frame (``evicts=False``) the
heads alone are kept.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from inwindow.native.deque cimport Deque, Entry, make_room      # a key is a priority, its 64 bits taken for an int64
from inwindow.native.kernel cimport no_eviction

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15u
cdef object TWO_TO_64 = 2**64

# Where the priorities come from. The tuple at position p is item p - base.
cdef struct Ordinals:
    const int64_t* ordinals

cdef struct Priorities:
    const uint64_t* priorities   # k for each item
    Py_ssize_t k

ctypedef fused Source:
    Ordinals
    Priorities


cdef inline uint64_t mix(uint64_t bits) noexcept nogil:
    """The finalizer of splitmix64 (Steele, Lea, Flood 2014): one to one."""
    bits = (bits ^ bits >> 30) * <uint64_t>0xBF58476D1CE4E5B9u
    bits = (bits ^ bits >> 27) * <uint64_t>0x94D049BB133111EBu
    return bits ^ bits >> 31


cdef inline uint64_t priority_of(const Source* source, int64_t item, Py_ssize_t sample, uint64_t seed) noexcept nogil:
    if Source is Ordinals:
        return mix(mix(<uint64_t>source.ordinals[item] * GOLDEN) + seed)
    else:
        return source.priorities[item * source.k + sample]


cdef int fold(
    Deque* deque, const Source* source, uint64_t seed, Py_ssize_t sample, Py_ssize_t k, const uint8_t* seen,
    int64_t base, bint evicts, const int64_t* start, const int64_t* end, Py_ssize_t frames, int64_t* out, uint64_t* best,
) except -1 nogil:
    """Fold the frames into the deque of one sample; ``out`` and ``best`` have k columns."""
    cdef Entry* entries = deque.entries
    cdef int64_t head = deque.head, tail = deque.tail, capacity = deque.capacity
    cdef int64_t lo = deque.lo, hi = deque.hi, position
    cdef uint64_t priority
    cdef Py_ssize_t frame
    for frame in range(frames):
        if start[frame] >= hi:
            head = tail = 0
            hi = start[frame]
        elif evicts:
            while head < tail and entries[head].position < start[frame]:
                head += 1
        elif start[frame] != lo:
            no_eviction(lo, start[frame])
        lo = start[frame]
        for position in range(hi, end[frame]):
            if seen != NULL and not seen[position - base]:
                continue
            priority = priority_of(source, position - base, sample, seed)
            if evicts:
                while head < tail and <uint64_t>entries[tail - 1].key <= priority:
                    tail -= 1
            elif head < tail:
                if <uint64_t>entries[head].key <= priority:
                    entries[head] = Entry(<int64_t>priority, position)
                continue
            if tail == capacity:
                deque.head, deque.tail = head, tail
                make_room(deque, 16)
                entries, head, tail, capacity = deque.entries, deque.head, deque.tail, deque.capacity
            entries[tail] = Entry(<int64_t>priority, position)
            tail += 1
        hi = max(hi, end[frame])
        out[frame * k + sample] = entries[head].position if head < tail else -1
        best[frame * k + sample] = <uint64_t>entries[head].key if head < tail else 0
    deque.head, deque.tail, deque.lo, deque.hi = head, tail, lo, hi
    return 0


cdef class PrioritySample:
    """The positions of ``k`` independent uniform samples, with replacement, of each frame.

    >>> start, end = np.array([0, 0, 3, 5]), np.array([1, 3, 5, 5])
    >>> PrioritySample(2, seed=1).roll(np.arange(5), 0, start, end, None).tolist()
    [[0, 0], [1, 1], [3, 4], [-1, -1]]
    """

    cdef Deque* deques
    cdef uint64_t seed
    cdef readonly Py_ssize_t k
    cdef bint evicts

    def __cinit__(self, Py_ssize_t k, seed=0, *, bint evicts=True):
        if k < 1:
            raise ValueError(f"k={k}: at least one sample")
        self.deques = <Deque*>calloc(k, sizeof(Deque))
        if self.deques == NULL:
            raise MemoryError(f"no room for {k} samples")
        self.k = k
        self.evicts = evicts
        self.seed = mix(<uint64_t>(seed % TWO_TO_64) + GOLDEN)

    def __dealloc__(self):
        cdef Py_ssize_t sample
        if self.deques != NULL:
            for sample in range(self.k):
                free(self.deques[sample].entries)
            free(self.deques)

    def roll(
        self, const int64_t[::1] ordinals, int64_t base, const int64_t[::1] start, const int64_t[::1] end,
        const uint8_t[::1] seen,
    ):
        """A row of k positions per frame [start, end), chosen from its tuples that are ``seen``; -1 if there is none.

        ``ordinals`` (and ``seen``, unless None) begin at the position ``base``.
        """
        return self.roll_priorities(ordinals, base, start, end, seen)[0]

    def roll_priorities(
        self, const int64_t[::1] ordinals, int64_t base, const int64_t[::1] start, const int64_t[::1] end,
        const uint8_t[::1] seen,
    ):
        """As :meth:`roll`, and the priorities of the samples beside their positions."""
        cdef Ordinals source = Ordinals(&ordinals[0])
        return choose(self, &source, base, start, end, seen)

    def roll_winners(
        self, const uint64_t[:, ::1] priorities, int64_t base, const int64_t[::1] start, const int64_t[::1] end,
        const uint8_t[::1] seen,
    ):
        """As :meth:`roll`, of items whose k priorities are given: the panes of a cascade."""
        cdef Priorities source = Priorities(&priorities[0, 0], self.k)
        if priorities.shape[1] != self.k:
            raise ValueError(f"{priorities.shape[1]} priorities for {self.k} samples")
        return choose(self, &source, base, start, end, seen)[0]

    def entries(self):
        """Rows of sample, priority and position: what the deques keep."""
        cdef Py_ssize_t sample, row = 0
        cdef int64_t index
        table = np.empty((sum([self.deques[sample].tail - self.deques[sample].head for sample in range(self.k)]), 3),
                         np.uint64)
        cdef uint64_t[:, ::1] rows = table
        for sample in range(self.k):
            for index in range(self.deques[sample].head, self.deques[sample].tail):
                rows[row, 0], rows[row, 1] = sample, <uint64_t>self.deques[sample].entries[index].key
                rows[row, 2] = self.deques[sample].entries[index].position
                row += 1
        return table

    def kept(self):
        """The positions that a later frame may have as a sample: ascending, without repetitions."""
        return np.unique(self.entries()[:, 2].astype(np.int64))

    def state(self):
        """(lo, hi, rows of sample, priority and position): what :meth:`restore` goes on from."""
        return self.deques[0].lo, self.deques[0].hi, self.entries()

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        cdef const uint64_t[:, ::1] rows
        cdef Py_ssize_t row
        cdef Deque* deque
        for row in range(self.k):
            self.deques[row].head = self.deques[row].tail = 0
            self.deques[row].lo, self.deques[row].hi = state[:2]
        rows = state[2]
        if rows.shape[1] != 3 or (rows.shape[0] and np.max(state[2][:, 0]) >= self.k):
            raise ValueError("a state of samples has other entries than its own")
        for row in range(rows.shape[0]):
            deque = &self.deques[rows[row, 0]]
            if deque.tail == deque.capacity:
                make_room(deque, 16)
            deque.entries[deque.tail] = Entry(<int64_t>rows[row, 1], <int64_t>rows[row, 2])
            deque.tail += 1

    def __sizeof__(self):
        """Bytes, the deques included."""
        cdef Py_ssize_t sample
        return sizeof(Deque) * self.k + sizeof(Entry) * sum(
            [self.deques[sample].capacity for sample in range(self.k)]
        )


cdef choose(
    PrioritySample self, const Source* source, int64_t base, const int64_t[::1] start, const int64_t[::1] end,
    const uint8_t[::1] seen,
):
    """The positions and the priorities of each frame's samples."""
    cdef const uint8_t* mask = NULL if seen is None else &seen[0]
    cdef Py_ssize_t frames = start.shape[0], sample
    cdef int64_t[::1] out = np.empty(frames * self.k, np.int64)
    cdef uint64_t[::1] best = np.empty(frames * self.k, np.uint64)
    with nogil:
        for sample in range(self.k):
            fold(
                &self.deques[sample], source, mix(self.seed + (sample + 1) * GOLDEN), sample, self.k, mask, base,
                self.evicts, &start[0], &end[0], frames, &out[0], &best[0],
            )
    return out.base.reshape(frames, self.k), best.base.reshape(frames, self.k)
