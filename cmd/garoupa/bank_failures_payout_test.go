package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// newPayingHouse is a house at a bank that pays by API, whose merchant has money and a destination.
func newPayingHouse(t *testing.T) (h *house, reviewer models.Actor) {
	t.Helper()
	h = newHouseAt(t, "efi", "GAROUPA_SETTLEMENT_DELAY_LIVE=1s")
	h.alter(`overrides = overrides || '{"register_headers": {"x-skip-mtls-checking": "true"}}'`)
	_, h.services = h.open() // with a new client
	bank, err := h.banks.For(t.Context(), h.accountID)
	if err == nil {
		err = bank.RegisterNotices(t.Context(), "https://localhost:1/bank") // it sends no Pix without
	}
	if err != nil {
		t.Fatal(err)
	}
	c := h.charge("pedido-1")
	h.paid(c)
	id, err := h.merchants.AddStaff(t.Context(), merchants.NewStaff{Name: "Rita", Email: "rita@staff.example",
		Password: demoPassword(), Role: models.StaffReviewer})
	if err != nil {
		t.Fatal(err)
	}
	reviewer = models.Actor{UserID: id}
	d, err := h.payments.RequestDestination(t.Context(), h.owner, h.account.ID, payments.NewDestination{
		Rail: models.RailPix, Type: "EMAIL", Address: "atelie@example.com", HolderName: "Ateliê Aurora Ltda"})
	if err == nil {
		err = h.payments.ApproveDestination(t.Context(), reviewer, d.ID, d.Version)
	}
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, h.db.DB, "UPDATE destinations SET usable_at = now() - interval '1 second'")
	h.until("the money is settled", func() bool {
		return modelstest.One[string](t, h.db.DB, "SELECT settlement_status FROM checkouts") != "PENDING"
	})
	return h, reviewer
}

// withdraw asks for a withdrawal over the API, which staff approve.
func (h *house) withdraw(reviewer models.Actor, amount, idempotencyKey string) (id string) {
	h.t.Helper()
	status, answer := h.post("/v1/withdrawals", fmt.Sprintf(`{"amount":%q,"rail":"BRL_PIX"}`, amount), idempotencyKey)
	var w struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &w); err != nil || status != http.StatusCreated {
		h.t.Fatalf("a withdrawal: %d %s, %v", status, answer, err)
	}
	if _, err := h.payments.ApproveWithdrawal(h.t.Context(), reviewer, w.ID, 1); err != nil {
		h.t.Fatal(err)
	}
	return w.ID
}

// withdrawn waits until a withdrawal has a status, while the program asks the bank each time.
func (h *house) withdrawn(id string, status models.WithdrawalStatus) *models.Withdrawal {
	h.t.Helper()
	var w *models.AccountWithdrawal
	h.until(id+" is "+string(status), func() bool {
		modelstest.Exec(h.t, h.db.DB, `UPDATE payout_attempts SET next_look_at = now()
			WHERE next_look_at > now() + interval '1 second' AND next_look_at < now() + interval '50 seconds'
				OR ended_at IS NOT NULL AND next_look_at IS NOT NULL`)
		var err error
		if w, err = models.AccountWithdrawalByID(h.t.Context(), h.db.Pool, id); err != nil {
			h.t.Fatal(err)
		}
		return w.Status == status
	})
	return &w.Withdrawal
}

// payouts returns how many payouts the bank has.
func (h *house) payouts() (n int) {
	h.t.Helper()
	for _, line := range h.state().Recent {
		if line.Kind == "payout" {
			n++
		}
	}
	return n
}

// The answer to a payout is lost: it is never sent again, and after 15 minutes staff are told.
func TestBank_F32_PayoutLost(t *testing.T) {
	t.Parallel()
	h, reviewer := newPayingHouse(t)
	h.fault(control.Fault{Name: "send-unknown"})
	id := h.withdraw(reviewer, "20.00", "saque-1")
	h.withdrawn(id, models.WithdrawalProcessing)
	h.until("it may have left", func() bool { return h.payouts() == 1 })
	h.kill(h.process)
	modelstest.Exec(t, h.db.DB, "UPDATE payout_attempts SET sending_at = sending_at - interval '15 minutes'")
	h.process = h.serve()
	h.until("staff are told", func() bool {
		return modelstest.One[int](t, h.db.DB, "SELECT count(*) FROM mails WHERE kind = 'payout_unknown'") == 1
	})
	h.opsSees("/ops/saques/"+id, "O banco não disse como o envio terminou")
	if w := h.withdrawn(id, models.WithdrawalProcessing); w.EndToEndID != nil {
		t.Errorf("the withdrawal is %+v", w)
	}
	h.sound()
	h.heal()
	if w := h.withdrawn(id, models.WithdrawalCompleted); w.EndToEndID == nil {
		t.Errorf("the withdrawal is %+v", w)
	}
	if n := h.payouts(); n != 1 {
		t.Errorf("the bank has %d payouts", n)
	}
	h.sound()
}

// A payout that the bank refuses leaves the money free; another one comes back in two parts.
func TestBank_F33_PayoutBack(t *testing.T) {
	t.Parallel()
	h, reviewer := newPayingHouse(t)
	bank, err := h.banks.For(t.Context(), h.accountID)
	if err == nil { // the installation takes out what the refused one needs
		_, err = bank.(psp.Payer).Send(t.Context(), psp.Payout{ID: "taxa", Key: "a@example.com", Amount: 25_00})
	}
	if err != nil {
		t.Fatal(err)
	}
	refused := h.withdraw(reviewer, "40.00", "saque-1")
	w := h.withdrawn(refused, models.WithdrawalFailed)
	code := modelstest.One[string](t, h.db.DB, "SELECT code FROM payout_attempts WHERE withdrawal_id = $1", refused)
	if *w.FailureCode != "PROVIDER_REFUSED" || code != "NAO_REALIZADO" {
		t.Errorf("the withdrawal is %+v, the code %s", w, code)
	}
	h.opsSees("/ops/saques/"+refused, "Código do banco"+code)
	back := h.withdraw(reviewer, "20.00", "saque-2")
	w = h.withdrawn(back, models.WithdrawalCompleted)
	for i, amount := range []int64{5_00, 0} { // 0 is all that is left
		if _, err := h.control.Return(t.Context(), control.ReturnRequest{EndToEndID: *w.EndToEndID,
			Amount: amount}); err != nil {
			t.Fatal(err)
		}
		want := []models.WithdrawalStatus{models.WithdrawalCompleted, models.WithdrawalReturned}[i]
		h.until("a part came back", func() bool {
			h.withdrawn(back, want)
			return modelstest.One[int](t, h.db.DB, "SELECT count(*) FROM withdrawal_returns") == i+1
		})
	}
	lines, err := models.Statement(t.Context(), h.db.Pool, h.account.ID, models.Live, models.StatementFilter{
		Kinds: []models.MovementKind{models.MovementWithdrawalReturned}, Limit: 10})
	if err != nil || len(lines) != 2 || lines[1].Amount != 5_00 {
		t.Errorf("the statement has %+v, %v", lines, err)
	}
	h.sound()
}
