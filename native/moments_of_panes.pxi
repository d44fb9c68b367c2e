# The second level of _moments.pyx: n, origin, mean and M2 of panes, merged on two stacks.

cdef struct Part:
    double n, origin, mean, m2


# The columns of partials.
cdef struct Parts:
    const int64_t* n
    const double* origin
    const double* mean
    const double* m2
    int64_t base


cdef inline Part part_at(const Parts* parts, int64_t pane) noexcept nogil:
    cdef int64_t row = pane - parts.base
    return Part(parts.n[row], parts.origin[row], parts.mean[row], parts.m2[row])


cdef inline Part merge(Part a, Part b) noexcept nogil:
    """Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for computing sample variances, 1979."""
    cdef double n = a.n + b.n, delta = (b.origin - a.origin) + (b.mean - a.mean)
    if a.n == 0:
        return b
    if b.n == 0:
        return a
    return Part(n, a.origin, a.mean + delta * (b.n / n), a.m2 + b.m2 + delta * delta * (a.n * (b.n / n)))


cdef class MomentsOfPartials:
    """The second level: the same four over panes, given by :meth:`FloatMoments.roll_partials`, by two stacks.

    There is no subtraction, so a NaN is forgotten with its pane ::

        panes    lo ... middle-1 | middle ... hi-1
        front[p] = merge of panes p ... middle-1     back = merge of panes middle ... hi-1

    When the frame's lower end passes the middle, the stacks flip: front is built anew over the whole frame, from
    its end, and middle = hi. Each pane is merged at most three times: O(1) amortised; O(panes) memory.
    """

    cdef int64_t lo, middle, hi
    cdef Part back
    cdef double[:, ::1] front           # row p - origin for pane p in [lo, middle)
    cdef int64_t origin
    cdef int64_t ddof
    cdef bint root

    def __cinit__(self, op):
        self.ddof, self.root = read_op(op)
        self.front = np.empty((0, 4))

    cdef Part top(self, int64_t pane) noexcept nogil:
        cdef int64_t row = pane - self.origin
        if pane >= self.middle:
            return Part(0.0, 0.0, 0.0, 0.0)
        return Part(self.front[row, 0], self.front[row, 1], self.front[row, 2], self.front[row, 3])

    cdef void move(self, const Parts* parts, int64_t start, int64_t end) noexcept nogil:
        cdef int64_t pane
        cdef Part suffix = Part(0.0, 0.0, 0.0, 0.0)
        if start >= self.hi:
            self.middle = self.hi = start
            self.back = suffix
        elif start > self.lo and start >= self.middle:
            for pane in range(self.hi - 1, start - 1, -1):
                suffix = merge(part_at(parts, pane), suffix)
                self.front[pane - start, 0] = suffix.n
                self.front[pane - start, 1] = suffix.origin
                self.front[pane - start, 2] = suffix.mean
                self.front[pane - start, 3] = suffix.m2
            self.origin = start
            self.middle = self.hi
            self.back = Part(0.0, 0.0, 0.0, 0.0)
        for pane in range(self.hi, end):
            self.back = merge(self.back, part_at(parts, pane))
        self.lo, self.hi = start, end

    cdef int64_t fill(self, const Parts* parts, const int64_t[::1] start, const int64_t[::1] end, int64_t i,
                      double* out, uint8_t* validity) noexcept nogil:
        """Compute the rows from i on; stop before a NULL as long as there is no bitmap for it."""
        cdef Part whole
        cdef double variance
        while i < start.shape[0]:
            self.move(parts, start[i], end[i])
            whole = merge(self.top(start[i]), self.back)
            if whole.n > self.ddof:
                variance = whole.m2 / (whole.n - self.ddof)
                out[i] = sqrt(variance) if self.root else variance
            elif validity == NULL:
                break
            else:
                out[i] = 0.0
                set_null(validity, i)
            i += 1
        return i

    def roll(self, partials, int64_t base, const int64_t[::1] start, const int64_t[::1] end):
        """One result per frame of panes, float64."""
        cdef const int64_t[::1] n
        cdef const double[::1] origin, mean, m2
        n, origin, mean, m2 = partials
        cdef Parts parts = Parts(&n[0], &origin[0], &mean[0], &m2[0], base)
        cdef int64_t rows = start.shape[0], done
        cdef double[::1] out = np.empty(rows)
        cdef uint8_t[::1] bits
        longest = np.subtract(end, start).max(initial=0)
        if longest > self.front.shape[0]:
            self.front = np.vstack((self.front, np.empty((longest, 4))))
        with nogil:
            done = self.fill(&parts, start, end, 0, &out[0], NULL)
        if done == rows:
            return column_of(pa.float64(), out.base, None)
        bits = all_valid(rows)
        with nogil:
            self.fill(&parts, start, end, done, &out[0], &bits[0])
        return column_of(pa.float64(), out.base, bits.base)

    def state(self):
        live = np.array(self.front[self.lo - self.origin : self.middle - self.origin])
        return self.lo, self.middle, self.hi, self.back, live

    def restore(self, state):
        self.lo, self.middle, self.hi, self.back, live = state
        self.front = live
        self.origin = self.lo
