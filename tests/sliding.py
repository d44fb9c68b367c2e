"""Frames for the kernels' tests: any whose ends never move backwards, in calls cut anywhere."""

from hypothesis import strategies as st


@st.composite
def sliding(draw, elements, growing=False):
    """(values, start, end, cuts): frames whose ends never move back, and the rows before which a call ends."""
    values = draw(st.lists(elements, min_size=1, max_size=60))
    if draw(st.booleans()):  # ROWS BETWEEN w - 1 PRECEDING AND CURRENT ROW
        rows = len(values)
        end = list(range(1, rows + 1))
        window = rows if growing else draw(st.integers(1, 12))
        start = [max(x - window, 0) for x in end]
    else:
        rows = draw(st.integers(1, 40))
        bound = st.lists(st.integers(0, len(values)), min_size=rows, max_size=rows).map(sorted)
        end = draw(bound)
        start = [0] * rows if growing else [min(pair) for pair in zip(draw(bound), end, strict=True)]
    cuts = draw(st.lists(st.integers(0, rows), max_size=4).map(sorted))
    return values, start, end, [0, *cuts, rows]
