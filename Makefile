PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

# requirements.lock pins what was tested; the stamp makes a second run instant.
$(VENV)/ready: pyproject.toml requirements.lock
	@command -v $(PYTHON) >/dev/null || { echo "Shoal needs $(PYTHON): apt-get install python3.11 python3.11-venv"; exit 1; }
	@echo "Setting up $(VENV), once: this takes a minute."
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || { \
	  echo "python3.11 has no venv module here: installing Debian's python3.11-venv"; \
	  rm -rf $(VENV); apt-get update -q && apt-get install -qy python3.11-venv && $(PYTHON) -m venv $(VENV); }
	$(BIN)/pip install -q --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

# Ray is large, and only a Team on a cluster needs it: its tests do, and nobody who looks at a demo.
$(VENV)/ray: $(VENV)/ready requirements-ray.lock
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -r requirements-ray.lock
	@touch $@

setup: $(VENV)/ready  ## the local environment

demo: setup  ## crawl a synthetic web on loopback and look at the result
	$(BIN)/shoal demo

reference: setup  ## write the pages that are made from the code
	$(BIN)/python -m tools.reference

lint: setup  ## style, types, import rules, and pages made from the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.reference --check

# Tests of state in PostgreSQL start a server of their own, in a temporary folder, and end it.
server:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "There is no PostgreSQL server here: installing Debian's postgresql, which tests of state in PostgreSQL start themselves"; \
	    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends postgresql; \
	  fi || true; \
	  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || echo "NOT RUN without a PostgreSQL server: the tests of state in PostgreSQL (apt-get install postgresql)"; }

test: setup $(VENV)/ray lint server  ## everything that must hold (under 15 minutes)
	$(BIN)/pytest -n 2 -m "not long"

test-all: setup $(VENV)/ray lint server  ## the same, and the tests that take longer
	$(BIN)/pytest -n 2

bench: setup  ## speed and memory beside other crawlers, in one run
	benches/run

clean:
	rm -rf $(VENV) .venv-* build dist

.PHONY: help server setup demo reference lint test test-all bench clean
