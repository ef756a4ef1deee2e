# Two commands matter: `make run` and `make test`. They need Python 3.11 or newer, git and make; nothing else.

SHELL := /bin/sh
BIN := .venv/bin
# The first of these that is new enough; `make run PYTHON=…` names another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$python" && break; done)
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header

.PHONY: help run test lock clean
.DEFAULT_GOAL := help

help: ## Show this list.
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' $(MAKEFILE_LIST)

run: .venv/run.stamp ## Bring everything up with the sample recorded, show one assembled context; Ctrl-C stops it.
	@$(BIN)/runtime-graph demo

test: .venv/test.stamp ## Check style, types and imports, then run every test against a real Neo4j it starts itself.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 3

lock: .venv/test.stamp ## Choose the newest allowed versions anew and write both lock files.
	$(COMPILE) --upgrade pyproject.toml -o requirements.txt
	$(COMPILE) --upgrade --extra dev --constraint requirements.txt pyproject.toml -o requirements-dev.txt

clean: ## Remove what was installed or generated here; what was recorded stays (that is .runtime-graph).
	rm -rf .venv dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than what it was made from only when every step before it went well.
.venv/python.stamp:
	@if [ -z '$(PYTHON)' ]; then echo 'Python 3.11 or newer is needed; make run PYTHON=/path/to/python3.11 names it.' >&2; exit 1; fi
	@echo 'Making the virtual environment in .venv with $(PYTHON)'
	@$(PYTHON) -m venv --clear .venv
	@touch $@

.venv/run.stamp: .venv/python.stamp requirements.txt pyproject.toml
	@echo 'Installing the locked requirements (the first time takes a minute)'
	@$(PIP) install --require-hashes -r requirements.txt
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

.venv/test.stamp: .venv/run.stamp requirements-dev.txt
	@echo 'Installing the locked requirements of the tests'
	@$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@
