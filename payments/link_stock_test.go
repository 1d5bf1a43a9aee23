package payments_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// linkWith makes a link of the product "vaso" with these terms, in test.
func linkWith(t *testing.T, g *paymentstest.Gateway, scope models.Scope, terms models.LinkTerms) *models.PaymentLink {
	t.Helper()
	in := newLink(fmt.Sprintf("k-%d", count(t, g, "payment_links")))
	in.LinkTerms = terms
	link, _, err := g.CreatePaymentLink(t.Context(), scope, g.Account, in)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// linkNow returns the link as it is.
func linkNow(t *testing.T, g *paymentstest.Gateway, link *models.PaymentLink) *models.PaymentLink {
	t.Helper()
	scope := models.Scope{ProjectID: link.ProjectID, Environment: link.Environment}
	now, err := g.PaymentLink(t.Context(), scope, link.ID)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// soldOut reports whether err says that a link is sold out, and whether open charges hold units.
func soldOut(err error) (is, held bool) {
	cause, is := errors.AsType[payments.LinkSoldOut](err)
	return is && refusal.Of(err).Code == refusal.PaymentLinkNotFound, cause.Held
}

func units(t *testing.T, g *paymentstest.Gateway, link *models.PaymentLink, sold, held, left, oversold int) {
	t.Helper()
	now := linkNow(t, g, link)
	if now.Sold != sold || now.Held != held || *now.Left() != left || now.Oversold() != oversold {
		t.Errorf("sold %d, held %d, left %d, oversold %d", now.Sold, now.Held, *now.Left(), now.Oversold())
	}
}

// Many buyers at once get as many charges as the stock has units, at any instance. For the last unit exactly one
// of two gets a charge.
func TestLinkStock_AtOnce(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	instances := []*payments.Service{g.Service, payments.New(g.Options)}
	for _, tc := range []struct{ buyers, stock int }{{2, 1}, {20, 5}} {
		link := linkWith(t, g, g.Test, models.LinkTerms{Stock: &tc.stock})
		var made, refused atomic.Int32
		var group errgroup.Group
		for i := range tc.buyers {
			group.Go(func() error {
				_, err := instances[i%2].UsePaymentLink(t.Context(), link.ID,
					payments.LinkChoice{Form: fmt.Sprint("form ", i)})
				if is, held := soldOut(err); is && held {
					refused.Add(1)
				} else if err == nil {
					made.Add(1)
				} else {
					return err
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if int(made.Load()) != tc.stock || int(refused.Load()) != tc.buyers-tc.stock {
			t.Errorf("%d buyers of %d units: %d charges, %d refused", tc.buyers, tc.stock, made.Load(), refused.Load())
		}
		units(t, g, link, 0, tc.stock, 0, 0)
	}
}

// A sale that has read the link waits for one that is being written, and then counts its units.
func TestLinkStock_Race(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link := linkWith(t, g, g.Test, models.LinkTerms{Stock: new(1)})
	buy := func() error {
		_, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{})
		return err
	}
	first, second := g.Race(t, buy, buy)
	if is, held := soldOut(second); first != nil || !is || !held {
		t.Errorf("the first: %v; the second: %v", first, second)
	}
}

// A form that bought the last unit leads to its charge however often it is sent, also at once.
func TestLinkStock_Form(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link := linkWith(t, g, g.Test, models.LinkTerms{Stock: new(1)})
	ids := make([]string, 6)
	var group errgroup.Group
	for i := range ids {
		group.Go(func() error {
			c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: "one"})
			if err == nil {
				ids[i] = c.ID
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(slices.Compact(ids)) != 1 {
		t.Errorf("one form has the charges %v", ids)
	}
	if _, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: "two"}); err == nil {
		t.Error("another form bought the unit again")
	}
}

// Charges that expire or are canceled give their units back, those that are paid take them. A charge that turns out
// to be paid after its units went to others is paid all the same.
func TestLinkStock_Returned(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link := linkWith(t, g, g.Test, models.LinkTerms{Stock: new(3), MaxQuantity: 3})
	buy := func(quantity int) *models.Checkout {
		t.Helper()
		c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Quantity: quantity})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	cancelled, late := buy(1), buy(2)
	units(t, g, link, 0, 3, 0, 0)
	if err := g.CancelCheckout(t.Context(), g.Owner, g.Test, cancelled.ID); err != nil {
		t.Fatal(err)
	}
	units(t, g, link, 0, 2, 1, 0)
	paidAt := g.Clock.Now()
	g.Clock.Advance(time.Hour)
	if n, err := g.ExpireDue(t.Context()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	units(t, g, link, 0, 0, 3, 0)
	taken := buy(3)
	if err := g.SimulatePayment(t.Context(), taken.ID); err != nil {
		t.Fatal(err)
	}
	units(t, g, link, 3, 0, 0, 0)
	if _, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{}); err == nil {
		t.Error("sold more than there is")
	} else if _, held := soldOut(err); held {
		t.Error("paid units may come back")
	}
	if err := g.ConfirmPayment(t.Context(), models.Test,
		simulator.Pay(late.TxID, int64(late.Amount), paidAt)); err != nil {
		t.Fatal(err)
	}
	if c, err := g.Service.Checkout(t.Context(), g.Test, late.ID); err != nil || c.Status != models.CheckoutPaid {
		t.Errorf("paid in time, heard of too late: %+v, %v", c, err)
	}
	units(t, g, link, 5, 0, 0, 2)
}

// A sale whose answer was lost finds that the last unit is its own.
func TestLinkStock_AnswerLost(t *testing.T) {
	t.Parallel()
	g, proxy := paymentstest.NewBehind(t)
	product(t, g, g.Test)
	for i, form := range []string{"", "form"} {
		link := linkWith(t, g, g.Test, models.LinkTerms{Stock: new(1)})
		proxy.LoseAnswers(1, "commit")
		if _, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Form: form}); err != nil {
			t.Errorf("with the form %q: %v", form, err)
		}
		if proxy.Lost() != i+1 {
			t.Errorf("%d answers were lost", proxy.Lost())
		}
		units(t, g, link, 0, 1, 0, 0)
	}
}

// A link judges a buyer's choice by its terms, and by those of the account.
func TestUsePaymentLink_Choice(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	vase := product(t, g, g.Test)
	name, email := "Carla", "carla@example.com"
	ends := g.Clock.Now().Add(time.Hour)
	links := map[string]*models.PaymentLink{
		"plain":    linkWith(t, g, g.Test, models.LinkTerms{}),
		"many":     linkWith(t, g, g.Test, models.LinkTerms{MaxQuantity: 5}),
		"few left": linkWith(t, g, g.Test, models.LinkTerms{MaxQuantity: 5, Stock: new(2)}),
		"open":     linkWith(t, g, g.Test, models.LinkTerms{OpenAmount: &models.Range{Min: 5_00, Max: 80_00}}),
		"required": linkWith(t, g, g.Test, models.LinkTerms{BuyerData: models.BuyerDataRequired}),
		"off":      linkWith(t, g, g.Test, models.LinkTerms{BuyerData: models.BuyerDataOff}),
		"ends":     linkWith(t, g, g.Test, models.LinkTerms{EndsAt: &ends}),
	}
	whole := payments.Customer{Name: &name, Email: &email}
	for _, tc := range []struct {
		link   string
		choice payments.LinkChoice
		field  string // that is refused; "" for none
		price  money.Cents
	}{
		{"plain", payments.LinkChoice{}, "", vase.Amount},
		{"plain", payments.LinkChoice{Amount: 1_00}, "", vase.Amount},
		{"plain", payments.LinkChoice{Quantity: 2}, "quantity", 0},
		{"plain", payments.LinkChoice{Buyer: payments.Customer{Name: &name}}, "", vase.Amount},
		{"plain", payments.LinkChoice{Buyer: payments.Customer{Email: &email}}, "", vase.Amount},
		{"many", payments.LinkChoice{Quantity: 5}, "", 5 * vase.Amount},
		{"many", payments.LinkChoice{Quantity: 6}, "quantity", 0},
		{"many", payments.LinkChoice{Quantity: -1}, "quantity", 0},
		{"few left", payments.LinkChoice{Quantity: 3}, "quantity", 0},
		{"open", payments.LinkChoice{}, "amount", 0},
		{"open", payments.LinkChoice{Amount: 4_99}, "amount", 0},
		{"open", payments.LinkChoice{Amount: 80_01}, "amount", 0},
		{"open", payments.LinkChoice{Amount: 5_00}, "", 5_00},
		{"open", payments.LinkChoice{Amount: 80_00}, "", 80_00},
		{"required", payments.LinkChoice{Buyer: payments.Customer{Email: &email}}, "name", 0},
		{"required", payments.LinkChoice{Buyer: payments.Customer{Name: &name}}, "email", 0},
		{"required", payments.LinkChoice{Buyer: whole}, "", vase.Amount},
		{"off", payments.LinkChoice{Buyer: whole}, "", vase.Amount},
		{"ends", payments.LinkChoice{}, "", vase.Amount},
	} {
		c, err := g.UsePaymentLink(t.Context(), links[tc.link].ID, tc.choice)
		refused, _ := errors.AsType[payments.ChoiceRefused](err)
		if refused.Field != tc.field || (err == nil) != (tc.field == "") || err == nil && c.Amount != tc.price {
			t.Errorf("%s, %+v: %v", tc.link, tc.choice, err)
		}
		if tc.link == "off" && err == nil && (c.CustomerName != nil || c.CustomerEmail != nil) {
			t.Error("a link that asks for nothing stored who buys")
		}
	}
	g.Clock.Advance(time.Hour)
	if _, err := g.UsePaymentLink(t.Context(), links["ends"].ID, payments.LinkChoice{}); !errors.As(err,
		new(payments.LinkEnded)) {
		t.Errorf("at the end: %v", err)
	}
}

// A checkout says how many units it is for, and its renewal is for as many.
func TestUsePaymentLink_Quantity(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	vase := product(t, g, g.Test)
	link := linkWith(t, g, g.Test, models.LinkTerms{MaxQuantity: 5})
	c, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Quantity: 2})
	if err != nil {
		t.Fatal(err)
	}
	if c.Description != "2 × Vaso" || string(c.Metadata) !=
		`{"paymentLinkId":"`+link.ID+`","productId":"vaso","quantity":"2"}` {
		t.Errorf("two vases: %q, %s", c.Description, c.Metadata)
	}
	if err := g.SimulateExpiry(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	if again, err := g.RenewCheckout(t.Context(), c.ID); err != nil || again.Amount != 2*vase.Amount {
		t.Errorf("renewed: %+v, %v", again, err)
	}
	most := 3 * vase.Amount
	g.SetLimits(t, models.Limits{MaxAmount: &most})
	if _, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{Quantity: 4}); !errors.As(err,
		new(payments.ChoiceRefused)) {
		t.Errorf("beyond the account's limit: %v", err)
	}
}

// What changes while a sale is on its way counts: the sale waits for the change.
func TestUsePaymentLink_Changed(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	product(t, g, g.Test)
	link := linkWith(t, g, g.Test, models.LinkTerms{})
	change := func() error {
		return g.Merchants.UpdatePaymentLink(t.Context(), g.Owner, g.Test, link.ID, merchants.LinkForm{
			ExpiresIn: time.Hour, Left: new(0),
			LinkTerms: models.LinkTerms{BuyerData: models.BuyerDataOff, MaxQuantity: 1}})
	}
	buy := func() error {
		_, err := g.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{})
		return err
	}
	if changed, bought := g.Race(t, change, buy); changed != nil || !errors.As(bought,
		new(payments.LinkSoldOut)) {
		t.Errorf("the stock is taken away: %v; bought: %v", changed, bought)
	}
}

// At a bank the stock is judged once more when the bank has issued the code: of two buyers of the last unit one gets a
// charge, and the other's is removed at the bank.
func TestLinkStock_AtBank(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	product(t, h.Gateway, h.Live)
	link := linkWith(t, h.Gateway, h.Live, models.LinkTerms{Stock: new(1)})
	buy := func() error {
		_, err := h.UsePaymentLink(t.Context(), link.ID, payments.LinkChoice{})
		return err
	}
	first, second := h.Race(t, buy, buy)
	if is, _ := soldOut(second); first != nil || !is {
		t.Errorf("the first: %v; the second: %v", first, second)
	}
	h.Tend(t)
	states := modelstest.One[string](t, h.DB, "SELECT string_agg(status, ' ' ORDER BY status) FROM bank_charges")
	if states != "OPEN REMOVED" {
		t.Errorf("the charges at the bank are %s", states)
	}
	units(t, h.Gateway, link, 0, 1, 0, 0)
}
