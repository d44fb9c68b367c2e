"""The definition, worked by hand: which hooks are called, on what, and what they give.

Aggregates here are plain classes: the definition asks for hooks, not for a base class. ESL is "A Data Stream
Language and System Designed for Power and Extensibility", CIKM 2006.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar

import pytest

from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval
from inwindow.windows.reference import Row, emissions, fold, results
from inwindow.windows.reference_hooks import InWindow
from inwindow.windows.spec import Landmark, Order, Range, Rows, Window

ASC = (Order("o"),)


def at(*pairs: tuple[Any, Any]) -> list[Row]:
    """Rows of (order value, argument)."""
    return [Row((time,), (value,)) for time, value in pairs]


def values(*arguments: Any) -> list[Row]:
    return at(*enumerate(arguments))


class Journal:
    """Writes down the calls of its hooks; no terminate."""

    calls: ClassVar[list[str]] = []
    inwindow: InWindow

    def __init__(self) -> None:
        self.calls.clear()

    def note(self, hook: str, value: Any) -> None:
        self.calls.append(f"{hook} {value} of {''.join(str(record.value) for record in self.inwindow)}")

    def initialize(self, value: Any) -> str:
        self.note("init", value)
        return f"first {value}"

    def iterate(self, value: Any) -> str:
        self.note("iter", value)
        return f"then {value}"

    def expire(self, value: Any) -> None:
        self.note("expire", value)
        assert self.inwindow.oldest().value == value


class Total:
    """Blocking: a sum with terminate, and no expire."""

    def initialize(self, value: int) -> None:
        self.total = value

    def iterate(self, value: int) -> None:
        self.total += value

    def terminate(self) -> int:
        return self.total


# --- One tuple at a time ------------------------------------------------------------------------------------


def test_expire_then_into_the_window_then_initialize_or_iterate() -> None:
    window = Window(Rows(-1, 0), order_by=ASC)
    assert results(Journal(), window, values(*"abcd")) == ["first a", "then b", "then c", "then d"]
    assert Journal.calls == [
        "init a of a",
        "iter b of ab",
        "expire a of ab",  # still there while it expires
        "iter c of bc",
        "expire b of bc",
        "iter d of cd",
    ]


def test_several_tuples_expire_oldest_first_and_peers_arrive_one_by_one() -> None:
    #  0  1  2  3  4  5  6  7  8  9     RANGE 5
    #  a  b                    c
    #                          d
    results(Journal(), Window(Range(-5, 0), order_by=ASC), at((0, "a"), (1, "b"), (8, "c"), (8, "d")))
    assert Journal.calls == [
        "init a of a", "iter b of ab", "expire a of ab", "expire b of b", "iter c of c", "iter d of cd"
    ]  # fmt: skip


def test_the_state_of_a_class_without_terminate_survives_an_empty_frame() -> None:
    given = results(Journal(), Window(Range(-1, 0), order_by=ASC), at((0, "a"), (9, "b")))
    assert given == ["first a", "then b"]


def test_an_unseen_tuple_is_in_the_frame_but_no_hook_sees_it() -> None:
    #  a  -  b  (c)  d     ROWS 1 PRECEDING; - is NULL, c fails the FILTER
    rows = [*values("a", None, "b"), Row((3,), ("c",), passes=False), Row((4,), ("d",))]
    window = Window(Rows(-1, 0), order_by=ASC)
    assert results(Journal(), window, rows) == ["first a", None, "then b", None, "then d"]
    assert Journal.calls == [
        "init a of a", "expire a of a", "iter b of b", "expire b of b", "iter d of d"
    ]  # fmt: skip
    assert results(Total(), window, [*values(1, None, None), Row((3,), (4,), False)]) == [1, 1, None, None]
    assert results(Total(), window, values(1, None, None), empty=0) == [1, 1, 0]


def test_nulls_pass_when_told_to() -> None:
    results(Journal(), Window(Rows(0, 0), order_by=ASC), values("a", None), nulls="pass")
    assert Journal.calls == ["init a of a", "expire a of a", "iter None of None"]


def test_empty_stands_for_a_frame_without_a_seen_tuple_whatever_the_hooks() -> None:
    window = Window(Rows(-1, 0), order_by=ASC)
    #  A peer that is yet to come is no tuple of the frame of a hook that emits.
    assert results(Journal(), Window(Range(-1, 0), order_by=ASC), at((0, None), (0, "a")), empty="-")[0] == "-"
    assert results(Journal(), window, values(None, "a", None, None), empty="-") == ["-", "first a", None, "-"]


@pytest.mark.parametrize("only", ["initialize", "iterate"])
def test_initialize_and_iterate_stand_in_for_one_another(only: str) -> None:
    class Half:
        def __init__(self) -> None:
            self.text = ""

        def terminate(self) -> str:
            return self.text

    def hook(self: Any, value: str) -> None:
        self.text += value

    setattr(Half, only, hook)
    assert results(Half(), Window(Rows(None, 0)), values(*"abc")) == ["a", "ab", "abc"]


def test_each_fold_has_a_copy_and_the_prototype_is_never_touched() -> None:
    class Once:
        def __init__(self) -> None:
            self.seen: list[int] = []

        def iterate(self, value: int) -> None:
            self.seen.append(value)

        def terminate(self) -> list[int]:
            return self.seen

    once = Once()
    assert results(once, Window(Rows(-1, 0)), values(1, 2, 3)) == [[1], [1, 2], [2, 3]]
    assert fold(once, values(1, 2, 3), [0, 2]) == [1, 3]
    assert fold(once, values(1), [], empty="none") == "none"
    assert once.seen == []


def test_a_frame_that_does_not_end_at_the_current_row_needs_terminate() -> None:
    for frame in (Rows(-2, -1), Range(-1, 1), Range(None, None), Landmark(since=1)):
        with pytest.raises(UsageError, match="needs a frame that ends at CURRENT ROW"):
            results(Journal(), Window(frame, order_by=ASC), values("a"))
    assert results(Journal(), Window(Range(None, Interval()), order_by=ASC), values("a")) == ["first a"]


# --- inwindow -----------------------------------------------------------------------------------------------


class WindowedMax:
    """ESL, example 13: older tuples that are no larger are forgotten."""

    inwindow: InWindow

    def initialize(self, value: int) -> int:
        return value

    def iterate(self, value: int) -> int:
        self.inwindow.delete(lambda old: old.value <= value, keep_newest=True)
        result: int = self.inwindow.oldest().value
        return result


def test_windowed_max_prunes_its_window() -> None:
    #  3  1  4  1  5  2  2  1     ROWS 2 PRECEDING
    window = Window(Rows(-2, 0), order_by=ASC)
    assert results(WindowedMax(), window, values(3, 1, 4, 1, 5, 2, 2, 1)) == [3, 3, 4, 4, 5, 5, 5, 2]


def test_a_deleted_tuple_never_expires() -> None:
    class Forgetful(Journal):
        def iterate(self, value: Any) -> str:
            assert self.inwindow.delete(lambda record: record.value == "a") == (value in "ab")
            return super().iterate(value)

    results(Forgetful(), Window(Rows(-1, 0), order_by=ASC), values(*"abca"))
    assert Journal.calls == [
        "init a of a", "iter b of b", "iter c of bc", "expire b of bc", "iter a of c"
    ]  # fmt: skip


def test_the_live_window() -> None:
    class Look:
        inwindow: InWindow

        def iterate(self, price: int, *others: int) -> list[Any]:
            window = self.inwindow
            return [
                len(window),
                window.oldest().price,
                window.newest()._fields,
                [*window][-1] is window.newest(),
            ]

    rows = [Row((i,), (10 * i, i, i)) for i in range(3)]
    fields = ("price", "others", "_2")
    assert results(Look(), Window(Rows(-1, 0)), rows) == [
        [1, 0, fields, True], [2, 0, fields, True], [2, 10, fields, True]
    ]  # fmt: skip


# --- Emission -----------------------------------------------------------------------------------------------


class Twice:
    """Nothing for 0, two rows for another tuple."""

    def iterate(self, value: int) -> Iterator[int | None]:
        if value:
            yield value
            yield None


def test_a_generator_hook_emits_what_it_yields() -> None:
    window = Window(Rows(None, 0), order_by=ASC)
    assert results(Twice(), window, values(1, 0, 2)) == [[1, None], [], [2, None]]
    assert emissions(Twice(), window, values(1, 0, 2)) == [(0, 1), (0, None), (2, 2), (2, None)]


def test_none_returned_is_nothing_and_a_list_is_one_value() -> None:
    class Even:
        def iterate(self, value: int) -> list[int] | None:
            return None if value % 2 else [value, value]

    window = Window(Rows(None, 0), order_by=ASC)
    assert results(Even(), window, values(1, 2)) == [None, [2, 2]]
    assert emissions(Even(), window, values(1, 2, 4)) == [(1, [2, 2]), (2, [4, 4])]


def test_select_of_a_blocking_class_has_a_row_for_each_yield_tuple() -> None:
    window = Window(Rows(-1, 0), order_by=ASC, slide=2)
    assert emissions(Total(), window, values(1, 2, None, None, 5, 6)) == [(1, 3), (3, None), (5, 11)]


def test_a_slide_shorter_than_the_frame_drops_results_and_nothing_else() -> None:
    window = Window(Rows(-2, 0), order_by=ASC, slide=2)
    assert emissions(Journal(), window, values(*"abcde")) == [(1, "then b"), (3, "then d")]
    assert Journal.calls[-3:] == ["iter d of bcd", "expire b of bcd", "iter e of cde"]


# --- Tumbles ------------------------------------------------------------------------------------------------


def test_rows_9_preceding_slide_28_skips_18() -> None:
    #  1 ... 18 skipped, 19 ... 28*, 29 ... 46 skipped, 47 ... 56*, 57 ...
    window = Window(Rows(-9, 0), order_by=ASC, slide=28)
    given = emissions(Journal(), window, values(*range(1, 61)))
    assert given == [(27, "then 28"), (55, "then 56")]
    first, second = ([f"init {a}", *(f"iter {i}" for i in range(a + 1, a + 10))] for a in (19, 47))
    assert [call.split(" of ")[0] for call in Journal.calls] == first + second  # and expire never


def test_a_slide_equal_to_the_frame_cuts_the_stream_into_runs() -> None:
    window = Window(Rows(-1, 0), order_by=ASC, slide=2)
    assert emissions(Journal(), window, values(*"abcde")) == [(1, "then b"), (3, "then d")]
    assert Journal.calls == ["init a of a", "iter b of ab", "init c of c", "iter d of cd"]
    assert emissions(Journal(), Window(Rows(0, 0), order_by=ASC, slide=1), values(*"ab")) == [
        (0, "first a"), (1, "first b")
    ]  # fmt: skip


def test_a_tumble_in_values_restarts_for_each_yield_tuple() -> None:
    #  0  1  2  3  4* | 5* | 6  7  8  9 | 10  11* |     RANGE 2 SLIDE 5
    #  a        b  c    d
    window = Window(Range(-2, 0), order_by=ASC, slide=5)
    rows = at((0, "a"), (3, "b"), (4, "c"), (5, "d"))
    assert emissions(Journal(), window, rows) == [(2, "then c"), (3, "then d")]
    #  [3, 5] holds b and c once more: a RANGE has both ends, so frames may meet even when they tumble.
    assert Journal.calls == [
        "init b of b", "iter c of bc", "init b of b", "iter c of bc", "iter d of bcd"
    ]  # fmt: skip


def test_a_month_is_as_long_as_28_days_for_sure() -> None:
    def restarts(days: int) -> bool:
        frame = Range(Interval(microseconds=-days * 86_400_000_000), 0)
        rows = at((datetime(2023, 2, 28), "a"), (datetime(2023, 3, 1), "b"))
        return emissions(Journal(), Window(frame, order_by=ASC, slide=Interval(months=1)), rows)[1][1] == "then b" and (
            Journal.calls.count("init a of a") == 2
        )

    assert restarts(28)
    assert not restarts(29)


# --- Refusals -----------------------------------------------------------------------------------------------


class Punt:
    def __repr__(self) -> str:
        return "iw.PUNT"


def test_punt_refolds_the_frame() -> None:
    class Parity(Journal):
        def expire(self, value: Any) -> Any:
            super().expire(value)
            return Punt() if value == "x" else None

    #  0  1  2        9     RANGE 8: x cannot be undone at 9; what is left is folded again, then d arrives
    window = Window(Range(-8, 0), order_by=ASC)
    assert results(Parity(), window, at((0, "x"), (1, "b"), (2, "c"), (9, "d")))[-1] == "then d"
    assert Journal.calls[3:] == ["expire x of xbc", "init b of b", "iter c of bc", "iter d of bcd"]


def test_punt_leaves_nothing_to_expire_that_has_left_too() -> None:
    class First(Journal):
        def expire(self, value: Any) -> Any:
            super().expire(value)
            return Punt()

    results(First(), Window(Range(-5, 0), order_by=ASC), at((0, "a"), (1, "b"), (2, "c"), (7, "d")))
    assert Journal.calls[3:] == ["expire a of abc", "init c of c", "iter d of cd"]


def test_punt_on_the_last_tuple_starts_afresh() -> None:
    class Never(Journal):
        def expire(self, value: Any) -> Any:
            return Punt()

    given = results(Never(), Window(Rows(0, 0), order_by=ASC), values(*"abc"))
    assert given == ["first a", "first b", "first c"]
