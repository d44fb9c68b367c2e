"""A window, written down: partitioning, order, frame, slide. Pure data; no rows, no Spark.

The frames are those of SQL:2011 plus the scopes of the window-scopes paper::

    Rows(-49, 0)             ROWS BETWEEN 49 PRECEDING AND CURRENT ROW
    Range(-5 min, 0)         RANGE BETWEEN INTERVAL 5 MINUTES PRECEDING AND CURRENT ROW
    Groups(-2, 0)            GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW
    Landmark(since, until)   lower and/or upper bound fixed at a value of the order column
    Scope(lower, upper)      lower(t) <= order value <= upper(t), both functions never decreasing

An offset is relative to the current tuple, negative is PRECEDING; ``None`` is UNBOUNDED.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from inwindow.udaf.guesses import OF_WINDOW, unknown_attribute
from inwindow.windows.interval import MICROSECONDS, Interval, Size, is_negative, negated

if TYPE_CHECKING:
    from inwindow.windows.drawing import Drawing

Final = Literal["drop", "emit"]
Unit = Literal["rows", "range", "groups"]
Exclude = Literal["current row", "group", "ties"]


@dataclass(frozen=True)
class Order:
    """One order column. NULLs come first when ascending and last when descending, unless said."""

    column: Any  # a column name; a Spark Column in a plan for Spark
    ascending: bool = True
    nulls_first: bool = True

    def describe(self) -> str:
        """The order as SQL would write it."""
        text = f"{self.column}{'' if self.ascending else ' desc'}"
        return text if self.nulls_first == self.ascending else f"{text} nulls {'first' if self.nulls_first else 'last'}"


@dataclass(frozen=True)
class Rows:
    """ROWS BETWEEN lower AND upper, counted in tuples."""

    lower: int | None
    upper: int | None


@dataclass(frozen=True)
class Range:
    """RANGE BETWEEN lower AND upper, in the unit of the order column; includes all peers."""

    lower: Size | None
    upper: Size | None


@dataclass(frozen=True)
class Groups:
    """GROUPS BETWEEN lower AND upper, counted in groups of peers."""

    lower: int | None
    upper: int | None


@dataclass(frozen=True)
class Landmark:
    """since <= order value <= min(current, until), with the current tuple's peers."""

    since: Any = None
    until: Any = None


@dataclass(frozen=True)
class Scope:
    """lower(t) <= order value <= upper(t) at the tuple whose order value is t.

    ``lower=None`` is unbounded, ``upper=None`` is the current tuple and its peers.
    """

    lower: Callable[[Any], Any] | None = None
    upper: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Valid:
    """The rows of another table that hold at the current time: since <= it < until."""

    since: str
    until: str


Frame = Rows | Range | Groups | Landmark | Scope | Valid


COUNTED = {"rows": "tuples", "groups": "groups of peers", "range": "in order values"}  # by unit, for messages
_SLID = {"rows": "rows", "groups": "groups", "range": "in order values"}


def unit_of(frame: Frame) -> Unit:
    """What a frame's bounds count."""
    if isinstance(frame, Rows):
        return "rows"
    return "groups" if isinstance(frame, Groups) else "range"


class Drawable:
    """What a window of any kind can do: say what it is, and draw itself."""

    # Drawings import all windows, so windows cannot import drawings: `inwindow` itself connects the two.
    drawer: ClassVar[Callable[..., "Drawing"]]

    if not TYPE_CHECKING:  # a type checker would take any name

        def __getattr__(self, name: str) -> Any:
            raise unknown_attribute("a window", name, OF_WINDOW)

    def describe(self) -> str:
        """The window in words."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.describe()

    def draw(self, values: Any = None, *, at: Any = None) -> "Drawing":
        """A picture: tuples along the order, and which are in the frame at three successive yields. A notebook shows it.

        ``values``: order values to draw over, a list, an Arrow array or a table that has the order column (taken as one
        partition); otherwise an example stream that fits the window.
        ``at``: times of another table's rows: what each of them sees, as with ``of=``.
        ``str()`` of a drawing is SVG, and ``.save("window.svg")`` writes it.

        >>> import inwindow as iw
        >>> iw.range("5 minutes", order_by="ts").draw()
        <drawing of (order by ts range between 5 minutes preceding and current row)>
        >>> [one.said for one in iw.tumble("t", size=10).draw([1, 4, 12]).scene.snapshots]
        ['[0, 10): 2 tuples', '[10, 20): 1 tuple']
        """
        return type(self).drawer(self, values, at)


@dataclass(frozen=True, repr=False)
class Window(Drawable):
    """A frame over partitions of ordered tuples; what ``over()`` takes.

    ``slide`` is a count of tuples for a Rows frame, of peer groups for a Groups frame, and a size in order values for the others,
    unless ``slide_by`` says otherwise: the window-id paper's RATTR and SATTR.
    """

    frame: Frame
    partition_by: tuple[Any, ...] = ()
    order_by: tuple[Order, ...] = ()
    slide: Size | None = None
    origin: Any = None
    final: Final = "drop"
    active_expiration: bool = False
    strategy: str | None = None
    slide_by: Unit | None = None  # None: a time slides by order values, a number in the unit of the frame
    min_count: int | None = None  # of a frame with fewer tuples that are seen the result is NULL
    exclude: Exclude | None = (
        None  # the hole of a frame: the tuple itself, its peers, or both; None is EXCLUDE NO OTHERS
    )

    @property
    def slide_unit(self) -> Unit | None:
        """What the slide counts; None without one."""
        if self.slide is None:
            return None
        if isinstance(self.slide, Interval):
            return "range"
        return self.slide_by or unit_of(self.frame)

    @property
    def slides_by_rows(self) -> bool:
        """Whether slots are counts of tuples."""
        return self.slide_unit == "rows"

    @property
    def slides_by_groups(self) -> bool:
        """Whether slots are counts of groups of peers."""
        return self.slide_unit == "groups"

    @property
    def slides_by_values(self) -> bool:
        """Whether slots are ranges of order values."""
        return self.slide_unit == "range"

    @property
    def slides_across(self) -> bool:
        """Whether the slide counts something else than the frame does."""
        return self.slide is not None and self.slide_unit != unit_of(self.frame)

    @property
    def slots(self) -> str:
        """What the slide counts, in words."""
        return f"{self.slide} {COUNTED[self.slide_unit or 'rows']}"

    @property
    def looks_ahead(self) -> bool:
        """Whether a tuple's result may depend on later tuples: on their values, or on whether there are any."""
        frame = self.frame
        if not isinstance(frame, Rows) or frame.upper is None or frame.upper > 0:
            return True
        return self.slides_by_values or (self.slides_by_rows and self.final == "emit")

    @property
    def ends_at_current(self) -> bool:
        """Whether the frame ends at the current tuple, so that each tuple is the newest of its frame."""
        frame = self.frame
        if isinstance(frame, (Rows, Groups)):
            return frame.upper == 0
        if isinstance(frame, Range):
            return frame.upper is not None and frame.upper == 0
        return False

    @property
    def is_unbounded_below(self) -> bool:
        """Whether the lower bound never moves: nothing ever leaves the frame."""
        frame = self.frame
        if isinstance(frame, (Rows, Range, Groups)):
            return frame.lower is None
        if isinstance(frame, Landmark):
            return True
        return isinstance(frame, Scope) and frame.lower is None

    def describe(self) -> str:
        """The window as ESL's figure 1 would write it."""
        parts = []
        if self.partition_by:
            parts.append("partition by " + ", ".join(map(str, self.partition_by)))
        if self.order_by:
            parts.append("order by " + ", ".join(order.describe() for order in self.order_by))
        parts.append(_frame_text(self.frame))
        if self.exclude is not None:
            parts.append(f"exclude {self.exclude}")
        if self.slide is not None:
            unit = f" {_SLID[self.slide_unit or 'rows']}" if self.slides_across else ""
            parts.append(f"slide {self.slide}{unit if not isinstance(self.slide, Interval) else ''}")
        if self.active_expiration:
            parts.append("active expiration")
        if self.min_count is not None:
            parts.append(f"min count {self.min_count}")
        return "(" + " ".join(parts) + ")"


@dataclass(frozen=True)
class Fill:
    """What extents without tuples give: NULL, the row before, a line between two rows, or a value."""

    how: Literal["null", "previous", "linear", "value"]
    value: Any = None
    quiet: Size | None = None  # how long after a key's last extent
    between: tuple[Any, Any] | None = None

    def describe(self) -> str:
        """As in the text of an extent."""
        quiet = "" if self.quiet is None else f" quiet {self.quiet}"
        between = "" if self.between is None else f" between {self.between[0]} and {self.between[1]}"
        return f" fill {self.value if self.how == 'value' else self.how}{quiet}{between}"


@dataclass(frozen=True, repr=False)
class Hop(Drawable):
    """Extents [origin + k*every, + size) of the attribute ``on``: one row per key and extent.

    With ``rows=True`` the attribute is the row number in the partition (``scope="partition"``) or in
    the whole stream (``scope="stream"``), in the order of ``on``. A tumble is a hop with every = size.
    """

    on: str
    size: Size
    every: Size
    origin: Any = None
    rows: bool = False
    scope: Literal["partition", "stream"] = "partition"
    timezone: str | None = None  # by whose clock the extents begin and end
    fill: Fill | None = None

    def describe(self) -> str:
        """The extents in words, as :meth:`Window.describe`."""
        unit, every = (" rows" if self.rows else ""), f" every {self.every}" if self.every != self.size else ""
        kind, over = ("hop" if every else "tumble"), " of the stream" if self.scope == "stream" else ""
        its = f"{_origin_text(self.origin)}{_zone_text(self.timezone)}{self.fill.describe() if self.fill else ''}"
        return f"({kind} {self.on} size {self.size}{unit}{every}{over}{its})"


@dataclass(frozen=True, repr=False)
class Cumulate(Drawable):
    """Extents that share a start (a multiple of size) and end every ``every`` after it, up to size."""

    on: str
    size: Size
    every: Size
    origin: Any = None
    timezone: str | None = None

    def describe(self) -> str:
        """The extents in words, as :meth:`Window.describe`."""
        its = f"{_origin_text(self.origin)}{_zone_text(self.timezone)}"
        return f"(cumulate {self.on} size {self.size} every {self.every}{its})"


@dataclass(frozen=True, repr=False)
class Session(Drawable):
    """Maximal runs of tuples at most ``gap`` apart; an extent ends ``gap`` after its last tuple.

    ``days`` of the gap are calendar days if the attribute has a time zone: 23 or 25 hours when clocks change. With ``until``, a
    tuple lasts until the time in that column; with ``own_gap``, for the gap in that column.
    """

    on: str
    gap: Size
    days: int = 0
    until: str | None = None
    own_gap: str | None = None

    @property
    def has_own_ends(self) -> bool:
        """Whether each tuple has its own end."""
        return self.until is not None or self.own_gap is not None

    def describe(self) -> str:
        """The extents in words, as :meth:`Window.describe`."""
        if self.own_gap is not None:
            return f"(session {self.on} gap of column {self.own_gap})"
        until = "" if self.until is None else f" until {self.until}"
        return f"(session {self.on}{until}{f' gap {self._gap_text()}' if self.gap or not until else ''})"

    def _gap_text(self) -> str:
        if not isinstance(self.gap, Interval) or self.days == self.gap.microseconds // MICROSECONDS["day"]:
            return str(self.gap)
        days, rest = self.gap.split(self.days)
        hours, left = divmod(rest.microseconds, MICROSECONDS["hour"])
        parts = [str(days) if self.days else "", f"{hours} hours", str(Interval(0, left)) if left else ""]
        return " ".join(part for part in parts if part)


Extent = Hop | Cumulate | Session


def extent_name(extent: Extent) -> str:
    """The function that makes such an extent: ``hop``, ``tumble``, ``cumulate`` or ``session``."""
    if isinstance(extent, Hop) and extent.every == extent.size:
        return "tumble"
    return type(extent).__name__.lower()


def _origin_text(origin: Any) -> str:
    return "" if origin is None else f" origin {origin}"


def _zone_text(timezone: str | None) -> str:
    return "" if timezone is None else f" in {timezone}"


def _frame_text(frame: Frame) -> str:
    if isinstance(frame, (Rows, Range, Groups)):
        return f"{unit_of(frame)} between {_bound_text(frame.lower, 'preceding')} and {_bound_text(frame.upper, 'following')}"
    if isinstance(frame, Landmark):
        since = "" if frame.since is None else f"since {frame.since}"
        return " ".join(part for part in (since, "" if frame.until is None else f"until {frame.until}") if part)
    if isinstance(frame, Valid):
        return f"valid from {frame.since} until {frame.until}"
    upper = "current row" if frame.upper is None else "upper(t)"
    return f"scope from {'unbounded preceding' if frame.lower is None else 'lower(t)'} to {upper}"


def _bound_text(bound: Size | None, unbounded_side: str) -> str:
    if bound is None:
        return f"unbounded {unbounded_side}"
    if bound == 0 or (isinstance(bound, Interval) and bound.is_zero):
        return "current row"
    return f"{negated(bound)} preceding" if is_negative(bound) else f"{bound} following"
