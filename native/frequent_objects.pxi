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


cdef class ObjectFrequent(ObjectKernel):
    """The frequent ones of hashable Python objects, of the Arrow type ``type``. None is not counted.

    What is counted is a digest of 64 bits. Two items of D have the same one with a probability below D * D /
    2**65; then they count as one.

    >>> start, end = np.array([0, 1]), np.array([4, 5])
    >>> ObjectFrequent(0.5, 0.05, 0.01, pa.string()).roll([["a", "b", None, "a", "b"]], 0, None, start, end).to_pylist()
    [[{'item': 'a', 'count': 2}], [{'item': 'b', 'count': 2}]]
    """

    cdef _Frequent frequent
    cdef dict objects        # of the candidates, by digest; also of some that were pruned
    cdef object type

    def __cinit__(self, double support, double eps, double delta, type, *, bint evicts=True):
        self.frequent = _Frequent(support, eps, delta)
        self.objects, self.type, self.evicts = {}, type, evicts

    cdef int forget(self) except -1:
        begin(&self.frequent.sketch, self.lo)
        self.objects.clear()
        return 0

    cdef int enter(self, object value) except -1:
        cdef int64_t digest = digest_of(value)
        return self.remember(digest, value) if arrive(&self.frequent.sketch, digest) else 0

    cdef int leave(self, object value) except -1:
        leave(&self.frequent.sketch, digest_of(value))
        return 0

    cdef int settle(self, list columns, int64_t base, const uint8_t* seen) except -1:
        cdef Sketch* sketch = &self.frequent.sketch
        cdef int64_t position, digest
        sketch.lo, sketch.hi = self.lo, self.hi
        if 2 * sketch.n >= sketch.peak:
            return 0
        forget_candidates(sketch)
        self.objects.clear()
        for position in range(self.lo, self.hi):
            value = self.value_at(columns, position - base)
            if value is not None and (seen == NULL or seen[position - base]):
                digest = digest_of(value)
                if consider(sketch, digest, estimate(sketch, digest, 0)):
                    self.remember(digest, value)
        return 0

    cdef int remember(self, int64_t digest, value) except -1:
        """Keep the object of a candidate; now and then forget those of items that are none any more."""
        cdef Sketch* sketch = &self.frequent.sketch
        self.objects.setdefault(digest, value)
        if len(self.objects) > 2 * (sketch.limit + 1):
            self.objects = {sketch.candidates[index].key: self.objects[sketch.candidates[index].key]
                            for index in range(sketch.used)}
        return 0

    cdef int answer(self, list results) except -1:
        """The frequent items and their counts, the most frequent first."""
        cdef Sketch* sketch = &self.frequent.sketch
        cdef int64_t index
        found = [(-sketch.candidates[index].count, self.objects[sketch.candidates[index].key])
                 for index in range(frequent(sketch))]
        try:
            found.sort()
        except TypeError:                    # of items that have no order
            found.sort(key=lambda row: (row[0], text_of(row[1])))
        results.append(found)
        return 0

    def column(self, list results):
        """Lists of struct<item, count>."""
        offsets = np.cumsum([0, *map(len, results)])
        items = [item for found in results for _, item in found]
        counts = [-count for found in results for count, _ in found]
        return lists_of(offsets, pa.array(items, self.type), pa.array(counts, pa.int64()))

    def __len__(self):
        """How many candidates there are."""
        return len(self.frequent)

    def __sizeof__(self):
        """Bytes, the tables and the candidates included."""
        return self.frequent.__sizeof__()

    def state(self):
        """The state of the sketch, and the candidates' objects."""
        return self.frequent._state(), dict(self.objects)

    def restore(self, state):
        """Go on from the state of a kernel that was made with the same arguments."""
        sketch, objects = state
        self.frequent._restore(sketch)
        self.lo, self.hi = self.frequent.sketch.lo, self.frequent.sketch.hi
        self.objects = dict(objects)
