package payments_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/banks/bankstest"
	"garoupa/internal/faulttest"
	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// The net amount becomes available when the delay is over, once.
func TestSettleDue(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	paid := g.Checkout(t, payments.NewCheckout{Amount: 100_00})
	g.Checkout(t, payments.NewCheckout{Amount: 100_00}) // never paid
	if err := g.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(paymentstest.SettlementDelay - time.Millisecond)
	if n, err := g.SettleDue(t.Context()); n != 0 || err != nil {
		t.Fatalf("a millisecond too early: %d, %v", n, err)
	}
	g.Clock.Advance(time.Millisecond)
	var settled [5]int
	var group errgroup.Group
	for i := range settled {
		group.Go(func() (err error) { settled[i], err = g.SettleDue(t.Context()); return err })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := settled[0] + settled[1] + settled[2] + settled[3] + settled[4]; n != 1 {
		t.Errorf("settled %v", settled)
	}
	c, err := g.Service.Checkout(t.Context(), g.Test, paid.ID)
	if err != nil || c.SettlementStatus != models.SettlementAvailable || c.SettlementAmount == nil ||
		*c.SettlementAmount != 99_01 {
		t.Errorf("settlement %s %v, %v", c.SettlementStatus, c.SettlementAmount, err)
	}
	for kind, want := range map[ledger.Kind]int64{ledger.Pending: 0, ledger.Available: 99_01} {
		if got := modelstest.Held(t, g.DB, ledger.Account(g.Account.ID, models.Test, kind)); int64(got) != want {
			t.Errorf("%s holds %d, want %d", kind, got, want)
		}
	}
	if drift, err := ledger.Check(t.Context(), g.DB.Pool); len(drift) != 0 || err != nil {
		t.Errorf("drift %v, %v", drift, err)
	}
}

// Several instances, some of which die half-way, settle each of many checkouts once.
func TestSettleDue_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	const n = 350
	for range n {
		c := g.Checkout(t, payments.NewCheckout{Amount: 1_00})
		if err := g.ConfirmPayment(t.Context(), models.Test, simulator.Pay(c.TxID, 1_00, g.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	g.Clock.Advance(paymentstest.SettlementDelay)
	var settled [6]int
	var group errgroup.Group
	for i := range settled {
		group.Go(func() (err error) {
			if i%2 == 1 { // this process dies
				ctx, die := context.WithTimeout(t.Context(), time.Duration(i)*5*time.Millisecond)
				defer die()
				_, _ = g.SettleDue(ctx)
			}
			settled[i], err = payments.New(g.Options).SettleDue(t.Context())
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	// Rows that a dead session has locked are skipped until PostgreSQL notices its end.
	for alive := 1; alive > 0; {
		alive = count(t,
			g,
			"pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT "+
				"NULL AND backend_type = 'client backend'")
	}
	if _, err := g.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lines := count(t, g, "ledger_transfers WHERE fact LIKE 'settlement/%'"); lines != n ||
		balance(t, g, models.Test).Available != n*99 {
		t.Errorf("%d postings, balance %+v", lines, balance(t, g, models.Test))
	}
	sound(t, g)
}

// The settlement delay of a live account is fixed for a checkout when the checkout is created.
func TestSettleDue_OwnDelay(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.GoLive(t)
	pay := func() {
		t.Helper()
		for _, scope := range []models.Scope{g.Test, g.Live} {
			c, _, err := g.CreateCheckout(t.Context(), scope, g.Account, paymentstest.Filled(payments.NewCheckout{}))
			if err == nil {
				err = g.ConfirmPayment(t.Context(), scope.Environment,
					simulator.Pay(c.TxID, int64(c.Amount), g.Clock.Now()))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	pay()
	hour := int64(3600)
	g.SetLimits(t, models.Limits{SettlementDelay: &hour})
	pay()
	for _, step := range []struct {
		wait time.Duration
		want int
	}{{paymentstest.SettlementDelay, 3}, {time.Hour - paymentstest.SettlementDelay - time.Millisecond, 0},
		{time.Millisecond, 1}} {
		g.Clock.Advance(step.wait)
		if n, err := g.SettleDue(t.Context()); n != step.want || err != nil {
			t.Errorf("after %s: %d, %v; want %d", step.wait, n, err, step.want)
		}
	}
}

// Checkouts become COMPLETED once, first paid first, as far as the money that left the
// account covers them.
func TestCoverDue(t *testing.T) {
	t.Parallel()
	g := live(t, 0)
	by := g.Staff(t)
	var checkouts []*models.Checkout
	fund := func(amounts ...money.Cents) {
		for _, amount := range amounts {
			checkouts = append(checkouts, g.Fund(t, models.Live, amount))
		}
	}
	complete := func(amount money.Cents) string {
		id := g.Withdraw(t, amount).ID
		g.PayOut(t, by, id)
		return id
	}
	states := func() string {
		t.Helper()
		_, err := g.CoverDue(t.Context())
		must(t, err)
		var text strings.Builder
		for _, c := range checkouts {
			now, err := g.Service.Checkout(t.Context(), g.Live, c.ID)
			if err != nil || now.SettlementAmount == nil || *now.SettlementAmount != c.Amount {
				t.Fatalf("%+v, %v", now, err)
			}
			text.WriteString(string(now.SettlementStatus[:1]))
		}
		sound(t, g)
		return text.String()
	}
	fund(10_00, 20_00, 30_00)
	var returned, asked string
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"nothing", func() {}, "AAA"},
		{"requested", func() { asked = g.Withdraw(t, 5_00).ID }, "AAA"},
		{"less than the first", func() { complete(9_99) }, "AAA"},
		{"the first and part of the second", func() { returned = complete(10_00) }, "CAA"},
		{"all of the second", func() { complete(10_01) }, "CCA"},
		{"money that came back has to leave again", func() {
			_, err := g.ReturnWithdrawal(t.Context(), by, returned, g.Version(t, returned), "MD06", "Devolvido.")
			must(t, err)
			complete(10_00)
		}, "CCA"},
		{"a refund leaves too", func() {
			var id string
			must(t, g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE checkout_id = $1",
				checkouts[2].ID).Scan(&id))
			_, err := g.RefundPayment(t.Context(), by,
				payments.NewRefund{PaymentID: id, Amount: 25_00, Reason: paymentstest.Reason})
			must(t, err)
		}, "CCA"},
		{"one more checkout", func() { fund(40_00) }, "CCAA"},
		{"the rest of the third", func() { complete(5_00) }, "CCCA"},
		{"part of the fourth", func() { complete(35_00) }, "CCCA"},
		{"all of the fourth", func() {
			_, err := g.CancelWithdrawal(t.Context(), g.Owner, g.Account.ID, asked)
			must(t, err)
			complete(5_00)
		}, "CCCC"},
	} {
		step.do()
		if got := states(); got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
	}
}

// expectSettlement completes what is covered, and checks the status of a live checkout's settlement.
func expectSettlement(t *testing.T, g *paymentstest.Gateway, id string, want models.SettlementStatus) {
	t.Helper()
	_, err := g.CoverDue(t.Context())
	must(t, err)
	c, err := g.Service.Checkout(t.Context(), g.Live, id)
	if err != nil || c.SettlementStatus != want {
		t.Errorf("the settlement is %s, %v; want %s", c.SettlementStatus, err, want)
	}
	sound(t, g)
}

// A checkout whose money had left before it settled becomes COMPLETED then, and waits for no other money to leave;
// also if the process ends as soon as it has settled.
func TestCoverDue_LeftBefore(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(t *testing.T, h *bankstest.House, c *models.Checkout){
		"lost by MED": func(t *testing.T, h *bankstest.House, c *models.Checkout) {
			decide(t, h, contest(t, h, c, 0), "RETURNED", 0)
		},
		"refunded on its day": func(t *testing.T, h *bankstest.House, c *models.Checkout) {
			ended(t, h, refund(t, h, c.ID, 0).ID, models.RefundCompleted)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := bankstest.At(t, "efi")
			c := sold(t, h)
			leave(t, h, c)
			expectSettlement(t, h.Gateway, c.ID, models.SettlementPending)
			h.Later(paymentstest.SettlementDelay)
			must(t, h.SettleBatch(t.Context(), models.Live))
			expectSettlement(t, h.Gateway, c.ID, models.SettlementCompleted)
		})
	}
}

// Settlements write to no book of which they complete no checkout.
func TestSettleDue_BookUntouched(t *testing.T) {
	t.Parallel()
	g := live(t, 0)
	by := g.Staff(t)
	first := g.Fund(t, models.Live, 10_00)
	g.PayOut(t, by, g.Withdraw(t, 9_99).ID)
	expectSettlement(t, g, first.ID, models.SettlementAvailable)
	const version = "SELECT xmin::text || ' ' || xmax::text || ' ' || covering FROM account_books WHERE livemode"
	before := modelstest.One[string](t, g.DB, version)
	second := g.Fund(t, models.Live, 5_00) // less than what is uncovered, and behind the first
	if now := modelstest.One[string](t, g.DB, version); now != before {
		t.Errorf("the settlement changed the book from %s to %s", before, now)
	}
	expectSettlement(t, g, second.ID, models.SettlementAvailable)
	g.PayOut(t, by, g.Withdraw(t, 5_01).ID)
	expectSettlement(t, g, second.ID, models.SettlementCompleted)
}

// A book that another process has locked delays no settlement. What its account left uncovered is found with the
// next one.
func TestSettleDue_BookHeld(t *testing.T) {
	t.Parallel()
	h := bankstest.At(t, "efi")
	c := sold(t, h)
	decide(t, h, contest(t, h, c, 0), "RETURNED", 0)
	expectSettlement(t, h.Gateway, c.ID, models.SettlementPending)
	release := faulttest.Hold(t, addressOf(h.Gateway), "SELECT FROM account_books FOR UPDATE")
	h.Later(paymentstest.SettlementDelay)
	if n, err := h.SettleDue(t.Context()); n != 1 || !models.Unavailable(err) {
		t.Errorf("while the book is locked: %d, %v", n, err)
	}
	release()
	expectSettlement(t, h.Gateway, c.ID, models.SettlementAvailable)
	sold(t, h)
	settle(t, h)
	expectSettlement(t, h.Gateway, c.ID, models.SettlementCompleted)
}

// Several instances cover many checkouts of two projects in batches.
func TestCoverDue_Concurrent(t *testing.T) {
	t.Parallel()
	g := live(t, 0)
	second := models.Project{ID: models.NewProjectID(), AccountID: g.Account.ID, Name: "Outra",
		CreatedAt: g.Clock.Now()}
	if err := g.DB.Create(&second).Error; err != nil {
		t.Fatal(err)
	}
	const n = 230
	for i := range n {
		scope := g.Live
		if i%2 == 1 {
			scope.ProjectID = second.ID
		}
		c, _, err := g.CreateCheckout(t.Context(), scope, g.Account,
			paymentstest.Filled(payments.NewCheckout{Amount: 1_00}))
		if err == nil {
			err = g.ConfirmPayment(t.Context(), models.Live, simulator.Pay(c.TxID, 1_00, g.Clock.Now()))
		}
		if err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(time.Millisecond)
	}
	g.Clock.Advance(paymentstest.SettlementDelay)
	if _, err := g.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.PayOut(t, g.Staff(t), g.Withdraw(t, 220*99).ID)
	var covered [4]int
	var group errgroup.Group
	for i := range covered {
		group.Go(func() (err error) { covered[i], err = g.CoverDue(t.Context()); return err })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if sum := covered[0] + covered[1] + covered[2] + covered[3]; sum != 220 {
		t.Errorf("covered %v", covered)
	}
	if newest := count(t, g,
		"checkouts WHERE settlement_status = 'AVAILABLE' AND paid_at >= (SELECT paid_at FROM checkouts ORDER BY "+
			"paid_at DESC OFFSET 9 LIMIT 1)"); newest != 10 {
		t.Errorf("of the newest ten checkouts %d are not COMPLETED", newest)
	}
	sound(t, g)
}
