package merchants_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments/paymentstest"
)

// Each switch is turned on and off independently, and its author, time and reason are stored.
// Turning a switch to its current state fails, because another person was first.
func TestSetSwitch(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := staff(t, g, "eva@example.com", models.StaffReviewer)
	state := func() (on []models.Switch) {
		a, err := models.AccountByID(t.Context(), g.DB, g.Account.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range models.Switches {
			if s.On(a) {
				on = append(on, s)
			}
		}
		return on
	}
	for _, which := range models.Switches {
		for _, on := range []bool{true, false} {
			g.Clock.Advance(1e9)
			if err := g.Merchants.SetSwitch(t.Context(), by, g.Account.ID,
				merchants.SwitchTurn{Switch: which, On: on, Reason: "  Pedido da Justiça. "}); err != nil {
				t.Fatal(err)
			}
			if err := g.Merchants.SetSwitch(t.Context(), by, g.Account.ID,
				merchants.SwitchTurn{Switch: which, On: on, Reason: "Outra pessoa também."}); !errors.Is(err,
				merchants.ErrChanged) {
				t.Errorf("again: %v", err)
			}
			var want []models.Switch
			if on {
				want = []models.Switch{which}
			}
			if diff := cmp.Diff(want, state()); diff != "" {
				t.Errorf("switches that are on (-want +got)\n%s", diff)
			}
			latest, err := models.LatestSwitchChanges(t.Context(), g.DB.Pool, g.Account.ID)
			if err != nil {
				t.Fatal(err)
			}
			change := models.SwitchChange{AccountID: g.Account.ID, Switch: which, TurnedOn: on,
				Reason: "Pedido da Justiça.", ChangedBy: by.UserID, ChangedAt: g.Clock.Now()}
			if diff := cmp.Diff(change, latest[which].SwitchChange); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		}
	}
	if changes, err := models.SwitchChanges(t.Context(), g.DB.Pool, g.Account.ID); err != nil || len(changes) != 6 {
		t.Errorf("%d changes, %v", len(changes), err)
	}
}

// The owner gets a mail with the reason for each change, and the audit log a line.
func TestSetSwitch_Told(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := staff(t, g, "eva@example.com", models.StaffReviewer)
	for _, which := range models.Switches {
		for _, on := range []bool{true, false} {
			if err := g.Merchants.SetSwitch(t.Context(), by, g.Account.ID,
				merchants.SwitchTurn{Switch: which, On: on, Reason: "Pedido da Justiça."}); err != nil {
				t.Fatal(err)
			}
		}
	}
	mails, err := models.LatestMails(t.Context(), g.DB.Pool, 100)
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]map[string]string{}
	for _, m := range mails {
		if m.Params["reason"] != "" && m.To == g.Email {
			told[m.Kind] = m.Params
		}
	}
	params := map[string]string{"name": "Ana Lima", "account": "Ateliê Aurora", "reason": "Pedido da Justiça."}
	want := map[string]map[string]string{
		models.MailAccountSuspended: params, models.MailAccountResumed: params, models.MailLiveBlocked: params,
		models.MailLiveUnblocked:      params,
		models.MailWithdrawalsBlocked: params, models.MailWithdrawalsUnblocked: params,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("mails to the owner (-want +got)\n%s", diff)
	}
	lines, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{Subject: "switch"})
	if err != nil || len(lines) != 6 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if l := lines[0]; l.Action != "switch.turned_off" || l.Before["withdrawals_blocked"] != "true" ||
		l.After["withdrawals_blocked"] != "false" || l.Detail["reason"] != "Pedido da Justiça." {
		t.Errorf("%+v", l)
	}
}

func TestSetSwitch_Invalid(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := staff(t, g, "eva@example.com", models.StaffReviewer)
	err := g.Merchants.SetSwitch(t.Context(), by, g.Account.ID,
		merchants.SwitchTurn{Switch: "PRODUCTION_ACCESS", On: true, Reason: "  "})
	if diff := cmp.Diff(error(merchants.Invalid{"switch": merchants.Unknown, "reason": merchants.Malformed}),
		err); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, id := range []string{"", "acc_00000000000000000000", "'"} {
		if err := g.Merchants.SetSwitch(t.Context(), by, id,
			merchants.SwitchTurn{Switch: models.SwitchSuspended, On: true, Reason: why.Text}); !errors.Is(err,
			models.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Of people who turn a switch at the same moment, one succeeds.
func TestSetSwitch_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := staff(t, g, "eva@example.com", models.StaffReviewer)
	refusals := make([]error, 6)
	var group sync.WaitGroup
	for i := range refusals {
		group.Go(func() {
			refusals[i] = another(g).SetSwitch(t.Context(), by, g.Account.ID,
				merchants.SwitchTurn{Switch: models.SwitchLiveBlocked, On: true, Reason: why.Text})
		})
	}
	group.Wait()
	done := 0
	for _, err := range refusals {
		if err == nil {
			done++
		} else if !errors.Is(err, merchants.ErrChanged) {
			t.Error(err)
		}
	}
	if done != 1 {
		t.Errorf("%d calls turned the switch, want 1", done)
	}
}
