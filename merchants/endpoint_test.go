package merchants_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/auth/vault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
	"garoupa/webhook"
)

// An endpoint's signing secret has its documented shape, is returned once and stored
// sealed (docs/rules.md, "Webhook secrets").
func TestCreateEndpoint(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	in := merchants.NewEndpoint{URL: " https://loja.example/hook?x=1 ", Description: " ERP ",
		Types: []string{"checkout.paid", "checkout.expired"}}
	made, secret, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, g.Test, in)
	if err != nil || !regexp.MustCompile(`^whsec_[0-9A-Za-z]{32}$`).MatchString(secret) {
		t.Fatalf("the secret is %q, %v", secret, err)
	}
	stored, err := models.EndpointByID(t.Context(), g.DB.Pool, g.Test, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if stored.URL != "https://loja.example/hook?x=1" || stored.Description != "ERP" || !stored.Active ||
		stored.Environment == models.Live {
		t.Errorf("stored %+v", stored)
	}
	if diff := cmp.Diff(in.Types, stored.Types); diff != "" {
		t.Errorf("types (-want +got)\n%s", diff)
	}
	if bytes.Contains(stored.Secret, []byte(secret[6:])) {
		t.Error("the secret is not sealed")
	}
	if opened, err := g.Merchants.EndpointSecret(stored); err != nil || opened != secret {
		t.Errorf("EndpointSecret returned %q, %v; want %q", opened, err, secret)
	}

	other, second, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, g.Test, in)
	if err != nil || second == secret {
		t.Fatalf("a second endpoint has the secret %q, %v", second, err)
	}
	other.Secret = stored.Secret // a secret copied from another row cannot be opened
	if opened, err := g.Merchants.EndpointSecret(other); !errors.Is(err, vault.ErrForeign) {
		t.Errorf("EndpointSecret of another endpoint's secret returned %q, %v", opened, err)
	}
}

func TestCreateEndpoint_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	public := merchants.New(merchants.Options{DB: g.DB, Vault: g.Vault, AllowPrivate: false, Now: g.Clock.Now})
	paid := []string{"checkout.paid"}
	for name, tc := range map[string]struct {
		m      *merchants.Service
		scope  models.Scope
		in     merchants.NewEndpoint
		reason webhook.Reason
		want   merchants.Invalid
	}{
		"no address": {m: public, in: merchants.NewEndpoint{Types: paid},
			reason: webhook.ReasonMalformed},
		"another scheme": {m: public, in: merchants.NewEndpoint{URL: "ftp://loja.example/", Types: paid},
			reason: webhook.ReasonScheme},
		"a password": {m: public, in: merchants.NewEndpoint{URL: "https://a:b@loja.example/",
			Types: paid}, reason: webhook.ReasonCredentials},
		"http in live": {m: public, scope: g.Live,
			in: merchants.NewEndpoint{URL: "http://loja.example/", Types: paid}, reason: webhook.ReasonInsecure},
		"loopback": {m: public, in: merchants.NewEndpoint{URL: "http://127.0.0.1/", Types: paid},
			reason: webhook.ReasonPrivate},
		"metadata, when developing": {m: g.Merchants,
			in: merchants.NewEndpoint{URL: "http://169.254.169.254/", Types: paid}, reason: webhook.ReasonPrivate},
		"no types": {m: public, in: merchants.NewEndpoint{URL: "https://loja.example/"},
			want: merchants.Invalid{"types": merchants.Missing}},
		"another type": {m: public, in: merchants.NewEndpoint{URL: "https://loja.example/",
			Types: []string{"checkout.*"}}, want: merchants.Invalid{"types": merchants.Unknown}},
		"a long description": {m: public, in: merchants.NewEndpoint{URL: "https://loja.example/", Types: paid,
			Description: strings.Repeat("ã", 201)},
			want: merchants.Invalid{"description": merchants.TooLong}},
	} {
		if tc.scope.ProjectID == "" {
			tc.scope = g.Test
		}
		_, secret, err := tc.m.CreateEndpoint(t.Context(), g.Owner, tc.scope, tc.in)
		var refused *webhook.URLError
		var invalid merchants.Invalid
		switch errors.As(err, &refused); {
		case secret != "" || err == nil:
			t.Errorf("%s: made", name)
		case tc.reason != "" && (refused == nil || refused.Reason != tc.reason):
			t.Errorf("%s: %v, want %s", name, err, tc.reason)
		case tc.want != nil && (!errors.As(err, &invalid) || !cmp.Equal(tc.want, invalid)):
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	if n := len(endpoints(t, g, g.Test)) + len(endpoints(t, g, g.Live)); n != 0 {
		t.Errorf("%d endpoints", n)
	}
}

func endpoints(t *testing.T, g *paymentstest.Gateway, scope models.Scope) []models.Endpoint {
	t.Helper()
	list, err := models.Endpoints(t.Context(), g.DB.Pool, scope, nil, 100)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Endpoints can be switched and deleted only from their own scope.
func TestChangeEndpoint(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	e, _ := g.Endpoint(t, "http://127.0.0.1/hook")
	m := g.Merchants
	for name, scope := range map[string]models.Scope{"live": g.Live,
		"another project": {ProjectID: models.NewProjectID()}} {
		if err := m.SwitchEndpoint(t.Context(), g.Owner, scope, e.ID, false); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("SwitchEndpoint from %s: %v", name, err)
		}
		if err := m.DeleteEndpoint(t.Context(), g.Owner, scope, e.ID); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("DeleteEndpoint from %s: %v", name, err)
		}
	}
	for _, unknown := range []string{"", "we_", models.NewEndpointID(), "we_\x00", "we_" + strings.Repeat("\xff", 20)} {
		if err := m.SwitchEndpoint(t.Context(), g.Owner, g.Test, unknown, false); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("switched %q: %v", unknown, err)
		}
	}
	for _, active := range []bool{true, false, false, true} {
		if err := m.SwitchEndpoint(t.Context(), g.Owner, g.Test, e.ID, active); err != nil {
			t.Fatal(err)
		}
		if list := endpoints(t, g, g.Test); len(list) != 1 || list[0].Active != active {
			t.Errorf("after switching to %v: %+v", active, list)
		}
	}
	if err := m.DeleteEndpoint(t.Context(), g.Owner, g.Test, e.ID); err != nil {
		t.Fatal(err)
	}
	if list := endpoints(t, g, g.Test); len(list) != 0 {
		t.Errorf("a deleted endpoint is still listed: %+v", list)
	}
	if err := m.DeleteEndpoint(t.Context(), g.Owner, g.Test, e.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("DeleteEndpoint for the second time: %v", err)
	}
	if err := m.SwitchEndpoint(t.Context(), g.Owner, g.Test, e.ID, true); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("SwitchEndpoint after the deletion: %v", err)
	}
}
