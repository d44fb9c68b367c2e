"""Relations as pictures: a bar for each row that ever holds, where it holds."""

import re
from datetime import datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import inwindow as iw
from inwindow import temporal

BAR = re.compile(r'<rect class="iw-frame" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"')


def bars(picture: Any) -> list[tuple[float, float]]:
    """From where to where."""
    return [(float(x), float(x) + float(width)) for x, width in BAR.findall(str(picture))]


def test_bars_are_as_long_as_rows_hold() -> None:
    table = pa.table({"v": [1, 2, 3], "since": [0, 5, 7], "until": [10, 10, 7]})
    (first, last), (other, end) = bars(temporal.draw(table=table))  # the third row never holds
    assert last == pytest.approx(end, abs=0.2) and first + (last - first) / 2 == pytest.approx(other, abs=0.2)


def test_tables_share_an_axis() -> None:
    a, b = (
        pa.table({"since": [0], "until": [4]}),
        pa.table({"since": [4], "until": [None]}, pa.schema([("since", pa.int64()), ("until", pa.int64())])),
    )
    (_, end), (begin, edge) = bars(temporal.draw(a=a, b=b))
    assert end == pytest.approx(begin, abs=0.2) and edge > 700


@pytest.mark.parametrize(
    "ends",
    [
        [datetime(2026, 1, 1), datetime(2026, 1, 3)],
        [datetime(2026, 1, 1).date(), datetime(2026, 1, 3).date()],
        [Decimal("1.50"), Decimal("2.25")],
        [Decimal(10**25), Decimal(9 * 10**25)],
        [None, None],
    ],
)
def test_every_type_of_ends(ends: list[Any]) -> None:
    kind = pa.int64() if ends[0] is None else None
    table = pa.table({"since": pa.array(ends[:1], kind), "until": pa.array(ends[1:], kind)})
    assert len(bars(temporal.draw(table=table))) == 1


@pytest.mark.parametrize("of", [pa.Table.to_pandas, pl.from_arrow])
def test_frames_of_other_libraries(of: Any) -> None:
    table = pa.table({"who": ["ann", "bob"], "since": [1, 3], "until": [9, 5]})
    assert str(temporal.draw(visits=of(table))) == str(temporal.draw(visits=table))


def test_mistakes() -> None:
    with pytest.raises(iw.UsageError, match=r"temporal.draw\(\) was given no table"):
        temporal.draw()
    with pytest.raises(iw.UsageError, match=r"temporal.draw\(a=3\): give a table or a frame of pandas"):
        temporal.draw(a=3)
    with pytest.raises(iw.UsageError, match="100 rows are more than can be seen: draw at most 60"):
        temporal.draw(a=pa.table({"since": range(100), "until": range(100)}))
    with pytest.raises(iw.UsageError, match="there is no column 'until'"):
        temporal.draw(a=pa.table({"since": [1]}))
    with pytest.raises(iw.UsageError, match="the validity of the a table is of type int64"):
        temporal.draw(
            a=pa.table({"since": [1], "until": [2]}), b=pa.table({"since": [Decimal(1)], "until": [Decimal(2)]})
        )
