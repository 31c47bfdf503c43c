# EvalHub from a fresh checkout. Needs Python 3.11 or newer and make; everything else goes to .venv
# and, for the Argilla server that people label on, to .venv-argilla.

PORT ?= 8000
HOST ?= 127.0.0.1
WORKERS ?= 4
VENV := .venv
BIN := $(VENV)/bin
DESK := .venv-argilla
UV := $(BIN)/uv pip install --quiet --compile-bytecode --python
# The interpreter: PYTHON=… or the first one here that is new enough.
PYTHON ?= $(shell for each in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; \
	done)

# Everything but labelling works without it, so it may be missing.
WITH_DESK = $(MAKE) --no-print-directory argilla || \
	echo "==> Going on without the Argilla server, so nobody can label (see above)"

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz argilla check bench lock clean
.DELETE_ON_ERROR:

help:
	@echo "make demo [PORT=8000]   set up everything and run EvalHub with example data"
	@echo "make test [TESTS=…]     set up everything and run all tests (TESTS=tests/jobs: some)"
	@echo "make fuzz [TESTS=…]     ask the generated tests for inputs that nobody has tried yet"
	@echo "make argilla            set up the server that people label on (demo and test do it too)"
	@echo "make check              lint, types, import rules, migrations, deploy checks"
	@echo "make bench              measure what EvalHub does best"
	@echo "make lock [ARGS=…]      compile requirements/ again from pyproject.toml (ARGS=--upgrade)"
	@echo "make clean              remove both environments and caches; var/, where the data is, stays"

demo: $(VENV)/.app
	@$(WITH_DESK)
	@echo "==> Starting EvalHub with example data on port $(PORT)"
	@$(BIN)/evalhub up --demo --port $(PORT) --host $(HOST)

test: $(VENV)/.dev
	@$(WITH_DESK)
	@echo "==> Running all tests, $(WORKERS) at a time at most"
	@$(BIN)/pytest -n auto --maxprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder $(TESTS)

fuzz: $(VENV)/.dev
	@echo "==> Looking for new inputs that fail; they are printed and kept in .hypothesis"
	@$(BIN)/pytest -n auto --maxprocesses $(WORKERS) -m hypothesis --hypothesis-profile fuzz $(TESTS)

argilla: $(DESK)/.filled

check: $(VENV)/.dev
	@echo "==> Lint (ruff)"
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@echo "==> Templates (djade)"
	@find templates apps -name '*.html' -exec $(BIN)/djade --check --target-version 5.2 {} +
	@echo "==> Types (mypy)"
	@$(BIN)/mypy
	@echo "==> Import rules (import-linter)"
	@$(BIN)/lint-imports
	@echo "==> Migrations are complete"
	@$(BIN)/evalhub makemigrations --check --dry-run
	@echo "==> Ready to deploy"
	@EVALHUB_BASE_URL=https://evalhub.example.org $(BIN)/evalhub check --deploy --fail-level WARNING

bench: $(VENV)/.dev
	@echo "==> Measuring; this takes some minutes"
	@$(BIN)/python -m benchmarks

lock: $(VENV)/.dev
	@echo "==> Compiling requirements/"
	@$(BIN)/python requirements/lock.py $(ARGS)

clean:
	@echo "==> Removing $(VENV), $(DESK) and caches (var/ stays)"
	@rm -rf $(VENV) $(DESK) *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# -- the environment: a stamp says which lock it was last filled from ---------------------------

$(VENV)/.app: requirements/app.txt pyproject.toml $(VENV)/.install
	@echo "==> Installing what EvalHub needs into $(VENV)"
	@$(UV) $(BIN)/python --require-hashes -r $< || $(BIN)/python -m pip install --quiet --require-hashes -r $<
	@$(UV) $(BIN)/python --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q apps evalhub
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml $(VENV)/.install
	@echo "==> Installing what EvalHub and its tests need into $(VENV)"
	@$(UV) $(BIN)/python --require-hashes -r $< || $(BIN)/python -m pip install --quiet --require-hashes -r $<
	@$(UV) $(BIN)/python --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q apps evalhub
	@touch $@ $(VENV)/.app

$(VENV)/.install: requirements/install.txt
	@test -n "$(PYTHON)" || { echo "EvalHub needs Python 3.11 or newer: install it, or say" \
		"where it is with PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make a virtual" \
		"environment: install its venv package (Debian, Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@echo "==> Making $(VENV) with $$($(PYTHON) --version)"
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(DESK)/.filled: requirements/argilla.txt $(VENV)/.install
	@echo "==> Installing the Argilla server into $(DESK)"
	@test -x $(DESK)/bin/pip || $(PYTHON) -m venv $(DESK)
	@$(UV) $(DESK)/bin/python --require-hashes -r $< || \
		$(DESK)/bin/python -m pip install --quiet --require-hashes -r $<
	@touch $@
