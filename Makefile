# Weir's commands. Everything is installed into .venv/ and built in target/. A second call rebuilds nothing.
#
# Every `cargo` command here selects packages by `--workspace` and tests by name. With `-p`, cargo
# enables fewer features of shared dependencies and compiles them, and what uses them, again.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= out/delay

.DEFAULT_GOAL := help

# Sources of the compiled part of the package. The Python part is installed in place and needs no build.
CORE := $(shell find crates -path "*/src/*" -type f -o -name Cargo.toml -o -name build.rs) Cargo.toml Cargo.lock pyproject.toml

# Seconds that `make fuzz` runs each target, after the build, and its seed; 0 tries other inputs in each
# run. FUZZ_TARGETS chooses some of them, such as FUZZ_TARGETS="capture frames".
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0
FUZZ_TARGETS ?=

# What `make compare-bmv2` runs: how many programs, packets of each, and the first seed.
PROGRAMS ?= 20
PACKETS ?= 500
FIRST ?= 0

.PHONY: help build demo check-labs docs wheel wheels switchd deb image release-check test test-rust test-crates test-interpreter test-python test-arm wifi bench compare-bmv2 random-psa check-p4c compare-linux fuzz fuzz-all audit properties torture attacks mutants requests frames rivals look-at-reports picture-of-ui soak theory sweep large-shapes sanitize lint lint-rust lint-python lint-web fmt wrap clean

help: ## show this
	@echo "make TARGET, where TARGET is one of"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The page of `weir ui`, which only Node.js can build; the other name is that of a build without it.
PAGE := $(VENV)/page$(if $(shell command -v npm),,-without-node)

build: $(VENV)/built $(PAGE) ## install the package, its command and the labs into .venv, with a release build of the core; with Node.js, build the page of weir ui

# Options of the delay lab that `make demo` runs, such as --quick.
DEMO ?=

demo: $(VENV)/built ## run the delay lab, print its table and the path of its report
	$(BIN)/weir lab run delay --out $(OUT) $(DEMO)

check-labs: $(VENV)/built $(VENV)/tools ## run the labs with full sizes, and test their results
	$(BIN)/weir lab run all
	WEIR_DELAY_RESULTS="$(abspath out/all/delay)" WEIR_FIREWALL_RESULTS="$(abspath out/all/firewall)" WEIR_INT_REPORT_RESULTS="$(abspath out/all/int-report)" WEIR_INT_RESULTS="$(abspath out/all/int)" WEIR_LOAD_BALANCE_RESULTS="$(abspath out/all/load-balance)" WEIR_PACING_RESULTS="$(abspath out/all/pacing)" WEIR_QUEUE_OCCUPANCY_RESULTS="$(abspath out/all/queue-occupancy)" WEIR_SHORTERNET_RESULTS="$(abspath out/all/shorternet)" $(BIN)/pytest -q tests/labs

# The folder whose pages `make look-at-reports` opens, as `weir lab run all` writes it.
REPORTS ?= out/all

look-at-reports: ## open all pages below REPORTS=out/all in Chromium at 1200 and 390 pixels, light and dark, and keep pictures in out/pictures
	$(PYTHON) tests/look_at_reports.py $(REPORTS) out/pictures

picture-of-ui: $(VENV)/built $(VENV)/tools $(PAGE) ## draw the moving picture of weir ui in the README again, with Chromium
	$(BIN)/python tests/picture_of_ui.py docs/images/ui.gif

docs: $(VENV)/built $(VENV)/site ## build the documentation's site with its pictures into out/site, and say how to open it; warnings are errors
	@# Not --quiet, which hides warnings from --strict too.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open it: xdg-open out/site/index.html; or, from another computer: $(BIN)/python -m http.server --directory out/site, and its port 8000"

wheel: $(VENV)/built $(PAGE) ## make a wheel for this machine from what `make build` compiled, and that of the labs, in dist/
	packaging/wheels --this

# The processors for which `make wheels` and `make switchd` build; without, both and this machine's.
FOR ?=

wheels: $(VENV)/made ## make wheels for x86-64 and Arm, of the labs, and source distributions in dist/, and try them: FOR=aarch64 for one wheel
	packaging/wheels $(FOR)

switchd: ## build weir-switchd and weir-link without shared libraries into dist/, and try them: FOR="x86_64 aarch64"
	packaging/switchd $(FOR)

deb: ## pack the programs of `make switchd` as Debian packages of weir-switchd in dist/: FOR="x86_64 aarch64"
	packaging/deb $(FOR)

image: ## build and try the container image localhost/weir (needs podman or docker)
	packaging/image build
	packaging/image try

release-check: $(VENV)/built $(VENV)/tools $(VENV)/release ## run the steps of a release as far as this machine can, and print a table; tries the wheel of `make wheel`
	$(BIN)/python packaging/release-check

# `make --jobs 3 --output-sync=target test` runs the three parts at the same time. Python's tests talk
# to real networks and have time limits, so Rust's get the processors that those leave.
test: $(VENV)/made test-rust test-python ## run all tests, Rust's and Python's

test-rust: test-crates test-interpreter ## run Rust's tests, those of the switch with both executors

# The command that compiles and runs Rust's tests.
CARGO_TEST ?= cargo test

test-crates: # Rust's tests
	@$(PYTHON) tests/skipped.py target/skipped --forget
	WEIR_SKIPPED="$(abspath target/skipped)" nice tests/run_again $(CARGO_TEST) --workspace --quiet
	@$(PYTHON) tests/skipped.py target/skipped

test-interpreter: # the tests of the switch with the interpreter
	WEIR_EXECUTOR=interp nice tests/run_again $(CARGO_TEST) --workspace --quiet --test switch

test-python: $(VENV)/built $(VENV)/tools $(PAGE) ## run Python's tests, on all cores
	@# A worker that has no tests left takes some from another.
	tests/run_python $(BIN)/pytest -q

test-arm: ## run the tests of native code and of the switch on emulated 64-bit Arm (needs qemu-user-static, gcc-aarch64-linux-gnu, Rust for aarch64-unknown-linux-gnu)
	packaging/test-arm

wifi: $(VENV)/built $(VENV)/tools ## test weir ap with simulated Wi-Fi in qemu (needs qemu-system-x86, apt-get; downloads 110 MB once)
	WEIR_REQUIRE_WIFI=1 $(BIN)/pytest -q tests/wifi

bench: $(VENV)/built ## measure the compiler, tables, a router against hand-written code, other programs, threads, networks, P4Runtime and interfaces
	cargo bench --quiet --workspace --bench front_end
	cargo bench --quiet --workspace --bench sizes
	cargo bench --quiet --workspace --bench tables
	cargo bench --quiet --workspace --bench router
	cargo bench --quiet --workspace --bench updates
	cargo bench --quiet --workspace --bench insertions
	cargo bench --quiet --workspace --bench programs
	cargo bench --quiet --workspace --bench threads
	cargo bench --quiet --workspace --bench network
	cargo bench --quiet --workspace --bench entities
	cargo bench --quiet --workspace --bench server
	cargo bench --quiet --workspace --bench ports
	$(BIN)/python -m weir_labs.firewall.native
	$(BIN)/python -m weir_labs.shorternet.native

compare-bmv2: $(VENV)/built ## run random programs on p4lang's simple_switch too: PROGRAMS=20 PACKETS=500 FIRST=0 (peers/bmv2/README.md)
	$(BIN)/python peers/bmv2 --commands
	$(BIN)/python peers/bmv2 --programs $(PROGRAMS) --packets $(PACKETS) --first $(FIRST)

random-psa: PROGRAMS = 300
random-psa: PACKETS = 1000
random-psa: ## run random PSA programs on both paths and both executors: PROGRAMS=300 PACKETS=1000 FIRST=0
	WEIR_PSA_PROGRAMS=$(PROGRAMS) WEIR_PSA_PACKETS=$(PACKETS) WEIR_PSA_FIRST=$(FIRST) nice cargo test --release --workspace --quiet --test switch psa_programs

check-p4c: ## compile the programs of the labs and examples with p4lang's p4c-bm2-ss, which must be on the PATH
	$(PYTHON) peers/bmv2/compile_ours.py

# Where `make compare-linux` keeps its results.
COMPARE ?= out/linux

compare-linux: $(VENV)/built ## compare TCP with this machine's kernel: about two hours, as root (peers/linux/README.md)
	mkdir -p $(COMPARE)
	$(BIN)/python peers/linux/compare.py linux $(COMPARE)/linux.jsonl
	$(BIN)/python peers/linux/compare.py weir $(COMPARE)/weir.jsonl
	$(BIN)/python peers/linux/compare.py table $(COMPARE)/linux.jsonl $(COMPARE)/weir.jsonl

fuzz: $(VENV)/built $(VENV)/tools $(VENV)/fuzz ## run what reads texts and bytes of others on random ones, guided by coverage, each for FUZZ_SECONDS=60 (needs a C++ compiler)
	fuzz/run $(FUZZ_SECONDS) $(FUZZ_SEED) $(FUZZ_TARGETS)

fuzz-all: $(VENV)/built $(VENV)/tools ## fuzz for a night: each target of `make fuzz` for ten minutes, P4Runtime requests, and hostile packets, files and Thrift
	$(MAKE) fuzz FUZZ_SECONDS=600
	$(MAKE) requests
	for class in packets files thrift; do $(BIN)/python tests/torture --class $$class --minutes 10 --seed $$(date +%s) || exit 1; done

audit: $(VENV)/made ## check licences and sources of what Weir depends on, and known vulnerabilities where databases can be had
	packaging/audit

# Seeds with which `make properties` draws the cases of property tests.
SEEDS ?= 2 3 4 5 6

properties: ## run Rust's tests with other cases of the property tests: SEEDS="2 3 4 5 6"
	for seed in $(SEEDS); do echo "seed $$seed"; PROPTEST_RNG_SEED=$$seed cargo test --workspace --quiet || exit 1; done

# Options of cargo-mutants with which `make mutants` chooses mutants: here, each 200th.
MUTANTS ?= --shard 7/200

mutants: ## change the code of tables, TCP, the switch and P4Runtime, and see whether tests notice: MUTANTS="--shard 7/200" (needs cargo-mutants)
	@# A copy of the sources is changed; what it compiles stays for the next run.
	CARGO_TARGET_DIR="$(abspath target/mutants)" CARGO_PROFILE_DEV_DEBUG=0 cargo mutants --sharding round-robin --baseline skip --timeout 300 --output target $(MUTANTS)

# Cases of each class that `make torture` runs, of processes a hundredth, and their seed.
TORTURE_CASES ?= 10000
TORTURE_SEED ?= 0

torture: $(VENV)/built ## give hostile input to everything: TORTURE_CASES=10000 of each class, TORTURE_SEED=0; takes hours
	$(BIN)/python tests/torture --cases $(TORTURE_CASES) --seed $(TORTURE_SEED)

# How long each attack of `make attacks` lasts, in seconds.
ATTACK_SECONDS ?= 60

attacks: $(VENV)/built $(VENV)/tools ## attack a switch, the stand-in with Thrift and a telemetry listener with 512 MiB of memory as an unknown peer would: ATTACK_SECONDS=60 for each attack; as root
	$(BIN)/python tests/attacks --seconds $(ATTACK_SECONDS) --out out/attacks.jsonl

# How many P4Runtime requests of each kind `make requests` sends, and the seed of its random numbers.
REQUESTS ?= 100000
REQUESTS_SEED ?= 1

requests: ## send P4Runtime servers random and mutated requests and HTTP/2: REQUESTS=100000 of each kind, REQUESTS_SEED=1
	@# A property test of entities sends about 12 requests in a case, and runs a twentieth of the cases.
	PROPTEST_RNG_SEED=$(REQUESTS_SEED) PROPTEST_CASES=$(REQUESTS) cargo test --release --workspace --test wire -- --nocapture --test-threads 1
	PROPTEST_RNG_SEED=$(REQUESTS_SEED) PROPTEST_CASES=$$(($(REQUESTS) * 20 / 12)) cargo test --release --workspace --test entities random

# How many frames `make frames` sends through each kind of port.
FRAMES ?= 1000000

frames: ## send frames of mixed sizes and protocols through each kind of port, with 1, 2 and 4 workers: FRAMES=1000000 through each
	WEIR_FRAMES=$(FRAMES) cargo test --workspace --test packet_socket many -- --test-threads 1

# Seconds that `make rivals` runs, and its seed.
RIVALS_SECONDS ?= 60
RIVALS_SEED ?= 1

rivals: ## let ten P4Runtime controllers of three roles come, write and go at random: RIVALS_SECONDS=60, RIVALS_SEED=1
	WEIR_RIVALS_SECONDS=$(RIVALS_SECONDS) WEIR_RIVALS_SEED=$(RIVALS_SEED) cargo test --workspace --test server rivals -- --nocapture

# Seconds that `make soak` runs.
SOAK_SECONDS ?= 3600

soak: $(VENV)/built ## run a switch under load with 10 000 table updates a second, and watch its memory: SOAK_SECONDS=3600
	unshare --user --map-root-user --net --mount "$(abspath $(BIN))/python" tests/real/soak.py $(SOAK_SECONDS)

theory: ## compare TCP with theory, all tests: about ten minutes
	cargo test --quiet --release --workspace --test theory -- --include-ignored

sweep: $(VENV)/built $(VENV)/tools ## kill an experiment of 200 runs three times and resume it: one worker, two, Dask; time two workers
	$(BIN)/python tests/sweep.py

large-shapes: $(VENV)/built ## build networks of up to 1024 hosts with their entries, and print the processor time of each
	$(BIN)/python tests/large_shapes.py

sanitize: ## check memory and threads with loom, Miri and sanitizers (installs a nightly toolchain)
	tests/sanitize

lint: lint-rust lint-python lint-web ## check formatting and lints; warnings are errors

lint-rust: # Rust's part of lint
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

lint-python: $(VENV)/built $(VENV)/tools # Python's part of lint
	$(BIN)/ruff format --check docs/build labs python tests peers
	$(BIN)/ruff check docs/build labs python tests peers
	$(BIN)/mypy
	$(PYTHON) tests/wrap_prose.py --check

lint-web: # the page's part of lint; only says so if there is no Node.js
	packaging/page lint

fmt: $(VENV)/tools ## format all code
	cargo fmt --all
	$(BIN)/ruff format docs/build labs python tests peers
	$(BIN)/ruff check --fix docs/build labs python tests peers

wrap: ## wrap comments and prose at 100 columns
	$(PYTHON) tests/wrap_prose.py

clean: ## remove everything that was built or installed here, except results in out/
	rm -rf $(VENV) target dist .pytest_cache .mypy_cache .ruff_cache python/weir/_core*.so python/weir/ui/page web/node_modules
	find docs labs python tests peers -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamp files: each is newer than what it was made from.

# Where the versions and hashes of Python packages are; packaging/audit-lock writes them.
LOCKS := packaging/audit-locks

# Installs the packages of a lock. pip refuses other bytes.
locked = $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCKS)/$(1).lock

$(VENV)/made: pyproject.toml labs/pyproject.toml $(LOCKS)/build.lock
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"Weir needs Python 3.11 or newer; $(PYTHON) is {v[0]}.{v[1]}: choose another with PYTHON=python3.x")'
	@packaging/rust-version
	$(PYTHON) -m venv $(VENV)
	@# The backends that build the two packages, and what the packages import.
	$(call locked,build)
	@touch $@

$(VENV)/built: $(VENV)/made $(CORE)
	@packaging/rust-version --and-duration
	VIRTUAL_ENV="$(abspath $(VENV))" $(BIN)/maturin develop --release --features test-util
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable labs
	@touch $@

$(PAGE): packaging/page $(wildcard web/*.html web/*.json web/*.ts web/src/*) $(VENV)/made
	packaging/page
	@touch $@

$(VENV)/tools: $(VENV)/made $(LOCKS)/tools.lock
	$(call locked,tools)
	@touch $@

$(VENV)/fuzz: $(VENV)/made $(LOCKS)/fuzz.lock
	$(call locked,fuzz)
	@touch $@

$(VENV)/site: $(VENV)/made $(LOCKS)/site.lock
	$(call locked,site)
	@touch $@

# Installs the packages of an extra of pyproject.toml.
extra = $(BIN)/python -c 'import sys, tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]], sep="\n")' $(1) > $@.txt && $(BIN)/pip install --quiet --disable-pip-version-check -r $@.txt

$(VENV)/release: $(VENV)/made pyproject.toml
	$(call extra,release)
	@touch $@
