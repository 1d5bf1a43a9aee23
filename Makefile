# The commands for developers and the build server. "make" alone lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# npm writes this file last, so it exists only after a complete installation.
modules := node_modules/.package-lock.json
lighthouse := tools/lighthouse/node_modules/.package-lock.json
openapi := tools/openapi/node_modules/.package-lock.json
generated := '*_templ.go' static/dist views/components/icons_gen.go migrations/schema.sql
gofiles := find . \( -name node_modules -o -name '.?*' -o -name tmp \) -prune -o -name '*.go' -print0
tool := go tool -modfile=tools/checks.mod
# Packages that only compute on their own memory. The race detector cannot find anything in
# them, and would make them several times slower.
unwatched := golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b golang.org/x/net/html \
	github.com/PuerkitoBio/goquery github.com/andybalholm/brotli github.com/andybalholm/cascadia \
	github.com/klauspost/compress/flate crypto/internal/fips140/... github.com/trustelem/zxcvbn/...
# The flags are in the environment, so that a program that a test builds is not compiled again.
watched := env CGO_ENABLED=1 GOFLAGS="$${GOFLAGS:-} $(unwatched:%=-gcflags=%=-race=false)" go test -race -vet=off

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# Without npm an installed PostgreSQL, or DATABASE_URL, is enough to serve.
.PHONY: run
run: $(if $(shell command -v npm),$(modules)) build ## Serve on http://localhost:8080, with a PostgreSQL of its own
	@exec bin/garoupa serve -demo-merchant

# The program does not use the data of -buildvcs, and git refuses to read them in a folder
# of another user.
.PHONY: build
build: ## Build bin/garoupa, one static binary
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -o bin/garoupa ./cmd/garoupa

.PHONY: sbom
sbom: build ## List what bin/garoupa consists of: bin/garoupa.cdx.json
	go run ./tools/sbom bin/garoupa package-lock.json >bin/garoupa.cdx.json

# Three packages at a time, on any machine: they share one PostgreSQL, some drive a browser, and
# some mostly wait for processes. The longest two begin first. make check runs go vet, with more checks.
.PHONY: test
test: $(modules) ## Run all tests, on a real PostgreSQL and in a real browser
	@cc="$$(go env CC)"; echo '#include <stdlib.h>' | $$cc -E - >/dev/null 2>&1 || { \
		echo "make test: Go's race detector needs a C compiler and C headers; $$cc does not work here." \
			"On Debian: apt-get install gcc libc6-dev" >&2; exit 1; }
	export GAROUPA_CHROMIUM; GAROUPA_CHROMIUM="$$(go run ./web/browsertest/prepare)"; \
	go run ./internal/localpg/testserver -- $(watched) -shuffle=on -p 3 -timeout 60m ./web ./cmd/garoupa ./...

# make test walks in Portuguese, and takes the two sizes in turn.
.PHONY: walk
walk: $(modules) ## Walk through every page, both sizes and languages; GAROUPA_SCREENSHOTS=folder keeps pictures
	export GAROUPA_CHROMIUM; GAROUPA_CHROMIUM="$$(go run ./web/browsertest/prepare)"; \
	go run ./internal/localpg/testserver -- go test -tags walk -count=1 -timeout 60m -run '^TestWalk_' ./web

# Builds two earlier programs, with the modules that they had.
.PHONY: upgrades
upgrades: $(modules) ## Take over from earlier programs, while they serve and after they are killed
	go run ./internal/localpg/testserver -- $(watched) -tags upgrades -count=1 -timeout 30m \
		-run '^Test(Beside|Upgrade_Deliveries)$$' ./cmd/garoupa

.PHONY: check
check: format tidy lint fresh types clients vulnerabilities ## Check what make test does not

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
	go vet -tags faults ./tools/faults
	go vet -tags cluster ./tools/faults
	go vet -tags soak ./cmd/garoupa
	go vet -tags large ./models ./web
	go vet -tags upgrades ./cmd/garoupa
	go vet -tags fuzz ./web
	go vet -tags walk ./web
	go vet -tags clients ./cmd/garoupa
	GOOS=darwin go vet ./internal/localpg/...
	$(tool) staticcheck ./...

# Generated files are committed, so that building needs no Node. This finds stale ones.
.PHONY: fresh
fresh: generate
	@git diff --exit-code -- $(generated)
	@new="$$(git ls-files --others --exclude-standard -- $(generated))"; \
	[ -z "$$new" ] || { echo "generated, but not committed:" $$new >&2; exit 1; }

.PHONY: types
types: $(modules)
	npm run --silent typecheck
	npm run --silent contrast

# The tools that read the API's description take 137 MB, so they are installed separately.
.PHONY: clients
clients: $(modules) $(openapi) ## Lint the API's description, and run clients that generators make of it
	go run ./internal/localpg/testserver -- go test -tags clients -count=1 ./cmd/garoupa -run '^TestClients$$'

# Status 3 of govulncheck means a vulnerability. Its database is on the network.
.PHONY: vulnerabilities
vulnerabilities:
	@report="$$($(tool) govulncheck ./... 2>&1)" && echo "$$report" || { \
		status=$$?; \
		case "$$status $$report" in \
			"1 "*"fetching vulnerabilities: "*) \
				echo "govulncheck: left out, because its database on the network cannot be reached" ;; \
			*) echo "$$report" >&2; exit $$status ;; \
		esac; }

# Uses the whole machine for some minutes, and writes docs/benchmarks.md.
.PHONY: bench
bench: build ## Measure the speed against pgbench
	go run ./tools/bench

# Breaks machines, networks and databases for some minutes, and writes docs/reliability.md.
.PHONY: faults
faults: $(modules) build ## Break things under load, and count lost charges
	GAROUPA_FAULTS_REPORT=$(CURDIR)/docs/reliability.md go test -tags faults -count=1 -timeout 10m ./tools/faults

# Needs Debian's packages etcd-server, patroni, postgresql, haproxy and pgbouncer.
.PHONY: cluster
cluster: build ## Start the cluster of deploy/cluster as processes on this machine
	go run ./tools/cluster

# Breaks the cluster for some minutes, and writes docs/reliability.md.
.PHONY: cluster-test
cluster-test: build ## Break the cluster under load, and count lost charges
	GAROUPA_FAULTS_REPORT=$(CURDIR)/docs/reliability.md go test -tags cluster -count=1 -timeout 15m -v \
		-exec $(CURDIR)/tools/faults/with-mounts.sh ./tools/faults

.PHONY: figures
figures: ## Read figures, sums and lists of ten million charges, which it writes before
	go test -tags large -count=1 -timeout 2h -v -run '^TestFigures_Large$$' ./models

# Ten million charges take about 55 GB and over an hour to fill; LARGE_CHARGES=1000000 takes a tenth of both. The shops
# stay in tmp/large, and a later run with the same number measures them again. Writes docs/scale.md.
.PHONY: bench-large
bench-large: $(modules) ## Compare a shop with ten million charges with one that has ten thousand
	GAROUPA_LARGE_REPORT=$(CURDIR)/docs/scale.md go run ./internal/localpg/testserver -keep tmp/large -- \
		go test -tags large -count=1 -timeout 8h -v -run '^TestLarge$$' ./web

.PHONY: fill-large
fill-large: ## Fill the shops of make bench-large, unless they are there
	go run ./internal/localpg/testserver -keep tmp/large -- \
		go test -tags large -count=1 -timeout 8h -v -run '^TestLarge_(Fill|Agrees)$$' ./web

# Takes about 35 minutes. GAROUPA_SOAK_CHARGES (20000) and GAROUPA_SOAK_KILL_EVERY (1m) make it shorter.
.PHONY: soak
soak: ## Charge, pay, cancel and refund at a failing bank through kills, and compare its file with the books
	GAROUPA_SOAK_REPORT=$(CURDIR)/docs/reliability.md go test -tags soak -count=1 -timeout 6h -v \
		-run '^TestBank_Soak$$' ./cmd/garoupa

# Takes some minutes. FUZZ is the number of requests; FUZZ_SEED, which a run prints, repeats a run.
FUZZ ?= 100000
.PHONY: fuzz
fuzz: $(modules) ## Send random requests to every route as every visitor, and find those that break it
	GAROUPA_FUZZ=$(FUZZ) GAROUPA_FUZZ_SEED=$(FUZZ_SEED) go test -tags fuzz -count=1 -timeout 3h -v \
		-run '^TestFuzz$$' ./web

# promtool is in Debian's package prometheus.
.PHONY: alerts
alerts: ## Test the alerts of deploy/prometheus
	promtool check rules deploy/prometheus/garoupa.rules.yml
	promtool test rules deploy/prometheus/garoupa.test.yml

# Writing a million charges and proving them for the first time takes some minutes; make
# test uses fifty thousand.
.PHONY: proof
proof: ## Measure what the hourly proof of the books reads after a million charges
	GAROUPA_TEST_CHARGES=1000000 go test ./ledger -run TestProve_Cost -v -timeout 60m

# The central bank publishes the description of API Pix; it is not part of this repository.
.PHONY: contract
contract: ## Hold the bank for tests against the OpenAPI file in GAROUPA_BACEN_OPENAPI
	@[ -f "$${GAROUPA_BACEN_OPENAPI:-}" ] || { \
		echo "make contract: GAROUPA_BACEN_OPENAPI does not name the OpenAPI file of API Pix" >&2; exit 1; }
	go test -count=1 ./pix/psp/bank

# Lighthouse takes 185 MB, so it is installed separately, only for this target.
.PHONY: lighthouse
lighthouse: build $(modules) $(lighthouse) ## Measure the pages with Lighthouse
	@export GAROUPA_CHROMIUM; GAROUPA_CHROMIUM="$$(go run ./web/browsertest/prepare)"; \
	node tools/lighthouse/run.mjs

.PHONY: generate
generate: $(modules) ## Render templates to Go, build static/dist, and write migrations/schema.sql
	go tool templ generate -log-level error -path views
	npm run --silent build
	go test ./migrations -run '^TestSchema$$' -count=1 -write

.PHONY: fmt
fmt: ## Format Go and templates
	@$(gofiles) | xargs -0 gofmt -w
	go tool templ fmt -log-level error views

.PHONY: clean
clean: ## Remove what can be built again; keep the data in .garoupa
	rm -rf bin tmp node_modules tools/lighthouse/node_modules tools/openapi/node_modules \
		tools/openapi/.generated

$(modules): package-lock.json
	@command -v npm >/dev/null || { \
		echo "npm is missing: install Node.js 20.19 or newer (https://nodejs.org)" >&2; exit 1; }
	npm ci
	@touch $@

$(lighthouse): tools/lighthouse/package-lock.json
	cd tools/lighthouse && npm ci
	@touch $@

$(openapi): tools/openapi/package-lock.json
	cd tools/openapi && npm ci
	@touch $@
