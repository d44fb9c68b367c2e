"""The promise behind ``on_error=``: a hook raises because of its tuple, and then it has changed nothing but ``self``.

::

    run     takes 1, 5        the tuples that a fresh copy takes, as its first and once more
    spare   a copy of run     tries 3, which a fresh copy refuses: it must raise here, too
    run     as if 3 had never come

So a call with ``on_error=`` gives what it gives over the other tuples, under every strategy, and however the data are cut.
"""

from inwindow.testing.laws import Example, Law, Wanted
from inwindow.testing.steps import Broken, Copy, Steps, Tuple
from inwindow.windows.reference_hooks import takes

NAME = "a hook raises because of its tuple"


def _tuples_decide(steps: Steps, example: Example) -> None:
    """Taken tuples are taken whatever came before; refused ones are refused, then and behind all others, and leave nothing."""
    each = [(row, takes(steps.aggregate, tuple(row))) for row in example.rows]
    refused, taken = ([row for row, is_taken in each if is_taken is which] for which in (False, True))
    if not taken:
        return
    expected = steps.copy("alone").take(taken).keep("expected")
    run = steps.copy("run")
    for row, is_taken in each:
        if is_taken:
            run.take([row])
        else:
            _refuse(steps, run, row)
    for row in refused:
        _refuse(steps, run, row)
    steps.agree(run, expected)


def _refuse(steps: Steps, run: Copy, row: Tuple) -> None:
    """The engine keeps a copy of the state, and goes back to it."""
    call = steps.again("spare", run).tried(row)
    if call is not None:
        steps.lines.append(("raise AssertionError('a fresh copy refuses this tuple, as its first or once more')", ()))
        raise Broken(steps, given=Wanted(f"{call} raised nothing"), expected=Wanted("an exception"))


LAW = Law(
    NAME, lambda its: True, _tuples_decide,
    "With on_error= a tuple is left out where its hook raises: decide by the values of the tuple alone, before anything but self "
    "is changed. What depends on the tuples before is for `terminate`: there the state is that of the frame.", "iterate",
)  # fmt: skip
