package payments_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix"
	"garoupa/pix/psp"
)

func TestCreateCheckout(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	phone := "+55 11 98765-4321"
	c := g.Checkout(t, payments.NewCheckout{
		Amount: 1250, ExpiresIn: time.Hour, Metadata: []byte(`{"a":"1"}`), Customer: payments.Customer{Phone: &phone},
	})

	if c.Status != models.CheckoutPending || !c.ExpiresAt.Equal(c.CreatedAt.Add(time.Hour)) {
		t.Errorf("the checkout is %s, from %s to %s", c.Status, c.CreatedAt, c.ExpiresAt)
	}
	code, err := pix.Parse(c.CopyPaste)
	if err != nil || code.Amount != 1250 || code.MerchantName != "Atelie Aurora" ||
		!strings.HasSuffix(code.Location, c.TxID) {
		t.Errorf("the code contains %+v, %v", code, err)
	}
	if hour := models.HourOf(c.ID); hour == "" || !strings.HasPrefix(c.TxID, hour) || !pix.ValidChargeTxID(c.TxID) {
		t.Errorf("the checkout %s has the txid %s, which begins with another hour", c.ID, c.TxID)
	}
	if !bytes.HasPrefix(c.QRPNG, []byte("\x89PNG")) {
		t.Error("a test checkout without a QR code")
	}
	stored, err := g.Service.Checkout(t.Context(), g.Test, c.ID)
	if err != nil || string(stored.Metadata) != `{"a": "1"}` || stored.CopyPaste != c.CopyPaste ||
		!stored.CreatedAt.Equal(c.CreatedAt) {
		t.Errorf("stored %+v, %v", stored, err)
	}

	var body []byte
	var sealed []byte
	body = modelstest.One[[]byte](t, g.DB, `SELECT body FROM events
		WHERE checkout_id = $1 AND type = 'checkout.created'`, c.ID)
	sealed = modelstest.One[[]byte](t, g.DB, "SELECT customer_phone FROM checkouts WHERE id = $1", c.ID)
	if !json.Valid(body) || !bytes.Contains(body, []byte(c.ID)) ||
		bytes.Contains(bytes.ReplaceAll(body, []byte("-"), nil), []byte("987654321")) {
		t.Errorf("the event is %s", body)
	}
	if opened, err := g.Vault.Open("checkouts/"+c.ID+"/customer_phone", sealed); err != nil || opened != phone {
		t.Errorf("the phone is stored as %q and read as %q, %v", sealed, opened, err)
	}
}

// Checkouts are visible only in their own environment and project.
func TestCheckout_Scope(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c := g.Checkout(t, payments.NewCheckout{})
	for name, scope := range map[string]models.Scope{
		"live":            g.Live,
		"another project": {ProjectID: models.NewProjectID()},
	} {
		if _, err := g.Service.Checkout(t.Context(), scope, c.ID); refusal.Of(err).Code != refusal.CheckoutNotFound {
			t.Errorf("from %s: %v", name, err)
		}
	}
	for _, id := range []string{"", "chk_", "chk_0", c.ID + "0", strings.ToUpper(c.ID), "chk_\x00\xff",
		"evt_" + c.ID[4:]} {
		if _, err := g.Service.Checkout(t.Context(), g.Test, id); refusal.Of(err).Code != refusal.CheckoutNotFound {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

func TestCreateCheckout_Idempotency(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	in := paymentstest.Filled(payments.NewCheckout{IdempotencyKey: "k"})
	first, created, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in)
	if err != nil || !created {
		t.Fatalf("the first request: created %v, %v", created, err)
	}
	if err := g.SimulatePayment(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	again, created, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in)
	if err != nil || created || again.ID != first.ID || again.Status != models.CheckoutPaid {
		t.Errorf("repeated: %+v, created %v, %v; want the current state of %s", again, created, err, first.ID)
	}

	in.RequestHash = bytes.Repeat([]byte("x"), 32)
	if _, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account,
		in); refusal.Of(err).Code != refusal.IdempotencyConflict {
		t.Errorf("another body: %v", err)
	}
	if n := count(t, g, "checkouts"); n != 1 {
		t.Errorf("%d checkouts, want 1", n)
	}
}

// A key is still valid after ten years (contract 5).
func TestCreateCheckout_IdempotencyForEver(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	in := payments.NewCheckout{IdempotencyKey: "k"}
	c := g.Checkout(t, in)
	g.Clock.Advance(10 * 365 * 24 * time.Hour)
	if _, err := g.ExpireDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, created, err := g.CreateCheckout(t.Context(), g.Test, g.Account, paymentstest.Filled(in))
	if err != nil || created || again.ID != c.ID || again.Status != models.CheckoutExpired {
		t.Errorf("%+v, created %v, %v", again, created, err)
	}
}

// Ten identical concurrent requests create one checkout and one event. created is true for one
// of them.
func TestCreateCheckout_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	in := paymentstest.Filled(payments.NewCheckout{IdempotencyKey: "k"})
	ids := make([]string, 10)
	var made atomic.Int32
	var group errgroup.Group
	for i := range ids {
		group.Go(func() error {
			c, created, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in)
			if err != nil {
				return err
			}
			if ids[i] = c.ID; created {
				made.Add(1)
			}
			if c.CopyPaste == "" {
				return fmt.Errorf("request %d: a checkout without a code", i)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if ids = slices.Compact(ids); len(ids) != 1 || made.Load() != 1 {
		t.Errorf("%d checkouts, created is true for %d requests; want 1 and 1", len(ids), made.Load())
	}
	if checkouts, events := count(t, g, "checkouts"), count(t, g, "events"); checkouts != 1 || events != 1 {
		t.Errorf("%d checkouts and %d events, want 1 and 1", checkouts, events)
	}
}

func TestCreateCheckout_Gates(t *testing.T) {
	t.Parallel()
	g := paymentstest.NewWith(t, psp.None{})
	in := paymentstest.Filled(payments.NewCheckout{})
	for _, step := range []struct {
		change func(*models.Account)
		want   refusal.Code
	}{
		{func(*models.Account) {}, refusal.Forbidden},
		{func(a *models.Account) { a.ProductionAccess = models.AccessPendingReview }, refusal.Forbidden},
		{func(a *models.Account) { a.ProductionAccess = models.AccessRejected }, refusal.Forbidden},
		{func(a *models.Account) {
			a.ProductionAccess = models.AccessApproved
			a.Suspended, a.LiveBlocked = true, true
		}, refusal.AccountSuspended},
		{func(a *models.Account) { a.Suspended = false }, refusal.LiveOperationsBlocked},
		{func(a *models.Account) { a.LiveBlocked = false }, refusal.ProviderUnavailable},
	} {
		step.change(g.Account)
		if _, _, err := g.CreateCheckout(t.Context(), g.Live, g.Account, in); refusal.Of(err).Code != step.want {
			t.Errorf("in live with %+v: %v, want %s", g.Account, err, step.want)
		}
	}
	g.Account.Suspended = true
	if _, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account, in); err != nil {
		t.Errorf("in test: %v", err)
	}
}

// flaky is an institution that fails until it is repaired. It records the requested charges.
type flaky struct {
	psp.Provider
	mended bool
	asked  []string
}

func (f *flaky) PutCharge(ctx context.Context, c psp.Charge) (psp.Issued, error) {
	f.asked = append(f.asked, c.TxID)
	if !f.mended {
		return psp.Issued{}, psp.ErrUnavailable
	}
	return f.Provider.PutCharge(ctx, c)
}

// After a 503 the key is bound to its body, and a retry with the key requests the same charge.
func TestCreateCheckout_Resume(t *testing.T) {
	t.Parallel()
	bank := &flaky{}
	g := paymentstest.NewWith(t, bank)
	bank.Provider = g.Simulator
	g.Approve(t)
	in := paymentstest.Filled(payments.NewCheckout{IdempotencyKey: "k"})
	create := func(in payments.NewCheckout) (*models.Checkout, bool, error) {
		return g.CreateCheckout(t.Context(), g.Live, g.Account, in)
	}

	if _, _, err := create(in); refusal.Of(err).Code != refusal.ProviderUnavailable {
		t.Fatalf("without an institution: %v", err)
	}
	other := in
	other.RequestHash = bytes.Repeat([]byte("x"), 32)
	if _, _, err := create(other); refusal.Of(err).Code != refusal.IdempotencyConflict {
		t.Errorf("another body after a 503: %v", err)
	}
	if n := count(t, g, "checkouts"); n != 0 {
		t.Fatalf("%d checkouts without a code", n)
	}

	bank.mended = true
	c, created, err := create(in)
	if err != nil || !created || c.TxID != bank.asked[0] || c.CopyPaste == "" {
		t.Fatalf("the retry: %+v, created %v, %v; want the charge %s", c, created, err, bank.asked[0])
	}
	again, created, err := create(in)
	if err != nil || created || again.ID != c.ID {
		t.Errorf("the request after the success: %+v, created %v, %v", again, created, err)
	}
	if asked := slices.Compact(bank.asked); len(asked) != 1 {
		t.Errorf("the institution received requests for the charges %v, want one", asked)
	}
	if n := count(t, g, "checkouts"); n != 1 {
		t.Errorf("%d checkouts, want 1", n)
	}
}

func count(t testing.TB, g *paymentstest.Gateway, table string) (n int) {
	t.Helper()
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
