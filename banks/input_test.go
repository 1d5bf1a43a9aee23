package banks_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/banks"
	"garoupa/internal/clientcert"
)

// Each field that is wrong is named with its problem, and nothing is written.
func TestPropose_Invalid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	good := h.account(t)
	type account = banks.NewAccount
	for name, c := range map[string]struct {
		change func(*account)
		want   banks.Invalid
	}{
		"texts": {func(a *account) {
			a.Name, a.HolderName, a.AccountNumber = " ", strings.Repeat("x", 201), strings.Repeat("1", 41)
		}, banks.Invalid{"name": "malformed", "holderName": "malformed", "accountNumber": "malformed"}},
		"ids": {func(a *account) { a.PixKey, a.HolderDocument = "chave", "11222333000180" },
			banks.Invalid{"pixKey": "malformed", "holderDocument": "malformed"}},
		"an unknown bank": {func(a *account) { a.Profile = "stone" }, banks.Invalid{"profile": "unknown"}},
		"an unknown field": {func(a *account) { a.Overrides = `{"bass": 1}` },
			banks.Invalid{"overrides": "malformed"}},
		"no authority": {func(a *account) { a.Overrides = `{"base": "https://localhost/v2", "ca": "x"}` },
			banks.Invalid{"overrides": "malformed"}},
		"no JSON":    {func(a *account) { a.Overrides = `{` }, banks.Invalid{"overrides": "malformed"}},
		"no address": {func(a *account) { a.Overrides = "" }, banks.Invalid{"overrides": "missing"}},
		"no secret": {func(a *account) { a.Credential.ClientSecret = " " },
			banks.Invalid{"clientSecret": "missing"}},
		"no client": {func(a *account) { a.Credential.ClientID = "" }, banks.Invalid{"clientId": "malformed"}},
		"a secret of two lines": {func(a *account) { a.Credential.ClientSecret = "a\nb" },
			banks.Invalid{"clientSecret": "malformed"}},
		"no key": {func(a *account) { a.Credential.Files.Key = nil }, banks.Invalid{"certificate": "no_key"}},
		"garbage": {func(a *account) { a.Credential.Files.Certificate = []byte("x") },
			banks.Invalid{"certificate": "garbage"}},
		"nothing": {func(a *account) { a.Credential.Files = clientcert.Files{} },
			banks.Invalid{"certificate": "empty"}},
		"too much": {func(a *account) { a.Credential.Files.Certificate = bytes.Repeat([]byte("x"), 65<<10) },
			banks.Invalid{"certificate": "too_large"}},
		"an expired certificate": {func(a *account) { a.Credential = h.credential(t, -time.Hour) },
			banks.Invalid{"certificate": "expired"}},
		"a key of another": {func(a *account) { a.Credential.Files.Key = h.credential(t, time.Hour).Files.Key },
			banks.Invalid{"certificate": "mismatch"}},
		"a certificate of another": {func(a *account) { a.HolderDocument = "52998224725" },
			banks.Invalid{"certificate": "foreign_holder"}},
	} {
		in := good
		c.change(&in)
		_, err := h.Propose(t.Context(), h.eva, in)
		var got banks.Invalid
		if errors.As(err, &got); cmp.Diff(c.want, got) != "" {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, cmp.Diff(c.want, got))
		}
	}
}

// An installation that is not for development takes no bank on a private address, and not the bank for
// tests.
func TestPropose_Private(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.AllowPrivate = false
	for _, address := range []string{"https://localhost:8443/v2", "https://10.0.0.1/v2", "https://banco.internal/v2"} {
		in := h.account(t)
		in.Overrides = `{"base": "` + address + `"}`
		var got banks.Invalid
		_, err := h.Propose(t.Context(), h.eva, in)
		if errors.As(err, &got); got["overrides"] != banks.Private {
			t.Errorf("%s: %v", address, err)
		}
	}
}
