# make demo   set everything up and learn a first network
# make test   set everything up and run the tests
# make quick  the tests for the inner loop: logic to learners, under 45 s
# The rest is for developers: lint, types, docs, bench, fuzz, fuzz-faults, fuzz-native, sanitize, wheel, test-all, test-browser, test-engines, clean.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
KERNELS = $(wildcard native/*/*) CMakeLists.txt pyproject.toml

.PHONY: demo quick test test-all test-browser test-engines lint types docs docs-links bench fuzz fuzz-faults fuzz-native sanitize wheel clean setup
.DEFAULT_GOAL := test

setup: $(VENV)/.installed
# An editable install: sources are used in place, kernels are compiled once, and again when they change.
$(VENV)/.installed: $(KERNELS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(VENV)/.usable

# What a user gets, without the tools of developers.
$(VENV)/.usable: $(KERNELS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

demo: $(VENV)/.usable
	$(BIN)/graphoid demo

# From logic to scores, with as many learners as there is time for, and without processes of their own.
QUICK = logic structure data counts independence scores learners/grow_shrink learners/pfmn learners/contexts
quick: setup
	$(BIN)/python -m pytest -m "not slow and not engines and not process" -n auto $(addprefix tests/,$(QUICK))

test: setup
	$(BIN)/python -m pytest -m "not slow and not engines" -n auto
	GRAPHOID_NATIVE=0 $(BIN)/python -m pytest -m "not slow and not engines" -n auto tests/agreement tests/conformance tests/independence tests/golden tests/models

test-all: setup
	$(BIN)/python -m pytest -m "not engines" -n auto

# Real servers: PostgreSQL and Spark are installed where they are missing, started on loopback, and stopped.
test-engines: setup
	bash tools/test_engines.sh $(BIN)/python

# Reports in a real Chromium, installed where that is allowed; where there is none, one line says so.
test-browser: setup
	bash tools/browser.sh $(BIN)/python

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/python tools/layers.py

types: setup
	$(BIN)/mypy

# Pages into docs/_build/html, examples run where they changed; every warning and every dead link within is an error.
docs: setup
	$(BIN)/sphinx-build -q -b html -W --keep-going docs docs/_build/html
	$(BIN)/python tools/links.py docs/_build/html
	@echo "docs/_build/html/index.html"

# Also the addresses elsewhere, which takes a network.
docs-links: setup
	$(BIN)/sphinx-build -q -b linkcheck -D sphinx_gallery_conf.plot_gallery=0 docs docs/_build/links

# All of them run; a missed bar fails the target at the end.
bench: setup
	status=0; for script in $(filter-out benchmarks/measure.py,$(wildcard benchmarks/*.py)); do \
	    $(BIN)/python $$script || status=1; done; exit $$status

fuzz: setup
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -n auto tests -k fuzz

# 20,000 files, damaged or odd, through check, learn, load and query; and 1,250 kills. FILES, KILLS (of each of five
# kinds) and SEED say otherwise.
fuzz-faults: setup
	$(BIN)/python tests/faults/fuzz_files.py --files $(or $(FILES),20000) --seed $(or $(SEED),0)
	HYPOTHESIS_PROFILE=long KILLS=$(or $(KILLS),250) SEED=$(or $(SEED),0) $(BIN)/python -m pytest tests/faults/test_kills.py

# The kernels rebuilt with address and undefined-behaviour checks, in an environment of their own.
sanitize:
	bash tools/sanitize.sh

# The same kernels, a million calls with arguments that fit, nearly fit or do not; CALLS and SEED say otherwise.
fuzz-native:
	bash tools/sanitize.sh --fuzz --calls $(or $(CALLS),1000000) --seed $(or $(SEED),0)

# The wheel, built, weighed, and used in an empty environment without a compiler; some minutes.
wheel:
	PYTHON=$(PYTHON) bash tools/wheel.sh

clean:
	rm -rf $(VENV) .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf docs/_build docs/gallery docs/reference/generated docs/examples/*.html
