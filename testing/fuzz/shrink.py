"""Making a failing trial smaller, as long as it fails in the same way."""

from inwindow.testing.fuzz.trial import Difference, Trial, attempt

MOST = 3000  # trials


def difference_of(trial: Trial) -> Difference | None:
    """The difference of a trial; what it raises is one, too."""
    found: Difference | None
    found, error = attempt(trial.difference)
    return found if error is None else Difference("the trial itself", None, None, error=error)


def shrunk(trial: Trial, difference: Difference, most: int = MOST) -> tuple[Trial, Difference]:
    """The smallest trial that was found, and its difference: again and again the first smaller one that fails alike."""
    tries = 0
    while True:
        for smaller in trial.smaller():
            tries += 1
            found = difference_of(smaller)
            if found is not None and _alike(found, difference):
                trial, difference = smaller, found
                break
            if tries >= most:
                return trial, difference
        else:
            return trial, difference


def _alike(one: Difference, other: Difference) -> bool:
    """Both wrong results, or errors of one class: a smaller window may be one that cannot be."""
    return (one.error or "").split(":")[0] == (other.error or "").split(":")[0]
