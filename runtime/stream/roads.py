"""The two ways in which an aggregate goes on from one micro-batch to the next (see ``optimizer/stream.py``).

A *refolded* one is evaluated for all keys in one call, over tuples that are held (`road.py`); a *resumed* one from a state for
every key (`resumed.py`, and `emitting.py` for hooks that answer per tuple).
"""

from inwindow.optimizer.plan import Step
from inwindow.optimizer.stream import resumes
from inwindow.runtime.stream.emitting import Emitting, Expiring, Restarted
from inwindow.runtime.stream.resumed import Growing
from inwindow.runtime.stream.road import Refolded, Road
from inwindow.windows.order_key import OrderKey


def road_of(step: Step, key: OrderKey | None, *, every_row: bool) -> Road:
    """The way of a step; ``every_row`` where also a tuple that emits nothing has a row."""
    kind: type[Road] = Refolded
    if resumes(step):
        window = step.case.window
        kind = Restarted if step.strategy == "tumble" else Emitting
        if window is not None and window.active_expiration:
            kind = Expiring
        elif step.is_blocking:
            kind = Growing
    return kind(step, key, every_row=every_row)
