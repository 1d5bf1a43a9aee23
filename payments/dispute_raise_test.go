package payments_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// saysOf writes what a bank says of a refund that was asked for here.
func saysOf(t *testing.T, h *bankstest.House, r *models.Refund, status psp.TransferStatus) error {
	t.Helper()
	return h.RecordReturns(t.Context(), psp.Payment{
		EndToEndID: modelstest.One[string](t, h.DB, "SELECT end_to_end_id FROM payments WHERE id = $1", r.PaymentID),
		Returns: []psp.Return{{ID: strings.ReplaceAll(r.ID, "_", ""), Status: status, Reason: "Conta encerrada",
			Amount: int64(r.Amount)}},
	})
}

// expectBlock checks what is blocked for the only dispute, and what of that was short.
func expectBlock(t *testing.T, h *bankstest.House, block, short money.Cents) {
	t.Helper()
	blocked(t, h, block)
	if d := lastDispute(t, h); d.Held() != block || d.Short != short {
		t.Errorf("%s are blocked for the dispute, %s short; want %s, %s", d.Held().Decimal(), d.Short.Decimal(),
			block.Decimal(), short.Decimal())
	}
}

// A refund that was under way when its payment was contested, and that the bank refuses, is blocked for the dispute.
func TestDispute_RefundFails(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Fault(t, control.Fault{Name: "refuse-return"})
	c := sold(t, h)
	settle(t, h)
	r := refund(t, h, c.ID, 70_00)
	d, err := byHand(t, h, "MED-1", 0)
	if err != nil {
		t.Fatal(err)
	}
	held(t, h, 0, -99, 70_00)
	expectBlock(t, h, 30_00, 99)
	ended(t, h, r.ID, models.RefundFailed)
	held(t, h, 0, -99, 0)
	expectBlock(t, h, 100_00, 1_98)
	lines, err := models.Statement(t.Context(), h.DB.Pool, h.Account.ID, models.Live, models.StatementFilter{
		Kinds: []models.MovementKind{models.MovementBlock}, Limit: 10})
	if err != nil || len(lines) != 2 || lines[0].Amount != -70_00 || lines[0].LinkedID != d.ID {
		t.Errorf("the statement has %+v, %v", lines, err)
	}
	if _, err := h.CloseDispute(t.Context(), h.Staff(t), d.ID, paymentstest.Reason); err != nil {
		t.Fatal(err)
	}
	held(t, h, 0, 99_01, 0)
	blocked(t, h, 0)
}

// Before the settlement what failed is pending again, and the block takes what is not there. The bank's debit comes
// from the whole block.
func TestDispute_RefundFailsUnsettled(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	r := refund(t, h, sold(t, h).ID, 70_00)
	d, err := byHand(t, h, "MED-1", 0)
	if err != nil {
		t.Fatal(err)
	}
	held(t, h, 29_01, -30_00, 70_00)
	if err := saysOf(t, h, r, psp.TransferRefused); err != nil {
		t.Fatal(err)
	}
	held(t, h, 99_01, -100_00, 0)
	expectBlock(t, h, 100_00, 100_00)
	if err := h.RecordReturns(t.Context(), psp.Payment{EndToEndID: d.EndToEndID, Returns: []psp.Return{{ID: "med1",
		Nature: "MED_FRAUDE", Status: psp.TransferDone, Amount: 100_00}}}); err != nil {
		t.Fatal(err)
	}
	held(t, h, 99_01, -100_00, 100_00)
	blocked(t, h, 0)
	settle(t, h)
	held(t, h, 0, -99, 100_00)
}

// Not more is blocked than is contested, nor what another refund gave back, nor for a dispute that is closed.
func TestDispute_RaisedInBounds(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]struct {
		contested     money.Cents
		second        psp.TransferStatus // what becomes of another refund before
		closed        bool
		before, after money.Cents
	}{
		"a part":                  {50_00, "", false, 30_00, 50_00},
		"nothing that was needed": {20_00, "", false, 20_00, 20_00},
		"another succeeds":        {0, psp.TransferDone, false, 20_00, 90_00},
		"another fails too":       {0, psp.TransferRefused, false, 20_00, 100_00},
		"closed":                  {0, "", true, 30_00, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := bankstest.New(t)
			c := sold(t, h)
			settle(t, h)
			var other *models.Refund
			if step.second != "" {
				other = refund(t, h, c.ID, 10_00)
			}
			r := refund(t, h, c.ID, 70_00)
			d, err := byHand(t, h, "MED-1", step.contested)
			if err != nil {
				t.Fatal(err)
			}
			blocked(t, h, step.before)
			if other != nil {
				if err := saysOf(t, h, other, step.second); err != nil {
					t.Fatal(err)
				}
			}
			if step.closed {
				if _, err := h.CloseDispute(t.Context(), h.Staff(t), d.ID, paymentstest.Reason); err != nil {
					t.Fatal(err)
				}
			}
			if err := saysOf(t, h, r, psp.TransferRefused); err != nil {
				t.Fatal(err)
			}
			blocked(t, h, step.after)
			if drift, err := ledger.Check(t.Context(), h.DB.Pool); err != nil || len(drift) > 0 {
				t.Errorf("the books: %v, %v", drift, err)
			}
		})
	}
}

// A failure and the opening of a dispute wait for each other, and a failure that is heard of twice counts once: the
// whole is blocked in the end.
func TestDispute_RaisedTogether(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"the opening", "the failure"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			h := bankstest.New(t)
			other := h.Another(t)
			r := refund(t, h, sold(t, h).ID, 70_00)
			fail := func() error { return saysOf(t, other, r, psp.TransferRefused) }
			in := payments.NewDispute{PaymentID: r.PaymentID, BankRef: "MED-1", Cause: "Golpe",
				AnswerBy: h.Service.Now().Add(48 * time.Hour)}
			by := h.Staff(t)
			open := func() error { return second(h.OpenDispute(t.Context(), by, in)) }
			acts := []func() error{open, fail}
			if first == "the failure" {
				acts = []func() error{fail, open}
			}
			if one, two := h.Race(t, acts[0], acts[1]); one != nil || two != nil {
				t.Fatal(one, two)
			}
			var again sync.WaitGroup
			for range 2 {
				again.Go(func() {
					if err := fail(); err != nil {
						t.Error(err)
					}
				})
			}
			again.Wait()
			held(t, h, 99_01, -100_00, 0)
			expectBlock(t, h, 100_00, 100_00)
		})
	}
}

// The check of the books reports a raised dispute without a posting, and a posting without a raised dispute.
func TestDispute_RaisedUnposted(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	r := refund(t, h, sold(t, h).ID, 70_00)
	d, err := byHand(t, h, "MED-1", 0)
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, h.DB, "UPDATE disputes SET blocked = blocked + 100, short = short + 100")
	drift, err := ledger.Check(t.Context(), h.DB.Pool)
	if err != nil || len(drift) != 1 || !strings.Contains(drift[0], "dispute/"+d.ID) {
		t.Errorf("a block without a posting: %q, %v", drift, err)
	}
	err = h.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return ledger.Post(tx, h.Service.Now(), ledger.Posting{Fact: "dispute/" + d.ID + "/raised/" + r.ID,
			Transfers: []ledger.Transfer{{From: ledger.Account(h.Account.ID, models.Live, ledger.Available),
				To: ledger.Account(h.Account.ID, models.Live, ledger.Blocked), Amount: 1_00}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	drift, err = ledger.Check(t.Context(), h.DB.Pool)
	if err != nil || len(drift) < 1 || !strings.Contains(strings.Join(drift, "\n"), r.ID) {
		t.Errorf("a posting for a refund that did not fail: %q, %v", drift, err)
	}
}
