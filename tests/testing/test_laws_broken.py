"""Every deliberately broken aggregate is caught, by the law it breaks, with at most 5 tuples, in a test that can be pasted."""

import pytest
from hypothesis import settings
from samples.broken_aggregates import BROKEN

import inwindow as iw

IS_THOROUGH = settings.get_current_profile_name() == "thorough"


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", [0, 1] if IS_THOROUGH else [0])
def test_a_broken_promise_is_found(kind: type, seed: int) -> None:
    with pytest.raises(iw.testing.BrokenPromise) as caught:
        iw.testing.check(kind, seed=seed)
    broken = caught.value
    assert (broken.aggregate, broken.law) == (kind.__name__, BROKEN[kind])
    assert len(broken.tuples) <= 5, str(broken)
    pasted: dict = {}
    exec(broken.test, pasted)
    test = next(value for name, value in pasted.items() if name.startswith("test_"))
    with pytest.raises(Exception) as failed:  # noqa: B017, PT011 - an AssertionError, or what a hook raises
        test()
    assert not isinstance(failed.value, NameError)
