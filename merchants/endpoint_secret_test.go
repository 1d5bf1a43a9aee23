package merchants_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// secrets returns the secrets with which an endpoint signs.
func secrets(t *testing.T, g *paymentstest.Gateway, endpointID string) (current, previous string) {
	t.Helper()
	stored, err := models.EndpointByID(t.Context(), g.DB.Pool, g.Test, endpointID)
	if err != nil {
		t.Fatal(err)
	}
	if current, err = g.Merchants.EndpointSecret(stored); err != nil {
		t.Fatal(err)
	}
	if previous, err = g.Merchants.PreviousSecret(stored); err != nil {
		t.Fatal(err)
	}
	return current, previous
}

func last4(secret string) string { return secret[len(secret)-4:] }

// RotateSecret replaces the secret that the member saw, once. The old secret also signs for a
// day.
func TestRotateSecret(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	e, first := g.Endpoint(t, "http://127.0.0.1/hook")
	var made [4]string
	var group errgroup.Group
	for i := range made { // one form that is sent four times at once
		group.Go(func() (err error) {
			made[i], err = g.Merchants.RotateSecret(t.Context(), g.Owner, g.Test, e.ID, last4(first))
			if errors.Is(err, merchants.ErrSecretChanged) {
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	second, previous := secrets(t, g, e.ID)
	if second == first || previous != first || made[0]+made[1]+made[2]+made[3] != second {
		t.Fatalf("the rotations returned %q; the previous secret is %q", made, previous)
	}
	g.Clock.Advance(merchants.PreviousSecretFor - time.Millisecond)
	if _, previous := secrets(t, g, e.ID); previous != first {
		t.Errorf("just before a day has passed the previous secret is %q", previous)
	}
	g.Clock.Advance(time.Millisecond)
	if current, previous := secrets(t, g, e.ID); current != second || previous != "" {
		t.Errorf("after a day the secret is %q, the previous %q", current, previous)
	}
}

// A member can retire the previous secret at once. A member who saw an older secret cannot
// rotate. The audit log has a line for each change.
func TestRetirePreviousSecret(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	e, first := g.Endpoint(t, "http://127.0.0.1/hook")
	second, err := g.Merchants.RotateSecret(t.Context(), g.Owner, g.Test, e.ID, last4(first))
	if err != nil {
		t.Fatal(err)
	}
	third, err := g.Merchants.RotateSecret(t.Context(), g.Owner, g.Test, e.ID, last4(second))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.RetirePreviousSecret(t.Context(), g.Owner, g.Test, e.ID); err != nil {
		t.Fatal(err)
	}
	if current, previous := secrets(t, g, e.ID); current != third || previous != "" {
		t.Errorf("after the retirement the secret is %q, the previous %q", current, previous)
	}
	if shown, err := g.Merchants.ShowSecret(t.Context(), g.Owner, g.Test, e.ID); err != nil || shown != third {
		t.Errorf("shown %q, %v", shown, err)
	}
	for _, seen := range []string{"", last4(first), last4(second)} {
		if _, err := g.Merchants.RotateSecret(t.Context(), g.Owner, g.Test, e.ID, seen); !errors.Is(err,
			merchants.ErrSecretChanged) {
			t.Errorf("RotateSecret by a member who saw %q: %v", seen, err)
		}
	}
	if _, err := g.Merchants.ShowSecret(t.Context(), g.Owner, g.Live, e.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("ShowSecret in live: %v", err)
	}
	actions := modelstest.Column[string](t, g.DB, "SELECT action FROM audit_log WHERE object_id = $1 ORDER BY id", e.ID)
	want := []string{"webhook_endpoint.created", "webhook_endpoint.secret_rotated", "webhook_endpoint.secret_rotated",
		"webhook_endpoint.previous_secret_retired", "webhook_endpoint.secret_shown"}
	if !slices.Equal(actions, want) {
		t.Errorf("the audit log has %q, want %q", actions, want)
	}
}

// Changes of an endpoint are checked like a new endpoint, and the audit log has what changed,
// or no line if nothing did.
func TestUpdateEndpoint(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	e, secret := g.Endpoint(t, "http://127.0.0.1/hook")
	in := merchants.NewEndpoint{URL: " https://loja.example/novo ", Description: " ERP ",
		Types: []string{"checkout.paid", "checkout.cancelled", "checkout.paid"}}
	for range 2 {
		if err := g.Merchants.UpdateEndpoint(t.Context(), g.Owner, g.Test, e.ID, in); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := models.EndpointByID(t.Context(), g.DB.Pool, g.Test, e.ID)
	if err != nil || stored.URL != "https://loja.example/novo" || stored.Description != "ERP" ||
		len(stored.Types) != 2 || !stored.Active {
		t.Errorf("stored %+v, %v", stored, err)
	}
	if kept, err := g.Merchants.EndpointSecret(stored); err != nil || kept != secret {
		t.Errorf("the secret is %q, %v", kept, err)
	}
	var lines int
	var detail string
	g.DB.Pool.QueryRow(t.Context(), `SELECT count(*), max(before->>'url') FROM audit_log
		WHERE action = 'webhook_endpoint.updated'`).Scan(&lines, &detail)
	if lines != 1 || detail != "http://127.0.0.1/hook" {
		t.Errorf("the audit log has %d lines, with the old values %q", lines, detail)
	}
	if _, wrong := errors.AsType[merchants.Invalid](g.Merchants.UpdateEndpoint(t.Context(), g.Owner, g.Test, e.ID,
		merchants.NewEndpoint{URL: in.URL})); !wrong {
		t.Error("an endpoint without types was saved")
	}
	if err := g.Merchants.UpdateEndpoint(t.Context(), g.Owner, g.Live, e.ID, in); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("UpdateEndpoint in live: %v", err)
	}
}
