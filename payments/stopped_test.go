package payments_test

import (
	"testing"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// set changes the merchant's account in the database after the test has read it.
func set(t testing.TB, g *paymentstest.Gateway, column string, value any) {
	t.Helper()
	modelstest.Exec(t, g.DB, "UPDATE accounts SET "+column+" = $1 WHERE id = $2", value, g.Account.ID)
}

// approved returns a new withdrawal that staff have approved.
func approved(t *testing.T, g *paymentstest.Gateway, by models.Actor) *models.Withdrawal {
	t.Helper()
	w, err := g.ApproveWithdrawal(t.Context(), by, g.Withdraw(t, 50_00).ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// While an account is stopped, nothing of it is approved, and no payout starts, by staff or
// automatically. Payouts that were made are recorded, rejected money goes back, and everything
// continues when the stop ends.
func TestStopped(t *testing.T) {
	t.Parallel()
	for _, stop := range []struct {
		column  string
		on, off any
	}{{"suspended", true, false}, {"withdrawals_blocked", true, false}, {"production_access", "REJECTED", "APPROVED"}} {
		t.Run(stop.column, func(t *testing.T) {
			t.Parallel()
			g := live(t, 1000_00)
			by := g.Staff(t)
			review, rejected := g.Withdraw(t, 50_00), g.Withdraw(t, 50_00)
			sent, failed, started := approved(t, g, by), approved(t, g, by), approved(t, g, by)
			if _, err := g.StartPayout(t.Context(), by, started.ID, 2); err != nil {
				t.Fatal(err)
			}
			destination, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID, key)
			if err != nil {
				t.Fatal(err)
			}
			set(t, g, stop.column, stop.on)
			_, err = g.ApproveWithdrawal(t.Context(), by, review.ID, 1)
			refused(t, "approve", err, refusal.AccountStopped)
			_, err = g.StartPayout(t.Context(), by, sent.ID, 2)
			refused(t, "start", err, refusal.AccountStopped)
			refused(t, "approve a destination", g.ApproveDestination(t.Context(), by, destination.ID, 1),
				refusal.AccountStopped)
			_, _, err = g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailPix, 10_00))
			if err == nil {
				t.Error("a request with the account from before the stop succeeded")
			}
			g.Clock.Advance(time.Minute)
			if err := g.PayOutDue(t.Context()); err != nil { // completes started payouts, and starts none
				t.Fatal(err)
			}
			if _, err := g.RejectWithdrawal(t.Context(), by, rejected.ID, 1, "OTHER", paymentstest.Reason); err != nil {
				t.Errorf("reject: %v", err)
			}
			if _, err := g.FailWithdrawal(t.Context(), by, failed.ID, 2, "OTHER", paymentstest.Reason); err != nil {
				t.Errorf("fail: %v", err)
			}
			states := func(when string, want ...models.WithdrawalStatus) {
				t.Helper()
				for i, w := range []*models.Withdrawal{review, sent, started} {
					if now, err := models.AccountWithdrawalByID(t.Context(), g.DB.Pool, w.ID); err != nil ||
						now.Status != want[i] {
						t.Errorf("%s %d is %s, %v; want %s", when, i, now.Status, err, want[i])
					}
				}
			}
			states("stopped,", models.WithdrawalPendingReview, models.WithdrawalApproved, models.WithdrawalCompleted)
			set(t, g, stop.column, stop.off)
			if _, err := g.ApproveWithdrawal(t.Context(), by, review.ID, 1); err != nil {
				t.Errorf("approve afterwards: %v", err)
			}
			if err := g.PayOutDue(t.Context()); err != nil {
				t.Fatal(err)
			}
			states("afterwards,", models.WithdrawalApproved, models.WithdrawalProcessing, models.WithdrawalCompleted)
			if err := g.ApproveDestination(t.Context(), by, destination.ID, 1); err != nil {
				t.Errorf("approve a destination afterwards: %v", err)
			}
			sound(t, g)
		})
	}
}

// Blocked live operations stop charges but not withdrawals.
func TestStopped_LiveBlocked(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	set(t, g, "live_blocked", true)
	g.PayOut(t, g.Staff(t), g.Withdraw(t, 50_00).ID)
}

// Many withdrawals of a stopped account do not delay those of another account.
func TestPayOutDue_StoppedAccount(t *testing.T) {
	t.Parallel()
	g := live(t, 10_000_00)
	by := g.Staff(t)
	for range 101 { // more than one sweep handles
		if _, err := g.ApproveWithdrawal(t.Context(), by, g.Withdraw(t, 5_00).ID, 1); err != nil {
			t.Fatal(err)
		}
	}
	g.Clock.Advance(time.Second)
	other := models.Account{
		ID: "acc_00000000000000000000", Name: "Outra",
		AccountSwitches: models.AccountSwitches{ProductionAccess: models.AccessApproved},
		CreatedAt:       g.Clock.Now(),
	}
	if err := g.DB.InTx(t.Context(),
		func(tx *models.Tx) error { return models.InsertAccount(tx, &other) }); err != nil {
		t.Fatal(err)
	}
	const move = `INSERT INTO withdrawals (id, account_id, rail, status, version, amount, fee, destination_id,
		requested_by, approved_by, approved_at, created_at, updated_at)
		SELECT 'wdr_00000000000000000000', $1, rail, status, version, amount, fee, destination_id, requested_by,
		approved_by, approved_at, $2, $3 FROM withdrawals LIMIT 1`
	modelstest.Exec(t, g.DB, move, other.ID, g.Clock.Now(), g.Clock.Now())
	set(t, g, "suspended", true)
	g.Clock.Advance(time.Minute)
	if err := g.PayOutDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w, err := models.AccountWithdrawalByID(t.Context(), g.DB.Pool, "wdr_00000000000000000000"); err != nil ||
		w.Status != models.WithdrawalProcessing {
		t.Errorf("the other account's withdrawal is %s, %v", w.Status, err)
	}
}

// awaitWaiting returns when a session waits for a lock. It fails the test if the decision is
// made before that.
func awaitWaiting(t *testing.T, g *paymentstest.Gateway, decided chan error) error {
	t.Helper()
	for waiting := 0; waiting == 0; {
		select {
		case err := <-decided:
			t.Errorf("the decision did not wait for the switch: %v", err)
			decided <- err
			return nil
		default:
		}
		const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() " +
			"AND wait_event_type = 'Lock'"
		if err := g.DB.Pool.QueryRow(t.Context(), query).Scan(&waiting); err != nil {
			return err
		}
	}
	return nil
}

// If a switch is turned and a decision made at the same moment, one comes before the other,
// and the decision sees a switch that came before it.
func TestStopped_SameMoment(t *testing.T) {
	t.Parallel()
	acts := map[string]func(g *paymentstest.Gateway, by models.Actor, review, sent *models.Withdrawal,
		d *models.Destination) error{
		"approve": func(g *paymentstest.Gateway, by models.Actor, review, _ *models.Withdrawal,
			_ *models.Destination) error {
			_, err := g.ApproveWithdrawal(t.Context(), by, review.ID, 1)
			return err
		},
		"start": func(g *paymentstest.Gateway, by models.Actor, _, sent *models.Withdrawal,
			_ *models.Destination) error {
			_, err := g.StartPayout(t.Context(), by, sent.ID, 2)
			return err
		},
		"approve a destination": func(g *paymentstest.Gateway, by models.Actor, _, _ *models.Withdrawal,
			d *models.Destination) error {
			return g.ApproveDestination(t.Context(), by, d.ID, 1)
		},
		"request": func(g *paymentstest.Gateway, _ models.Actor, _, _ *models.Withdrawal,
			_ *models.Destination) error {
			_, _, err := g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailPix, 10_00))
			return err
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := live(t, 100_00)
			by := g.Staff(t)
			review, sent := g.Withdraw(t, 10_00), g.Withdraw(t, 10_00)
			if _, err := g.ApproveWithdrawal(t.Context(), by, sent.ID, 1); err != nil {
				t.Fatal(err)
			}
			d, err := g.RequestDestination(t.Context(), g.Owner, g.Account.ID, key)
			if err != nil {
				t.Fatal(err)
			}
			decided := make(chan error, 1)
			// Turn the switch, and commit when the decision waits for it.
			err = g.DB.InTx(t.Context(), func(tx *models.Tx) error {
				if _, err := models.SetSwitch(tx, g.Account.ID, models.SwitchSuspended, true); err != nil {
					return err
				}
				go func() { decided <- act(g, by, review, sent, d) }()
				return awaitWaiting(t, g, decided)
			})
			if err != nil {
				t.Fatal(err)
			}
			want := refusal.AccountStopped
			if name == "request" {
				want = refusal.AccountSuspended
			}
			refused(t, name, <-decided, want)
		})
	}
}
