# Frames of _central.pyx that move by one tuple each, in registers. Where no NULL is near and all is finite, the count
# is the frame's length and no mark changes: what `fold` of two_stacks.pxi looks at for every tuple need not be looked
# at. It is the same arithmetic in the same order, so the bits are the same; what is known of the frame by positions
# (frame.last, frame.newest) is made up for at the end.

cdef inline bint glides(const Frame* frame, Run* kind, const Terms* terms, const Rule* rule) noexcept nogil:
    """No NULL is near, all in the frame is finite, and its values differ, where a result asks for that.

    Values that differ and an M2 that is fair mean the same, so :func:`glide` need not look for equal ones.
    """
    if Terms is Panes:
        return False
    else:
        if terms.x.seen != NULL or not rule.evicts or frame.hi - frame.lo < 2 or marked(frame, ODD):
            return False
        if Run in Paired:
            if terms.y.seen != NULL:
                return False
        if Run in Squared:
            if frame.newest.y_step <= frame.lo:
                return False
        return Run is Covariance or frame.newest.x_step > frame.lo


cdef inline int64_t step_of(const Slice* column, double before, int64_t first, int64_t end,
                            int64_t step) noexcept nogil:
    """The last position below end - 1 with another value behind it; ``step`` if there is none from first - 1 on."""
    cdef int64_t position
    for position in range(end - 2, first - 1, -1):
        if at(column, position) != at(column, position + 1):
            return position
    return step if at(column, first) == before else first - 1


cdef int64_t glide(Frame* kept, Run* kind, const Terms* terms, const Rule* rule, const int64_t* start,
                   const int64_t* end, int64_t i, int64_t n, int64_t* out) noexcept nogil:
    """Answer the frames from i on; the first that is not answered.

    That is one which does not move by one tuple, or whose new tuple is not finite, or it was moved to, but its powers
    are not fair. What is carried along is in registers: no aggregate is copied as a whole, none is given to a call.
    """
    cdef Tuples source
    cdef Run back = (<Run*>kept.block)[0], suffix, whole
    cdef Run* front = <Run*>kept.block + 1
    cdef int64_t lo = kept.lo, mid = kept.mid, hi = kept.hi, origin = kept.at, length = hi - lo, position, stop
    cdef double inverse = 1.0 / length, share = 1.0 / (length - rule.ddof)
    cdef bint going = True
    if Terms is Tuples:
        source = terms[0]
        while going and i < n:
            if lo + 1 >= mid:
                if length > kept.capacity or start[i] != lo + 1 or end[i] != hi + 1 or not is_finite(kind, terms, hi):
                    break
                begin(&suffix, &source, hi - 1)
                put(&front[hi - lo - 2], &suffix)
                for position in range(hi - 2, lo, -1):
                    join_finite(&suffix, &source, position)
                    put(&front[position - lo - 1], &suffix)
                origin = lo + 1
                mid = hi
                back.n = 0.0
            stop = min(n, i + mid - lo - 1)
            going = False
            while i < stop and start[i] == lo + 1 and end[i] == hi + 1 and is_finite(kind, &source, hi):
                if back.n == 0.0:
                    begin(&back, &source, hi)
                else:
                    join_finite(&back, &source, hi)
                lo += 1
                hi += 1
                merge_some(&whole, &front[lo - origin], &back, inverse)
                if not is_fair(&whole):
                    break
                (<double*>out)[i] = quotient(&whole, share, rule)
                i += 1
            else:
                going = i == stop
        if hi > kept.hi:
            kept.newest.x_step = step_of(&source.x, kept.newest.x, kept.hi, hi, kept.newest.x_step)
            kept.newest.x = at(&source.x, hi - 1)
            if Run in Paired:
                kept.newest.y_step = step_of(&source.y, kept.newest.y, kept.hi, hi, kept.newest.y_step)
                kept.newest.y = at(&source.y, hi - 1)
            kept.last[MANY] = hi - 2
            kept.newest.at = hi - 1
        kept.lo, kept.mid, kept.hi, kept.at = lo, mid, hi, origin
        put(<Run*>kept.block, &back)
    return i
