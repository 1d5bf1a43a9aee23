package main

import (
	"maps"
	"strings"
	"testing"
)

// The settings of the address for notices are checked together, and the error names the one to change.
func TestReadSettings_BankNotices(t *testing.T) {
	t.Parallel()
	own := map[string]string{"GAROUPA_BANK_LISTEN": "127.0.0.1:8444", "GAROUPA_BANK_URL": "https://pix.example.com/",
		"GAROUPA_BANK_TLS_CERT": "n.crt", "GAROUPA_BANK_TLS_KEY": "n.key"}
	behind := map[string]string{"GAROUPA_BANK_LISTEN": ":8444",
		"GAROUPA_BANK_URL":         "https://pix.example.com:8443/avisos",
		"GAROUPA_BANK_CERT_HEADER": "X-Client-Cert", "GAROUPA_TRUSTED_PROXIES": "10.0.0.0/8"}
	for _, good := range []map[string]string{nil, own, behind} {
		s, err := readSettings(good)
		if err != nil || strings.HasSuffix(s.BankURL, "/") {
			t.Errorf("%v: %q, %v", good, s.BankURL, err)
		}
	}
	for _, tc := range []struct {
		base        map[string]string
		name, value string
		names       string // the setting in the error
	}{
		{own, "GAROUPA_BANK_LISTEN", "", "GAROUPA_BANK_LISTEN"},
		{own, "GAROUPA_BANK_LISTEN", "8444", "GAROUPA_BANK_LISTEN"},
		{own, "GAROUPA_BANK_URL", "", "GAROUPA_BANK_URL"},
		{own, "GAROUPA_BANK_URL", "http://pix.example.com", "GAROUPA_BANK_URL"},
		{own, "GAROUPA_BANK_URL", "https://u:hunter2@pix.example.com", "GAROUPA_BANK_URL"},
		{own, "GAROUPA_BANK_URL", "https://pix.example.com/?x=hunter2", "GAROUPA_BANK_URL"},
		{own, "GAROUPA_BANK_URL", "https://x/" + strings.Repeat("a", 200), "GAROUPA_BANK_URL"},
		{own, "GAROUPA_BANK_TLS_KEY", "", "GAROUPA_BANK_TLS_CERT"},
		{own, "GAROUPA_BANK_CERT_HEADER", "X-Client-Cert", "GAROUPA_BANK_CERT_HEADER"},
		{behind, "GAROUPA_TRUSTED_PROXIES", "", "GAROUPA_BANK_CERT_HEADER"},
		{behind, "GAROUPA_BANK_CERT_HEADER", "", "GAROUPA_BANK_LISTEN"},
		{behind, "GAROUPA_BANK_CERT_HEADER", "X Client", "GAROUPA_BANK_CERT_HEADER"},
	} {
		environment := maps.Clone(tc.base)
		environment[tc.name] = tc.value
		_, err := readSettings(environment)
		if err == nil || !strings.Contains(err.Error(), "settings: "+tc.names+":") ||
			strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%q: %v", tc.name, tc.value, err)
		}
	}
}

// The program does not start with files that are no certificate, or at an address that is taken.
func TestServe_BankListenWrong(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "GAROUPA_BANK_LISTEN=127.0.0.1:0", "GAROUPA_BANK_URL=https://pix.example.com",
		"GAROUPA_BANK_TLS_CERT=/does/not/exist", "GAROUPA_BANK_TLS_KEY=/does/not/exist")
	if got := p.try("serve"); got.status == 0 || !strings.Contains(got.wrong, "GAROUPA_BANK_TLS_CERT: ") {
		t.Errorf("%d %s", got.status, got.wrong)
	}
}
