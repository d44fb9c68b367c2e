# Two stacks over plain C structs: text for kernels whose aggregates only merge. It needs from the file that includes
# it (before this text come the types, after it the functions):
#
#   Newest                           what is remembered of what was seen, beside the marks
#   Rule                             the options of the aggregate
#   Run                              fused: the aggregates, structs of doubles and int64 alone; all bytes zero but
#                                    for what `empty` sets
#   Tuples                           where the sequence is read from, if not from Panes, rows of partials
#   empty(Run*)                      of no tuple
#   add(Run*, terms, rule, p)        the tuple or pane at p joins, later than all that is there
#   precede(Run*, terms, rule, p)    the same, earlier than all that is there
#   whole_of(Run* to, front, back, frame, rule)   the merge of both
#   put(Run* to, run)                a copy, field by field: the fields are in registers, and a copy of the whole
#                                    would wait for them to be written
#   note(frame, Run*, terms, p)            what is to be remembered of p as it enters: frame.last, frame.newest
#   answer(...)                      the result of a frame; False where it is NULL
#   glides(frame, Run*, terms, rule) whether to try `glide` for frames that move by one tuple each
#   glide(...)                       answers them, from i on; the first it has no answer for, to which it may have moved
#   tuples_of(values, base)          the columns as Tuples
#   fold_any(kind, ...)              `fold` for the Run of this number
#
# What is true of a frame if it is true of *any* tuple in it (there is a NaN, there is a value at all) needs no stack:
# the position of the last such tuple says it, and it is false again as soon as that position is below lo.

from libc.stdint cimport INT64_MIN
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from inwindow.native.kernel cimport Kernel, memory_of, no_eviction, rows_from


cdef struct Frame:
    int64_t lo, mid, hi      # front: the tuples [lo, mid); back: [mid, hi)
    int64_t at               # the aggregate of [p, mid) is front[p - at]
    int64_t capacity         # entries in the block
    int64_t[4] last          # the last position at which each of four marks was seen
    Newest newest
    char* block              # entries of the same Run: the back, then the front


cdef struct Panes:
    const char* rows         # of the same Run, each with a word of marks behind
    int64_t base


ctypedef fused Terms:
    Tuples
    Panes


# Where results go: a column with or without a bitmap, or rows of partials.
cdef struct Column:
    int64_t* out             # 64 bits each, whatever their type
    uint8_t* validity


cdef struct Rows:
    int64_t* out


ctypedef fused Sink:
    Column
    Rows


cdef inline const Run* row_at(Run* kind, const Panes* panes, int64_t position) noexcept nogil:
    return <const Run*>(panes.rows + (position - panes.base) * <int64_t>(sizeof(Run) + 8))


cdef inline bint marked(const Frame* frame, int64_t mark) noexcept nogil:
    return frame.last[mark] >= frame.lo


cdef inline int64_t marks(const Frame* frame) noexcept nogil:
    """The marks of the frame as bits: the last word of a partial's row."""
    return (
        marked(frame, 0) | <int64_t>marked(frame, 1) << 1 | <int64_t>marked(frame, 2) << 2
        | <int64_t>marked(frame, 3) << 3
    )


cdef inline void note_marks(Frame* frame, int64_t bits, int64_t position) noexcept nogil:
    cdef int64_t mark
    for mark in range(4):
        if bits >> mark & 1:
            frame.last[mark] = position


cdef inline bint slides(const Frame* frame, const int64_t* start, const int64_t* end, int64_t n) noexcept nogil:
    """Whether some frames to come seem to move by one tuple each: a detour for one alone is not worth it."""
    return (
        n >= 4 and start[0] == frame.lo + 1 and end[0] == frame.hi + 1
        and start[3] == frame.lo + 4 and end[3] == frame.hi + 4
    )


cdef int make_room(Frame* frame, int64_t length, int64_t width) except -1 nogil:
    """Room for a front of ``length`` entries; the back stays, what was in the front does not."""
    cdef int64_t capacity = 1 + length + length // 4
    cdef char* block
    if length < frame.capacity:
        return 0
    block = <char*>malloc(capacity * width)
    if block == NULL:
        with gil:
            raise MemoryError(f"no room for {capacity} entries of two stacks")
    if frame.block != NULL:
        memcpy(block, frame.block, width)
    free(frame.block)
    frame.block = block
    frame.capacity = capacity
    return 0


cdef int flip(Frame* frame, Run* kind, const Terms* terms, const Rule* rule, int64_t start) except -1 nogil:
    """Build the front anew over [start, hi), from its end."""
    cdef Run suffix
    cdef Terms source = terms[0]
    cdef Rule asked = rule[0]
    cdef Run* front
    cdef int64_t position
    make_room(frame, frame.hi - start, sizeof(Run))
    front = <Run*>frame.block + 1
    empty(&suffix)
    for position in range(frame.hi - 1, start - 1, -1):
        precede(&suffix, &source, &asked, position)
        put(&front[position - start], &suffix)
    frame.at = start
    frame.mid = frame.hi
    return 0


cdef int64_t fold(
    Frame* kept, Run* kind, const Terms* terms, const Rule* rule, const int64_t* start,
    const int64_t* end, int64_t i, int64_t n, Sink sink,
) except -1 nogil:
    """Fold the frames from i on; stop at a NULL if there is no bitmap for it.

    The address of what the loop carries goes to inlined functions alone: so it is in registers.
    """
    cdef Frame frame = kept[0]
    cdef Terms source = terms[0]
    cdef Rule asked = rule[0]
    cdef Run back = (<Run*>frame.block)[0], whole, nothing
    cdef const Run* front = <Run*>frame.block + 1
    cdef int64_t position
    empty(&nothing)
    while i < n:
        if Sink is Column:
            if slides(&frame, start + i, end + i, n - i) and glides(&frame, &back, terms, rule):
                kept[0] = frame
                (<Run*>frame.block)[0] = back
                i = glide(kept, &back, terms, rule, start, end, i, n, sink.out)
                frame = kept[0]
                back = (<Run*>frame.block)[0]
                if i == n:
                    break
            while i < n and start[i] == frame.lo + 1 and end[i] == frame.hi + 1 and start[i] < frame.mid:
                note(&frame, &back, &source, frame.hi)
                add(&back, &source, &asked, frame.hi)
                frame.lo += 1
                frame.hi += 1
                whole_of(&whole, &front[frame.lo - frame.at], &back, &frame, &asked)
                if not answer(&whole, &frame, terms, rule, sink.out + i):
                    if sink.validity == NULL:
                        break
                    sink.out[i] = 0
                    set_null(sink.validity, i)
                i += 1
            if i == n:
                break
        if start[i] >= frame.hi:
            frame.mid = frame.hi = frame.at = start[i]
            empty(&back)
        elif start[i] > frame.lo:
            if not rule.evicts:
                no_eviction(frame.lo, start[i])
            if start[i] >= frame.mid:
                kept[0] = frame
                flip(kept, kind, terms, rule, start[i])
                frame = kept[0]
                front = <Run*>frame.block + 1
                empty(&back)
        frame.lo = start[i]
        for position in range(frame.hi, end[i]):
            note(&frame, &back, &source, position)
            add(&back, &source, &asked, position)
        frame.hi = max(frame.hi, end[i])
        whole_of(&whole, &front[frame.lo - frame.at] if frame.lo < frame.mid else &nothing, &back, &frame, &asked)
        if Sink is Rows:
            put(<Run*>sink.out, &whole)
            sink.out[sizeof(Run) // 8] = marks(&frame)
            sink.out += sizeof(Run) // 8 + 1
        elif not answer(&whole, &frame, terms, rule, sink.out + i):
            if sink.validity == NULL:
                break
            sink.out[i] = 0
            set_null(sink.validity, i)
        i += 1
    kept[0] = frame
    (<Run*>frame.block)[0] = back
    return i


cdef class _TwoStacks(Kernel):
    """What every kernel here is; over panes, it reads the rows that it wrote of them."""

    cdef Frame frame
    cdef Rule rule
    cdef int kind            # which Run
    cdef int64_t width       # its size in bytes

    cdef int begin(self, int kind, int64_t width, bint evicts, type) except -1:
        self.kind, self.width, self.type, self.partial = kind, width, type, width // 8 + 1
        self.rule.evicts = evicts
        for mark in range(4):
            self.frame.last[mark] = INT64_MIN
        make_room(&self.frame, 0, width)
        memset(self.frame.block, 0, width)

    def __dealloc__(self):
        free(self.frame.block)

    cdef int64_t fold(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t i, int64_t n,
                      int64_t* out, uint8_t* validity) except -1:
        cdef Tuples tuples
        cdef Panes panes
        if self.over_panes:
            panes = Panes(<const char*>memory_of(values[0], self.partial), base)
            with nogil:
                return fold_any(self.kind, &self.frame, &panes, &self.rule, start, end, i, n, Column(out, validity))
        tuples = tuples_of(values, base)
        with nogil:
            return fold_any(self.kind, &self.frame, &tuples, &self.rule, start, end, i, n, Column(out, validity))

    cdef int fold_partials(self, object values, int64_t base, const int64_t* start, const int64_t* end, int64_t n,
                           int64_t* out) except -1:
        cdef Tuples tuples = tuples_of(values, base)
        with nogil:
            fold_any(self.kind, &self.frame, &tuples, &self.rule, start, end, 0, n, Rows(out))

    def state(self):
        """(the frame's bounds and marks, the entries as rows of words): what ``restore`` goes on from."""
        cdef Frame* frame = &self.frame
        cdef int64_t live = max(0, frame.mid - frame.lo), words = self.width // 8
        front = rows_from(frame.block + (1 + frame.lo - frame.at) * self.width, live, words)
        last = [frame.last[mark] for mark in range(4)]
        entries = np.concatenate([rows_from(frame.block, 1, words), front])
        return frame.lo, frame.mid, frame.hi, last, frame.newest, entries

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        cdef Frame* frame = &self.frame
        frame.lo, frame.mid, frame.hi, last, frame.newest, rows = state
        cdef const int64_t* memory = memory_of(rows, self.width // 8)
        if len(rows) != 1 + max(0, frame.mid - frame.lo):
            raise ValueError("a state of two stacks has other entries than it says")
        for mark in range(4):
            frame.last[mark] = last[mark]
        frame.at = frame.lo
        make_room(frame, len(rows) - 1, self.width)
        memcpy(frame.block, memory, len(rows) * self.width)
