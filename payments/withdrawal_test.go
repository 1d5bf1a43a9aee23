package payments_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// live returns a gateway whose merchant may withdraw by Pix and has so much.
func live(t *testing.T, funds money.Cents) *paymentstest.Gateway {
	t.Helper()
	g := paymentstest.New(t)
	g.GoLive(t)
	g.Destination(t, models.RailPix)
	if funds > 0 {
		g.Fund(t, true, funds)
	}
	return g
}

func balance(t testing.TB, g *paymentstest.Gateway, livemode bool) models.Balance {
	t.Helper()
	b, err := ledger.BalanceOf(t.Context(), g.DB.Pool, g.Account.ID, livemode)
	if err != nil {
		t.Fatal(err)
	}
	if b.Gross-b.Fee-b.Refunded-b.Withdrawn != b.Total() {
		t.Errorf("the balance %+v does not add up", b)
	}
	return b
}

// sound fails the test if the books do not agree with what they record.
func sound(t testing.TB, g *paymentstest.Gateway) {
	t.Helper()
	if drift, err := g.CheckBooks(context.WithoutCancel(t.Context())); len(drift) != 0 || err != nil {
		t.Errorf("drift %s, %v", strings.Join(drift, "; "), err)
	}
}

// refused reports whether err is the fault.
func refused(t testing.TB, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.Of(err).Code; err == nil || got != want {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// A request reserves the amount, keeps the destination and the fee of its moment,
// and repeated is the same withdrawal as it is then.
func TestRequestWithdrawal(t *testing.T) {
	t.Parallel()
	g := live(t, 500_00)
	g.Account.WithdrawalFeeBasisPoints, g.Account.WithdrawalFeeFixed = 100, 50
	in := paymentstest.Withdrawal(models.RailPix, 100_00)
	w, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
	if err != nil || !created {
		t.Fatalf("%v, %v", created, err)
	}
	if w.Status != models.WithdrawalPendingReview || w.Amount != 100_00 || w.Fee != 1_50 || w.Net() != 98_50 || w.Destination.Masked != "**.***.345/01DE-**" {
		t.Errorf("made %+v", w)
	}
	if b := balance(t, g, true); b.Available != 400_00 || b.Reserved != 100_00 {
		t.Errorf("balance %+v", b)
	}
	read, err := g.Withdrawal(t.Context(), g.Account.ID, true, w.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, read); diff != "" {
		t.Errorf("read back (-made +read)\n%s", diff)
	}
	if _, err := g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, w.ID); err != nil {
		t.Fatal(err)
	}
	again, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
	if err != nil || created || again.ID != w.ID || again.Status != models.WithdrawalCancelled {
		t.Errorf("repeated: %+v, %v, %v", again, created, err)
	}
	in.RequestHash = []byte(strings.Repeat("i", 32))
	_, _, err = g.RequestWithdrawal(t.Context(), g.Account, in)
	refused(t, "another body", err, fault.IdempotencyConflict)
	sound(t, g)
}

// Twenty requests with one key at once make one withdrawal.
func TestRequestWithdrawal_Twins(t *testing.T) {
	t.Parallel()
	g := live(t, 500_00)
	in := paymentstest.Withdrawal(models.RailPix, 100_00)
	var made atomic.Int32
	var group errgroup.Group
	ids := make([]string, 20)
	for i := range ids {
		group.Go(func() error {
			w, created, err := g.RequestWithdrawal(t.Context(), g.Account, in)
			if err != nil {
				return err
			}
			if ids[i] = w.ID; created {
				made.Add(1)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("the requests got %v", ids)
			break
		}
	}
	if made.Load() != 1 || count(t, g, "withdrawals") != 1 || balance(t, g, true).Reserved != 100_00 {
		t.Errorf("made %d, %d rows", made.Load(), count(t, g, "withdrawals"))
	}
}

// Two requests that together exceed the balance: one wins, whichever, every time.
func TestRequestWithdrawal_WholeBalance(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		var errs [2]error
		var won [2]*models.Withdrawal
		var group errgroup.Group
		for i := range errs {
			group.Go(func() error {
				won[i], _, errs[i] = g.RequestWithdrawal(t.Context(), g.Account, paymentstest.Withdrawal(models.RailPix, 100_00))
				return nil
			})
		}
		_ = group.Wait()
		winner, loser := 0, 1
		if errs[0] != nil {
			winner, loser = 1, 0
		}
		if errs[winner] != nil || fault.Of(errs[loser]).Code != fault.InsufficientBalance {
			t.Fatalf("round %d: %v", round, errs)
		}
		if b := balance(t, g, true); b.Available != 0 || b.Reserved != 100_00 {
			t.Fatalf("round %d: %+v", round, b)
		}
		if _, err := g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, won[winner].ID); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(time.Hour) // cancelled ones do not count for the day's limit anyway
	}
	sound(t, g)
}

// What refuses a request, in the order of decisions 2; the key is free afterwards.
func TestRequestWithdrawal_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Service.Live = g.Simulator
	in := paymentstest.Withdrawal(models.RailPix, 4_99)
	for _, step := range []struct {
		mended string
		mend   func()
		want   fault.Code
	}{
		{"nothing", func() {}, fault.InvalidAmount},
		{"the minimum", func() { in.Amount = 50_000_01 }, fault.InvalidAmount},
		{"the maximum", func() { in.Amount = 150_00; g.Account.Suspended, g.Account.WithdrawalsBlocked = true, true }, fault.Forbidden},
		{"the access", func() { g.Approve(t) }, fault.AccountSuspended},
		{"the suspension", func() { g.Account.Suspended = false }, fault.WithdrawalsBlocked},
		{"the switch", func() { g.Account.WithdrawalsBlocked = false }, fault.WithdrawalReadinessRequired},
		{"the destination", func() { g.Destination(t, models.RailPix) }, fault.InsufficientBalance},
		{"half the balance", func() { g.Fund(t, true, 149_99) }, fault.InsufficientBalance},
		{"the fee", func() { g.Account.WithdrawalFeeFixed = 150_00 }, fault.InvalidAmount},
	} {
		step.mend()
		_, _, err := g.RequestWithdrawal(t.Context(), g.Account, in)
		refused(t, "with "+step.mended+" mended", err, step.want)
	}
	if n := count(t, g, "withdrawals") + count(t, g, "idempotency_keys"); n != 0 {
		t.Errorf("refusals left %d rows", n)
	}
	g.Account.WithdrawalFeeFixed = 0
	g.Fund(t, true, 1)
	if _, created, err := g.RequestWithdrawal(t.Context(), g.Account, in); err != nil || !created {
		t.Errorf("at last: %v, %v", created, err)
	}
}

// An account has a limit for 24 hours, of what it asked for and did not get back.
func TestRequestWithdrawal_DailyLimit(t *testing.T) {
	t.Parallel()
	g := live(t, 300_000_00)
	for range 3 {
		g.Withdraw(t, 50_000_00)
	}
	back := g.Withdraw(t, 49_999_99)
	small := paymentstest.Withdrawal(models.RailPix, 5_00)
	_, _, err := g.RequestWithdrawal(t.Context(), g.Account, small)
	refused(t, "beyond the limit", err, fault.InvalidAmount)
	if !strings.Contains(err.Error(), "at most 0.01,") {
		t.Errorf("the refusal says %v", err)
	}
	if _, err := g.CancelWithdrawal(t.Context(), g.Member(), g.Account.ID, back.ID); err != nil {
		t.Fatal(err)
	}
	g.Withdraw(t, 50_000_00)
	_, _, err = g.RequestWithdrawal(t.Context(), g.Account, small)
	refused(t, "at the limit", err, fault.InvalidAmount)
	g.Clock.Advance(24*time.Hour + time.Millisecond)
	if _, _, err := g.RequestWithdrawal(t.Context(), g.Account, small); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

// Whatever state a withdrawal is in, each act is either done, with its movement of
// money, or refused and changes nothing (decisions, 7).
func TestWithdrawal_Transitions(t *testing.T) {
	t.Parallel()
	type act struct {
		name string
		do   func(g *paymentstest.Gateway, by payments.Actor, id string) error
	}
	acts := []act{
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

// A payout is proven by the id of its rail, and no two share one.
func TestCompleteWithdrawal_Proof(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	by := g.Staff(t)
	processing := func() string {
		w := g.Withdraw(t, 10_00)
		if _, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := g.StartPayout(t.Context(), by, w.ID); err != nil {
			t.Fatal(err)
		}
		return w.ID
	}
	first, second := processing(), processing()
	for name, proof := range map[string]payments.Proof{
		"none": {}, "another rail's": {TxHash: strings.Repeat("a", 64)}, "spaces": {EndToEndID: " "}, "too long": {EndToEndID: strings.Repeat("E", 65)}, "odd": {EndToEndID: "E<1>"},
	} {
		_, err := g.CompleteWithdrawal(t.Context(), by, first, proof)
		refused(t, name, err, fault.ProofRequired)
	}
	w, err := g.CompleteWithdrawal(t.Context(), by, first, payments.Proof{EndToEndID: " E1 "})
	if err != nil || *w.EndToEndID != "E1" || w.CompletedAt == nil {
		t.Fatalf("%+v, %v", w, err)
	}
	_, err = g.CompleteWithdrawal(t.Context(), by, second, payments.Proof{EndToEndID: "E1"})
	refused(t, "the same again", err, fault.ProofTaken)
	if got := stand(t, g, second); got != "PROCESSING -10.00 10.00 0.00 0.00" {
		t.Errorf("the second is %s", got)
	}
	sound(t, g)
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

// Where the simulator pays, an approved withdrawal is paid by itself, once, whoever
// sweeps and whatever was left half-way.
func TestPayOutDue(t *testing.T) {
	t.Parallel()
	g := live(t, 1000_00)
	by := g.Staff(t)
	var ids []string
	for range 10 {
		w := g.Withdraw(t, 50_00)
		if _, err := g.ApproveWithdrawal(t.Context(), by, w.ID, 1); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, w.ID)
	}
	if _, err := g.StartPayout(t.Context(), by, ids[0]); err != nil { // a process that died right after
		t.Fatal(err)
	}
	waiting := g.Withdraw(t, 50_00)
	for range 4 {
		var group errgroup.Group
		for range 5 {
			group.Go(func() error { return g.PayOutDue(t.Context()) })
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(2 * time.Second)
	}
	for _, id := range ids {
		w, err := g.Withdrawal(t.Context(), g.Account.ID, true, id)
		if err != nil || w.Status != models.WithdrawalCompleted || w.EndToEndID == nil || w.CompletedAt == nil {
			t.Errorf("paid %+v, %v", w, err)
		}
	}
	if got := stand(t, g, waiting.ID); got != "PENDING_REVIEW -50.00 50.00 0.00 0.00" {
		t.Errorf("afterwards %s", got)
	}
	sound(t, g)
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
