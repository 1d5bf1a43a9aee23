package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/webhook"
)

// docs/settings.md has exactly the settings that the program reads, with their defaults.
func TestSettings_Documented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if name := strings.Trim(cell(cells, 1), "`"); strings.HasPrefix(cell(cells, 1), "`") {
			documented[name] = strings.Trim(cell(cells, 2), "`")
			meaning := cell(cells, 3)
			if meaning == "" {
				t.Errorf("%s has no meaning", name)
			}
			if strings.Contains(meaning, "`"+name+"_FILE`") != slices.Contains(secretSettings(), name) {
				t.Errorf("%s does not say whether it can be read from a file: %s", name, meaning)
			}
		}
	}
	read := map[string]string{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
		if name := field.Tag.Get("env"); name != "" {
			read[name] = field.Tag.Get("envDefault")
		}
	}
	if diff := cmp.Diff(read, documented); diff != "" {
		t.Errorf("read and documented differ (-read +documented)\n%s", diff)
	}
}

func cell(cells []string, i int) string {
	if i >= len(cells) {
		return ""
	}
	return strings.TrimSpace(cells[i])
}

func TestReadSettings(t *testing.T) {
	t.Parallel()
	s, err := readSettings(map[string]string{"GAROUPA_LISTEN": "0.0.0.0:9090"})
	if err != nil {
		t.Fatal(err)
	}
	if s.BaseURL != "http://localhost:9090" || s.CheckoutURL != s.BaseURL || s.AppURL != s.BaseURL || !s.embedded() ||
		!s.allowPrivate() || s.limits.live == nil {
		t.Errorf("defaults are %+v", s)
	}
	schedule := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour} // contract 6.3
	if !slices.Equal(s.backoff, schedule) {
		t.Errorf("the default schedule of webhooks is %v, want %v", s.backoff, schedule)
	}
	s, err = readSettings(map[string]string{
		"DATABASE_URL": "postgres://localhost/x", "GAROUPA_BASE_URL": "https://api.example/",
		"GAROUPA_APP_URL":    "https://app.example",
		"GAROUPA_RATE_LIMIT": "off", "GAROUPA_DEMO": "true", "GAROUPA_LIVE_PROVIDER": "simulator",
		"GAROUPA_TRUSTED_PROXIES":            "10.0.0.0/8, ::1",
		"GAROUPA_OPS_NETWORKS":               "192.0.2.7,::ffff:198.51.100.9/120 2001:db8::/32",
		"GAROUPA_WEBHOOK_FORBIDDEN_NETWORKS": "203.0.113.7,2001:db8::/32",
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.BaseURL != "https://api.example" || s.CheckoutURL != "https://api.example" ||
		s.AppURL != "https://app.example" ||
		s.embedded() || s.allowPrivate() || s.limits.live != nil || len(s.proxies) != 2 {
		t.Errorf("read %+v", s)
	}
	for days, want := range map[string]int{"0": 0, "30": 90, "90": 90, "400": 400} {
		s, err := readSettings(map[string]string{"GAROUPA_BUYER_DAYS": days})
		if err != nil || s.buyersKept() != time.Duration(want)*24*time.Hour {
			t.Errorf("GAROUPA_BUYER_DAYS=%s keeps buyers for %s, %v", days, s.buyersKept(), err)
		}
	}
	if got := fmt.Sprint(s.opsNetworks); got != "[192.0.2.7/32 198.51.100.0/24 2001:db8::/32]" {
		t.Errorf("the console's networks are %s", got)
	}
	if got := fmt.Sprint(s.forbidden); got != "[203.0.113.7/32 2001:db8::/32]" {
		t.Errorf("the networks forbidden to webhooks are %s", got)
	}
}

// The server's client refuses the installation's own hosts and the forbidden networks, and, where
// private addresses are allowed, only the latter.
func TestNewWebhooks(t *testing.T) {
	t.Parallel()
	for private, want := range map[string]map[string]bool{
		"false": {"https://1.0.0.1": true, "https://8.8.4.4": true, "https://9.9.9.9": true, "https://1.1.1.1": true},
		"true":  {"https://1.1.1.1": true, "https://127.0.0.1:1": false},
	} {
		s, err := readSettings(map[string]string{
			"DATABASE_URL": "postgres://localhost/x", "GAROUPA_BASE_URL": "https://1.0.0.1:8443",
			"GAROUPA_CHECKOUT_HOST": "https://8.8.4.4", "GAROUPA_APP_URL": "https://9.9.9.9",
			"GAROUPA_WEBHOOK_FORBIDDEN_NETWORKS": "1.1.1.0/24", "GAROUPA_WEBHOOK_ALLOW_PRIVATE": private,
		})
		if err != nil {
			t.Fatal(err)
		}
		client, err := newWebhooks(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for address, refused := range want {
			outcome := client.Post(t.Context(), webhook.Attempt{URL: address, Secret: someSecret})
			if (outcome.Class == webhook.ClassBlocked) != refused {
				t.Errorf("private %s, %s: outcome %+v, want blocked %t", private, address, outcome, refused)
			}
		}
	}
}

// Addresses for people must be https in production.
func TestReadSettings_Notices(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"GAROUPA_TERMS_URL", "GAROUPA_PRIVACY_URL", "GAROUPA_SUPPORT_URL",
		"GAROUPA_SECURITY_CONTACT"} {
		for address, installed := range map[string]bool{"http://localhost:8080/docs": false,
			"https://empresa.example/termos?v=2#pix": true} {
			if _, err := readSettings(map[string]string{name: address}); err != nil {
				t.Errorf("embedded, %s=%s: %v", name, address, err)
			}
			_, err := readSettings(map[string]string{name: address, "DATABASE_URL": "postgres://localhost/x"})
			if (err == nil) != installed || err != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("installed, %s=%s: %v", name, address, err)
			}
		}
	}
}

// wrongValues are values that settings refuse. hunter2 is a secret in them.
var wrongValues = map[string][]string{
	"DATABASE_URL":                {"mysql://root:hunter2@x/y", "hunter2"},
	"GAROUPA_DATABASE_DIRECT_URL": {"mysql://root:hunter2@x/y", "hunter2", "postgres://u:hunter2@x/y"},
	"GAROUPA_DATABASE_READ_URL":   {"postgres://root:hunter2@x/y", "mysql://root:hunter2@x/y"},
	"GAROUPA_LISTEN":              {"8080", "localhost", "localhost:"},
	"GAROUPA_BASE_URL": {"localhost", "ftp://x", "https://u:hunter2@x", "https://x/path", "https://",
		"https://hunter2@x", "https://u:hunter2@x:port", "u:hunter2@x"},
	"GAROUPA_CHECKOUT_HOST": {"x", "https://u:hunter2@x/", "https://u:hunter2%zz@x"},
	"GAROUPA_APP_URL":       {"x", "https://u:hunter2@x/", "ftp://u:hunter2@x", "https://u:hunter2@x\x00"},
	"GAROUPA_TERMS_URL": {"/termos", "termos.example", "ftp://x/termos", "https://u:hunter2@x/termos",
		"https:///termos", "https://x/" + strings.Repeat("a", 2048)},
	"GAROUPA_PRIVACY_URL": {"javascript:alert(1)", "https://u:hunter2@x/", "https://u:hunter2@x\x00"},
	"GAROUPA_SUPPORT_URL": {"suporte@example.com", "mailto:", "mailto:Ana <a@example.com>",
		"mailto:a@example.com?bcc=b@example.com", "tel:+551140028922", "javascript:alert(1)"},
	"GAROUPA_SECURITY_CONTACT":      {"seguranca@example.com", "mailto:", "tel:+551140028922"},
	"GAROUPA_SIGN_UP":               {"no", "Open", "invite"},
	"GAROUPA_OIDC_ISSUER":           {"https://login.example"}, // without a client
	"GAROUPA_OIDC_CLIENT_ID":        {"garoupa"},
	"GAROUPA_OIDC_CLIENT_SECRET":    {"hunter2"},
	"GAROUPA_OIDC_NAME":             {"Empresa"},
	"GAROUPA_OIDC_ONLY":             {"true", "perhaps"},
	"GAROUPA_OIDC_MFA_ACR":          {"urn:example:strong"},
	"GAROUPA_SECRET_KEY":            {"hunter2", strings.Repeat("a", 62), strings.Repeat("z", 64)},
	"GAROUPA_SECRET_KEY_PREVIOUS":   {"hunter2", strings.Repeat("a", 62)},
	"GAROUPA_POSTGRES_BIN":          {"/does/not/exist"},
	"GAROUPA_WEBHOOK_BACKOFF":       {"1s", "1s,2s,3s,4s,5s", "1s,2s,x,4s", "1s,2s,-3s,4s"},
	"GAROUPA_WEBHOOK_ALLOW_PRIVATE": {"maybe"},
	"GAROUPA_EVENT_DAYS":            {"29", "3651", "90d"},
	"GAROUPA_AUDIT_STREAM": {"audit.log", "file:audit.log", "file:/", "http://x/", "https://", "https://u:hunter2@x/",
		"https://x/#hunter2", "https://u:hunter2@x\x00"},
	"GAROUPA_AUDIT_STREAM_TOKEN":    {"hunter2", "hunter2\n"},
	"GAROUPA_BUYER_DAYS":            {"-1", "29", "36501", "5y"},
	"GAROUPA_FEE":                   {"0.99", "0,99%", "101%", "1% + R$ 1", "-1%"},
	"GAROUPA_AMOUNT_MIN":            {"0", "0.00", "1,00", "-1"},
	"GAROUPA_AMOUNT_MAX":            {"0.00", "10000000000.00", "R$ 5"},
	"GAROUPA_SETTLEMENT_DELAY_TEST": {"-1s", "soon"},
	"GAROUPA_SETTLEMENT_DELAY_LIVE": {"-1s", "1"},
	"GAROUPA_WITHDRAWAL_FEE":        {"1", "1,50%", "100.01%"},
	"GAROUPA_WITHDRAWAL_MIN":        {"five", "-1", "1,00", "100000.01"},
	"GAROUPA_WITHDRAWAL_MAX":        {"1.000", "4.99"},
	"GAROUPA_WITHDRAWAL_DAILY_MAX":  {"R$ 1"},
	"GAROUPA_WITHDRAWAL_FOUR_EYES":  {"1e3"},
	"GAROUPA_DESTINATION_HOLD":      {"-1h", "a day"},
	"GAROUPA_QUOTE_SOURCES": {"https://x.example", "bank=https://x.example", "plain=http://x.example",
		"plain=https://"},
	"GAROUPA_LIVE_PROVIDER":            {"banco", "simulator"},
	"GAROUPA_DEMO":                     {"perhaps"},
	"GAROUPA_RATE_LIMIT":               {"no"},
	"GAROUPA_RATE_LIMIT_LIVE":          {"fast"},
	"GAROUPA_RATE_LIMIT_TEST":          {"0/s"},
	"GAROUPA_RATE_LIMIT_WITHDRAWALS":   {"1/d"},
	"GAROUPA_RATE_LIMIT_RESENDS":       {"some"},
	"GAROUPA_RATE_LIMIT_FAILED_AUTH":   {"1"},
	"GAROUPA_RATE_LIMIT_PAGES":         {"1/m,0"},
	"GAROUPA_RATE_LIMIT_LOG_IN":        {"-1/m"},
	"GAROUPA_RATE_LIMIT_FAILED_LOG_IN": {"30"},
	"GAROUPA_RATE_LIMIT_NEW_PLACES":    {"20/d"},
	"GAROUPA_RATE_LIMIT_PEOPLE":        {"many"},
	"GAROUPA_RATE_LIMIT_SIGN_UPS":      {"/h"},
	"GAROUPA_RATE_LIMIT_MAILS":         {"20/h,"},
	"GAROUPA_SMTP_URL": {"mail.example", "http://u:hunter2@mail.example", "smtp://u:hunter2@:25",
		"smtp://u:hunter2@x:99999", "smtp://u:hunter2@x:hunter2", "smtp://u:hunter2@x/?tls=no"},
	"GAROUPA_MAIL_FROM":       {"Garoupa", "a@b@c"},
	"GAROUPA_TRUSTED_PROXIES": {"proxy", "10.0.0.0/8,hunter2"},
	"GAROUPA_OPS_NETWORKS": {"hunter2", "10.0.0.0/8,hunter2", "10.0.0.0/33", "::ffff:10.0.0.0/95",
		"10.0.0.1:443", ",", " "},
	"GAROUPA_WEBHOOK_FORBIDDEN_NETWORKS": {"hunter2", "10.0.0.0/33", ","},
	"GAROUPA_LOG_LEVEL":                  {"loud"},
}

// The error for a wrong value is one line that names the setting and contains no secret.
func TestReadSettings_Wrong(t *testing.T) {
	t.Parallel()
	for name, values := range wrongValues {
		for _, value := range values {
			_, err := readSettings(map[string]string{name: value})
			switch {
			case err == nil:
				t.Errorf("%s=%s was accepted", name, value)
			case strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), name):
				t.Errorf("%s=%s: %v", name, value, err)
			case strings.Contains(err.Error(), "hunter2"):
				t.Errorf("%s: the error repeats a secret: %v", name, err)
			}
		}
	}
}
