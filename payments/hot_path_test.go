package payments_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"garoupa/internal/tracing"
	"garoupa/internal/tracing/tracingtest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// hotPath are the works of every charge, in order, and the tables that their statements name. All of these tables
// could be split by account (docs/scale.md, "Beyond one primary"). A statement that needs one more table must be
// read with that in mind: it may join rows of one account alone.
var hotPath = []struct{ work, tables string }{
	{"create", "bank_charges checkouts events idempotency_keys webhook_deliveries webhook_endpoints"},
	{"read", "checkouts"},
	{"list", "checkouts"},
	{"pay", "checkouts events ledger_transfers payments projects refunds webhook_deliveries webhook_endpoints " +
		"withdrawals"},
	{"settle", "account_books bank_accounts checkouts ledger_transfers payments projects refunds"},
	{"take deliveries", "events projects webhook_deliveries webhook_endpoints webhook_resends"},
	{"record an attempt", "webhook_answers webhook_attempts webhook_deliveries webhook_endpoints webhook_resends"},
	{"balance", "ledger_snapshots refunds"},
}

// Each work of a charge names the tables of its list and no other.
func TestHotPath_Tables(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Endpoint(t, "https://shop.example/hook")
	tracer, sent := tracingtest.Start(t)
	known := modelstest.Column[string](t, g.DB, `SELECT relname FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
	works := worksOf(t, g)
	traces := map[string]string{}
	for _, step := range hotPath {
		ctx, work := tracer.Work(t.Context(), step.work)
		traces[step.work] = tracing.ID(ctx)
		if err := works[step.work](ctx); err != nil {
			t.Fatalf("%s: %v", step.work, err)
		}
		work.End()
	}
	statements := map[string][]string{} // by trace
	for _, span := range sent("") {
		statements[span.Trace] = append(statements[span.Trace], span.Texts["db.query.text"])
	}
	for _, step := range hotPath {
		if got := strings.Join(tablesOf(statements[traces[step.work]], known), " "); got != step.tables {
			t.Errorf("%s:\n%s, want\n%s", step.work, got, step.tables)
		}
	}
}

// worksOf returns what the works do. Each acts on what those before it made.
func worksOf(t *testing.T, g *paymentstest.Gateway) map[string]func(ctx context.Context) error {
	t.Helper()
	var made *models.Checkout
	var due []*models.DueDelivery
	return map[string]func(ctx context.Context) error{
		"create": func(ctx context.Context) (err error) {
			made, _, err = g.CreateCheckout(ctx, g.Test, g.Account, paymentstest.Filled(payments.NewCheckout{
				IdempotencyKey: "k"}))
			return err
		},
		"read": func(ctx context.Context) error {
			_, err := g.Service.Checkout(ctx, g.Test, made.ID)
			return err
		},
		"list": func(ctx context.Context) error {
			_, err := g.Checkouts(ctx, g.Test, models.CheckoutFilter{Limit: 20})
			return err
		},
		"pay": func(ctx context.Context) error {
			return g.ConfirmPayment(ctx, models.Test, simulator.Pay(made.TxID, int64(made.Amount), g.Clock.Now()))
		},
		"settle": func(ctx context.Context) error {
			g.Clock.Advance(paymentstest.SettlementDelay)
			_, err := g.SettleDue(ctx)
			return err
		},
		"take deliveries": func(ctx context.Context) error {
			busy, err := models.BusyEndpoints(ctx, g.DB.Queue, g.Clock.Now())
			if err != nil {
				return err
			}
			due, err = models.TakeDeliveries(ctx, g.DB.Queue, g.Clock.Now(),
				[]models.EndpointRoom{{BusyEndpoint: busy[0], Room: 1}})
			return err
		},
		"record an attempt": func(ctx context.Context) error {
			done := models.Attempt{StartedAt: g.Clock.Now(), StatusCode: 204}
			return g.RecordAttempt(ctx, &due[0].Delivery, nil, done)
		},
		"balance": func(ctx context.Context) error {
			_, err := g.Balance(ctx, g.Account, models.Test)
			return err
		},
	}
}

var word = regexp.MustCompile(`[a-z_]+`)

// tablesOf returns those of the known tables that statements name.
func tablesOf(statements, known []string) (tables []string) {
	for _, statement := range statements {
		for _, name := range word.FindAllString(statement, -1) {
			if slices.Contains(known, name) && !slices.Contains(tables, name) {
				tables = append(tables, name)
			}
		}
	}
	slices.Sort(tables)
	return tables
}
