package payments_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// memberAct is an operation that some members may do, on objects that are ready for it.
type memberAct struct {
	name  string
	needs models.Capability
	do    func(ctx context.Context, by models.Actor) error
}

// memberActs creates the objects, and returns the operations on them.
func memberActs(t *testing.T, g *paymentstest.Gateway) []memberAct {
	t.Helper()
	endpoint, _ := g.Endpoint(t, "https://loja.example/pix")
	g.Checkout(t, payments.NewCheckout{})
	resent := delivery(t, g, endpoint.ID)
	return append(moneyActs(t, g), append(saleActs(t, g), []memberAct{
		{"resend a delivery", models.Integrate, func(ctx context.Context, by models.Actor) error {
			return g.ResendDelivery(ctx, by, g.Test, resent.ID, rand.Text())
		}},
		{"replay deliveries", models.Integrate, func(ctx context.Context, by models.Actor) error {
			_, err := g.ReplayDeliveries(ctx, by, g.Test, models.Replay{
				EndpointID: endpoint.ID, Since: g.Clock.Now().Add(-time.Hour), Until: g.Clock.Now()})
			return err
		}},
		{"send a test event", models.Integrate, func(ctx context.Context, by models.Actor) error {
			_, err := g.SendTestEvent(ctx, by, g.Test, endpoint.ID, models.EventCheckoutPaid, "Teste")
			return err
		}},
	}...)...)
}

func moneyActs(t *testing.T, g *paymentstest.Gateway) []memberAct {
	t.Helper()
	w := g.Withdraw(t, 10_00)
	other := payments.NewDestination{
		Rail: models.RailUSDT, Type: "TRON", Address: "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", HolderName: "Ana",
	}
	d := g.Destination(t, models.RailUSDT)
	contested, err := g.OpenDispute(t.Context(), g.Staff(t), payments.NewDispute{BankRef: "1", Cause: "x", Amount: 1,
		PaymentID: modelstest.One[string](t, g.DB, "SELECT id FROM payments WHERE livemode LIMIT 1"),
		AnswerBy:  g.Clock.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return []memberAct{
		{"add a file to an answer", models.MoveMoney, func(ctx context.Context, by models.Actor) error {
			_, err := g.AddDisputeFile(ctx, by, g.Account.ID, contested.ID,
				payments.NewDisputeFile{Content: []byte("%PDF-1.7")})
			return err
		}},
		{"answer a dispute", models.MoveMoney, func(ctx context.Context, by models.Actor) error {
			_, err := g.AnswerDispute(ctx, by, g.Account.ID, contested.ID, payments.DisputeAnswer{Text: "Não"})
			return err
		}},
		{"request a withdrawal", models.MoveMoney, func(ctx context.Context, by models.Actor) error {
			in := paymentstest.Withdrawal(models.RailPix, 10_00)
			in.By = by
			_, _, err := g.RequestWithdrawal(ctx, g.Account, in)
			return err
		}},
		{"cancel a withdrawal", models.MoveMoney, func(ctx context.Context, by models.Actor) error {
			_, err := g.CancelWithdrawal(ctx, by, g.Account.ID, w.ID)
			return err
		}},
		{"request a destination", models.MoveMoney, func(ctx context.Context, by models.Actor) error {
			_, err := g.RequestDestination(ctx, by, g.Account.ID, other)
			return err
		}},
		{"remove a destination", models.MoveMoney, func(ctx context.Context, by models.Actor) error {
			return g.RemoveDestination(ctx, by, g.Account.ID, d.ID)
		}},
	}
}

func saleActs(t *testing.T, g *paymentstest.Gateway) []memberAct {
	t.Helper()
	form := merchants.ProductForm{Slug: "vaso", Name: "Vaso", Amount: 49_90, PaymentCycle: "ONE_TIME"}
	if _, err := g.Merchants.CreateProduct(t.Context(), g.Owner, g.Test, form); err != nil {
		t.Fatal(err)
	}
	open := g.Checkout(t, payments.NewCheckout{})
	return []memberAct{
		{"create a checkout", models.Sell, func(ctx context.Context, by models.Actor) error {
			in := paymentstest.Filled(payments.NewCheckout{By: &by})
			_, _, err := g.CreateCheckout(ctx, g.Test, g.Account, in)
			return err
		}},
		{"cancel a checkout", models.Sell, func(ctx context.Context, by models.Actor) error {
			return g.CancelCheckout(ctx, by, g.Test, open.ID)
		}},
		{"create a link", models.Sell, func(ctx context.Context, by models.Actor) error {
			_, _, err := g.CreatePaymentLink(ctx, g.Test, g.Account, payments.NewPaymentLink{
				By: &by, ProductSlug: "vaso", ExpiresIn: time.Hour, IdempotencyKey: rand.Text(),
				RequestHash: []byte(strings.Repeat("h", 32)),
			})
			return err
		}},
	}
}

// Every operation itself refuses an actor who may not do it: a member in another role, a
// removed member, and a stranger with another account, whatever the route allows.
func TestMemberActs_Refused(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	roles := map[models.Role]models.Actor{}
	for _, role := range []models.Role{models.RoleAdmin, models.RoleDeveloper, models.RoleFinance, models.RoleViewer} {
		roles[role] = g.Staff(t)
		joins(t, g, roles[role], role)
	}
	removed := g.Staff(t)
	joins(t, g, removed, models.RoleAdmin)
	leaves(t, g, removed)
	m, err := g.Merchants.SignUp(t.Context(), merchants.NewMerchant{
		Name: "Bia", Business: "Outra", Email: "bia@example.com", Password: paymentstest.Password, Verified: true,
	}, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range memberActs(t, g) {
		for name, by := range map[string]models.Actor{
			"a removed member": removed, "a stranger": {UserID: m.UserID, AccountID: m.AccountID},
			"a stranger who names the account": {UserID: m.UserID, AccountID: g.Account.ID}, "an unknown person": {},
		} {
			refused(t, act.name+" by "+name, act.do(t.Context(), by), refusal.Forbidden)
		}
		for role, by := range roles {
			if !role.Can(act.needs) {
				refused(t, act.name+" by "+string(role), act.do(t.Context(), by), refusal.Forbidden)
			}
		}
		if err := act.do(t.Context(), roles[models.RoleAdmin]); err != nil {
			t.Errorf("%s by an administrator: %v", act.name, err)
		}
	}
}
