"""What explain says of a stream: what is kept per key, what results wait for, how late they are."""

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.stream import resumes, state_of, waits
from inwindow.windows.spec import Hop, Session, extent_name


def described(work: Pass, *, early: bool = False) -> str:
    """The stream's part of the plan, a few lines per aggregate; ``early`` where extents come before they are final."""
    lines = ["stream: keys share buckets; a micro-batch is one call per bucket"]
    time = work.order_by[0].column if work.order_by else None
    for step in work.steps:
        lines.append(f"  {step.name}: state per key: {state_of(step)}")
        window, extent = step.case.window, work.extent
        if window is not None:
            runs = (
                "key by key, from its own state" if resumes(step) else "all keys in one call, from the frame's tuples"
            )
            lines += [f"    runs      {runs}", f"    waits for {waits(window)}"]
        elif early:
            lines.append(
                "    waits for nothing: it comes with each micro-batch that has a tuple for it; its last row is final"
            )
        elif isinstance(extent, Hop) and extent.rows:
            lines.append(
                f"    waits for the tuples that fill a {extent_name(extent)}, in order: the watermark to pass their {time}"
            )
        elif extent is not None:
            reach = "pass" if isinstance(extent, Session) else "reach"
            lines.append(f"    waits for the watermark to {reach} the end of the {extent_name(extent)}")
    if time is not None:
        lines.append(
            f"  latency: the delay of the watermark on {time}, and one micro-batch more (Spark moves it between micro-batches)"
        )
    return "\n".join(lines)
