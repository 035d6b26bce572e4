# make demo   index the sample documents and ask three questions
# make test   format, lint, types, import rules, tests with coverage
# make lint   the same without the tests
# make bench  multi-hop benchmark: make bench DATA=folder [ARGS="--limit 100"]
# make llm    put a small language model into the user's cache: make llm [LLM=1.5b] (478 MB, or 1.1 GB)
# make lock   regenerate the lock files after a change of dependencies

VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src -type f -not -name '*.pyc')
DATA ?= $(or $(CLEW_TEST_DATA),../shared/data)/2wiki-hipporag
ARGS ?=
LLM ?= 0.5b

# Patience for slow proxies; what the caller has set is kept.
export PIP_DEFAULT_TIMEOUT ?= 120
export PIP_RETRIES ?= 10
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PIP_NO_INPUT = 1

# Errors only, since pip warns of every index that lacks a package; and Python compiles what it uses.
INSTALL := $(BIN)/python -m pip install -qq --no-compile
INSTALL_CLEW := $(INSTALL) --no-deps --no-build-isolation

.PHONY: demo test lint bench llm lock clean
.DELETE_ON_ERROR:

demo: $(VENV)/.package
	scripts/demo.sh

test: lint
	$(BIN)/python -m pytest --cov --cov-report=term

lint: $(VENV)/.editable
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.package
	$(BIN)/python -m benchmarks.multihop --data $(DATA) $(ARGS)

llm: $(VENV)/.default
	PYTHON=$(BIN)/python scripts/llm.sh $(LLM)

lock: $(VENV)/.dev
	scripts/lock.sh

clean:
	rm -rf $(VENV) build dist .coverage* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# Stamp files: a second run finds them and installs nothing.
$(VENV)/.created:
	@python="$${PYTHON:-$$(scripts/find_python.sh)}" && "$$python" -m venv --clear $(VENV)
	@touch $@

$(VENV)/.default: $(VENV)/.created requirements.lock requirements-build.lock
	@echo "Installing Clew's dependencies from the lock files (about a minute and a half) ..."
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --require-hashes -r requirements-build.lock
	@touch $@

$(VENV)/.dev: $(VENV)/.default requirements-dev.lock
	@$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

# The package as users get it; and, for development, the source tree itself. One replaces the other.
$(VENV)/.package: $(VENV)/.default $(SOURCES) pyproject.toml README.md LICENSE
	@$(INSTALL_CLEW) .
	@rm -f $(VENV)/.editable
	@touch $@

$(VENV)/.editable: $(VENV)/.dev pyproject.toml
	@$(INSTALL_CLEW) --editable .
	@rm -f $(VENV)/.package
	@touch $@
