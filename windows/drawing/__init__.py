"""A window as a picture: which tuples are in its frame at three successive yields, panes, and what leaves.

Three steps: :mod:`.example` makes a short stream that fits the window, :mod:`.frame_scene`, :mod:`.extent_scene` and
:mod:`.point_scene` ask the real bounds what is in which frame, :mod:`.picture` draws that. No picture is made by hand.
"""

from typing import Any

from inwindow.udaf.errors import UsageError
from inwindow.windows.drawing.example import example, read
from inwindow.windows.drawing.extent_scene import extents
from inwindow.windows.drawing.frame_scene import expirations, yields
from inwindow.windows.drawing.picture import Drawing
from inwindow.windows.drawing.point_scene import points
from inwindow.windows.spec import Extent, Window

__all__ = ["Drawing", "draw"]


def draw(window: Window | Extent, values: Any = None, at: Any = None) -> Drawing:
    """The picture of a window over ``values`` of the order column, or over an example stream that fits it."""
    over = example(window) if values is None else read(values, window)
    if not isinstance(window, Window):
        if at is not None:
            raise UsageError(f"draw(at=...): {window.describe()} is an extent; rows of another table see frames")
        return Drawing(extents(window, over))
    if at is not None:
        return Drawing(points(window, over, at))
    return Drawing(expirations(window, over) if window.active_expiration else yields(window, over))
