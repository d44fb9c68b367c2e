"""PrioritySample against the highest of all priorities of every frame; Sample against what it was given."""

import doctest
import math
import sys
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.sliding import CUTS, STEPS, again, bounds_of, calls_of, frames_of

from inwindow.native import _samples
from inwindow.native._samples import PrioritySample
from inwindow.native.samples import Sample, SampleOfPartials

SEEN = st.none() | st.lists(st.booleans(), min_size=1, max_size=9)
MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(bits):
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & MASK
    return bits ^ bits >> 31


def priority_of(seed, sample, ordinal):
    first = mix((seed & MASK) + GOLDEN & MASK)
    return mix(mix(ordinal * GOLDEN & MASK) + mix(first + (sample + 1) * GOLDEN & MASK) & MASK)


def chosen(k, seed, ordinals, seen, start, end):
    positions = [p for p in range(start, end) if seen is None or seen[p]]
    if not positions:
        return [-1] * k
    return [max(positions, key=lambda p: priority_of(seed, j, int(ordinals[p]))) for j in range(k)]


@given(st.integers(1, 4), st.integers(-(2**70), 2**70), STEPS, CUTS, SEEN, st.booleans(), st.integers(-5, 2**62))
def test_the_highest_priority(k, seed, steps, cuts, seen, evicts, first):
    frames = frames_of(steps, evicts)
    length = frames[-1][1] if frames else 0
    ordinals = np.arange(first, first + length)
    mask = None if seen is None else np.array((seen * length)[:length], np.uint8)
    expected = [chosen(k, seed, ordinals, mask, *frame) for frame in frames]
    whole = PrioritySample(k, seed, evicts=evicts).roll(ordinals, 0, *bounds_of(frames), mask)
    assert whole.shape == (len(frames), k)
    assert whole.tolist() == expected

    strings = pa.array([None, *("tuple " + str(p) if p % 3 else None for p in range(length))], pa.string()).slice(1)
    lists = [[strings[p].as_py() for p in row if p >= 0] for row in expected]
    kernel, results = Sample(k, seed, evicts=evicts), []
    for number, (part, base, hi) in enumerate(calls_of(frames, cuts, held=False)):
        arrays = strings.slice(base, hi - base), pa.array(ordinals[base:hi])
        part_mask = None if mask is None else mask[base:hi]
        if number % 3 == 2:
            for frame in frames[part]:
                kernel.absorb(arrays, base, *frame, part_mask)
            results += lists[part]
        else:
            result = kernel.roll(arrays, base, *bounds_of(frames[part]), part_mask)
            result.validate(full=True)
            assert result.type == pa.list_(pa.field("element", pa.string()))
            results += result.to_pylist()
        if not evicts:
            assert len(kernel) <= k
        kernel = again(lambda: Sample(k, seed, evicts=evicts), kernel)
    assert results == lists


@given(st.integers(1, 3), st.lists(st.integers(0, 5), max_size=20), STEPS, CUTS, SEEN, st.booleans())
def test_a_cascade(k, panes, steps, cuts, seen, evicts):
    """Frames of panes (some of them empty) have the samples of the tuples in them."""
    edges = np.concatenate([[0], np.cumsum(panes, dtype=np.int64)])
    frames = [(min(a, len(panes)), min(b, len(panes))) for a, b in frames_of(steps, evicts)]
    length = int(edges[-1])
    ordinals = np.arange(length)
    mask = None if seen is None else np.array((seen * length)[:length], np.uint8)
    values = pa.array([float(p) for p in range(length)], pa.float64())
    level_one = Sample(k, 5)
    partials = [
        level_one.roll_partials((values, pa.array(ordinals)), 0, edges[a:b].copy(), edges[a + 1 : b + 1].copy(), mask)
        for a, b in [(0, len(panes) // 2), (len(panes) // 2, len(panes))]
    ]
    partials = [pa.concat_arrays(pair) for pair in zip(*partials, strict=True)]
    level_two, results = SampleOfPartials(k, evicts=evicts), []
    for part, base, hi in calls_of(frames, cuts, held=False):
        rows = tuple(column.slice(base, hi - base) for column in partials)
        result = level_two.roll(rows, base, *bounds_of(frames[part]))
        result.validate(full=True)
        assert result.type == pa.list_(pa.field("element", pa.float64()))
        results += result.to_pylist()
        level_two = again(lambda: SampleOfPartials(k, evicts=evicts), level_two)
    expected = [chosen(k, 5, ordinals, mask, int(edges[a]), int(edges[b])) for a, b in frames]
    assert results == [[float(p) for p in row if p >= 0] for row in expected]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("first", [0, 10**6])
def test_uniform_and_independent(seed, first):
    """Chi-square statistics of 20,000 draws; the bounds have a probability of about 1e-6 each (19 and 99 degrees)."""
    k = 20_000
    ordinals = np.arange(first, first + 20)
    both = np.array([0, 0, 10]), np.array([20, 20, 20])
    frame = PrioritySample(k, seed).roll(ordinals, 0, both[0][:1], both[1][:1], None)[0]
    counts = np.bincount(frame, minlength=20)
    assert ((counts - k / 20) ** 2 / (k / 20)).sum() < 67
    earlier, later = PrioritySample(k, seed).roll(ordinals, 0, np.array([0, 10]), np.array([10, 20]), None)
    other_seed = PrioritySample(k, seed + 1).roll(ordinals, 0, np.array([10]), np.array([20]), None)[0]
    pairs = [(earlier, later - 10), (later[1:] - 10, later[:-1] - 10), (other_seed - 10, later - 10)]
    for one, two in pairs:
        joint = np.bincount(one * 10 + two, minlength=100)
        mean = len(one) / 100
        assert ((joint - mean) ** 2 / mean).sum() < 180


def test_every_frame_of_a_sliding_window_is_sampled_uniformly():
    """The age of the sample, over frames far apart: 19 degrees of freedom."""
    length = 40_000
    start = np.arange(0, length - 20, 20)
    ages = PrioritySample(5, 3).roll(np.arange(length), 0, start, start + 20, None) - start[:, None]
    counts = np.bincount(ages.ravel(), minlength=20)
    mean = counts.sum() / 20
    assert ((counts - mean) ** 2 / mean).sum() < 67


@pytest.mark.parametrize(("k", "n"), [(1, 10), (1, 1000), (5, 1000), (20, 300), (3, 20_000)])
def test_how_much_is_kept(k, n):
    """The bound of the docstring, 20 times for each of 10 seeds: it fails in one of a million such tests at k = 1."""
    harmonic = math.fsum(1 / i for i in range(1, n + 1))
    lengths = []
    for seed in range(10):
        sample = Sample(k, seed)
        for hi in range(n, 3 * n, n // 10):
            begin = 0 if hi == n else hi - n // 10
            part = pa.array(np.arange(begin, hi))
            sample.roll((part, part), begin, np.array([max(hi - n, 0)]), np.array([hi]), None)
            entries = len(sample.kernel.entries())
            assert len(sample) <= entries <= k * (harmonic + 6 * math.sqrt(harmonic) + 6)
            lengths.append(entries)
        assert sys.getsizeof(sample.kernel) < k * (100 + 16 * 4 * (harmonic + 6 * math.sqrt(harmonic) + 6))
    # The mean is k * H(n); of at least 20 independent frames its deviation is below sqrt(k * H / 20).
    assert abs(np.mean(lengths) - k * harmonic) < 5 * math.sqrt(k * harmonic / 20)


def test_the_same_sliding_and_afresh():
    ordinals = np.arange(3000)
    end = np.arange(1, 3001)
    start = np.maximum(end - 200, 0)
    slid = PrioritySample(3, 9).roll(ordinals, 0, start, end, None)
    for at in range(0, 3000, 97):
        afresh = PrioritySample(3, 9).roll(ordinals, 0, start[at : at + 1], end[at : at + 1], None)
        assert afresh[0].tolist() == slid[at].tolist()


@pytest.mark.parametrize(
    "values",
    [
        pa.array([date(2000, 1, 1 + i) for i in range(9)]),
        pa.array([[i, None] for i in range(9)]),
        pa.array([{"a": i, "b": str(i)} for i in range(9)]),
        pa.array(list("abcabcabc")).dictionary_encode(),
        pa.nulls(9),
    ],
    ids=str,
)
def test_values_of_any_type(values):
    sample, ordinals = Sample(2), pa.array(range(9))
    results = []
    for at in range(9):
        arrays = values.slice(at, 1), ordinals.slice(at, 1)
        results += sample.roll(arrays, at, np.array([max(at - 3, 0)]), np.array([at + 1]), None).to_pylist()
    for at, row in enumerate(results):
        positions = chosen(2, 0, range(9), None, max(at - 3, 0), at + 1)
        assert row == [values[p].as_py() for p in positions]


def test_a_lower_end_that_moves_although_it_may_not():
    kernel = PrioritySample(1, evicts=False)
    with pytest.raises(RuntimeError, match="the lower end moved from 0 to 1"):
        kernel.roll(np.arange(2), 0, np.array([0, 1]), np.array([2, 2]), None)


def test_a_sample_of_nothing():
    with pytest.raises(ValueError, match="at least one sample"):
        PrioritySample(0)


def test_the_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(_samples)
    assert attempted > 0
    assert failed == 0
