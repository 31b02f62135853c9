# Every target works alone on a machine that has Go, git and make.

KUSTOMIZE   := v5.8.2
GOLANGCI    := v2.15.0
KUBECONFORM := v0.8.0

BIN   := $(CURDIR)/bin
HOSTS := bin/kustomize bin/kubeconform
FUZZ  := 10s
SHELL := bash
.SHELLFLAGS := -o pipefail -ec
export PATH := $(BIN):$(PATH)

.PHONY: all build demo test race lint fmt bench fuzz golden help

all: fmt lint test ## What CI runs: format check, lint, tests

build: bin/provision-tenants ## Build bin/provision-tenants

demo: build bin/kustomize ## Render the tenants of testdata/demo with kustomize
	kustomize build --enable-alpha-plugins --enable-exec testdata/demo

test: build $(HOSTS) ## Run all tests; hosts that are missing are skipped, except in CI
	go test ./...

race: build $(HOSTS) ## Run the tests with the race detector
	go test -race ./...

lint: ## Run golangci-lint
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) run ./...

fmt: ## Check the format
	@test -z "$$(go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) fmt --diff ./... | tee /dev/stderr)"

bench: ## Run the benchmarks; they print ratios to a floor of the same run
	go test -run '^$$' -bench . -benchmem ./...

fuzz: ## Run each fuzz target for FUZZ (10s)
	@go test -list '^Fuzz' ./... | awk '/^Fuzz/ {t[n++]=$$1} /^ok/ {for (i=0;i<n;i++) print $$2, t[i]; n=0}' | \
	while read -r package target; do \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ) -fuzzminimizetime 10x "$$package" || exit 1; \
	done

golden: ## Rewrite the expectations under testdata/golden; read the diff
	go test ./fn -run '^TestGolden$$' -update

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: bin/provision-tenants
bin/provision-tenants:
	CGO_ENABLED=0 go build -trimpath -o $@ .

bin/kustomize:
	GOBIN=$(BIN) go install sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE)

bin/kubeconform:
	GOBIN=$(BIN) go install github.com/yannh/kubeconform/cmd/kubeconform@$(KUBECONFORM)
