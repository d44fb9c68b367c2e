"""No correct aggregate is accused, in several runs with different tuples.

Few runs, of few examples, as all tests here; HYPOTHESIS_PROFILE=thorough has ten, with as many as users have.
"""

import pytest
from hypothesis import settings
from samples.kept_aggregates import KEPT

import inwindow as iw

EXAMPLES = min(100, settings.default.max_examples // 2)
RUNS = 10 if EXAMPLES == 100 else 3


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_promise_is_not_accused(name: str) -> None:
    aggregate, options = KEPT[name]
    for seed in range(RUNS):
        iw.testing.check(aggregate, examples=EXAMPLES, seed=seed, **options)
