"""Programs of INSERT, UPDATE, DELETE and SELECT, drawn: what the made class gives is what SQLite gives, statement by statement.

``python tests/language/fuzz_by_sqlite.py 100000`` tries many more of them.
"""

from random import Random

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from samples.esl_programs import Drawing, bag, by_class, by_sqlite


@settings(max_examples=150, phases=[Phase.explicit, Phase.generate], deadline=None, report_multiple_bugs=False)
@given(chance=st.randoms(use_true_random=True))
def test_programs(chance: Random) -> None:
    drawing = Drawing(chance)
    program, tuples = drawing.program(), drawing.tuples()
    expected = by_sqlite(program, tuples)
    assert [bag(rows) for rows in by_class(program, tuples)] == [bag(rows) for rows in expected], program.text
