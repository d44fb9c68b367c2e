"""The examples that start a Spark of their own, and the demo there."""

from pathlib import Path

import pytest
from samples.examples import ON_SPARK, check_demo, check_output


@pytest.mark.parametrize("example", ON_SPARK, ids=lambda path: path.stem)
def test_output(example: Path, write: bool) -> None:
    check_output(example, write)


def test_demo() -> None:
    check_demo("spark")
