package payments_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// A written history is like one that happened: the books agree with the rows, all has its time in the past, the hours
// that were rolled up before count it, and nothing is sent.
func TestWriteHistory(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for more := true; more; {
		if err := g.DB.InTx(t.Context(), func(tx *models.Tx) (err error) {
			more, err = models.RollUpHours(tx, g.Clock.Now())
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	from := g.Clock.Now().Add(-20 * 24 * time.Hour).Truncate(time.Hour)
	at := func(hours int) time.Time { return from.Add(time.Duration(hours) * time.Hour) }
	sale := func(hours int, amount int) payments.PastSale {
		return payments.PastSale{CreatedAt: at(hours), NewCheckout: paymentstest.Filled(payments.NewCheckout{
			Amount: money.Cents(amount), ExpiresIn: time.Hour})}
	}
	paid, refunded, canceled, expired, open := sale(0, 100_00), sale(1, 30_00), sale(2, 10_00), sale(3, 10_00),
		sale(20*24-1, 10_00)
	paid.PaidAt, refunded.PaidAt, canceled.CancelledAt = at(0).Add(time.Minute), at(1).Add(time.Minute),
		at(2).Add(time.Minute)
	refunded.RefundedAt, refunded.RefundedBy, refunded.Reason = at(30), g.Owner, "Desistiu"
	open.ExpiresIn, open.PaidAt = 24*time.Hour, g.Clock.Now().Add(time.Minute) // what is still to come stays open
	sales := []payments.PastSale{paid, refunded, canceled, expired, open}
	if err := g.WriteHistory(t.Context(), g.Live, g.Account, sales); err == nil {
		t.Error("live got an invented history")
	}
	if err := g.WriteHistory(t.Context(), g.Test, g.Account, sales); err != nil {
		t.Fatal(err)
	}

	if drift, err := ledger.Check(t.Context(), g.DB.Pool); err != nil || len(drift) > 0 {
		t.Errorf("the books: %v, %v", drift, err)
	}
	got := modelstest.Column[string](t, g.DB, `SELECT status || ' ' || settlement_status || ' ' ||
		coalesce(extract(epoch FROM paid_at - created_at)::int, 0) FROM checkouts ORDER BY created_at`)
	if diff := cmp.Diff([]string{"PAID AVAILABLE 60", "PAID AVAILABLE 60", "CANCELLED PENDING 0", "EXPIRED PENDING 0",
		"PENDING PENDING 0"}, got); diff != "" {
		t.Error(diff)
	}
	lines, err := models.Statement(t.Context(), g.DB.Pool, g.Account.ID, models.Test,
		models.StatementFilter{Limit: 20})
	var moved []string
	for _, l := range lines {
		moved = append(moved, l.At.UTC().Sub(from).String()+" "+string(l.Kind)+" "+l.Available.Decimal())
	}
	if diff := cmp.Diff([]string{"30h0m0s REFUND 98.71", "1h1m10s SETTLEMENT 128.71", "1h1m0s FEE 99.01",
		"1h1m0s PAYMENT 99.01", "1m10s SETTLEMENT 99.01", "1m0s FEE 0.00",
		"1m0s PAYMENT 0.00"}, moved); diff != "" || err != nil {
		t.Error(diff, err)
	}
	hours, err := models.CheckoutHours(t.Context(), g.DB.Pool, g.Test, from, g.Clock.Now().Add(time.Hour))
	var sum models.CheckoutHour
	for _, h := range hours {
		sum.Created, sum.Paid, sum.Volume = sum.Created+h.Created, sum.Paid+h.Paid, sum.Volume+h.Volume
	}
	if want := (models.CheckoutHour{Created: 5, Paid: 2, Volume: 130_00}); err != nil || sum != want {
		t.Errorf("the hours count %+v, %v; want %+v", sum, err, want)
	}
	if late := modelstest.One[int](t, g.DB, `SELECT (SELECT count(*) FROM events WHERE created_at > $1) +
		(SELECT count(*) FROM audit_log WHERE at > $1) + (SELECT count(*) FROM refunds WHERE ended_at > $1
			OR status <> 'COMPLETED') + (SELECT count(*) FROM mails) + (SELECT count(*) FROM webhook_deliveries)`,
		g.Clock.Now()); late > 0 {
		t.Errorf("%d rows are of later, or are to be sent", late)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM events"); n < 5+2 {
		t.Errorf("%d events", n)
	}
}

// Visits of a link in the past are counted by day, whatever the zone of the sales' times.
func TestWriteHistory_Visits(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link, _, err := g.CreatePaymentLink(t.Context(), g.Test, g.Account, newLink("k"))
	if err != nil {
		t.Fatal(err)
	}
	day := g.Clock.Now().Add(-5 * 24 * time.Hour)
	var sales []payments.PastSale
	for i, zone := range []*time.Location{time.UTC, time.FixedZone("", -3*60*60)} {
		at := day.Add(time.Duration(i) * time.Minute).In(zone)
		sales = append(sales, payments.PastSale{Link: link, CreatedAt: at, PaidAt: at.Add(time.Minute), Visits: 2 + i})
	}
	if err := g.WriteHistory(t.Context(), g.Test, g.Account, sales); err != nil {
		t.Fatal(err)
	}
	since := day.Add(-3 * time.Hour).Truncate(24 * time.Hour).Add(3 * time.Hour)
	f, err := models.FiguresOfLink(t.Context(), g.DB.Pool, g.Test, link.ID, since, since.Add(24*time.Hour))
	if err != nil || f.Visits != 5 || f.Created != 2 || f.Paid != 2 {
		t.Errorf("%+v, %v", f, err)
	}
}
