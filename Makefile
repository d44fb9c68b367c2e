# Every target does its own set-up: a virtual environment in .venv, the build, the dependencies.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
export PYSPARK_PYTHON := $(abspath $(BIN)/python)

.PHONY: help demo test lint types bench docs thorough clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# A strict editable install is a tree of links: it is made anew when a file appears, or a kernel changes.
SOURCES := $(sort $(wildcard api/*.py udaf/*.py windows/*.py optimizer/*.py native/*.py* runtime/*.py))

$(VENV)/ready: pyproject.toml $(wildcard native/*.pyx) $(VENV)/sources
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

$(VENV)/sources: force
	@mkdir -p $(VENV)
	@echo '$(SOURCES)' | cmp -s - $@ || echo '$(SOURCES)' > $@

force:

demo: $(VENV)/ready  ## a real auction stream through six windows
	$(BIN)/python examples/auction_demo.py

test: $(VENV)/ready  ## all tests, doctests included
	$(BIN)/python -m pytest -n 2

thorough: $(VENV)/ready  ## the property tests with many more cases
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -n 2 

lint: $(VENV)/ready  ## ruff, format and lint
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .

types: $(VENV)/ready  ## mypy, strict
	$(BIN)/python -m mypy

bench: $(VENV)/ready  ## side by side with what one would use instead
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[bench]'
	$(BIN)/python -m benchmarks

docs: $(VENV)/ready  ## check every code block of README and docs/
	$(BIN)/python -m pytest tests/test_docs.py

clean:  ## back to a fresh checkout
	rm -rf $(VENV) build *.egg-info
