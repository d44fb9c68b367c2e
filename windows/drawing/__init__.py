"""A window as a picture: which tuples are in its frame at three successive yields, panes, and what leaves.

Three steps: :mod:`.example` makes a short stream that fits the window, :mod:`.frame_scene` and :mod:`.extent_scene` ask
the real bounds what is in which frame, :mod:`.svg` draws that. No picture is made by hand.
"""

from typing import Any

from inwindow.windows.drawing.example import example, read
from inwindow.windows.drawing.extent_scene import extents
from inwindow.windows.drawing.frame_scene import expirations, yields
from inwindow.windows.drawing.svg import Drawing
from inwindow.windows.spec import Extent, Window

__all__ = ["Drawing", "draw"]


def draw(window: Window | Extent, values: Any = None) -> Drawing:
    """The picture of a window over ``values`` of the order column, or over an example stream that fits it."""
    over = example(window) if values is None else read(values, window)
    if not isinstance(window, Window):
        return Drawing(extents(window, over))
    return Drawing(expirations(window, over) if window.active_expiration else yields(window, over))
