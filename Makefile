# privet: every command makes `.venv` and fills it by itself. `make help` lists them.
# PYTHON=/path/to/python chooses the interpreter `.venv` is made from.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
INPUTS := pyproject.toml constraints.txt

# Timings are for two threads, whatever the machine has.
PINS := PRIVET_THREADS=2 OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 MKL_NUM_THREADS=2 NUMBA_NUM_THREADS=2 \
	POLARS_MAX_THREADS=2 ARROW_NUM_THREADS=2 ARROW_IO_THREADS=2

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint bench bench-scale bench-accuracy crash j48 pictures mutants format clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.run ## the main job: disguise a table, mine the release, compare
	@$(BIN)/privet demo

test: lint ## style, types, imports, then all tests
	$(BIN)/python -m pytest -n 2 --dist loadgroup --durations=10

lint: $(VENV)/.test ## style, types and imports only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.bench ## speed beside peers, on two threads
	$(PINS) $(BIN)/python -m benchmarks

bench-scale: $(VENV)/.bench ## a hundred million records: minutes, and 10 GB of disk
	$(PINS) $(BIN)/python -m benchmarks large

bench-accuracy: $(VENV)/.bench ## accuracy beside peers, on two threads
	$(PINS) $(BIN)/python -m benchmarks accuracy
	$(PINS) $(BIN)/python -m benchmarks noise_accuracy

crash: $(VENV)/.test ## kill writers and database servers a hundred times each
	PRIVET_KILLS=100 $(BIN)/python -m pytest tests/store/test_crash.py

j48: $(VENV)/.bench ## our C4.5 beside J48 (Debian's weka), into docs/trees.md
	$(PINS) $(BIN)/python -m benchmarks.j48 --write

pictures: $(VENV)/.run ## draw the trees of docs/trees.md
	$(BIN)/python -m benchmarks.pictures

mutants: $(VENV)/.test ## plant bugs one by one and see the tests catch each
	$(BIN)/python tests/mutants/run.py

format: $(VENV)/.test ## mend style where a tool can
	$(BIN)/ruff check --fix-only --exit-zero .
	$(BIN)/ruff format .

clean: ## remove .venv, caches and built files
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build dist
	find src tests -type d -name __pycache__ -prune -exec rm -rf {} +

# A stamp is as new as the last install. A wider install also renews the narrow stamp,
# so `make demo` after `make test` has nothing to do.
$(VENV)/.run: $(INPUTS) | $(VENV)/.made
	@echo "installing privet into $(VENV)"
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.test: $(INPUTS) | $(VENV)/.made
	@echo "installing privet and its test tools into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[test]'
	@touch $(VENV)/.run $@

$(VENV)/.bench: $(INPUTS) | $(VENV)/.made
	@echo "installing privet and its benchmark peers into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[bench]'
	@touch $(VENV)/.run $@

# The first Python that is new enough and can make a virtual environment.
$(VENV)/.made:
	@for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
	  if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "making $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv --clear $(VENV) && touch $@; exit; \
	  fi; \
	done; \
	echo "privet needs Python 3.11 or newer with its venv module." >&2; \
	echo "Tried: $(or $(PYTHON),python3.13 python3.12 python3.11 python3)." >&2; \
	echo "Install one (on Debian or Ubuntu: python3 and python3-venv), or name it: make PYTHON=/path/to/python ..." >&2; \
	exit 1
