# What developers and the build server run. "make" alone lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# npm writes this file last, so it says that the installation is whole.
modules := node_modules/.package-lock.json
lighthouse := tools/lighthouse/node_modules/.package-lock.json
generated := '*_templ.go' static/dist views/components/icons_gen.go
gofiles := find . \( -name node_modules -o -name '.?*' -o -name tmp \) -prune -o -name '*.go' -print0
tool := go tool -modfile=tools/go.mod
# What only computes, in memory of its own: the race detector finds nothing in it, and
# makes it several times slower.
unwatched := golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b golang.org/x/net/html \
	github.com/PuerkitoBio/goquery github.com/andybalholm/brotli github.com/andybalholm/cascadia github.com/klauspost/compress/flate

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# Without npm an installed PostgreSQL, or DATABASE_URL, is enough to serve.
.PHONY: run
run: $(if $(shell command -v npm),$(modules)) build ## Serve on http://localhost:8080, with a PostgreSQL of its own
	@exec bin/garoupa serve -demo-merchant

# The program shows nothing of what -buildvcs would stamp, and git refuses to tell
# in a folder of another user.
.PHONY: build
build: ## Build bin/garoupa, one static binary
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -o bin/garoupa ./cmd/garoupa

# Two packages at a time, on any machine: they share one PostgreSQL, and some drive
# a browser. Vetting is for make check, which vets more.
.PHONY: test
test: $(modules) ## Run all tests, on a real PostgreSQL and in a real browser
	@cc="$$(go env CC)"; echo '#include <stdlib.h>' | $$cc -E - >/dev/null 2>&1 || { \
		echo "make test: Go's race detector needs a C compiler and C headers; $$cc does not work here. On Debian: apt-get install gcc libc6-dev" >&2; exit 1; }
	export CGO_ENABLED=1 GAROUPA_CHROMIUM; \
	GAROUPA_CHROMIUM="$$(go run ./web/browsertest/prepare)"; \
	go run ./localpg/testserver -- go test -race $(unwatched:%=-gcflags=%=-race=false) -vet=off -shuffle=on -p 2 -timeout 20m ./...

.PHONY: check
check: format tidy lint fresh types vulnerabilities ## Check everything that is not a test

.PHONY: format
format:
	@bad="$$($(gofiles) | xargs -0 gofmt -l)"; \
	[ -z "$$bad" ] || { echo "not formatted, make fmt does it:" $$bad >&2; exit 1; }
	go tool templ fmt -fail -log-level error views

.PHONY: tidy
tidy:
	go mod tidy -diff

.PHONY: lint
lint:
	go vet ./...
	GOOS=darwin go vet ./localpg/...
	$(tool) staticcheck ./...

# Generated files are committed: building needs no Node, and this shows a stale one.
.PHONY: fresh
fresh: generate
	@git diff --exit-code -- $(generated)
	@new="$$(git ls-files --others --exclude-standard -- $(generated))"; \
	[ -z "$$new" ] || { echo "generated, but not committed:" $$new >&2; exit 1; }

.PHONY: types
types: $(modules)
	npm run --silent typecheck
	npm run --silent contrast

# Status 3 of govulncheck is a vulnerability. Its database is on the network.
.PHONY: vulnerabilities
vulnerabilities:
	@report="$$($(tool) govulncheck ./... 2>&1)" && echo "$$report" || { \
		status=$$?; \
		case "$$status $$report" in \
			"1 "*"fetching vulnerabilities: "*) echo "govulncheck: left out, because its database on the network cannot be reached" ;; \
			*) echo "$$report" >&2; exit $$status ;; \
		esac; }

# Minutes of work for the whole machine; the figures go to docs/benchmarks.md.
.PHONY: bench
bench: build ## Measure the speed against pgbench
	go run ./bench

# Lighthouse weighs 185 MB, so that it is installed apart, by whoever wants it.
.PHONY: lighthouse
lighthouse: build $(modules) $(lighthouse) ## Measure the pages with Lighthouse
	@export GAROUPA_CHROMIUM; GAROUPA_CHROMIUM="$$(go run ./web/browsertest/prepare)"; \
	node tools/lighthouse/run.mjs

.PHONY: generate
generate: $(modules) ## Render templates to Go, and build static/dist
	go tool templ generate -log-level error -path views
	npm run --silent build

.PHONY: fmt
fmt: ## Format Go and templates
	@$(gofiles) | xargs -0 gofmt -w
	go tool templ fmt -log-level error views

.PHONY: clean
clean: ## Remove what can be made again; the data in .garoupa stay
	rm -rf bin tmp node_modules tools/lighthouse/node_modules

$(modules): package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js 20.19 or newer (https://nodejs.org)" >&2; exit 1; }
	npm ci
	@touch $@

$(lighthouse): tools/lighthouse/package-lock.json
	cd tools/lighthouse && npm ci
	@touch $@
