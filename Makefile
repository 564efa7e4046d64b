# Each target does its own set-up; `make demo` and `make test` need only Swift, git, make and apt.
# `make lab SHELL=1` asks for a prompt; to make itself the name means its own shell.
LAB_SHELL := $(filter 1,$(SHELL))
override SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help deps build build-with-notice demo test lab lint format bench fuzz docs clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

deps: ## Install the Debian packages of packages.txt that are missing
	@Scripts/install-packages

build-with-notice:
	@[ -x .build/debug/porchlight ] || echo 'building; the first time takes some minutes'
	@Scripts/build --product porchlight

build: ## Build everything for debugging, into .build/debug
	@Scripts/build

demo: deps build-with-notice ## Pair a camera and show it live, all on this machine, until Ctrl-C
	@exec .build/debug/porchlight demo

test: ## Install, lint, build and run every test; ends with 'N passed, N failed'
	@Scripts/test

lab: deps ## Run real Bluetooth and Wi-Fi stacks in a virtual machine: make lab [SCENARIO=name] [SHELL=1]
	@Lab/run $(if $(LAB_SHELL),--shell) $(SCENARIO)

lint: ## Check the formatting, the documentation of public names and the import walls
	@Scripts/lint

format: ## Rewrite the sources in the house's format
	@Scripts/format

bench: ## Run one benchmark: make bench NAME=first-frame
	@Scripts/bench '$(NAME)'

fuzz: ## Feed the decoders hostile bytes: make fuzz [NAME=frames] [SECONDS=30]
	@Scripts/fuzz '$(NAME)' '$(SECONDS)'

docs: ## Build the reference as static pages into docs/api
	@Scripts/docs

clean: ## Remove everything that was built
	@rm -rf .build docs/api Fuzz/.build Benchmarks/*/.build
