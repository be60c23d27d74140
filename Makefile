# The commands of the project; each sets the environment up first, which takes no time when nothing changed.
PY := .venv/bin/python
# Two processes on a machine of two cores; PYTEST_WORKERS=0 runs in this process, for a debugger.
PYTEST_WORKERS ?= auto
TESTS ?= tests

.PHONY: help setup demo test coverage check lint pyright mypy completeness format bench docs lock

help:
	@echo "make demo      a payment alert is reviewed, with a question to you"
	@echo "make test      the tests             (TESTS=tests/core, PYTEST_WORKERS=0)"
	@echo "make check     formatting, lint and types"
	@echo "make format    mends formatting and what ruff can mend"
	@echo "make coverage  the tests, with the branches of core/ that none of them takes"
	@echo "make bench     what a turn, an import and a session cost"
	@echo "make docs      the pages of docs/ as a site in site/"
	@echo "make chaos     kills processes at random for 60 s and checks what they saved"
	@echo "make setup     .venv with the pinned packages (PYTHON=path names the interpreter)"
	@echo "make lock      pins requirements/*.txt anew (needs uv)"

setup:
	@scripts/setup

demo: setup
	@$(PY) examples/payment_alert.py

test: setup
	$(PY) -m pytest -q -n $(PYTEST_WORKERS) $(TESTS)

coverage: setup
	$(PY) -m pytest -q -n $(PYTEST_WORKERS) --cov --cov-report= $(TESTS)
	$(PY) -m coverage report --include='*/mistralai/agents/core/*' --fail-under=100

check: lint pyright mypy completeness

lint: setup
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

pyright: setup
	$(PY) -m pyright

mypy: setup
	$(PY) -m mypy src/fanal src/mistralai tests benchmarks examples

# pyright looks for the package where the `python` on PATH would import it from.
completeness: setup
	PATH="$(CURDIR)/.venv/bin:$$PATH" $(PY) -m pyright --verifytypes mistralai.agents --ignoreexternal

format: setup
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: setup
	@$(PY) -m benchmarks.run

# Its packages live apart: nothing of a site generator is needed to use or to test the project.
docs:
	@scripts/setup .venv-docs test docs
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --quiet
	@echo "site/index.html is the first page; with its search: $(PY) -m http.server -d site -b 127.0.0.1"

chaos: setup
	CHAOS_SECONDS=60 $(PY) -m pytest -q -n 0 tests/journal/test_chaos.py

lock:
	scripts/lock
