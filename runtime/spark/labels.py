"""The labels of buckets, and of tasks, chosen so that Spark's hash spreads them evenly over its partitions.

With ``pmod(hash(key), n)`` as a label some partitions would stay empty, because Spark hashes the label again. So labels are
numbers with a known hash: the n-th bucket goes to partition n modulo the number of partitions.
"""

_MASK = 0xFFFFFFFF
# Buckets per shuffle partition: not many, because each has a turn in every micro-batch; but more than one, because a turn holds a
# bucket's whole state in memory. (With 2 or 1 a micro-batch of 1,000 rows took the same time, within the noise.)
PER_PARTITION = 4


def labels_for(partitions: int, *, keyed: bool) -> list[int]:
    """The labels of a query's buckets: they depend only on the number of partitions; without keys there is one bucket."""
    return balanced(PER_PARTITION * partitions, partitions) if keyed else [0]


def balanced(buckets: int, partitions: int) -> list[int]:
    """A label per bucket.

    >>> [murmur3(label) % 4 for label in balanced(8, 4)]
    [0, 1, 2, 3, 0, 1, 2, 3]
    """
    labels: list[int] = []
    free: dict[int, list[int]] = {partition: [] for partition in range(partitions)}
    candidate = 0
    for bucket in range(buckets):
        mine = free[bucket % partitions]
        while not mine:
            free[murmur3(candidate) % partitions].append(candidate)
            candidate += 1
        labels.append(mine.pop(0))
    return labels


def murmur3(value: int) -> int:
    """Spark's hash of an int: Murmur3 (32 bits) of its four bytes, seed 42.

    >>> murmur3(0), murmur3(1)                             # SELECT hash(0), hash(1)
    (933211791, -559580957)
    """
    mixed = (value * 0xCC9E2D51) & _MASK
    mixed = ((mixed << 15 | mixed >> 17) * 0x1B873593) & _MASK
    hashed = 42 ^ mixed
    hashed = ((hashed << 13 | hashed >> 19) * 5 + 0xE6546B64) & _MASK
    hashed ^= 4  # the number of bytes
    hashed = ((hashed ^ hashed >> 16) * 0x85EBCA6B) & _MASK
    hashed = ((hashed ^ hashed >> 13) * 0xC2B2AE35) & _MASK
    hashed ^= hashed >> 16
    return hashed - (1 << 32) if hashed >> 31 else hashed
