package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed is the direction of dependency (docs/architecture.md): each package, and the
// packages of this module that it may import. Packages for tests, and programs, may import anything.
const allowed = `
internal/server: api web web/page models migrations internal/requestid internal/tracing internal/input
api: internal/stream payments merchants models internal/payload internal/strictjson internal/ratelimit
	internal/requestid internal/requestlog internal/refusal internal/input internal/money api/openapi
web: web/account web/console web/dashboard web/docs web/hosted web/page
web/hosted: internal/brand internal/input internal/refusal internal/requestid models payments static
	views/components views/i18n views/layouts views/pages views/pages/hosted web/page
web/account: internal/auth/oidc internal/auth/passkey internal/auth/totp internal/input internal/requestid
	merchants models pix/qr views/components views/i18n views/layouts views/pages views/pages/account web/page
web/dashboard: banks internal/brand internal/input internal/money
	internal/ratelimit internal/refusal internal/taxid internal/usdt
	internal/usdt/quote merchants models payments pix pix/pixkey views/components views/i18n views/layouts
	views/pages views/pages/dashboard views/pages/hosted web/page webhook
web/console: banks internal/input internal/mail internal/money internal/refusal internal/taxid
	internal/usdt/quote merchants models payments views/components views/i18n views/layouts views/pages
	views/pages/console web/page
web/docs: api api/openapi internal/mail models views/components views/docs views/i18n views/layouts
	views/pages/docs web/page
web/page: api banks internal/auth/passkey internal/auth/vault internal/brand internal/input internal/mail
	internal/money internal/ratelimit internal/refusal internal/requestid internal/stream internal/taxid
	merchants models payments pix/pixkey pix/qr static views/components views/i18n views/layouts views/pages
jobs: banks payments merchants internal/auditlog internal/mail internal/tracing models webhook internal/ratelimit
payments: ledger internal/flight internal/payload models pix pix/qr pix/psp pix/psp/simulator pix/pixkey internal/usdt
	internal/usdt/quote internal/auth/vault internal/refusal internal/input internal/money
banks: internal/auth/vault internal/clientcert internal/input internal/ratelimit internal/refusal internal/taxid
	models pix/pixkey pix/psp pix/psp/bacen webhook
merchants: internal/auditlog internal/brand internal/auth/oidc internal/auth/passkey internal/picture models
	internal/taxid internal/auth/totp webhook internal/auth/vault internal/refusal internal/requestid internal/input
	internal/money internal/ratelimit
internal/mail: models internal/auth/vault internal/money internal/taxid views/i18n views/layouts views/mails
internal/stream: models internal/requestid
ledger: models internal/money
internal/payload: models
models: internal/money internal/tracing
internal/requestlog: models
internal/metrics: models
views/pages: views/layouts views/components views/i18n internal/money
views/pages/hosted: views/pages views/layouts views/components views/i18n internal/money
views/pages/account: views/pages views/layouts views/components views/i18n
views/pages/dashboard: views/pages views/layouts views/components views/i18n internal/money
views/pages/console: views/pages views/layouts views/components views/i18n internal/money
views/pages/docs: views/pages views/layouts views/components views/docs views/i18n
views/layouts: views/components views/i18n static
views/components: views/i18n static internal/money
views/i18n: internal/money
views/docs: views/i18n
views/mails: views/i18n
internal/strictjson: internal/payload
pix/psp/simulator: pix pix/psp
pix/psp/bacen: pix pix/psp internal/ratelimit internal/taxid internal/tracing
pix/psp/bank: pix pix/psp/bank/control pix/psp/bank/folder pix/psp/bank/journal
pix/pixkey: internal/taxid
internal/clientcert: internal/taxid

pix/psp/bank/control: pix/psp/bank/folder: pix/psp/bank/journal:
internal/auditlog:
api/openapi: internal/brand: internal/flight: internal/refusal: internal/guard: internal/input: internal/localpg:
migrations: internal/money: internal/auth/oidc: internal/auth/passkey: pix: pix/psp: internal/picture: pix/qr:
internal/usdt/quote: internal/ratelimit: internal/tracing:
internal/requestid: static: internal/auth/totp: internal/taxid: internal/auth/vault: internal/usdt: webhook:
`

// allowedImports returns the table of allowed, by package.
func allowedImports() map[string][]string {
	imports := map[string][]string{}
	var of string
	for _, word := range strings.Fields(allowed) {
		name, begins := strings.CutSuffix(word, ":")
		if begins {
			of, imports[name] = name, nil
			continue
		}
		imports[of] = append(imports[of], name)
	}
	return imports
}

// everywhere is what every package may import.
const everywhere = "internal/guard"

// free are folders with packages that only tests and developers run.
var free = []string{"cmd/", "tools/", "web/browsertest", "internal/localpg/testserver", "views/docs/samples/"}

func TestImports(t *testing.T) {
	t.Parallel()
	const module = "garoupa/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := allowedImports()
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module)
		if strings.HasSuffix(pkg, "test") || slices.ContainsFunc(free,
			func(f string) bool { return strings.HasPrefix(pkg, f) }) {
			continue
		}
		may, known := imports[pkg]
		if !known {
			t.Errorf("package %s is missing in the table above and in docs/architecture.md", pkg)
		}
		for _, imported := range fields[1:] {
			if name, ours := strings.CutPrefix(imported, module); ours && name != everywhere &&
				!slices.Contains(may, name) {
				t.Errorf("%s must not import %s", pkg, name)
			}
		}
	}
}
