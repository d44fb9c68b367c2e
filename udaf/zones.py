"""Datetimes without a zone for a column of instants: they are in UTC on local data, and in the session's time zone on Spark."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from inwindow.udaf.errors import UsageError

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d\d))?(?::?(\d\d))?")

Localize = Callable[[Any], Any]


@cache
def zone_of(name: str) -> tzinfo:
    """A time zone by its name in Spark and Arrow: a name of the tz database, or an offset.

    >>> zone_of("+02:00"), zone_of("Europe/Rome")
    (datetime.timezone(datetime.timedelta(seconds=7200)), zoneinfo.ZoneInfo(key='Europe/Rome'))
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        offset = _OFFSET.fullmatch(name)
    if offset is None:
        raise UsageError(f"the time zone {name!r} is not known to Python: give datetimes that have a zone")
    hours, minutes, seconds = (int(part or 0) for part in offset.groups()[1:])
    size = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-size if offset[1] == "-" else size)


def aware(moment: datetime, zone: str) -> datetime:
    """The moment, in this zone if it has none. If clocks go back, the earlier of two is meant, as in Spark."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone_of(zone))


def localizing(kind: pa.DataType, zone: str) -> Localize | None:
    """The function that makes plain values of a column of this type aware, at any depth; None if nothing has to change."""
    if zone == "UTC":  # as Arrow has it
        return None
    if pa.types.is_timestamp(kind):
        return None if kind.tz is None else lambda value: _localized(value, zone)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _each(localizing(kind.value_type, zone))
    if pa.types.is_struct(kind):
        return _fields({field.name: localizing(field.type, zone) for field in kind})
    if pa.types.is_map(kind):
        return _entries(localizing(kind.key_type, zone), localizing(kind.item_type, zone))
    return None


def _localized(value: Any, zone: str) -> Any:
    if isinstance(value, np.datetime64) and not np.isnat(value):
        value = value.astype("M8[us]").item()
    return aware(value, zone) if isinstance(value, datetime) else value


def _each(item: Localize | None) -> Localize | None:
    return None if item is None else lambda values: None if values is None else [item(value) for value in values]


def _fields(fields: dict[str, Localize | None]) -> Localize | None:
    changed = {name: its for name, its in fields.items() if its is not None}
    if not changed:
        return None
    return lambda row: (
        None
        if row is None
        else {name: changed[name](value) if name in changed else value for name, value in row.items()}
    )


def _entries(key: Localize | None, item: Localize | None) -> Localize | None:
    if key is None and item is None:
        return None
    of_key, of_item = key or _same, item or _same
    return lambda entries: (
        None if entries is None else {of_key(name): of_item(value) for name, value in entries.items()}
    )


def _same(value: Any) -> Any:
    return value
