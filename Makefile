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
.PHONY: help demo survey test lint docs docs-serve package notebooks bench bench-scale bench-accuracy bench-coverage crash flips fuzz j48 pictures screenshots mutants mutate format clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.run ## the main job: disguise a table, mine the release, compare
	@$(BIN)/privet demo

survey: $(VENV)/.test ## a demonstration survey: 2,000 made-up people answer through HTTP, results open
	$(BIN)/privet survey rehearse docs/survey.toml

# Compiled tests are kept even where the environment, as in many containers, says not to:
# each worker would compile all of them anew.
test: lint axe ## style, types, imports, then all tests
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 2 --dist loadgroup --durations=10

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
	$(PINS) $(BIN)/python -m benchmarks worlds
	$(PINS) $(BIN)/python -m benchmarks noise_accuracy

bench-coverage: $(VENV)/.bench ## whether intervals hold what they say: hours
	$(PINS) $(BIN)/python -m benchmarks coverage

fuzz: $(VENV)/.test ## hostile files for every reader, ten minutes each (SECONDS=600)
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),600)

flips: $(VENV)/.test ## every single bit flipped in every file that privet reads back
	PRIVET_FLIPS=all $(BIN)/python -m pytest tests/system/test_flips.py

crash: $(VENV)/.test ## kill writers of databases and releases (KILLS=1000) and servers (SERVER_KILLS=100)
	PRIVET_KILLS=$(or $(KILLS),1000) PRIVET_RELEASE_KILLS=$(or $(KILLS),1000) \
	PRIVET_SERVER_KILLS=$(or $(SERVER_KILLS),100) PRIVET_SURVEY_KILLS=200 \
	$(BIN)/python -m pytest --log-cli-level=info tests/store/test_crash.py tests/release/test_crash.py tests/web/test_crash.py

.PHONY: faults race
faults: $(VENV)/.test ## fail and die at every call of the file system, for all that is written
	PRIVET_FAULTS=all $(BIN)/python -m pytest -s tests/faults

race: $(VENV)/.test ## three readers and three writers on one release, for a minute, twice
	PRIVET_RACE=60 $(BIN)/python -m pytest -s tests/release/test_race.py

j48: $(VENV)/.bench ## our C4.5 beside J48 (Debian's weka), into docs/benchmarks/trees.md
	$(PINS) $(BIN)/python -m benchmarks.j48 --write

docs: $(VENV)/.docs ## build the site into .cache/site; a broken link is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open .cache/site/index.html"

package: $(VENV)/.test ## wheel and sdist into dist/, each tried in a clean environment without this checkout
	rm -rf dist .cache/clean
	$(BIN)/python -m build --outdir dist .
	for made in dist/*.whl dist/*.tar.gz; do \
	  $(BIN)/python -m venv --clear .cache/clean && \
	  .cache/clean/bin/pip install --quiet --disable-pip-version-check -c constraints.txt "$$made" && \
	  (cd .cache && clean/bin/privet demo) || exit 1; \
	done

notebooks: $(VENV)/.test ## run the notebooks of the docs and keep what they print
	$(BIN)/python docs/tools/notebooks.py

docs-serve: $(VENV)/.docs ## show the site at http://127.0.0.1:8000, built anew on every change
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

pictures: $(VENV)/.run ## draw the pictures of the docs
	$(BIN)/python docs/tools/pictures.py
	$(BIN)/python -m benchmarks.pictures

screenshots: $(VENV)/.test ## photograph the pages that the docs show, in the system's Chromium
	$(BIN)/python docs/tools/screenshots.py
	$(BIN)/python docs/tools/workbench.py

mutants: $(VENV)/.test ## plant bugs one by one and see the tests catch each
	$(BIN)/python tests/mutants/run.py

mutate: $(VENV)/.test ## plant random small bugs (N=200) and see the tests catch them
	$(BIN)/python tests/mutants/mutate.py $(or $(N),200)

format: $(VENV)/.test ## mend style where a tool can
	$(BIN)/ruff check --fix-only --exit-zero .
	$(BIN)/ruff format .

clean: ## remove .venv, caches and built files
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build dist
	find src tests -type d -name __pycache__ -prune -exec rm -rf {} +

# A checker of accessibility for the tests of pages; where npm cannot bring it they do without.
AXE := .cache/axe/axe.min.js
.PHONY: axe bench-open
axe: $(AXE)
$(AXE):
	@mkdir -p $(@D)
	@cd $(@D) && npm pack --silent axe-core@4.10.3 >/dev/null 2>&1 && tar xzf axe-core-4.10.3.tgz --strip-components 1 package/axe.min.js \
	  || echo "axe-core could not be fetched: pages are measured, but not checked by it" >&2

bench-open: $(VENV)/.bench ## a million records through the workbench, and the memory it takes
	$(PINS) $(BIN)/python -m benchmarks workbench

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

$(VENV)/.docs: $(INPUTS) | $(VENV)/.made
	@echo "installing privet and what builds its site into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[docs]'
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
