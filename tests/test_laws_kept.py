"""No correct aggregate is accused: ten runs each, with different tuples.

Few examples per run, as all tests here; HYPOTHESIS_PROFILE=thorough has as many as users have.
"""

import pytest
from hypothesis import settings
from kept_aggregates import KEPT

import inwindow as iw

EXAMPLES = min(100, settings.default.max_examples // 2)


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_promise_is_not_accused(name: str) -> None:
    aggregate, options = KEPT[name]
    for seed in range(10):
        iw.testing.check(aggregate, examples=EXAMPLES, seed=seed, **options)
