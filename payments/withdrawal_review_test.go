package payments_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// withdrawalAct is an operation on a withdrawal.
type withdrawalAct struct {
	name string
	do   func(g *paymentstest.Gateway, by models.Actor, id string) error
}

// withdrawalActs returns all operations on a withdrawal.
func withdrawalActs(t *testing.T) []withdrawalAct {
	return []withdrawalAct{
		{"cancel", func(g *paymentstest.Gateway, _ models.Actor, id string) error {
			_, err := g.CancelWithdrawal(t.Context(), g.Owner, g.Account.ID, id)
			return err
		}},
		{"reject", func(g *paymentstest.Gateway, by models.Actor, id string) error {
			_, err := g.RejectWithdrawal(t.Context(), by, id, g.Version(t, id), "DATA_MISMATCH", "O titular é outro.")
			return err
		}},
		{"approve", func(g *paymentstest.Gateway, by models.Actor, id string) error {
			_, err := g.ApproveWithdrawal(t.Context(), by, id, g.Version(t, id))
			return err
		}},
		{"start", func(g *paymentstest.Gateway, by models.Actor, id string) error {
			_, err := g.StartPayout(t.Context(), by, id, g.Version(t, id))
			return err
		}},
		{"complete", func(g *paymentstest.Gateway, by models.Actor, id string) error {
			_, err := g.CompleteWithdrawal(t.Context(), by, id, g.Version(t, id),
				payments.Proof{EndToEndID: "E" + id[4:]})
			return err
		}},
		{"fail", func(g *paymentstest.Gateway, by models.Actor, id string) error {
			_, err := g.FailWithdrawal(t.Context(), by, id, g.Version(t, id), "AC03", "A conta não existe.")
			return err
		}},
		{"return", func(g *paymentstest.Gateway, by models.Actor, id string) error {
			_, err := g.ReturnWithdrawal(t.Context(), by, id, g.Version(t, id), "MD06", "Devolvido pelo recebedor.")
			return err
		}},
	}
}

// In every status of a withdrawal, each operation either succeeds and moves the money, or is
// refused and changes nothing (docs/rules.md, "Withdrawals").
func TestWithdrawal_Transitions(t *testing.T) {
	t.Parallel()
	acts := withdrawalActs(t)
	// The result of each operation in each status, and the total effect on the books
	// available, reserved, paid_out and fees, for 100.00 with a fee of 1.00.
	const back = " 0.00 0.00 0.00 0.00"
	outcomes := map[models.WithdrawalStatus]map[string]string{
		"PENDING_REVIEW": {"cancel": "CANCELLED" + back, "reject": "REJECTED" + back,
			"approve": "APPROVED -100.00 100.00 0.00 0.00"},
		"APPROVED":   {"start": "PROCESSING -100.00 100.00 0.00 0.00", "fail": "FAILED" + back},
		"PROCESSING": {"complete": "COMPLETED -100.00 0.00 99.00 1.00", "fail": "FAILED" + back},
		"COMPLETED":  {"return": "RETURNED -1.00 0.00 0.00 1.00"},
		"CANCELLED":  {}, "REJECTED": {}, "FAILED": {}, "RETURNED": {},
	}
	ways := map[models.WithdrawalStatus][]int{
		"PENDING_REVIEW": {}, "APPROVED": {2}, "PROCESSING": {2, 3}, "COMPLETED": {2, 3, 4},
		"CANCELLED": {0}, "REJECTED": {1}, "FAILED": {2, 5}, "RETURNED": {2, 3, 4, 6},
	}
	g := live(t, 10_000_00)
	g.SetWithdrawalFee(t, money.Fee{Fixed: 1_00})
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
				refused(t, fmt.Sprintf("%s in status %s", a.name, from), err, refusal.WrongState)
				want = before
			} else if err != nil {
				t.Errorf("%s in status %s: %v", a.name, from, err)
			}
			if got := stand(t, g, w.ID); got != want {
				t.Errorf("%s in status %s: %s, want %s", a.name, from, got, want)
			}
		}
	}
	balance(t, g, models.Live)
	sound(t, g)
}

// stand returns a withdrawal's status, and its effect on the books available, reserved,
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
		if err := g.DB.Pool.QueryRow(t.Context(), `SELECT
			coalesce(sum(CASE WHEN to_book LIKE @book THEN amount ELSE -amount END), 0)::bigint
			FROM ledger_transfers
			WHERE fact LIKE @fact AND (from_book LIKE @book OR to_book LIKE @book)`,
			pgx.NamedArgs{"book": "%/" + book, "fact": "withdrawal/" + id + "%"}).Scan(&moved); err != nil {
			t.Fatal(err)
		}
		text += " " + moved.Decimal()
	}
	return text
}

// endpoint registers an endpoint for the types.
func endpoint(t testing.TB, g *paymentstest.Gateway, scope models.Scope, types ...string) {
	t.Helper()
	_, _, err := g.Merchants.CreateEndpoint(t.Context(), g.Owner, scope,
		merchants.NewEndpoint{URL: "https://hook.example/", Types: types})
	if err != nil {
		t.Fatal(err)
	}
}

// When twenty people try all operations on one withdrawal at once, it takes one valid sequence
// of statuses.
func TestWithdrawal_Race(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	by := g.Staff(t)
	for range 10 {
		w := g.Withdraw(t, 100_00)
		var group errgroup.Group
		for range 5 {
			for _, act := range []func() error{
				func() error { _, err := g.CancelWithdrawal(t.Context(), g.Owner, g.Account.ID, w.ID); return err },
				func() error { _, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1); return err },
				func() error {
					_, err := g.RejectWithdrawal(t.Context(), by, w.ID, 1, "OTHER", paymentstest.Reason)
					return err
				},
				func() error { _, err := g.StartPayout(t.Context(), by, w.ID, 2); return err },
			} {
				group.Go(func() error {
					if err := act(); err != nil && refusal.Of(err).Code == refusal.Internal {
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

// Only staff who are not members of the account and who saw the current version may decide.
func TestWithdrawal_WhoDecides(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	w := g.Withdraw(t, 50_00)
	member := g.Staff(t)
	insider := models.Member{AccountID: g.Account.ID, UserID: member.UserID, Role: models.RoleViewer,
		CreatedAt: g.Clock.Now()}
	if err := g.DB.Create(&insider).Error; err != nil {
		t.Fatal(err)
	}
	acts := map[string]func(by models.Actor, seen int) error{
		"approve": func(by models.Actor, seen int) error {
			_, err := g.ApproveWithdrawal(t.Context(), by, w.ID, seen)
			return err
		},
		"reject": func(by models.Actor, seen int) error {
			_, err := g.RejectWithdrawal(t.Context(), by, w.ID, seen, "OTHER", paymentstest.Reason)
			return err
		},
		"start": func(by models.Actor, seen int) error {
			_, err := g.StartPayout(t.Context(), by, w.ID, seen)
			return err
		},
		"complete": func(by models.Actor, seen int) error {
			_, err := g.CompleteWithdrawal(t.Context(), by, w.ID, seen, payments.Proof{EndToEndID: "E1"})
			return err
		},
		"fail": func(by models.Actor, seen int) error {
			_, err := g.FailWithdrawal(t.Context(), by, w.ID, seen, "AC03", "Conta encerrada.")
			return err
		},
		"return": func(by models.Actor, seen int) error {
			_, err := g.ReturnWithdrawal(t.Context(), by, w.ID, seen, "MD06", "Devolvido.")
			return err
		},
	}
	for name, act := range acts {
		for who, by := range map[string]models.Actor{"the owner": g.Owner, "staff who are members": member,
			"nobody": {UserID: "usr_none"}} {
			refused(t, name+" by "+who, act(by, w.Version), refusal.Forbidden)
		}
		if name == "approve" || name == "reject" {
			refused(t, name+" of another version", act(g.Staff(t), w.Version+1), refusal.ChangedMeanwhile)
		}
	}
	if stand(t, g, w.ID) != "PENDING_REVIEW -50.00 50.00 0.00 0.00" {
		t.Errorf("after the refusals the withdrawal is %s", stand(t, g, w.ID))
	}
	_, err := g.CancelWithdrawal(t.Context(), g.Owner, "acc_00000000000000000000", w.ID)
	refused(t, "cancel another account's", err, refusal.WithdrawalNotFound)
	_, err = g.ApproveWithdrawal(t.Context(), g.Staff(t), "wdr_0", 1)
	refused(t, "approve an unknown one", err, refusal.WithdrawalNotFound)
	_, err = g.RejectWithdrawal(t.Context(), g.Staff(t), w.ID, 1, "other", paymentstest.Reason)
	refused(t, "reject without a code", err, refusal.ReasonRequired)
	_, err = g.RejectWithdrawal(t.Context(), g.Staff(t), w.ID, 1, "OTHER", " ")
	refused(t, "reject without a reason", err, refusal.ReasonRequired)
}

// Above the four-eyes amount two people must approve, each having seen the current version.
func TestApproveWithdrawal_FourEyes(t *testing.T) {
	t.Parallel()
	g := live(t, 30_000_00)
	first, second := g.Staff(t), g.Staff(t)
	if w, err := g.ApproveWithdrawal(t.Context(), first, g.Withdraw(t, paymentstest.Policy.FourEyes).ID,
		1); err != nil || w.Status != models.WithdrawalApproved {
		t.Fatalf("at the four-eyes amount: %+v, %v", w, err)
	}
	w := g.Withdraw(t, paymentstest.Policy.FourEyes+1)
	w, err := g.ApproveWithdrawal(t.Context(), first, w.ID, 1)
	if err != nil || w.Status != models.WithdrawalPendingReview || w.Version != 2 ||
		*w.FirstApprovedBy != first.UserID {
		t.Fatalf("after the first approval: %+v, %v", w, err)
	}
	_, err = g.ApproveWithdrawal(t.Context(), second, w.ID, 1)
	refused(t, "the second person, who saw the version before the first approval", err, refusal.ChangedMeanwhile)
	_, err = g.ApproveWithdrawal(t.Context(), first, w.ID, 2)
	refused(t, "the first person again", err, refusal.SecondPersonRequired)
	w, err = g.ApproveWithdrawal(t.Context(), second, w.ID, 2)
	if err != nil || w.Status != models.WithdrawalApproved || *w.ApprovedBy != second.UserID || w.ApprovedAt == nil {
		t.Errorf("after the second approval: %+v, %v", w, err)
	}
	if _, err := g.DB.Pool.Exec(t.Context(), `UPDATE withdrawals
		SET version = version + 1, approved_by = first_approved_by WHERE id = $1`,
		w.ID); !models.Violates(err, "withdrawals_two_people") {
		t.Errorf("the database accepts two approvals by one person: %v", err)
	}
}

// The database refuses changes that the operations never make.
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
		"UPDATE destinations SET address = '' WHERE id = '" + other.ID +
			"'": "destinations_keep_address",
		"UPDATE destinations SET replaced_at = NULL, replaced_by = NULL": "destinations_one_active",
		"INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at) VALUES ('x', 0, " +
			"'acc_00000000000000000000/live/available', 'acc_00000000000000000001/live/available', 1, " +
			"now())": "ledger_one_account",
	} {
		if _, err := g.DB.Pool.Exec(t.Context(), sql); !models.Violates(err, constraint) {
			t.Errorf("%s: %v, want %s", sql, err, constraint)
		}
	}
	if err := g.SnapshotLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := g.DB.Pool.Exec(t.Context(), "DELETE FROM ledger_snapshots"); err == nil ||
		!strings.Contains(err.Error(), "append-only") {
		t.Errorf("snapshots can be deleted: %v", err)
	}
}

// A withdrawal goes to the destination that was in use at the request, even if it is replaced.
func TestWithdrawal_PinnedDestination(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	before := g.Withdraw(t, 10_00)
	other := g.Destination(t, models.RailPix)
	after := g.Withdraw(t, 10_00)
	if err := g.RemoveDestination(t.Context(), g.Owner, g.Account.ID, other.ID); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{before.ID: before.Destination.ID, after.ID: other.ID} {
		w, err := g.Withdrawal(t.Context(), g.Account.ID, models.Live, id)
		if err != nil || w.Destination.ID != want {
			t.Errorf("the withdrawal goes to %s, %v; want %s", w.Destination.ID, err, want)
		}
	}
	_, _, err := g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailPix, 10_00))
	refused(t, "with no destination left", err, refusal.WithdrawalReadinessRequired)
}

// Endpoints of all projects of the account receive the events of a withdrawal to which they
// subscribe, and no others.
func TestWithdrawal_Events(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	second := models.Project{ID: models.NewProjectID(), AccountID: g.Account.ID, Name: "Outra",
		CreatedAt: g.Clock.Now()}
	if err := g.DB.Create(&second).Error; err != nil {
		t.Fatal(err)
	}
	endpoint(t, g, g.Live, models.WithdrawalEventTypes...)
	endpoint(t, g, models.Scope{ProjectID: second.ID, Environment: models.Live}, models.EventWithdrawalCreated,
		models.EventWithdrawalFailed)
	endpoint(t, g, g.Test, models.WithdrawalEventTypes...)
	by := g.Staff(t)
	w := g.Withdraw(t, 100_00)
	_, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1)
	if err == nil {
		_, err = g.StartPayout(t.Context(), by, w.ID, g.Version(t, w.ID))
	}
	if err == nil {
		_, err = g.FailWithdrawal(t.Context(), by, w.ID, g.Version(t, w.ID), "AC03", "A conta não existe.")
	}
	if err != nil {
		t.Fatal(err)
	}
	told := modelstest.Column[string](t, g.DB, `SELECT project_id || ' ' || type FROM events
		WHERE withdrawal_id = $1 ORDER BY created_at, type`, w.ID)
	want := map[string]bool{
		g.Live.ProjectID + " withdrawal.created": true, g.Live.ProjectID + " withdrawal.approved": true,
		g.Live.ProjectID + " withdrawal.processing": true,
		g.Live.ProjectID + " withdrawal.failed":     true, second.ID + " withdrawal.created": true,
		second.ID + " withdrawal.failed": true,
	}
	for _, line := range told {
		if !want[line] {
			t.Errorf("an unexpected event: %s", line)
		}
		delete(want, line)
	}
	if len(want) > 0 {
		t.Errorf("missing events: %v", want)
	}
	if n := count(t, g, "webhook_deliveries"); n != 6 {
		t.Errorf("%d deliveries", n)
	}
	var body string
	if err := g.DB.Pool.QueryRow(t.Context(), `SELECT convert_from(body, 'UTF8') FROM events
		WHERE type = 'withdrawal.failed' LIMIT 1`).Scan(&body); err != nil ||
		!strings.Contains(body, `"status":"FAILED"`) || !strings.Contains(body, `"failureCode":"AC03"`) ||
		strings.Contains(body, "12ABC34501DE35") {
		t.Errorf("the event is %s, %v", body, err)
	}
}
