package main

import (
	"strings"
	"testing"
)

// Where charges are live, a database on another machine is reached with TLS and a verified certificate alone, on each
// of its hosts.
func TestReadSettings_DatabaseTLS(t *testing.T) {
	t.Parallel()
	for address, accepted := range map[string]bool{
		"postgres://u:hunter2@db.example/x":                                     false,
		"postgres://u:hunter2@db.example/x?sslmode=disable":                     false,
		"postgres://u:hunter2@db.example/x?sslmode=prefer":                      false,
		"postgres://u:hunter2@db.example/x?sslmode=require":                     false,
		"postgres://u:hunter2@db.example/x?sslmode=verify-full":                 true,
		"postgres://u:hunter2@10.0.0.5/x?sslmode=require":                       false,
		"postgres://u:hunter2@10.0.0.5/x?sslmode=verify-full":                   true,
		"postgres://u:hunter2@one.example,localhost/x?sslmode=disable":          false,
		"postgres://u:hunter2@localhost,two.example/x?sslmode=disable":          false,
		"postgres://u:hunter2@one.example,two.example/x?sslmode=verify-full":    true,
		"postgres://u:hunter2@localhost/x":                                      true,
		"postgres://u:hunter2@127.0.0.1:5432/x?sslmode=disable":                 true,
		"postgres://u:hunter2@[::1]/x":                                          true,
		"postgres://u:hunter2@postgres:5432/x?sslmode=disable":                  true,
		"postgres:///x?host=/run/postgresql":                                    true,
		"postgres://u:hunter2@db.example/x?sslmode=verify-full&sslrootcert=/no": false,
	} {
		live := map[string]string{"DATABASE_URL": address, "GAROUPA_BASE_URL": "https://api.example",
			"GAROUPA_LIVE_PROVIDER": providerBank}
		_, err := readSettings(live)
		if (err == nil) != accepted {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && (strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "DATABASE_URL")) {
			t.Errorf("%s: the error is %v", address, err)
		}
	}
}

// An installation with live money has https addresses alone, except on one's own machine.
func TestReadSettings_TLS(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"GAROUPA_BASE_URL", "GAROUPA_CHECKOUT_HOST", "GAROUPA_APP_URL"} {
		for _, tc := range []struct {
			address, provider string
			accepted          bool
		}{
			{"http://pay.example", providerBank, false},
			{"http://203.0.113.7:8080", providerBank, false},
			{"https://pay.example", providerBank, true},
			{"http://127.0.0.1:8080", providerBank, true},
			{"http://pay.localhost:8080", providerBank, true},
			{"http://pay.example", providerNone, true},
		} {
			environment := map[string]string{"DATABASE_URL": "postgres://localhost/x",
				"GAROUPA_BASE_URL": "https://api.example", "GAROUPA_LIVE_PROVIDER": tc.provider, name: tc.address}
			_, err := readSettings(environment)
			if (err == nil) != tc.accepted || err != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%s with %s: %v", name, tc.address, tc.provider, err)
			}
		}
	}
}
