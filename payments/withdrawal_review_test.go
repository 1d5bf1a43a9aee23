package payments_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// withdrawalAct is something that is done to a withdrawal.
type withdrawalAct struct {
	name string
	do   func(g *paymentstest.Gateway, by payments.Actor, id string) error
}

// withdrawalActs are all that there are.
func withdrawalActs(t *testing.T) []withdrawalAct {
	return []withdrawalAct{
		{"cancel", func(g *paymentstest.Gateway, _ payments.Actor, id string) error {
			_, err := g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, id)
			return err
		}},
		{"reject", func(g *paymentstest.Gateway, by payments.Actor, id string) error {
			_, err := g.RejectWithdrawal(t.Context(), by, id, version(t, g, id), "DATA_MISMATCH", "O titular é outro.")
			return err
		}},
		{"approve", func(g *paymentstest.Gateway, by payments.Actor, id string) error {
			_, err := g.ApproveWithdrawal(t.Context(), by, id, version(t, g, id))
			return err
		}},
		{"start", func(g *paymentstest.Gateway, by payments.Actor, id string) error {
			_, err := g.StartPayout(t.Context(), by, id)
			return err
		}},
		{"complete", func(g *paymentstest.Gateway, by payments.Actor, id string) error {
			_, err := g.CompleteWithdrawal(t.Context(), by, id, payments.Proof{EndToEndID: "E" + id[4:]})
			return err
		}},
		{"fail", func(g *paymentstest.Gateway, by payments.Actor, id string) error {
			_, err := g.FailWithdrawal(t.Context(), by, id, "AC03", "A conta não existe.")
			return err
		}},
		{"return", func(g *paymentstest.Gateway, by payments.Actor, id string) error {
			_, err := g.ReturnWithdrawal(t.Context(), by, id, "MD06", "Devolvido pelo recebedor.")
			return err
		}},
	}
}

// Whatever state a withdrawal is in, each act is either done, with its movement of
// money, or refused and changes nothing (decisions, 7).
func TestWithdrawal_Transitions(t *testing.T) {
	t.Parallel()
	acts := withdrawalActs(t)
	// What each act makes of each state, and what all of it did to the books available,
	// reserved, paid_out and fees, with 100.00 and a fee of 1.00.
	const back = " 0.00 0.00 0.00 0.00"
	outcomes := map[models.WithdrawalStatus]map[string]string{
		"PENDING_REVIEW": {"cancel": "CANCELLED" + back, "reject": "REJECTED" + back, "approve": "APPROVED -100.00 100.00 0.00 0.00"},
		"APPROVED":       {"start": "PROCESSING -100.00 100.00 0.00 0.00", "fail": "FAILED" + back},
		"PROCESSING":     {"complete": "COMPLETED -100.00 0.00 99.00 1.00", "fail": "FAILED" + back},
		"COMPLETED":      {"return": "RETURNED -1.00 0.00 0.00 1.00"},
		"CANCELLED":      {}, "REJECTED": {}, "FAILED": {}, "RETURNED": {},
	}
	ways := map[models.WithdrawalStatus][]int{
		"PENDING_REVIEW": {}, "APPROVED": {2}, "PROCESSING": {2, 3}, "COMPLETED": {2, 3, 4},
		"CANCELLED": {0}, "REJECTED": {1}, "FAILED": {2, 5}, "RETURNED": {2, 3, 4, 6},
	}
	g := live(t, 10_000_00)
	g.Account.WithdrawalFeeFixed = 1_00
	by := g.Staff(t)
	for from, way := range ways {
		for _, a := range acts {
			w := g.Withdraw(t, 100_00)
			for _, step := range way {
				if err := acts[step].do(g, by, w.ID); err != nil {
					t.Fatalf("%s on the way to %s: %v", acts[step].name, from, err)
				}
			}
			before := stand(t, g, w.ID)
			err := a.do(g, by, w.ID)
			want, done := outcomes[from][a.name]
			if !done {
				refused(t, fmt.Sprintf("%s of one %s", a.name, from), err, fault.WrongState)
				want = before
			} else if err != nil {
				t.Errorf("%s of one %s: %v", a.name, from, err)
			}
			if got := stand(t, g, w.ID); got != want {
				t.Errorf("%s of one %s: %s, want %s", a.name, from, got, want)
			}
		}
	}
	balance(t, g, true)
	sound(t, g)
}

func version(t testing.TB, g *paymentstest.Gateway, id string) int {
	t.Helper()
	w, err := models.AccountWithdrawalByID(t.Context(), g.DB.Pool, id)
	if err != nil {
		t.Fatal(err)
	}
	return w.Version
}

// stand is a withdrawal's state, and what it did to the books available, reserved,
// paid_out and fees.
func stand(t testing.TB, g *paymentstest.Gateway, id string) string {
	t.Helper()
	w, err := models.AccountWithdrawalByID(t.Context(), g.DB.Pool, id)
	if err != nil {
		t.Fatal(err)
	}
	text := string(w.Status)
	for _, book := range []string{"available", "reserved", "paid_out", "fees"} {
		var moved money.Cents
		if err := g.DB.Raw(`SELECT coalesce(sum(CASE WHEN to_book LIKE @book THEN amount ELSE -amount END), 0)::bigint FROM ledger_transfers
			WHERE fact LIKE @fact AND (from_book LIKE @book OR to_book LIKE @book)`,
			map[string]any{"book": "%/" + book, "fact": "withdrawal/" + id + "%"}).Row().Scan(&moved); err != nil {
			t.Fatal(err)
		}
		text += " " + moved.Decimal()
	}
	return text
}

// endpoint registers an endpoint for the types.
func endpoint(t testing.TB, g *paymentstest.Gateway, scope models.Scope, types ...string) {
	t.Helper()
	_, _, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, scope, merchants.NewEndpoint{URL: "https://hook.example/", Types: types})
	if err != nil {
		t.Fatal(err)
	}
}

// Twenty people try all that can be done to one withdrawal at once: it takes one way.
func TestWithdrawal_Race(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	by := g.Staff(t)
	for range 10 {
		w := g.Withdraw(t, 100_00)
		var group errgroup.Group
		for range 5 {
			for _, act := range []func() error{
				func() error { _, err := g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, w.ID); return err },
				func() error { _, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1); return err },
				func() error { _, err := g.RejectWithdrawal(t.Context(), by, w.ID, 1, "OTHER", "Não."); return err },
				func() error { _, err := g.StartPayout(t.Context(), by, w.ID); return err },
			} {
				group.Go(func() error {
					if err := act(); err != nil && fault.Of(err).Code == fault.Internal {
						return err
					}
					return nil
				})
			}
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		sound(t, g)
	}
}

// Who decides is staff, no member of the account, and has seen what they decide on.
func TestWithdrawal_WhoDecides(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	w := g.Withdraw(t, 50_00)
	member := g.Staff(t)
	insider := models.Member{AccountID: g.Account.ID, UserID: member.UserID, Role: models.RoleViewer, CreatedAt: g.Clock.Now()}
	if err := g.DB.Create(&insider).Error; err != nil {
		t.Fatal(err)
	}
	acts := map[string]func(by payments.Actor, seen int) error{
		"approve": func(by payments.Actor, seen int) error {
			_, err := g.ApproveWithdrawal(t.Context(), by, w.ID, seen)
			return err
		},
		"reject": func(by payments.Actor, seen int) error {
			_, err := g.RejectWithdrawal(t.Context(), by, w.ID, seen, "OTHER", "Não.")
			return err
		},
		"start": func(by payments.Actor, _ int) error { _, err := g.StartPayout(t.Context(), by, w.ID); return err },
		"complete": func(by payments.Actor, _ int) error {
			_, err := g.CompleteWithdrawal(t.Context(), by, w.ID, payments.Proof{EndToEndID: "E1"})
			return err
		},
		"fail": func(by payments.Actor, _ int) error {
			_, err := g.FailWithdrawal(t.Context(), by, w.ID, "AC03", "Conta encerrada.")
			return err
		},
		"return": func(by payments.Actor, _ int) error {
			_, err := g.ReturnWithdrawal(t.Context(), by, w.ID, "MD06", "Devolvido.")
			return err
		},
	}
	for name, act := range acts {
		for who, by := range map[string]payments.Actor{"the owner": g.Member(), "staff who are members": member, "nobody": {UserID: "usr_none"}} {
			refused(t, name+" by "+who, act(by, w.Version), fault.Forbidden)
		}
		if name == "approve" || name == "reject" {
			refused(t, name+" of another version", act(g.Staff(t), w.Version+1), fault.ChangedMeanwhile)
		}
	}
	if stand(t, g, w.ID) != "PENDING_REVIEW -50.00 50.00 0.00 0.00" {
		t.Errorf("now it is %s", stand(t, g, w.ID))
	}
	_, err := g.CancelWithdrawal(t.Context(), g.Member(), "acc_00000000000000000000", w.ID)
	refused(t, "cancel another's", err, fault.WithdrawalNotFound)
	_, err = g.ApproveWithdrawal(t.Context(), g.Staff(t), "wdr_0", 1)
	refused(t, "approve what is not there", err, fault.WithdrawalNotFound)
	_, err = g.RejectWithdrawal(t.Context(), g.Staff(t), w.ID, 1, "other", "Não.")
	refused(t, "reject without a code", err, fault.ReasonRequired)
	_, err = g.RejectWithdrawal(t.Context(), g.Staff(t), w.ID, 1, "OTHER", " ")
	refused(t, "reject without a reason", err, fault.ReasonRequired)
}

// Above the four-eyes amount two people approve, each having seen its version.
func TestApproveWithdrawal_FourEyes(t *testing.T) {
	t.Parallel()
	g := live(t, 30_000_00)
	first, second := g.Staff(t), g.Staff(t)
	if w, err := g.ApproveWithdrawal(t.Context(), first, g.Withdraw(t, paymentstest.Policy.FourEyes).ID, 1); err != nil || w.Status != models.WithdrawalApproved {
		t.Fatalf("at the amount: %+v, %v", w, err)
	}
	w := g.Withdraw(t, paymentstest.Policy.FourEyes+1)
	w, err := g.ApproveWithdrawal(t.Context(), first, w.ID, 1)
	if err != nil || w.Status != models.WithdrawalPendingReview || w.Version != 2 || *w.FirstApprovedBy != first.UserID {
		t.Fatalf("the first: %+v, %v", w, err)
	}
	_, err = g.ApproveWithdrawal(t.Context(), second, w.ID, 1)
	refused(t, "the second, who saw it before the first", err, fault.ChangedMeanwhile)
	_, err = g.ApproveWithdrawal(t.Context(), first, w.ID, 2)
	refused(t, "the first again", err, fault.SecondPersonRequired)
	w, err = g.ApproveWithdrawal(t.Context(), second, w.ID, 2)
	if err != nil || w.Status != models.WithdrawalApproved || *w.ApprovedBy != second.UserID || w.ApprovedAt == nil {
		t.Errorf("the second: %+v, %v", w, err)
	}
	if err := g.DB.Exec("UPDATE withdrawals SET version = version + 1, approved_by = first_approved_by WHERE id = ?", w.ID).Error; !models.Violates(err, "withdrawals_two_people") {
		t.Errorf("the database let one person approve twice: %v", err)
	}
}

// The database refuses what the operations never do.
func TestWithdrawal_Database(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	g.Withdraw(t, 50_00)
	other := g.Destination(t, models.RailPix)
	for sql, constraint := range map[string]string{
		"UPDATE withdrawals SET version = version + 1, status = 'PROCESSING'":               "withdrawals_transition",
		"UPDATE withdrawals SET version = version + 1, amount = 1":                          "withdrawals_pinned",
		"UPDATE withdrawals SET version = version + 1, destination_id = '" + other.ID + "'": "withdrawals_pinned",
		"UPDATE withdrawals SET reason = 'x'":                                               "withdrawals_pinned",
		"UPDATE withdrawals SET version = version + 1, status = 'APPROVED'":                 "withdrawals_approved",
		"UPDATE withdrawals SET version = version + 1, status = 'REJECTED'":                 "withdrawals_refused",
		"UPDATE destinations SET address = '' WHERE id = '" + other.ID + "'":                "destinations_keep_address",
		"UPDATE destinations SET replaced_at = NULL, replaced_by = NULL":                    "destinations_one_active",
		"INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at) VALUES ('x', 0, 'acc_00000000000000000000/live/available', 'acc_00000000000000000001/live/available', 1, now())": "ledger_one_account",
	} {
		if err := g.DB.Exec(sql).Error; !models.Violates(err, constraint) {
			t.Errorf("%s: %v, want %s", sql, err, constraint)
		}
	}
	if err := g.DB.Exec("DELETE FROM ledger_snapshots").Error; err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Errorf("snapshots can be deleted: %v", err)
	}
}

// An account withdraws to the destination of the request, whatever comes after.
func TestWithdrawal_PinnedDestination(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	before := g.Withdraw(t, 10_00)
	other := g.Destination(t, models.RailPix)
	after := g.Withdraw(t, 10_00)
	if err := g.RemoveDestination(t.Context(), g.Member(), g.Account.ID, other.ID); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{before.ID: before.Destination.ID, after.ID: other.ID} {
		w, err := g.Withdrawal(t.Context(), g.Account.ID, true, id)
		if err != nil || w.Destination.ID != want {
			t.Errorf("it goes to %s, %v; want %s", w.Destination.ID, err, want)
		}
	}
	_, _, err := g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailPix, 10_00))
	refused(t, "with no destination left", err, fault.WithdrawalReadinessRequired)
}

// Endpoints that asked for them hear of a withdrawal's states, those of every project
// of the account; others do not.
func TestWithdrawal_Events(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	second := models.Project{ID: models.NewProjectID(), AccountID: g.Account.ID, Name: "Outra", CreatedAt: g.Clock.Now()}
	if err := g.DB.Create(&second).Error; err != nil {
		t.Fatal(err)
	}
	endpoint(t, g, g.Live, models.WithdrawalEventTypes...)
	endpoint(t, g, models.Scope{ProjectID: second.ID, Livemode: true}, models.EventWithdrawalCreated, models.EventWithdrawalFailed)
	endpoint(t, g, g.Test, models.WithdrawalEventTypes...)
	by := g.Staff(t)
	w := g.Withdraw(t, 100_00)
	_, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1)
	if err == nil {
		_, err = g.StartPayout(t.Context(), by, w.ID)
	}
	if err == nil {
		_, err = g.FailWithdrawal(t.Context(), by, w.ID, "AC03", "A conta não existe.")
	}
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	if err := g.DB.Raw("SELECT project_id || ' ' || type FROM events WHERE withdrawal_id = ? ORDER BY created_at, type", w.ID).Scan(&told).Error; err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		g.Live.ProjectID + " withdrawal.created": true, g.Live.ProjectID + " withdrawal.approved": true, g.Live.ProjectID + " withdrawal.processing": true,
		g.Live.ProjectID + " withdrawal.failed": true, second.ID + " withdrawal.created": true, second.ID + " withdrawal.failed": true,
	}
	for _, line := range told {
		if !want[line] {
			t.Errorf("told of %s", line)
		}
		delete(want, line)
	}
	if len(want) > 0 {
		t.Errorf("not told of %v", want)
	}
	if n := count(t, g, "webhook_deliveries"); n != 6 {
		t.Errorf("%d deliveries", n)
	}
	var body string
	if err := g.DB.Raw("SELECT convert_from(body, 'UTF8') FROM events WHERE type = 'withdrawal.failed' LIMIT 1").Row().Scan(&body); err != nil ||
		!strings.Contains(body, `"status":"FAILED"`) || !strings.Contains(body, `"failureCode":"AC03"`) || strings.Contains(body, "12ABC34501DE35") {
		t.Errorf("the event is %s, %v", body, err)
	}
}
