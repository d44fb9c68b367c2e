# The frequent ones of Python objects, by their digests: text of _frequent.pyx.

from datetime import datetime, timezone
from decimal import Decimal
from fractions import Fraction


cdef bytes text_of(value):
    """The same for values that are equal, different for others, and the same in every process."""
    cdef list parts
    if isinstance(value, str):
        return b"s" + (<str>value).encode("utf-8", "surrogatepass")
    if isinstance(value, (bytes, bytearray)):
        return b"b" + bytes(value)
    if isinstance(value, (int, float, Decimal, Fraction)):
        if value != value:
            return b"nan"
        if value in (math.inf, -math.inf):
            return b"inf" if value > 0 else b"-inf"
        return b"n%x/%x" % value.as_integer_ratio()
    if isinstance(value, (tuple, list)):
        parts = [text_of(part) for part in value]
        return b"t" + b"".join([b"%d:%b" % (len(part), part) for part in parts])
    if isinstance(value, datetime) and value.tzinfo is not None:
        return b"z" + repr(value.astimezone(timezone.utc).replace(tzinfo=None, fold=0)).encode()
    return b"r" + repr(value).encode("utf-8", "surrogatepass")


cdef int64_t digest_of(value) except? -1:
    return int.from_bytes(blake2b(text_of(value), digest_size=8).digest(), "little", signed=True)


cdef class ObjectFrequent(_Frequent):
    """The frequent ones of hashable Python objects, of the Arrow type ``type``. None is not counted.

    What is counted is a digest of 64 bits. Two items of D have the same one with a probability below D * D /
    2**65; then they count as one.

    >>> start, end = np.array([0, 1]), np.array([4, 5])
    >>> ObjectFrequent(0.5, 0.05, 0.01, pa.string()).roll([["a", "b", None, "a", "b"]], 0, None, start, end).to_pylist()
    [[{'item': 'a', 'count': 2}], [{'item': 'b', 'count': 2}]]
    """

    cdef dict objects        # of the candidates, by digest; also of some that were pruned
    cdef object type

    def __cinit__(self, double support, double eps, double delta, type, *, bint evicts=True):
        self.objects = {}
        self.type = type

    cdef int slide(self, list values, int64_t base, const uint8_t[::1] seen, int64_t start, int64_t end) except -1:
        cdef Sketch* sketch = &self.sketch
        cdef int64_t position, digest, lo
        if start >= sketch.hi:
            begin(sketch, start)
            self.objects.clear()
        elif start > sketch.lo and not self.evicts:
            no_eviction(sketch.lo, start)
        for position in range(sketch.lo, start):
            if values[position - base] is not None and (seen is None or seen[position - base]):
                leave(sketch, digest_of(values[position - base]))
        for position in range(sketch.hi, end):
            if values[position - base] is not None and (seen is None or seen[position - base]):
                digest = digest_of(values[position - base])
                if arrive(sketch, digest):
                    self.remember(digest, values[position - base])
        sketch.lo, sketch.hi = start, max(sketch.hi, end)
        if 2 * sketch.n < sketch.peak:
            forget_candidates(sketch)
            self.objects.clear()
            for position in range(sketch.lo, sketch.hi):
                if values[position - base] is not None and (seen is None or seen[position - base]):
                    digest = digest_of(values[position - base])
                    if consider(sketch, digest, estimate(sketch, digest, 0)):
                        self.remember(digest, values[position - base])
        return 0

    cdef int remember(self, int64_t digest, value) except -1:
        """Keep the object of a candidate; now and then forget those of items that are none any more."""
        cdef Sketch* sketch = &self.sketch
        self.objects.setdefault(digest, value)
        if len(self.objects) > 2 * (sketch.limit + 1):
            self.objects = {sketch.candidates[index].key: self.objects[sketch.candidates[index].key]
                            for index in range(sketch.used)}
        return 0

    def roll(
        self, list columns, int64_t base, const uint8_t[::1] seen, const int64_t[::1] start, const int64_t[::1] end
    ):
        """For each frame [start, end) a list of its frequent items and their counts, the most frequent first."""
        cdef Py_ssize_t frames = start.shape[0], frame
        cdef int64_t index
        offsets, items, counts = [0], [], []
        for frame in range(frames):
            self.slide(columns[0], base, seen, start[frame], end[frame])
            found = [(-self.sketch.candidates[index].count, self.objects[self.sketch.candidates[index].key])
                     for index in range(frequent(&self.sketch))]
            try:
                found.sort()
            except TypeError:                    # of items that have no order
                found.sort(key=lambda row: (row[0], text_of(row[1])))
            items += [item for _, item in found]
            counts += [-count for count, _ in found]
            offsets.append(len(items))
        return lists_of(offsets, pa.array(items, self.type), pa.array(counts, pa.int64()))

    def absorb(self, list columns, int64_t base, const uint8_t[::1] seen, int64_t start, int64_t end):
        """Fold the frame [start, end) in without a result."""
        self.slide(columns[0], base, seen, start, end)

    def state(self):
        """The state of the sketch, and the candidates' objects."""
        return self._state(), dict(self.objects)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        sketch, objects = state
        self._restore(sketch)
        self.objects = dict(objects)
