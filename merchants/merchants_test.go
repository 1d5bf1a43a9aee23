package merchants_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

const password = "correct horse battery"

// newcomer returns the data of a person who can sign up.
func newcomer() merchants.NewMerchant {
	return merchants.NewMerchant{Name: "Rui Sá", Business: "Padaria Sol", Email: "rui@example.com", Password: password}
}

// another returns a second instance with the same database and clock, and nothing else in
// common.
func another(g *paymentstest.Gateway) *merchants.Service {
	return merchants.New(merchants.Options{DB: g.DB, Vault: g.Vault, AllowPrivate: true, Now: g.Clock.Now})
}

// entry is a line of the audit log.
type entry struct {
	Actor, Account, Action, Object, Before, After, Detail, IP string
}

// audited returns the latest lines of the audit log, oldest first, without those about addresses of keys, which
// are written beside.
func audited(t *testing.T, g *paymentstest.Gateway, n int) []entry {
	t.Helper()
	rows, err := g.DB.Pool.Query(t.Context(), `SELECT actor, coalesce(account_id, '') AS account, action,
		object_id AS object, before::text AS before, after::text AS after, detail::text AS detail, ip
		FROM audit_log WHERE action <> 'api_key.used_from_new_address' ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[entry])
	if err != nil {
		t.Fatal(err)
	}
	return all[max(0, len(all)-n):]
}

// changes fails the test unless the audit log is the account's creation and then the wanted
// lines, and contains none of the secrets.
func changes(t *testing.T, g *paymentstest.Gateway, want []entry, secrets ...string) {
	t.Helper()
	created := entry{g.Owner.UserID, g.Account.ID, "account.created", g.Account.ID, "{}", "{}", "{}", "127.0.0.1"}
	got := audited(t, g, 100)
	if diff := cmp.Diff(append([]entry{created}, want...), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range append(secrets, paymentstest.Password) {
		if strings.Contains(string(text), secret) {
			t.Error("the audit log contains a secret")
		}
	}
}

// change returns the line of an act of a person.
func change(by models.Actor, action, object, before, after string) entry {
	return entry{by.UserID, by.AccountID, action, object, before, after, "{}", by.IP}
}

// Each change of a key is in the audit log with its actor and address and without secrets. A
// second revocation changes nothing.
func TestAudit_Keys(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Owner
	by.IP = "203.0.113.7"
	key, secret, err := g.Merchants.CreateKey(t.Context(), by, g.Test,
		merchants.NewKey{Name: "Loja", Permissions: merchants.CheckoutIntegration})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := g.Merchants.RevokeKey(t.Context(), by, g.Test, key.ID); err != nil {
			t.Fatal(err)
		}
	}
	changes(t, g, []entry{
		change(by, "api_key.created", key.ID, "{}",
			`{"name": "Loja", "permissions": "CHECKOUT:CREATE CHECKOUT:READ BALANCE:READ `+
				`PAYMENT_LINK:CREATE PAYMENT_LINK:READ"}`),
		change(by, "api_key.revoked", key.ID, "{}", "{}"),
	}, secret)
}

// Each change of an endpoint is in the audit log with its actor and address and without
// secrets. An operation that changes nothing is not.
func TestAudit_Endpoints(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	m, by := g.Merchants, g.Owner
	by.IP = "203.0.113.7"
	endpoint, secret, err := m.CreateEndpoint(t.Context(), by, g.Test,
		merchants.NewEndpoint{URL: "http://127.0.0.1/hook", Types: []string{"checkout.paid"}})
	if err != nil {
		t.Fatal(err)
	}
	moved := merchants.NewEndpoint{URL: "http://127.0.0.1/novo", Types: []string{"checkout.paid"}}
	for _, do := range []func() error{
		func() error { return m.SwitchEndpoint(t.Context(), by, g.Test, endpoint.ID, false) },
		func() error { return m.SwitchEndpoint(t.Context(), by, g.Test, endpoint.ID, true) },
		func() error { return m.UpdateEndpoint(t.Context(), by, g.Test, endpoint.ID, moved) },
	} {
		for range 2 { // the second time nothing changes
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := m.DeleteEndpoint(t.Context(), by, g.Test, endpoint.ID); err != nil {
		t.Fatal(err)
	}
	changes(t, g, []entry{
		change(by, "webhook_endpoint.created", endpoint.ID, "{}",
			`{"url": "http://127.0.0.1/hook", "types": "checkout.paid", "description": ""}`),
		change(by, "webhook_endpoint.disabled", endpoint.ID, "{}", "{}"),
		change(by, "webhook_endpoint.enabled", endpoint.ID, "{}", "{}"),
		change(by, "webhook_endpoint.updated", endpoint.ID, `{"url": "http://127.0.0.1/hook"}`,
			`{"url": "http://127.0.0.1/novo"}`),
		change(by, "webhook_endpoint.deleted", endpoint.ID, "{}", "{}"),
	}, secret)
}

// A new member of staff is in the audit log without the password.
func TestAudit_Staff(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	id, err := g.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Eva", Email: "eva@example.com",
		Password: password, Role: "REVIEWER"})
	if err != nil {
		t.Fatal(err)
	}
	changes(t, g, []entry{{"system", "", "staff.added", id, "{}", "{}", `{"role": "REVIEWER"}`, ""}}, password)
}

// No database user can change the audit log.
func TestAudit_Final(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	before := audited(t, g, 100)
	for _, sql := range []string{
		"UPDATE audit_log SET actor = 'system'", "UPDATE audit_log SET actor = actor WHERE false",
		"DELETE FROM audit_log", "TRUNCATE audit_log", "TRUNCATE accounts CASCADE",
	} {
		if _, err := g.DB.Pool.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if diff := cmp.Diff(before, audited(t, g, 100)); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}
