package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each setting with a secret can be read from a file, in place of the environment.
func TestReadSettings_Files(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("ab", 32)
	file := func(content string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for ending, want := range map[string]string{"": "", "\n": "", "\r\n": "", "\n\n": "\n", " ": " "} {
		s, err := readSettings(map[string]string{
			"DATABASE_URL_FILE":           file("postgres://garoupa:hunter2@db/x\n"),
			"GAROUPA_SECRET_KEY_FILE":     file(key + "\n"),
			"GAROUPA_WEBHOOK_SECRET_FILE": file("whsec_a" + ending), "GAROUPA_SECRET_KEY": "",
			"GAROUPA_LISTEN_FILE": "/does/not/exist", // has no secret
		})
		if err != nil {
			t.Fatalf("ending %q: %v", ending, err)
		}
		if s.DatabaseURL != "postgres://garoupa:hunter2@db/x" || s.SecretKey != key ||
			s.WebhookSecret != "whsec_a"+want {
			t.Errorf("ending %q: read %q", ending, s.WebhookSecret)
		}
	}
	good := map[string]string{"DATABASE_URL": "postgres://x/y", "GAROUPA_SMTP_URL": "smtp://localhost:25",
		"GAROUPA_SECRET_KEY": key, "GAROUPA_SECRET_KEY_PREVIOUS": key, "GAROUPA_BANK_PROXY": "http://proxy:3128"}
	for _, name := range secretSettings() {
		value, path := good[name], file("hunter2\n")
		if value == "" {
			value = "x"
		}
		for _, environment := range []map[string]string{
			{name: value, name + "_FILE": path}, {name + "_FILE": filepath.Join(t.TempDir(), "none")},
			{name + "_FILE": file("\n")},
		} {
			_, err := readSettings(environment)
			if err == nil || !strings.Contains(err.Error(), name+"_FILE") || strings.ContainsAny(err.Error(), "\n") ||
				strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v: %v", environment, err)
			}
		}
	}
}

// These settings contain secrets.
func TestSecretSettings(t *testing.T) {
	t.Parallel()
	want := []string{"DATABASE_URL", "GAROUPA_API_KEY", "GAROUPA_AUDIT_STREAM_TOKEN", "GAROUPA_BANK_PROXY",
		"GAROUPA_DATABASE_DIRECT_URL", "GAROUPA_DATABASE_READ_URL", "GAROUPA_OIDC_CLIENT_SECRET",
		"GAROUPA_SECRET_KEY", "GAROUPA_SECRET_KEY_PREVIOUS", "GAROUPA_SMTP_URL",
		"GAROUPA_WEBHOOK_SECRET"}
	if got := slices.Sorted(slices.Values(secretSettings())); !slices.Equal(got, want) {
		t.Errorf("secrets are %q, want %q", got, want)
	}
}
