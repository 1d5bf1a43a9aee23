package merchants_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/faulttest"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

const feeReason = "Combinado no contrato de março."

// propose creates a pending proposal of the fee and returns its id.
func propose(t *testing.T, g *paymentstest.Gateway, by models.Actor, fee *money.Fee, seen int) string {
	t.Helper()
	id, err := g.Merchants.ProposeFee(t.Context(), by, g.Account.ID,
		merchants.NewFeeProposal{Fee: fee, Reason: feeReason, Seen: seen})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func feeNow(t *testing.T, g *paymentstest.Gateway) money.Fee {
	t.Helper()
	fee, err := models.FeeAt(t.Context(), g.DB.Pool, g.Account.ID, g.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return fee
}

// feeRows returns the number of fees ever written for the account.
func feeRows(t *testing.T, g *paymentstest.Gateway) int {
	t.Helper()
	fees, err := models.AccountFees(t.Context(), g.DB.Pool, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	return len(fees)
}

// A fee changes when a supervisor approves what another person proposed, and not before. The
// owner gets a mail, and the audit log has the old and the new fee. Merchants see no
// proposals.
func TestApproveFee(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	eva, rui := newStaff(t, g, "eva@staff.example", models.StaffReviewer),
		newStaff(t, g, "rui@staff.example", models.StaffSupervisor)
	before, after := money.Fee{BasisPoints: 99}, money.Fee{BasisPoints: 149, Fixed: 10}
	id := propose(t, g, eva, &after, 0)
	if fee := feeNow(t, g); fee != before {
		t.Errorf("with a pending proposal the fee is %s", fee)
	}
	g.Clock.Advance(time.Minute)
	if err := g.Merchants.ApproveFee(t.Context(), rui, id); err != nil {
		t.Fatal(err)
	}
	if fee := feeNow(t, g); fee != after {
		t.Errorf("after the approval the fee is %s", fee)
	}
	if fee, err := models.FeeAt(t.Context(), g.DB.Pool, g.Account.ID,
		g.Clock.Now().Add(-time.Millisecond)); err != nil || fee != before {
		t.Errorf("a moment before the approval the fee was %s, %v", fee, err)
	}
	mails, err := models.LatestMails(t.Context(), g.DB.Pool, 1)
	if err != nil || len(mails) != 1 || mails[0].Kind != models.MailFeeChanged || mails[0].To != g.Email ||
		mails[0].Params["fee_before"] != before.String() || mails[0].Params["fee"] != after.String() ||
		mails[0].Params["reason"] != feeReason {
		t.Errorf("mailed %+v, %v", mails, err)
	}
	lines, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{Subject: "fee", Limit: 10})
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if l := lines[0]; l.Action != "fee.approved" || l.AccountID != g.Account.ID ||
		l.Before["fee"] != before.String() || l.After["fee"] != after.String() {
		t.Errorf("approved: %+v", l)
	}
	if l := lines[1]; l.Action != "fee.proposed" || l.AccountID != "" || l.Detail["account"] != g.Account.ID ||
		l.Detail["fee"] != after.String() {
		t.Errorf("proposed: %+v", l)
	}
	for _, again := range []error{
		g.Merchants.ApproveFee(t.Context(), rui, id), g.Merchants.RefuseFee(t.Context(), rui, id, feeReason),
		g.Merchants.WithdrawFee(t.Context(), eva, id),
	} {
		if !errors.Is(again, merchants.ErrChanged) {
			t.Errorf("deciding again: %v", again)
		}
	}
	// Back to the installation's fee, from a moment on that passes before the approval.
	at := g.Clock.Now().Add(time.Hour)
	id, err = g.Merchants.ProposeFee(t.Context(), eva, g.Account.ID,
		merchants.NewFeeProposal{StartsAt: &at, Reason: feeReason, Seen: 1})
	if err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(2 * time.Hour)
	if err := g.Merchants.ApproveFee(t.Context(), rui, id); err != nil {
		t.Fatal(err)
	}
	fees, err := models.AccountFees(t.Context(), g.DB.Pool, g.Account.ID)
	if err != nil || len(fees) != 2 || fees[0].Fee != nil || !fees[0].ValidFrom.Equal(g.Clock.Now()) ||
		fees[0].Proposer != "Eva Reis" {
		t.Errorf("the history is %+v, %v", fees, err)
	}
}

// The owner is told of the fees that change, and of both if the account pays the same as
// before. The audit log says the same.
func TestApproveFee_WithdrawalFee(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	eva, rui := newStaff(t, g, "eva@staff.example", models.StaffReviewer),
		newStaff(t, g, "rui@staff.example", models.StaffSupervisor)
	charge, withdrawal := money.Fee{BasisPoints: 149}, money.Fee{BasisPoints: 50, Fixed: 1_00}
	for seen, step := range []struct {
		charge, withdrawal *money.Fee
		told               map[string]string
	}{
		{nil, &withdrawal, map[string]string{"withdrawal_fee_before": "0.00%", "withdrawal_fee": "0.50% + 1.00"}},
		{&charge, &withdrawal, map[string]string{"fee_before": "0.99%", "fee": "1.49%"}},
		{nil, nil, map[string]string{"fee_before": "1.49%", "fee": "0.99%", "withdrawal_fee_before": "0.50% + 1.00",
			"withdrawal_fee": "0.00%"}},
		{nil, &money.Fee{}, map[string]string{"fee_before": "0.99%", "fee": "0.99%", "withdrawal_fee_before": "0.00%",
			"withdrawal_fee": "0.00%"}},
	} {
		g.Clock.Advance(time.Minute)
		id, err := g.Merchants.ProposeFee(t.Context(), eva, g.Account.ID, merchants.NewFeeProposal{
			Fee: step.charge, WithdrawalFee: step.withdrawal, Reason: feeReason, Seen: seen})
		if err == nil {
			err = g.Merchants.ApproveFee(t.Context(), rui, id)
		}
		if err != nil {
			t.Fatal(err)
		}
		mails, err := models.LatestMails(t.Context(), g.DB.Pool, 1)
		if err != nil || len(mails) != 1 {
			t.Fatalf("%d mails, %v", len(mails), err)
		}
		told := map[string]string{}
		for name, value := range mails[0].Params {
			if strings.Contains(name, "fee") {
				told[name] = value
			}
		}
		if diff := cmp.Diff(step.told, told); diff != "" {
			t.Errorf("step %d: the owner is told (-want +got)\n%s", seen, diff)
		}
		lines, err := models.AuditLines(t.Context(), g.DB.Pool, models.AuditFilter{Subject: "fee", Limit: 1})
		if err != nil || len(lines) != 1 || lines[0].Before["withdrawalFee"] != step.told["withdrawal_fee_before"] ||
			lines[0].After["withdrawalFee"] != step.told["withdrawal_fee"] ||
			lines[0].After["fee"] != step.told["fee"] {
			t.Errorf("step %d: audited %+v, %v", seen, lines, err)
		}
	}
}

// A proposal with a fee that cannot be is refused, and names which of the two it is.
func TestNewFeeProposal_Range(t *testing.T) {
	t.Parallel()
	for fee, valid := range map[money.Fee]bool{
		{}: true, {BasisPoints: 100_00, Fixed: money.Max}: true, {BasisPoints: -1}: false, {BasisPoints: 100_01}: false,
		{Fixed: -1}: false, {Fixed: money.Max + 1}: false,
	} {
		for field, in := range map[string]merchants.NewFeeProposal{
			"fee": {Fee: &fee, Reason: feeReason}, "withdrawalFee": {WithdrawalFee: &fee, Reason: feeReason},
		} {
			err := in.Check(time.Now())
			problems, _ := errors.AsType[merchants.Invalid](err)
			if (err == nil) != valid || (problems[field] == "") != valid {
				t.Errorf("%s %s: %v", field, fee, err)
			}
		}
	}
}

// The right to propose, approve, refuse and withdraw is checked when the operation runs, and
// the proposer's right again at the approval.
func TestFee_Rights(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	eva, ada := newStaff(t, g, "eva@staff.example", models.StaffReviewer),
		newStaff(t, g, "ada@staff.example", models.StaffReviewer)
	rui, ivo := newStaff(t, g, "rui@staff.example", models.StaffSupervisor),
		newStaff(t, g, "ivo@staff.example", models.StaffSupervisor)
	fee, seen := &money.Fee{BasisPoints: 1}, 0
	next := func(by models.Actor) string {
		seen++
		return propose(t, g, by, fee, seen-1)
	}
	forbidden := func(what string, err error) {
		t.Helper()
		if refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, by := range []models.Actor{g.Owner, {}} {
		_, err := g.Merchants.ProposeFee(t.Context(), by, g.Account.ID,
			merchants.NewFeeProposal{Fee: fee, Reason: feeReason})
		forbidden("a stranger proposes", err)
	}
	id := next(rui)
	forbidden("the proposer approves", g.Merchants.ApproveFee(t.Context(), rui, id))
	forbidden("a reviewer approves", g.Merchants.ApproveFee(t.Context(), eva, id))
	forbidden("a reviewer refuses", g.Merchants.RefuseFee(t.Context(), eva, id, feeReason))
	forbidden("another person withdraws", g.Merchants.WithdrawFee(t.Context(), ivo, id))
	forbidden("the owner approves", g.Merchants.ApproveFee(t.Context(), g.Owner, id))
	if err := g.Merchants.WithdrawFee(t.Context(), rui, id); err != nil {
		t.Error(err)
	}
	id = next(eva)
	modelstest.Exec(t, g.DB, `INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')`, g.Account.ID,
		rui.UserID)
	if err := g.Merchants.ApproveFee(t.Context(), rui, id); !errors.Is(err, merchants.ErrOwnAccount) {
		t.Errorf("approval by a member: %v", err)
	}
	modelstest.Exec(t, g.DB, `INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')`, g.Account.ID,
		eva.UserID)
	if err := g.Merchants.ApproveFee(t.Context(), ivo, id); refusal.Of(err).Code != refusal.ProposerGone {
		t.Errorf("approval of a proposal by a member: %v", err)
	}
	if err := g.Merchants.RefuseFee(t.Context(), ivo, id, feeReason); err != nil {
		t.Error(err)
	}
	id = next(ada)
	if err := g.Merchants.SetStaffRole(t.Context(), ivo, ada.UserID, models.StaffReviewer, ""); err != nil {
		t.Fatal(err)
	}
	if err := g.Merchants.ApproveFee(t.Context(), ivo, id); refusal.Of(err).Code != refusal.ProposerGone {
		t.Errorf("approval of a proposal by a person who left: %v", err)
	}
	forbidden("a person who left withdraws", g.Merchants.WithdrawFee(t.Context(), ada, id))
	if rows := feeRows(t, g); rows != 0 {
		t.Errorf("refused operations wrote %d fees", rows)
	}
}

// Of two people who decide at the same time, or two who propose at the same time, one succeeds
// and the other gets an error.
func TestFee_AtOnce(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	eva := newStaff(t, g, "eva@staff.example", models.StaffReviewer)
	rui, ivo := newStaff(t, g, "rui@staff.example", models.StaffSupervisor),
		newStaff(t, g, "ivo@staff.example", models.StaffSupervisor)
	race := func(acts ...func() error) (won int) {
		t.Helper()
		errs := make([]error, len(acts))
		var group sync.WaitGroup
		for i, act := range acts {
			group.Go(func() { errs[i] = act() })
		}
		group.Wait()
		won = -1
		for i, err := range errs {
			switch {
			case err == nil && won < 0:
				won = i
			case !errors.Is(err, merchants.ErrChanged):
				t.Errorf("person %d: %v, but person %d succeeded", i, err, won)
			}
		}
		return won
	}
	asking := func(by models.Actor, seen int) func() error {
		return func() error {
			_, err := g.Merchants.ProposeFee(t.Context(), by, g.Account.ID,
				merchants.NewFeeProposal{Fee: &money.Fee{BasisPoints: 5}, Reason: feeReason, Seen: seen})
			return err
		}
	}
	written := 0
	for round := range 5 {
		g.Clock.Advance(time.Minute)
		race(asking(eva, round), asking(eva, round), asking(rui, round))
		p, err := models.PendingFeeProposal(t.Context(), g.DB.Pool, g.Account.ID)
		if err != nil {
			t.Fatal(err)
		}
		proposer, other := models.Actor{UserID: p.ProposedBy}, ivo
		approve := func() error { return g.Merchants.ApproveFee(t.Context(), other, p.ID) }
		won := race(approve, approve, func() error { return g.Merchants.WithdrawFee(t.Context(), proposer, p.ID) })
		if won < 2 {
			written++
		}
		if rows := feeRows(t, g); rows != written {
			t.Errorf("round %d: %d fees, want %d", round, rows, written)
		}
	}
}

// If the answer of a successful request was lost and the form is sent again, the work is done
// once, and the person learns that it is done.
func TestFee_AnswerLost(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	eva, rui := newStaff(t, g, "eva@staff.example", models.StaffReviewer),
		newStaff(t, g, "rui@staff.example", models.StaffSupervisor)
	proxy := faulttest.NewProxy(t, g.DB.Pool.Config().ConnString())
	db, err := models.Open(t.Context(), proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	far := merchants.New(merchants.Options{DB: db, Vault: g.Vault, Now: g.Clock.Now})
	in := merchants.NewFeeProposal{Fee: &money.Fee{BasisPoints: 5}, Reason: feeReason}
	twice := func(act func() error) {
		t.Helper()
		proxy.LoseAnswers(1, "commit")
		if err := act(); err == nil || errors.Is(err, merchants.ErrChanged) {
			t.Errorf("the request with the lost answer: %v", err)
		}
		if err := act(); !errors.Is(err, merchants.ErrChanged) {
			t.Errorf("the repeated request: %v", err)
		}
	}
	twice(func() error {
		_, err := far.ProposeFee(t.Context(), eva, g.Account.ID, in)
		return err
	})
	p, err := models.PendingFeeProposal(t.Context(), g.DB.Pool, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	twice(func() error { return far.ApproveFee(t.Context(), rui, p.ID) })
	if rows := feeRows(t, g); rows != 1 {
		t.Errorf("%d fees", rows)
	}
	limits := merchants.NewLimits{Reason: feeReason, Told: merchants.ToldLimits{MinAmount: 1, MaxAmount: 2}}
	twice(func() error { return far.SetLimits(t.Context(), rui, g.Account.ID, limits) })
	if mails, err := models.LatestMails(t.Context(), g.DB.Pool, 10); err != nil || len(mails) < 2 ||
		mails[0].Kind == mails[1].Kind {
		t.Errorf("mailed %+v, %v", mails, err)
	}
}

// The database itself refuses an approval by the proposer, a second fee from one proposal, and
// any change of a decision.
func TestFee_Constraints(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	eva, rui := newStaff(t, g, "eva@staff.example", models.StaffReviewer),
		newStaff(t, g, "rui@staff.example", models.StaffSupervisor)
	id := propose(t, g, eva, &money.Fee{BasisPoints: 5}, 0)
	if err := g.Merchants.ApproveFee(t.Context(), rui, id); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(time.Minute)
	other := propose(t, g, eva, &money.Fee{BasisPoints: 6}, 1)
	for statement, constraint := range map[string]string{
		"UPDATE fee_proposals SET status = 'APPROVED', decided_by = proposed_by, decided_at = now() WHERE id = '" +
			other + "'": "fee_proposals_two_people",
		"UPDATE fee_proposals SET status = 'WITHDRAWN', decided_by = '" + rui.UserID +
			"', decided_at = now() WHERE id = '" + other + "'": "fee_proposals_own",
		"UPDATE fee_proposals SET basis_points = 9, status = 'REFUSED', decided_by = proposed_by, " +
			"decided_at = now(), decision_reason = 'x' WHERE id = '" + other + "'": "decided once",
		"UPDATE fee_proposals SET withdrawal_basis_points = 9, withdrawal_fixed = 9, status = 'REFUSED', " +
			"decided_by = proposed_by, decided_at = now(), decision_reason = 'x' WHERE id = '" + other +
			"'": "decided once",
		"INSERT INTO account_fees (account_id, withdrawal_fixed, valid_from, written_at) " +
			"SELECT account_id, 1, now(), now() FROM fee_proposals": "account_fees_withdrawal",
		"UPDATE fee_proposals SET decided_at = now() WHERE id = '" + id + "'": "decided once",
		"INSERT INTO account_fees " +
			"(account_id, valid_from, written_at, proposal_id, reason, proposed_by, approved_by) " +
			"SELECT account_id, now(), now(), proposal_id, reason, proposed_by, approved_by " +
			"FROM account_fees": "account_fees_proposal_id_key",
		"INSERT INTO account_fees " +
			"(account_id, valid_from, written_at, proposal_id, reason, proposed_by, approved_by) " +
			"SELECT account_id, now(), now(), id, reason, proposed_by, proposed_by FROM fee_proposals " +
			"WHERE status = 'PENDING'": "account_fees_two_people",
		"DELETE FROM account_fees": "append-only", "UPDATE account_limits SET min_amount = 1": "append-only",
	} {
		if _, err := g.DB.Pool.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), constraint) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}
