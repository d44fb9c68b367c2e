# The loop of compiled.pyx: one copy for each base class, whose hooks it calls through the C table.

cdef enum:
    MOST = 64                                    # columns

cdef enum Hook:
    NO_HOOK, INITIALIZE, ITERATE, EXPIRE, TERMINATE

cdef tuple _HOOKS = ("", "initialize", "iterate", "expire", "terminate")

cdef struct Call:
    const char* columns[MOST]                    # the value at position p is 8 bytes at columns[k] + 8 * p
    const uint8_t* seen                          # seen[p]; NULL where all are
    int64_t base, end                            # the positions that are held
    int width
    Hook running                                 # while a hook runs, or has raised
    int64_t position, frame, nulls


ctypedef fused Kind:
    OneDouble
    OneInt64
    Doubles


cdef inline int _ask(Kind one, Call* call, Hook hook, int64_t p) except -1:
    """A hook on the tuple at p."""
    cdef double row[MOST]
    cdef int k
    call.running, call.position = hook, p
    if Kind is Doubles:
        for k in range(call.width):
            row[k] = (<const double*>call.columns[k])[p]
        if hook == INITIALIZE:
            return one.initialize(row)
        return one.iterate(row) if hook == ITERATE else one.expire(row)
    elif Kind is OneDouble:
        if hook == INITIALIZE:
            return one.initialize((<const double*>call.columns[0])[p])
        if hook == ITERATE:
            return one.iterate((<const double*>call.columns[0])[p])
        return one.expire((<const double*>call.columns[0])[p])
    else:
        if hook == INITIALIZE:
            return one.initialize((<const int64_t*>call.columns[0])[p])
        if hook == ITERATE:
            return one.iterate((<const int64_t*>call.columns[0])[p])
        return one.expire((<const int64_t*>call.columns[0])[p])


cdef int roll_frames(Frames its, Kind one, const int64_t* start, const int64_t* end, int64_t n, double* out,
                     uint8_t* validity) except -1:
    """Fold the frames one after the other; with ``out``, put down their results."""
    cdef Call* call = &its.call
    cdef int64_t lo = its.lo, hi = its.hi, count = its.count, i, p
    cdef const uint8_t* seen = call.seen
    one = <Kind>its.one
    for i in range(n):
        call.frame = i
        if out != NULL and i > 0 and start[i] == start[i - 1] and end[i] == end[i - 1]:   # peers
            out[i] = out[i - 1]
            if not validity[(i - 1) >> 3] >> ((i - 1) & 7) & 1:
                set_null(validity, i)
            continue
        if its.afresh or start[i] >= hi:
            lo = hi = start[i]
            count = 0
        elif start[i] < lo or (start[i] > lo and lo < call.base):
            call.running = NO_HOOK
            raise RuntimeError(f"internal error: the start moves from {lo} to {start[i]}, held from {call.base} on")
        elif start[i] > lo:
            for p in range(lo, start[i]):
                if seen != NULL and not seen[p]:
                    continue
                count -= 1
                if count == 0:
                    break
                if _ask(one, call, EXPIRE, p) == PUNT:
                    count = 0
                    hi = start[i]                # the frame is folded again, below
                    break
            lo = start[i]
        if (hi < end[i] and hi < call.base) or end[i] > call.end:
            call.running = NO_HOOK
            raise RuntimeError(f"internal error: [{hi}, {end[i]}) is not held, but [{call.base}, {call.end})")
        for p in range(hi, end[i]):
            if seen != NULL and not seen[p]:
                continue
            if count == 0:
                one = None
                call.running = NO_HOOK
                one = <Kind>its.copies.fresh()
                _ask(one, call, INITIALIZE, p)
            else:
                _ask(one, call, ITERATE, p)
            count += 1
        hi = max(hi, end[i])
        if out == NULL:
            continue
        if count == 0:
            if its.empty is None:
                out[i] = 0.0
                set_null(validity, i)
                call.nulls += 1
            elif its.is_integer:
                (<int64_t*>out)[i] = its.empty
            else:
                out[i] = its.empty
            continue
        call.running, call.position = TERMINATE, end[i] - 1
        one.is_null = False
        if its.is_integer:
            (<int64_t*>out)[i] = one.terminate_int()
        else:
            out[i] = one.terminate()
        if one.is_null:
            set_null(validity, i)
            call.nulls += 1
    call.running = NO_HOOK
    its.lo, its.hi, its.count, its.one = lo, hi, count, one
    return 0
