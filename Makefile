# The whole set-up on a machine with Python 3.11+ and make:
#   make demo    create .venv, install meldlab, run the tour
#   make test    create .venv with the development tools, run ruff, mypy, import-linter and the fast tests
#   make check   the slow tests; CI runs both
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= auto
PYTEST_OPTIONS ?=
# The tests of a file run in one process (loadfile), so that what they share is parsed, compiled and started once.
# Tests start many processes, and each would compile every module it imports where the environment forbids Python to keep that.
unexport PYTHONDONTWRITEBYTECODE

# The tests that reach kernels; numba checks an index only where it is told to, and keeps such code in a cache folder of its own.
# Left out: files that call no kernel, and Ctrl-C during kernels that other files run to their end.
KERNEL_TESTS := cards chance melds gin play waiting stopping rummikub recycle properties golden arena/test_contest.py test_bounds.py
NO_KERNEL := cards/test_card.py rummikub/test_tiles.py $(addprefix recycle/test_,checker.py long_texts.py parse_errors.py parser.py syntax.py)

.PHONY: help demo test check static kernels bounds bench dist docs figures clean
.DEFAULT_GOAL := help

help:
	@echo "make demo   set up and take the tour   (first time: about 3 minutes)"
	@echo "make test   set up and run the fast checks  (first time: about 6 minutes on two cores)"
	@echo "make check  run the slow tests: browser, training, wheel, kill and resume, and make bounds (about 25 minutes)"
	@echo "make bounds run the kernel tests with every array index checked (first time: about 6 minutes)"
	@echo "make bench  measure the speed of every package, next to other implementations (about 15 minutes)"
	@echo "make dist   build a wheel into dist/ and try it in an empty environment"
	@echo "make docs   build the documentation into site/"
	@echo "make figures write programs and measured figures into README and the pages"
	@echo "make clean  remove what the above created"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "meldlab needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another: make demo PYTHON=python3.12")'
	@echo "creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(BIN)/python
	@echo "installing meldlab (first time: about a minute)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[web]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "installing meldlab with its development tools (first time: about a minute)"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev,cluster,docs,environments,web]'
	@echo "installing the oracles that some tests compare with"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[oracles]' \
		|| echo "note: no oracle could be installed; tests that need one will say so and be skipped"
	@touch $@ $(VENV)/.run

demo: $(VENV)/.run
	@echo "the tour: under two minutes, the first time a little longer while kernels are compiled"
	@$(BIN)/meldlab demo
	@echo "Open the laboratory in a browser: $(BIN)/meldlab serve --open"
	@echo "The command is $(BIN)/meldlab; after 'source $(BIN)/activate' it is plain meldlab."

test: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j2 kernels static
	@echo "== fast tests and doctests"; $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow" --durations=10 $(PYTEST_OPTIONS)

check: $(VENV)/.dev
	@echo "== slow tests"; $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m slow --durations=10 tests $(PYTEST_OPTIONS)
	@$(MAKE) --no-print-directory bounds
	@$(MAKE) --no-print-directory dist

# One core compiles kernels while another reads the source.
static: $(VENV)/.dev
	@echo "== ruff";           $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@echo "== mypy";           $(BIN)/mypy
	@echo "== import contracts"; $(BIN)/lint-imports

kernels: $(VENV)/.dev
	@echo "== kernels";        $(BIN)/meldlab doctor

bounds: $(VENV)/.dev
	@echo "== kernel tests with every index checked"
	@NUMBA_BOUNDSCHECK=1 $(BIN)/meldlab doctor
	@NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_OPTIONS) -k "not control_c" $(wildcard $(addprefix tests/,$(KERNEL_TESTS))) \
		$(addprefix --ignore=tests/,$(NO_KERNEL))

bench: $(VENV)/.dev
	@for name in melds waiting stopping gin vector rummikub recycle analyse tuning; do echo "== $$name"; $(BIN)/python benchmarks/speed $$name || exit 1; done

# Without the source tree: from another folder, and with nothing but what the wheel asks for.
dist: | $(BIN)/python
	@rm -rf dist
	@$(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps --wheel-dir dist .
	@echo "installing dist/$$(ls dist) into an empty environment and taking the tour there"
	@$(BIN)/python -m venv dist/empty
	@dist/empty/bin/python -m pip install -q --disable-pip-version-check dist/*.whl
	@cd / && env -u PYTHONPATH $(CURDIR)/dist/empty/bin/meldlab demo > $(CURDIR)/dist/empty/tour.txt
	@tail -n 3 dist/empty/tour.txt
	@rm -rf dist/empty

docs: | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[docs]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q
	@echo "The site is in site/; open it with: $(BIN)/python -m http.server -d site"

figures: $(VENV)/.dev
	@$(BIN)/python -m tests.docs.filling

clean:
	rm -rf $(VENV) site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
