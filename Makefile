# `make demo` and `make test` need nothing but python3 and a fresh clone.
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
RUN := $(VENV)/bin/python

.PHONY: help setup demo web play test lint bench clients fuzz faults docs results release fresh image clean

help:   ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 10

setup: $(READY)  ## make .venv with everything in it

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --upgrade pip
	$(VENV)/bin/pip install --quiet -c constraints.txt -e ".[dev]"
	touch $(READY)

demo: $(READY)  ## solve cubes and towers and save their pictures to demo/
	$(RUN) -m examples.demo

# The page is built anew when something of it has changed; node and npm do that, its packages are those of the lock file.
PAGE := rubiks_gym/play/static/index.html
PACKAGES := web/node_modules/.package-lock.json

web: $(PAGE)  ## build the page that `make play` serves, into rubiks_gym/play/static (needs node and npm)

$(PACKAGES): web/package-lock.json
	@command -v npm > /dev/null || { echo "To build the page, install node and npm."; exit 1; }
	npm --prefix web ci --no-audit --no-fund --loglevel error
	touch $(PACKAGES)

$(PAGE): $(READY) $(PACKAGES) web/export.py web/build.mjs $(wildcard web/src/* web/assembly/*.ts rubiks_gym/ntuple/trained/*)
	$(RUN) web/export.py
	node web/build.mjs

play: $(PAGE)  ## open the page in the browser: scramble, solve, compare agents
	$(RUN) -m rubiks_gym play

test: $(READY)  ## run all tests; those of the page where node and a browser are found
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory web || echo "The page cannot be built: its tests are skipped."; fi
	$(RUN) -m pytest

lint: $(READY)  ## ruff and mypy
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

bench: $(READY)  ## measure speed beside other packages, in a virtual environment of their own
	$(RUN) -m benchmarks.speed

fuzz: $(READY)  ## feed a million inputs of every kind, for an hour at most
	$(RUN) -m tests.fuzz

clients: $(READY)  ## run other people's learners on the environments, each in a virtual environment of its own
	$(RUN) -m clients

faults: $(READY)  ## kill every learner at random moments and resume it
	$(RUN) -m tests.faults

results: $(READY)  ## write every table and plot of the documents from the records
	$(RUN) -m results

docs: $(READY)  ## build the documentation into docs/_build/html; a warning is an error
	$(RUN) -m sphinx -q -W --keep-going -E -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

release: $(READY)  ## build wheel and sdist into dist/ and check them
	$(VENV)/bin/pip install --quiet -c constraints.txt -e ".[release]"
	rm -rf dist
	$(RUN) -m build
	$(RUN) -m twine check --strict dist/*

fresh: $(READY)  ## install wheel and sdist into empty environments of Python 3.10 to 3.13 and use them
	$(VENV)/bin/pip install --quiet -c constraints.txt -e ".[release]"
	$(RUN) -m tests.every_python

BUILDER ?= docker

image: $(PAGE)  ## build the container, the page in it, with docker or another program that takes its words (BUILDER=buildah)
	$(BUILDER) build -t rubiks-gym .

clean:  ## remove the virtual environments, compiled kernels, the built page and what the demo made
	find rubiks_gym agents train -name __pycache__ -prune -exec rm -rf {} +
	rm -rf docs/_build docs/generated $(VENV) .venv-peers .venv-clients demo web/node_modules web/build rubiks_gym/play/static
