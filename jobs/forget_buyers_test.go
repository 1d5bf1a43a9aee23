package jobs_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"garoupa/jobs"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

const buyersKept = 400 * 24 * time.Hour

// named creates a charge that names its buyer.
func named(t *testing.T, g *paymentstest.Gateway) *models.Checkout {
	t.Helper()
	name, email, document, phone := "Carla Menezes", "carla@example.com", "529.982.247-25", "+55 11 91234-5678"
	return g.Checkout(t, payments.NewCheckout{Metadata: []byte(`{"nascimento":"1990-01-01"}`),
		Customer: payments.Customer{Name: &name, Email: &email, Document: &document, Phone: &phone}})
}

// paid creates a charge that names its buyer, and pays it.
func paid(t *testing.T, g *paymentstest.Gateway) (c *models.Checkout, payment string) {
	t.Helper()
	c = named(t, g)
	err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, int64(c.Amount), g.Clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return c, modelstest.One[string](t, g.DB, "SELECT id FROM payments WHERE checkout_id = $1", c.ID)
}

// withBuyer counts the charges that hold anything about their buyers.
func withBuyer(t *testing.T, g *paymentstest.Gateway) int {
	t.Helper()
	return modelstest.One[int](t, g.DB, `SELECT count(*) FROM checkouts WHERE num_nonnulls(customer_name,
		customer_email, customer_document, sealed_document, document_digest, customer_phone) > 0
		OR metadata <> '{}' AND payment_link_id IS NULL`)
}

// fromLink creates a charge of a payment link, whose buyer is named, and cancels it.
func fromLink(t *testing.T, g *paymentstest.Gateway) *models.Checkout {
	t.Helper()
	product, err := g.Merchants.CreateProduct(t.Context(), g.Owner, g.Test,
		merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 10_00, PaymentCycle: "ONE_TIME"})
	if err != nil {
		t.Fatal(err)
	}
	link, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, payments.NewPaymentLink{
		ProductSlug: product.Slug, ExpiresIn: time.Hour, IdempotencyKey: "k", RequestHash: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	name := "Carla Menezes"
	c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Buyer: payments.Customer{Name: &name}})
	if err == nil {
		err = g.CancelCheckout(t.Context(), g.Owner, g.Test, c.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// set executes SQL text about a payment.
func set(t *testing.T, g *paymentstest.Gateway, sql, payment string) {
	t.Helper()
	_, err := g.DB.Pool.Exec(t.Context(), sql, pgx.NamedArgs{"payment": payment, "account": g.Account.ID,
		"user": g.Owner.UserID, "at": g.Clock.Now()})
	if err != nil {
		t.Fatal(err)
	}
}

// forgetBuyers runs the step at a time, in two processes at once.
func forgetBuyers(t *testing.T, g *paymentstest.Gateway, now time.Time) {
	t.Helper()
	var both errgroup.Group
	for range 2 {
		both.Go(func() error { return jobs.ForgetBuyers(t.Context(), g.DB, now, buyersKept) })
	}
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
}

// The data of buyers end after the time that the installation keeps them, and nothing else of their charges does.
// What a link wrote into the metadata stays.
func TestForgetBuyers(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	begin := g.Clock.Now()
	modelstest.Exec(t, g.DB, "UPDATE accounts SET created_at = $1", begin.Add(-90*time.Minute))
	for range 3 {
		paid(t, g)
		named(t, g)
		g.Clock.Advance(50 * time.Minute)
	}
	if _, err := g.ExpireDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	linked := fromLink(t, g)
	rest := `SELECT string_agg((to_jsonb(c) - '{customer_name,customer_email,customer_document,sealed_document,
		document_digest,customer_phone,metadata}'::text[])::text, ' ' ORDER BY id) FROM checkouts c`
	before := modelstest.One[string](t, g.DB, rest)

	for _, tc := range []struct {
		after time.Duration
		want  int
	}{
		{0, 7}, {buyersKept, 7}, {buyersKept + 23*time.Hour, 7}, {buyersKept + 24*time.Hour + time.Minute, 5},
		{buyersKept + 24*time.Hour + 51*time.Minute, 3}, {buyersKept + 28*time.Hour, 0}, {buyersKept + 29*time.Hour, 0},
	} {
		forgetBuyers(t, g, begin.Add(tc.after))
		if n := withBuyer(t, g); n != tc.want {
			t.Errorf("after %s, %d charges name their buyers, want %d", tc.after, n, tc.want)
		}
	}
	if diff := cmp.Diff(before, modelstest.One[string](t, g.DB, rest)); diff != "" {
		t.Errorf("other columns changed (-before +after)\n%s", diff)
	}
	if n := modelstest.One[int](t, g.DB, `SELECT count(*) FROM checkouts WHERE metadata ? 'productId'
		AND id = $1`, linked.ID); n != 1 {
		t.Error("the metadata of a link's charge went")
	}
}

// While a buyer may have to be found, because a payment is returned, contested or examined, or because the charge
// can still be paid, the data stay. They end when that is over, although the step has passed the charge.
func TestForgetBuyers_Needed(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct{ begin, over string }{
		"a refund": {`INSERT INTO refunds (id, payment_id, account_id, livemode, amount, reason, created_by, created_at,
				status, next_try_at)
			SELECT 'rfd_00000000000000000000', @payment, @account, false, 1, 'x', @user, @at, 'PROCESSING', @at`,
			"UPDATE refunds SET status = 'COMPLETED', next_try_at = NULL, ended_at = created_at"},
		"a dispute": {`INSERT INTO disputes (id, payment_id, account_id, livemode, bank_ref, cause, amount, blocked,
				short, status, answer_by, opened_at, created_at)
			SELECT 'dsp_00000000000000000000', @payment, @account, false, 'x', 'x', 1, 0, 0, 'DEFENDED', @at, @at, @at`,
			"UPDATE disputes SET status = 'WON', closed_at = created_at"},
		"an exception": {`INSERT INTO payment_exceptions (payment_id, kind, created_at)
			SELECT @payment, 'DUPLICATE', @at`,
			`UPDATE payment_exceptions SET decision = 'WRITTEN_OFF', reason = 'x', decided_at = created_at,
				decided_by = (SELECT min(id) FROM users)`},
		"a late payment": {"UPDATE checkouts SET paid_at = @at::timestamptz + interval '2 days' WHERE @payment <> ''",
			"UPDATE checkouts SET paid_at = created_at"},
		"a pending charge": {`UPDATE checkouts SET status = 'PENDING', paid_at = NULL, settles_at = NULL
			WHERE @payment <> ''`, "UPDATE checkouts SET status = 'CANCELLED', closed_at = created_at"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := paymentstest.New(t)
			now := g.Clock.Now()
			modelstest.Exec(t, g.DB, "UPDATE accounts SET created_at = $1", now)
			_, payment := paid(t, g)
			set(t, g, tc.begin, payment)
			for range 2 {
				forgetBuyers(t, g, now.Add(buyersKept+25*time.Hour))
				if withBuyer(t, g) != 1 {
					t.Fatal("the buyer is forgotten")
				}
			}
			set(t, g, tc.over, payment)
			forgetBuyers(t, g, now.Add(buyersKept+25*time.Hour))
			if withBuyer(t, g) != 0 || modelstest.One[int](t, g.DB, "SELECT count(*) FROM buyers_kept") != 0 {
				t.Error("the buyer is not forgotten when it is over")
			}
		})
	}
}
