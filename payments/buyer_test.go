package payments_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

const (
	buyerName  = "Carla Menezes"
	buyerEmail = "Carla.M@example.com"
	buyerPhone = "+55 11 91234-5678"
)

// bought creates a charge of the buyer, in metadata too, and pays it.
func bought(t *testing.T, g *paymentstest.Gateway) *models.Checkout {
	t.Helper()
	name, email, document, phone := buyerName, buyerEmail, buyerDocument, buyerPhone
	c := g.Checkout(t, payments.NewCheckout{Metadata: []byte(`{"contato":"` + buyerEmail + `"}`),
		Customer: payments.Customer{Name: &name, Email: &email, Document: &document, Phone: &phone}})
	err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, int64(c.Amount), g.Clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// removes fails unless RemoveBuyer removes the buyer from a number of charges.
func removes(t *testing.T, g *paymentstest.Gateway, text string, want int) {
	t.Helper()
	if n, err := g.RemoveBuyer(t.Context(), g.Owner, g.Account.ID, text); err != nil || n != want {
		t.Errorf("by %q the buyer is removed from %d charges, %v; want %d", text, n, err, want)
	}
}

// counts fails unless FindBuyer counts these charges.
func counts(t *testing.T, g *paymentstest.Gateway, text string, charges, kept int) {
	t.Helper()
	n, err := g.FindBuyer(t.Context(), g.Owner, g.Account.ID, text)
	if want := (models.BuyerCounts{Charges: charges, Kept: kept}); err != nil || n != want {
		t.Errorf("by %q FindBuyer counts %+v, %v; want %+v", text, n, err, want)
	}
}

// After the removal no column of the database holds anything about the buyer, also not events and what endpoints
// answered. Everything else of the charges stays, and so do others' charges.
func TestRemoveBuyer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"52998224725", " carla.m@EXAMPLE.com "} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			g := paymentstest.New(t)
			endpoint, _ := g.Endpoint(t, "https://loja.example/pix")
			bought(t, g)
			bought(t, g)
			delivered(t, g, endpoint, 4)
			modelstest.Exec(t, g.DB, "UPDATE webhook_attempts SET response = $1", []byte("ok "+buyerEmail))
			other := g.Merchant(t, "bia@example.com")
			theirs := bought(t, other)
			counts(t, g, text, 2, 0)
			before := restOf(t, g)

			removes(t, g, text, 2)
			counts(t, g, text, 0, 0)
			removes(t, g, text, 0)
			if diff := cmp.Diff(before, restOf(t, g)); diff != "" {
				t.Errorf("other columns changed (-before +after)\n%s", diff)
			}
			c, err := g.Service.Checkout(t.Context(), other.Test, theirs.ID)
			if err != nil || c.CustomerName == nil || c.CustomerDocument == nil {
				t.Errorf("another merchant's charge is now %+v, %v", c, err)
			}
			counts(t, other, text, 1, 0)
			removes(t, other, text, 1)
			all := []string{buyerName, buyerEmail, buyerDocument, "52998224725", buyerPhone}
			if columns := modelstest.Holding(t, g.DB, all...); columns != nil {
				t.Errorf("the buyer is still in %v", columns)
			}
			lines := modelstest.One[int](t, g.DB, `SELECT count(*) FROM audit_log WHERE action = 'buyer.removed'
				AND actor = $1 AND account_id = $2 AND detail = '{"charges": "2"}'
				AND object_id ~ '^buyer_[0-9a-f]{20}$'`,
				g.Owner.UserID, g.Account.ID)
			if lines != 1 {
				t.Errorf("%d lines in the audit log tell of the removal", lines)
			}
			sound(t, g)
		})
	}
}

// restOf returns what may not change of charges and events.
func restOf(t *testing.T, g *paymentstest.Gateway) string {
	t.Helper()
	return modelstest.One[string](t, g.DB, `SELECT string_agg((to_jsonb(c) - '{customer_name,customer_email,
		sealed_document,document_digest,customer_phone,metadata}'::text[])::text, ' ' ORDER BY c.id) ||
		(SELECT string_agg((convert_from(e.body, 'UTF8')::jsonb #- '{data,checkout,customer}'
			#- '{data,checkout,metadata}')::text, ' ' ORDER BY e.id) FROM events e WHERE e.project_id = $1)
		FROM checkouts c WHERE c.project_id = $1`, g.Test.ProjectID)
}

// delivered records that an endpoint took a number of deliveries.
func delivered(t *testing.T, g *paymentstest.Gateway, endpoint *models.Endpoint, want int) {
	t.Helper()
	list, err := models.EndpointDeliveries(t.Context(), g.DB.Pool, g.Test, endpoint.ID,
		models.DeliveryFilter{Limit: 100})
	if err != nil || len(list) != want {
		t.Fatalf("%d deliveries, %v", len(list), err)
	}
	for _, d := range list {
		whole, err := models.DeliveryOf(t.Context(), g.DB.Pool, g.Test, d.ID)
		if err == nil {
			err = g.RecordAttempt(t.Context(), whole, nil, models.Attempt{StatusCode: 200, StartedAt: g.Clock.Now(),
				Response: []byte("ok " + buyerEmail)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A charge whose buyer may still be needed is counted as kept and left, and can be removed afterwards.
func TestRemoveBuyer_Needed(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct{ begin, over string }{
		"a pending charge": {`UPDATE checkouts SET status = 'PENDING', paid_at = NULL, settles_at = NULL
			WHERE @payment <> ''`, "UPDATE checkouts SET status = 'CANCELLED', closed_at = created_at"},
		"a refund": {`INSERT INTO refunds (id, payment_id, account_id, livemode, amount, reason, created_by, created_at,
				status, next_try_at)
			SELECT 'rfd_00000000000000000000', @payment, @account, false, 1, 'x', @user, @at, 'REQUESTED', @at`,
			"UPDATE refunds SET status = 'COMPLETED', next_try_at = NULL, ended_at = created_at"},
		"a dispute": {`INSERT INTO disputes (id, payment_id, account_id, livemode, bank_ref, cause, amount, blocked,
				short, status, answer_by, opened_at, created_at)
			SELECT 'dsp_00000000000000000000', @payment, @account, false, 'x', 'x', 1, 0, 0, 'OPEN', @at, @at, @at`,
			"UPDATE disputes SET status = 'WON', closed_at = created_at"},
		"an exception": {`INSERT INTO payment_exceptions (payment_id, kind, created_at)
			SELECT @payment, 'DUPLICATE', @at`,
			`UPDATE payment_exceptions SET decision = 'WRITTEN_OFF', reason = 'x', decided_at = created_at,
				decided_by = (SELECT min(id) FROM users)`},
		"an event": {`UPDATE webhook_deliveries SET status = 'PENDING', finished_at = NULL, next_attempt_at = @at
			WHERE id = (SELECT min(id) FROM webhook_deliveries) AND @payment <> ''`,
			"UPDATE webhook_deliveries SET status = 'FAILED', finished_at = created_at"},
		"a resend": {`INSERT INTO webhook_resends (delivery_id, token, endpoint_id, requested_at)
			SELECT id, sha256(''), endpoint_id, @at FROM webhook_deliveries WHERE @payment <> '' LIMIT 1`,
			"UPDATE webhook_resends SET finished_at = requested_at"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := paymentstest.New(t)
			endpoint, _ := g.Endpoint(t, "https://loja.example/pix")
			c := bought(t, g)
			delivered(t, g, endpoint, 2)
			args := pgx.NamedArgs{"account": g.Account.ID, "user": g.Owner.UserID, "at": g.Clock.Now(),
				"payment": modelstest.One[string](t, g.DB, "SELECT id FROM payments WHERE checkout_id = $1", c.ID)}
			if _, err := g.DB.Pool.Exec(t.Context(), tc.begin, args); err != nil {
				t.Fatal(err)
			}
			counts(t, g, buyerDocument, 1, 1)
			removes(t, g, buyerDocument, 0)
			modelstest.Exec(t, g.DB, tc.over)
			counts(t, g, buyerDocument, 1, 0)
			removes(t, g, buyerDocument, 1)
		})
	}
}

// Two removals at once do it once: each charge is counted by one of them.
func TestRemoveBuyer_Race(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for range 3 {
		bought(t, g)
	}
	removed := make([]int, 2)
	var both errgroup.Group
	for i := range removed {
		both.Go(func() (err error) {
			removed[i], err = g.RemoveBuyer(t.Context(), g.Owner, g.Account.ID, buyerEmail)
			return err
		})
	}
	err := both.Wait()
	logged := modelstest.One[int](t, g.DB, `SELECT sum((detail ->> 'charges')::int)::int FROM audit_log
		WHERE action = 'buyer.removed'`)
	if err != nil || removed[0]+removed[1] != 3 || logged != 3 {
		t.Errorf("%v charges were removed, %v; the audit log says %d", removed, err, logged)
	}
}

// A removal that is cut off leaves what it finished, and can be repeated.
func TestRemoveBuyer_Cut(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	email := buyerEmail
	var ids []string
	for range 120 {
		c := g.Checkout(t, payments.NewCheckout{Customer: payments.Customer{Email: &email}})
		ids = append(ids, c.ID)
	}
	g.Clock.Advance(time.Hour)
	if _, err := g.ExpireDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		if _, err := models.LockCheckoutByID(tx, ids[70]); err != nil {
			return err
		}
		within, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if n, err := g.RemoveBuyer(within, g.Owner, g.Account.ID, buyerEmail); err == nil || n != 50 {
			t.Errorf("beside a row that is locked %d charges were done, %v; want the first part", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	counts(t, g, buyerEmail, 70, 0)
	removes(t, g, buyerEmail, 70)
}

// A document that a program of an earlier version wrote in plain is found, shown and removed.
func TestRemoveBuyer_Plain(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	bought(t, g)
	modelstest.Exec(t, g.DB, `UPDATE checkouts SET customer_document = $1, sealed_document = NULL,
		document_digest = NULL`, buyerDocument)
	counts(t, g, "52998224725", 1, 0)
	removes(t, g, "52998224725", 1)
	if columns := modelstest.Holding(t, g.DB, buyerDocument); columns != nil {
		t.Errorf("the document is still in %v", columns)
	}
}

// While more plain documents are left than one step seals, nothing is said about how many there are.
func TestFindBuyer_Sealing(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	bought(t, g)
	modelstest.Exec(t, g.DB, `INSERT INTO checkouts (id, project_id, livemode, amount, description, external_id,
			customer_document, txid, copy_paste, created_at, expires_at)
		SELECT 'chk_' || lpad(to_hex(n), 20, '0'), $1, false, 1, 'x', 'x', $2, md5(n::text), 'x', now(),
			now() + interval '1 day' FROM generate_series(1, 501) n`, g.Test.ProjectID, buyerDocument)
	if _, err := g.FindBuyer(t.Context(), g.Owner, g.Account.ID, buyerDocument); !errors.Is(err, payments.ErrSealing) {
		t.Errorf("with 501 plain documents: %v", err)
	}
	if err := g.SealDocuments(t.Context()); err != nil {
		t.Fatal(err)
	}
	counts(t, g, buyerDocument, 502, 501)
}

// Texts that name no one are refused, and members of another account are, too.
func TestFindBuyer_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	bought(t, g)
	for _, text := range []string{"", "  ", "12", "---", "@", "a@b@c", "\x00123"} {
		if _, err := g.FindBuyer(t.Context(), g.Owner, g.Account.ID, text); !errors.Is(err, payments.ErrNoBuyer) {
			t.Errorf("%q: %v", text, err)
		}
	}
	other := g.Merchant(t, "bia@example.com")
	actors := map[string]models.Actor{"the owner of another account": other.Owner, "an unknown person": {}}
	for _, role := range []models.Role{models.RoleAdmin, models.RoleDeveloper, models.RoleFinance, models.RoleViewer} {
		actors[string(role)] = g.Staff(t)
		joins(t, g, actors[string(role)], role)
	}
	for name, by := range actors {
		_, err := g.FindBuyer(t.Context(), by, g.Account.ID, buyerEmail)
		refused(t, "finding by "+name, err, refusal.Forbidden)
		_, err = g.BuyerFile(t.Context(), by, g.Account.ID, buyerEmail)
		refused(t, "exporting by "+name, err, refusal.Forbidden)
		_, err = g.RemoveBuyer(t.Context(), by, g.Account.ID, buyerEmail)
		refused(t, "removing by "+name, err, refusal.Forbidden)
	}
	counts(t, other, buyerEmail, 0, 0)
	counts(t, g, buyerEmail, 1, 0)
}

// The file contains all data about the buyer, including what no page shows, and no data of other people. The audit
// log has a line about the file, without the buyer's data.
func TestBuyerFile(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var ids []string
	for range 101 {
		ids = append(ids, bought(t, g).ID)
	}
	withDocument(t, g.Merchant(t, "bia@example.com"))
	g.Checkout(t, payments.NewCheckout{})
	write, err := g.BuyerFile(t.Context(), g.Owner, g.Account.ID, buyerDocument)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := write(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Charges []struct {
			Phone    string
			Checkout struct {
				ID       string
				Customer struct{ Name, Email, Document string }
				Metadata map[string]string
			}
			Payments []struct{ EndToEndID string }
			Events   []struct{ Type string }
		}
	}
	if err := json.Unmarshal(file.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, c := range got.Charges {
		found = append(found, c.Checkout.ID)
		if c.Phone != buyerPhone || c.Checkout.Customer.Document != buyerDocument || len(c.Payments) != 1 ||
			len(c.Events) != 2 || c.Checkout.Customer.Name != buyerName ||
			c.Checkout.Metadata["contato"] != buyerEmail {
			t.Fatalf("a charge is %+v", c)
		}
	}
	slices.Sort(ids)
	if diff := cmp.Diff(ids, found); diff != "" {
		t.Errorf("charges (-want +got)\n%s", diff)
	}
	told := modelstest.One[string](t, g.DB, "SELECT detail::text FROM audit_log WHERE action = 'buyer.exported'")
	if want := fmt.Sprintf(`{"charges": "%d"}`, len(ids)); told != want {
		t.Errorf("the audit log says %s", told)
	}
}
