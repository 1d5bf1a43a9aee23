package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed is the direction of dependency (docs/architecture.md): what each package
// may import of ours. Packages for tests, and programs, may import anything.
var allowed = map[string]string{
	"server":     "api web models migrations requestid",
	"api":        "live payments merchants models wire strictjson ratelimit requestid requestlog fault money api/openapi",
	"web":        "api api/openapi brand live payments merchants mail models passkey taxid totp views/components views/docs views/i18n views/layouts views/pages static pix pix/qr pixkey wallet quote webhook vault ratelimit requestid fault money",
	"jobs":       "payments merchants mail models webhook ratelimit",
	"payments":   "ledger wire models pix pix/qr pix/psp pix/psp/simulator pixkey wallet quote vault fault money",
	"merchants":  "brand passkey picture models taxid totp webhook vault fault money",
	"mail":       "models vault money views/i18n views/layouts views/mails",
	"live":       "models requestid",
	"ledger":     "models money",
	"wire":       "models",
	"models":     "money",
	"requestlog": "models",

	"views/pages":      "views/layouts views/components views/docs views/i18n money api/openapi",
	"views/layouts":    "views/components views/i18n static",
	"views/components": "views/i18n static money",
	"views/i18n":       "money",
	"views/docs":       "views/i18n",
	"views/mails":      "views/i18n",
	"strictjson":       "wire",

	"pix/psp/simulator": "pix pix/psp",
	"api/openapi":       "", "brand": "", "fault": "", "localpg": "", "migrations": "", "money": "", "passkey": "", "pix": "", "pix/psp": "", "picture": "", "pix/qr": "",
	"pixkey": "taxid", "quote": "", "ratelimit": "", "requestid": "", "static": "", "totp": "", "taxid": "", "vault": "", "wallet": "", "webhook": "",
}

// free are folders whose packages only tests and developers run.
var free = []string{"cmd/", "bench", "web/browsertest", "localpg/testserver", "views/docs/samples/"}

func TestImports(t *testing.T) {
	t.Parallel()
	const module = "garoupa/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module)
		if strings.HasSuffix(pkg, "test") || slices.ContainsFunc(free, func(f string) bool { return strings.HasPrefix(pkg, f) }) {
			continue
		}
		may, known := allowed[pkg]
		if !known {
			t.Errorf("package %s stands in no diagram", pkg)
		}
		for _, imported := range fields[1:] {
			if name, ours := strings.CutPrefix(imported, module); ours && !slices.Contains(strings.Fields(may), name) {
				t.Errorf("%s must not import %s", pkg, name)
			}
		}
	}
}
