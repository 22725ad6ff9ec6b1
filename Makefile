# Everything runs in the project's own virtual environment, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint docs bench clean

$(VENV)/.core: pyproject.toml setup.py $(wildcard native/*)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/.test: $(VENV)/.core
	$(BIN)/python -m pip install --quiet -e ".[test,dev,docs]"
	@touch $@

demo: $(VENV)/.core
	$(BIN)/nlgauge demo

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest

clean:
	rm -rf $(VENV) build src/*.egg-info src/nlgauge/*.so

bench: $(VENV)/.core
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --upgrade pip
	.venv-bench/bin/python -m pip install --quiet . sacrebleu==2.6.0 rouge-score==0.1.2 jiwer==4.0.0 rapidfuzz nltk
	.venv-bench/bin/python benchmarks/run.py

docs: $(VENV)/.test
	$(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"
