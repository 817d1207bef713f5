# SPDX-License-Identifier: Apache-2.0
# `make` prints what there is. Everything needs Go and nothing else.

GO        ?= go
FUZZTIME  ?= 30s
TORTURE   ?= 10m
MINIMAL   := dist/minimal/otelcol-tdt
FULL      := dist/full/otelcol-tdt
BALANCER  := dist/balancer/otelcol-balancer
TOOL      := $(GO) tool -modfile=tools/go.mod
LINT      := $(GO) tool -modfile=tools/lint/go.mod golangci-lint
SOURCES   := $(shell find processor internal -name '*.go' -not -name '*_test.go' 2>/dev/null) go.mod go.sum

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## What a user wants

.PHONY: run
run: $(MINIMAL) bin/tdt ## Judge recordings of real agents in a running Collector and print the verdicts
	@$(GO) run ./examples/quickstart

.PHONY: tdt
tdt: bin/tdt ## Build the command line, bin/tdt

.PHONY: bin/tdt
bin/tdt:
	@mkdir -p bin && $(GO) build -trimpath -o bin/tdt ./cmd/tdt

.PHONY: dist
dist: $(FULL) ## Build the distribution for users, dist/full/otelcol-tdt (5 minutes the first time)

.PHONY: dist-minimal
dist-minimal: $(MINIMAL) ## Build the small distribution that run and test use (3 minutes the first time)

$(MINIMAL): builder-config.minimal.yaml $(SOURCES)
	@mkdir -p dist
	@echo "building $@ (about 3 minutes the first time, seconds after that)"
	@$(TOOL) builder --config $< 2>&1 | sed 's/^/  /'
	@test -x $@ && touch $@

$(FULL): builder-config.yaml $(SOURCES)
	@mkdir -p dist
	@echo "building $@ (about 5 minutes the first time, seconds after that)"
	@$(TOOL) builder --config $< 2>&1 | sed 's/^/  /'
	@test -x $@ && touch $@

.PHONY: dist-balancer
dist-balancer: $(BALANCER) ## Build the distribution that balances runs over instances (10 minutes the first time)

# It holds nothing of ours, so only its configuration makes it anew.
$(BALANCER): docs/builder-config.balancer.yaml
	@mkdir -p dist
	@echo "building $@ (about 10 minutes the first time)"
	@$(TOOL) builder --config $< 2>&1 | sed 's/^/  /'
	@test -x $@ && touch $@

.PHONY: dist-shipper
dist-shipper: dist/shipper/otelcol-shipper ## Build the stock Collector that ships journals (docs/evidence.md; 3 minutes the first time)

# It holds nothing of ours, and is of a later release than the builder.
dist/shipper/otelcol-shipper: docs/builder-config.shipper.yaml
	@mkdir -p dist
	@echo "building $@ (about 3 minutes the first time)"
	@$(TOOL) builder --skip-strict-versioning --config $< 2>&1 | sed 's/^/  /'
	@test -x $@ && touch $@

## What a developer wants

.PHONY: test
test: $(MINIMAL) ## Run every test, with the race detector, and the end-to-end tests over the built distribution
	$(GO) test -race -timeout 40m ./...
	$(GO) test -run 'TestALiveRunIsSmallThroughTheEngine|TestACallCostsNoAllocation' ./internal/engine ./internal/truth/sequence # which the race detector falsifies

.PHONY: torture
torture: $(MINIMAL) $(BALANCER) ## Run the long tests: kills, disks that fill and stall, TORTURE (10m) of churn, three Collectors behind a balancer
	TDT_TORTURE=$(TORTURE) $(GO) test -run Torture -count=1 -timeout 3h -v ./internal/... ./processor/... ./test/...

.PHONY: check
check: generate golden lint ## Regenerate and lint; fail on any difference
	@git diff --exit-code || { echo "the tree differs from what is generated: run 'make generate golden' and commit"; exit 1; }
	@test -z "$$(git status --porcelain)" || { git status --short; echo "new files were generated: commit them"; exit 1; }

.PHONY: lint
lint: ## Vet and lint
	$(GO) vet ./...
	$(LINT) run ./...

.PHONY: fmt
fmt: ## Format the code
	$(LINT) fmt ./...

.PHONY: generate
generate: ## Regenerate the component's metadata and the documents made from tables
	$(GO) generate ./...

.PHONY: golden
golden: ## Rewrite golden files; read the difference before you commit it
	TDT_UPDATE=1 $(GO) test ./... -run "Golden|Generated" -count=1

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (30s)
	@.ci/fuzz $(FUZZTIME)

.PHONY: fuzz-reference
fuzz-reference: ## Compare random inputs with the reference program for FUZZTIME; TDT_ORACLE is its path
	TDT_REFERENCE_FOR=$(FUZZTIME) $(GO) test ./internal/reference -run TestAnswersAreThoseOfTheReference -count 1 -timeout 0 -v

.PHONY: bench
bench: ## Print the benchmarks with their anchors
	$(GO) test -run '^$$' -bench . -benchmem -cpu 1 -count 3 ./internal/... ./processor/...

.PHONY: cover
cover: ## Print the coverage of each package
	$(GO) test -cover ./internal/... ./cmd/... ./processor/...

.PHONY: tidy
tidy: ## Tidy the modules
	$(GO) mod tidy

.PHONY: clean
clean: ## Remove what was built
	rm -rf dist bin
