# Every target works alone on a machine that has Go, git and make; image needs
# Docker, too.

KUSTOMIZE   := v5.8.2
GOLANGCI    := v2.15.0
KUBECONFORM := v0.8.0
LINTER      := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI)

BIN   := $(CURDIR)/bin
HOSTS := bin/kustomize bin/kubeconform
FUZZ  := 10s
IMAGE := provision-tenants:dev
SHELL := bash
.SHELLFLAGS := -o pipefail -ec
export PATH := $(BIN):$(PATH)

# BUILDER is the image that compiles IMAGE; LOCAL_BUILDER is made of this
# machine's Go toolchain, for a machine that cannot pull BUILDER.
BUILDER       = golang:$(patsubst go%,%,$(shell go env GOVERSION))
LOCAL_BUILDER = provision-tenants-builder:$(shell go env GOVERSION)-$(shell $(MODULES) | sort -u | sha256sum | cut -c-12)
MODULES       = go list -deps -f '{{with .Module}}{{.Path}}@{{.Version}}{{end}}' .

.PHONY: all build demo test race flux e2e image builder lint fmt bench fuzz golden help

all: fmt lint test ## What CI runs: format check, lint, tests

build: bin/provision-tenants ## Build bin/provision-tenants

demo: build bin/kustomize ## Render the tenants of testdata/demo with kustomize
	kustomize build --enable-alpha-plugins --enable-exec testdata/demo

test: build $(HOSTS) ## Run all tests; hosts that are missing are skipped, except in CI
	go test -timeout 30m ./...

# The hall has no state of its own, and its tests run programs, which the detector
# does not see into.
race: bin/kubeconform ## Run the tests of the rooms with the race detector
	go test -race -timeout 30m $$(go list ./... | grep -v '/fn$$')

# What is compiled first is an API server: some twenty minutes of one processor.
# Vetting would take as long again. The tests wait more than they compute.
e2e: ## Run the real appliers against a real API server; with ARGS=-update fill in the README
	cd testdata/e2e && nice go test -vet=off -count=1 -parallel 6 -timeout 60m $(ARGS)

image: ## Build the container image IMAGE with BUILDER and print its digest
	@docker image inspect $(BUILDER) >/dev/null 2>&1 || docker pull $(BUILDER) >&2 || $(MAKE) --no-print-directory builder >&2
	@builder=$(BUILDER); network=default; \
	docker image inspect "$$builder" >/dev/null 2>&1 || { builder=$(LOCAL_BUILDER); network=none; }; \
	docker build $(BUILDFLAGS) --network "$$network" --build-arg BUILDER="$$builder" --build-arg GOPROXY="$$(go env GOPROXY)" -t $(IMAGE) . >&2
	@docker image inspect --format '{{.Id}}' $(IMAGE)

# The modules come along, so that the build needs no network: from the cache of
# this machine, and what is not there from its proxy.
builder:
	@if docker image inspect $(LOCAL_BUILDER) >/dev/null 2>&1; then exit; fi; \
	if test "$$(go env GOHOSTOS)" != linux; then echo "pull $(BUILDER) first: the Go toolchain of this machine is not for Linux"; exit 1; fi; \
	echo 'no $(BUILDER): importing the Go toolchain of this machine'; \
	root=$$(mktemp -d); trap 'chmod -R u+w "$$root"; rm -rf "$$root"' EXIT; \
	mkdir -p "$$root"/{etc,tmp,usr/local,go/pkg/mod}; \
	printf '%s\n' 'root:x:0:0:root:/:/' 'nobody:x:65534:65534:nobody:/:/' >"$$root/etc/passwd"; \
	ln -s "$$(go env GOROOT)" "$$root/usr/local/go"; \
	GOFLAGS= GOMODCACHE="$$root/go/pkg/mod" GOPROXY="file://$$(go env GOMODCACHE)/cache/download,$$(go env GOPROXY)" \
		go list -deps . >/dev/null; \
	tar -C "$$root" --owner=0 --group=0 -chf - etc tmp usr go | \
		docker import -c 'ENV PATH=/usr/local/go/bin GOPATH=/go' - $(LOCAL_BUILDER)

# Flux's libraries are a module of their own: the function does not depend on them.
flux: ## Run Flux's libraries on what the function writes
	cd testdata/flux && go test -count=1 ./...

lint: ## Run golangci-lint
	$(LINTER) run ./...
	cd testdata/flux && $(LINTER) run ./...

fmt: ## Check the format
	@test -z "$$($(LINTER) fmt --diff ./... testdata/flux | tee /dev/stderr)"

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
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: bin/provision-tenants
bin/provision-tenants:
	CGO_ENABLED=0 go build -trimpath -o $@ .

bin/kustomize:
	GOBIN=$(BIN) go install sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE)

bin/kubeconform:
	GOBIN=$(BIN) go install github.com/yannh/kubeconform/cmd/kubeconform@$(KUBECONFORM)
