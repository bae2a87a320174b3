# Weir's commands. Everything is installed into .venv/ and built in target/; a second call rebuilds nothing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= out/delay

.DEFAULT_GOAL := help

# What the compiled part of the package is made of. The Python part needs no build: it is installed as it lies there.
CORE := $(shell find crates -path "*/src/*" -type f -o -name Cargo.toml -o -name build.rs) Cargo.toml Cargo.lock pyproject.toml

# How long `make fuzz` runs, besides building.
FUZZ_SECONDS ?= 60

.PHONY: help build demo test test-rust test-python test-arm bench fuzz lint fmt clean

help: ## show this
	@echo "make TARGET, where TARGET is one of"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(VENV)/built ## install the package and its command into .venv, with a release build of the core

demo: $(VENV)/built ## run the delay lab, print its table and where its report lies
	$(BIN)/weir lab run delay --out $(OUT)

test: test-rust test-python ## run all tests, Rust's and Python's

test-rust: ## run Rust's tests, the switch's with both executors
	cargo test --workspace --quiet
	WEIR_EXECUTOR=interp cargo test -p weir-switch --quiet

test-python: $(VENV)/built $(VENV)/tools ## run Python's tests
	$(BIN)/pytest -q

test-arm: ## run native code's tests on 64-bit Arm, emulated (needs qemu-user-static, gcc-aarch64-linux-gnu, Rust for aarch64-unknown-linux-gnu)
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L /usr/aarch64-linux-gnu" \
	cargo test -p weir-native --target aarch64-unknown-linux-gnu --quiet

bench: ## measure the compiler over programs of growing length, tables, a router against one by hand, other programs, several threads, and networks
	cargo bench --quiet -p weir-compiler --bench front_end
	cargo bench --quiet -p weir-tables
	cargo bench --quiet -p weir-bench --bench router
	cargo bench --quiet -p weir-bench --bench updates
	cargo bench --quiet -p weir-bench --bench programs
	cargo bench --quiet -p weir-bench --bench threads
	cargo bench --quiet -p weir-bench --bench network

fuzz: ## run the compiler on random texts for FUZZ_SECONDS=60, guided by coverage (needs a C++ compiler)
	fuzz/run $(FUZZ_SECONDS)

lint: $(VENV)/built $(VENV)/tools ## check formatting and lints; warnings are errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff format --check python tests
	$(BIN)/ruff check python tests
	$(BIN)/mypy

fmt: $(VENV)/tools ## format all code
	cargo fmt --all
	$(BIN)/ruff format python tests
	$(BIN)/ruff check --fix python tests

clean: ## remove all that was built or installed here; results in out/ stay
	rm -rf $(VENV) target .pytest_cache .mypy_cache .ruff_cache python/weir/_core*.so
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamp files: each is as new as what it stands for.

$(VENV)/made:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"Weir needs Python 3.11 or newer; $(PYTHON) is {v[0]}.{v[1]}: name another by PYTHON=python3.x")'
	@command -v cargo >/dev/null || { echo "Weir needs Rust (cargo): see https://rustup.rs" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check "maturin>=1.9,<2"
	@touch $@

$(VENV)/built: $(VENV)/made $(CORE)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet
	@touch $@

$(VENV)/tools: $(VENV)/made pyproject.toml
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["dev"], sep="\n")' > $(VENV)/tools.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r $(VENV)/tools.txt
	@touch $@
