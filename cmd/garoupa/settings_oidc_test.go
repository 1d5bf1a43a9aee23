package main

import (
	"maps"
	"strings"
	"testing"
	"time"
)

// The settings of a provider are read together, and nothing is asked of it.
func TestReadSettings_OIDC(t *testing.T) {
	t.Parallel()
	whole := map[string]string{
		"DATABASE_URL": "postgres://localhost/x", "GAROUPA_APP_URL": "https://app.example",
		"GAROUPA_OIDC_ISSUER": "https://login.example/realms/x", "GAROUPA_OIDC_CLIENT_ID": "garoupa",
		"GAROUPA_OIDC_CLIENT_SECRET": "hunter2", "GAROUPA_OIDC_NAME": "Empresa", "GAROUPA_OIDC_ONLY": "true",
		"GAROUPA_OIDC_MFA_ACR": "urn:example:strong",
	}
	s, err := readSettings(whole)
	if err != nil {
		t.Fatal(err)
	}
	p := s.provider(time.Now)
	if p == nil || p.Redirect != "https://app.example/entrar/sso/retorno" || p.StrongACR != "urn:example:strong" ||
		!s.OIDCOnly {
		t.Errorf("read %+v", p)
	}
	for _, change := range []map[string]string{
		{"GAROUPA_OIDC_ISSUER": "http://login.example"}, // only the embedded mode
		{"GAROUPA_OIDC_ISSUER": "https://u:hunter2@login.example"},
		{"GAROUPA_OIDC_ISSUER": "https://login.example?x=hunter2"},
		{"GAROUPA_OIDC_ISSUER": "https://" + strings.Repeat("a", 500)},
		{"GAROUPA_OIDC_NAME": strings.Repeat("a", 41)},
		{"GAROUPA_OIDC_NAME": "two\nlines"},
		{"GAROUPA_OIDC_CLIENT_SECRET": ""},
	} {
		wrong := maps.Clone(whole)
		maps.Copy(wrong, change)
		if _, err := readSettings(wrong); err == nil || !strings.Contains(err.Error(), "GAROUPA_OIDC_") ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: %v", change, err)
		}
	}
	if s, err := readSettings(nil); err != nil || s.provider(time.Now) != nil {
		t.Errorf("without a provider: %v", err)
	}
}
