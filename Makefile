# make demo   set everything up and learn a first network
# make test   set everything up and run the tests
# make quick  the tests for the inner loop: logic to learners, under 45 s
# The rest is for developers: lint, types, docs, bench, bench-peers, test-gpu, fuzz, fuzz-faults, fuzz-native, sanitize, wheel, deep, test-all, test-oldest, test-browser, test-engines, clean.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
KERNELS = $(wildcard native/*/*) CMakeLists.txt pyproject.toml

.PHONY: demo quick test test-all test-oldest test-browser test-engines test-gpu lint types docs docs-links bench bench-peers fuzz fuzz-faults fuzz-native sanitize wheel deep clean setup
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

# The inner tests with every dependency at the lowest version that pyproject.toml declares, in an environment of its own.
# WHEEL is what is installed, the clone if left out. Old releases may use what newer ones beside them call deprecated.
OLDEST = duckdb survey arff sklearn pandas polars plot
comma := ,
test-oldest:
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python tools/oldest.py $(OLDEST) > .venv-oldest/constraints.txt
	.venv-oldest/bin/python -m pip install --quiet --constraint .venv-oldest/constraints.txt \
	    "$(or $(WHEEL),.)[$(subst $() $(),$(comma),$(OLDEST))]" pytest hypothesis mpmath pytest-xdist psutil
	.venv-oldest/bin/python -m pytest -W ignore::DeprecationWarning -m "not slow and not engines and not process" -n auto $(addprefix tests/,$(QUICK) golden cli)

# Real servers: PostgreSQL and Spark are installed where they are missing, started on loopback, and stopped.
test-engines: setup
	bash tools/test_engines.sh $(BIN)/python

# The engine on a GPU, on PyTorch's processor where there is none. Of PyTorch only what the processor needs is
# installed; where that cannot be had, one line says so.
test-gpu: setup
	bash tools/gpu.sh $(BIN)/python

# Reports, graphoid serve and notebooks in a real Chromium, installed where that is allowed; where there is none, one line says so.
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

# Learners of others, in an environment of their own, beside ours: writes docs/benchmarks/. GRAPHOID_DATA says where the
# networks of the literature are (bif/). LIMIT is the CPU seconds of a run.
PEERS = .venv-peers
bench-peers:
	bash tools/peers.sh $(PYTHON) $(PEERS)
	PYTHONPATH=benchmarks $(PEERS)/bin/python -m peers --limit $(or $(LIMIT),30) --samples $(or $(SAMPLES),1)
	$(PEERS)/bin/graphoid reproduce ising-recovery --processes 2 --out docs/benchmarks
	$(PEERS)/bin/graphoid reproduce potts-recovery --processes 2 --out docs/benchmarks

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

# All that takes long, on the kernels as they are: the sanitizers, hostile arguments, many examples, the wheel. CALLS is
# for the arguments. Half an hour and more.
deep:
	$(MAKE) sanitize
	$(MAKE) fuzz-native CALLS=$(or $(CALLS),20000)
	$(MAKE) fuzz
	$(MAKE) wheel
	@echo "make deep: sanitize, fuzz-native ($(or $(CALLS),20000) calls), fuzz and wheel ran to their end without a fault"

clean:
	rm -rf $(VENV) .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf docs/_build docs/gallery docs/reference/generated docs/examples/*.html
