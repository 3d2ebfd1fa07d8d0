# What can be done here, `make help` says. On a fresh machine it needs cargo, a C compiler, make, and Python
# 3.9 with pip; the Julia parts need Julia 1.11 or newer, on PATH or in JULIA.

CARGO ?= cargo
PYTHON ?= python3
PREFIX ?= /usr/local
DESTDIR ?=
# The plugin that `make plugin` and `make demo` use: a name in plugins.toml.
PLUGIN ?= cpu

# Where cargo puts what it builds, as cargo itself decides it.
TARGET := $(or $(CARGO_TARGET_DIR),target)
LIBRARY := $(TARGET)/release/libpjrtmem.so
export CARGO PYTHON PREFIX DESTDIR

.PHONY: build plugin plugins demo test header install uninstall stage faults fuzz sanitize deny clean help
.DEFAULT_GOAL := build

build: ## build the library (the default)
	$(CARGO) build --release

plugin: ## fetch the default plugin into the cache: pinned, checked by hash
	$(PYTHON) scripts/fetch_plugin.py $(PLUGIN)

plugins: ## fetch all three plugins
	$(PYTHON) scripts/fetch_plugin.py --all

demo: plugin stage ## fetch a plugin, build, run the C example and the Julia example
	scripts/demo.sh $(PLUGIN)

test: ## set up everything and run every suite on all three plugins
	scripts/test.sh

header: ## make include/pjrtmem.h anew from the Rust sources
	UPDATE_HEADER=1 $(CARGO) test --test header

install: build ## install under DESTDIR and PREFIX (/usr/local)
	scripts/install.sh install $(LIBRARY)

uninstall: ## take away what install put there
	scripts/install.sh uninstall $(LIBRARY)

# An installation to build programs against that are not to be installed.
stage: build
	DESTDIR= PREFIX=$(abspath $(TARGET))/stage scripts/install.sh install $(LIBRARY)

ON_ALL_PLUGINS = PJRTMEM_TEST_PLUGINS=$$($(PYTHON) scripts/fetch_plugin.py --names | paste -sd,)
# Cases of `make fuzz`.
CASES ?= 20000

faults: plugins ## make each call of each function fail and print how it comes out
	$(CARGO) build --workspace
	$(ON_ALL_PLUGINS) \
	  $(CARGO) test --test faults -- --nocapture

fuzz: plugins ## check CASES random sequences of calls against a model
	$(CARGO) build --release --workspace
	$(ON_ALL_PLUGINS) \
	  PJRTMEM_TEST_CASES=$(CASES) $(CARGO) test --release --test model -- --nocapture

sanitize: ## run the C suite under AddressSanitizer, UndefinedBehaviorSanitizer and valgrind
	scripts/sanitize.sh

deny: ## check the licences and advisories of the Rust dependencies
	scripts/deny.sh

clean: ## remove what was built; the cache of plugins stays
	$(CARGO) clean
	rm -rf target scripts/__pycache__

help: ## this
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 20
