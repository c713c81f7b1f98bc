# Everything a person needs to type. Each command makes .venv and installs what it needs when it is first run.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
# Byte code is written when a module is first imported, whatever else is set; most of what is installed never is.
INSTALL := $(BIN)/python -m pip install --no-compile
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test everything lint format notebooks accuracy scaling friction bench docs dist wheels clean

help:
	@echo "make demo       dynamics of a seven-joint arm: computed, checked, timed, drawn to demo.png"
	@echo "make test       tests, compiled (8 to 12 minutes in a fresh clone)"
	@echo "make everything all tests, with more examples, all robots, long motions, cold caches, other Pythons (hours)"
	@echo "make lint       style, types, and which package may import which"
	@echo "make format     put the code into shape"
	@echo "make notebooks  run notebooks/*.py and write them with their outputs, as .ipynb (2 minutes)"
	@echo "make accuracy   table: agreement with Pinocchio on the robots of example-robot-data"
	@echo "make scaling    table: time per body on chains of 10, 100 and 1000 bodies"
	@echo "make friction   table: contact solvers against Clarabel and one another, families of problems of every size"
	@echo "make bench      speed, start-up and memory against the peers: tables and figures in benchmarks/results (20 minutes)"
	@echo "make docs       the site: build/docs/html/index.html; fails if a page has an error or a link leads nowhere"
	@echo "make dist       wheel and source archive in dist/, made twice and compared bit by bit (a minute)"
	@echo "make wheels     a wheel with machine code for each of PYTHONS, in dist/ (half an hour each)"
	@echo "make clean      remove .venv and everything that was made"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[plot,cli]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.demo $(VENV)/.docs $(VENV)/.test

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[test]'
	@touch $@ $(VENV)/.demo

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[docs,testing]'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/pluecker demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

everything: $(VENV)/.dev
	.ci/everything

# What follows imports wants the packages where they are installed: below one folder called pluecker.
TREE := build/tree/pluecker
PARTS := spatial articulated contact examples package/course $(wildcard package/*.*)

.PHONY: tree
tree:
	@mkdir -p $(TREE)
	@ln -sfn $(addprefix $(CURDIR)/,$(PARTS)) $(TREE)/

lint: $(VENV)/.dev tree
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.inside
	$(BIN)/python -m tests.words
	cd $(TREE)/.. && ../../$(BIN)/lint-imports --config ../../pyproject.toml
	cd $(TREE)/.. && MYPYPATH=. ../../$(BIN)/mypy --config-file ../../pyproject.toml -p pluecker

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

notebooks: $(VENV)/.dev
	$(BIN)/python -m notebooks.make

accuracy: $(VENV)/.dev
	$(BIN)/python -m benchmarks.accuracy

scaling: $(VENV)/.demo
	$(BIN)/python -m benchmarks.scaling

friction: $(VENV)/.dev
	$(BIN)/python -m benchmarks.contact --families 40

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

# The source of the site is the whole repository, see docs/conf.py.
.PHONY: docs
docs: $(VENV)/.docs
	rm -rf build/docs
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -d build/docs/doctrees . build/docs/html
	$(BIN)/python docs/site/check_links.py build/docs/html

# Tools of its own versions: the bits follow from these.
$(VENV)-dist/.made: packaging/requirements.txt
	$(PYTHON) -m venv $(VENV)-dist
	$(VENV)-dist/bin/python -m pip install --quiet --no-compile -r $<
	@touch $@

dist: $(VENV)-dist/.made
	$(VENV)-dist/bin/python packaging/build.py dist

# PYTHONS="python3.11 python3.12": one wheel for each; needs a C compiler.
wheels:
	$(PYTHON) packaging/wheels.py --out dist --python $(or $(PYTHONS),$(PYTHON))

clean:
	rm -rf $(VENV) $(VENV)-dist build dist *.egg-info .coverage* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
