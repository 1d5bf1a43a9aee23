package payments_test

import (
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// A merchant's own bank gives back parts of one Pix for a refund and for a dispute, and lists both together. None of
// that money becomes the merchant's money at the installation, blocked or available, and the merchant sees both.
func TestBank_OwnDebitBesideRefund(t *testing.T) {
	t.Parallel()
	for _, settled := range []bool{true, false} {
		own := bankstest.New(t).WithOwn(t)
		c := soldOwn(t, own)
		if settled {
			settleNow(t, own)
		}
		asked := refund(t, own, c.ID, 30_00)
		if settled { // otherwise the debit is the first that is known of the dispute
			if _, err := byHand(t, own, "MED-1", 50_00); err != nil {
				t.Fatal(err)
			}
		}
		ref := contestAtBank(t, own, c, 50_00)
		closed := control.CloseRequest{ID: ref, Outcome: "RETURNED"}
		if _, err := own.Bank.Control.CloseDispute(t.Context(), closed); err != nil {
			t.Fatal(err)
		}
		ended(t, own, asked.ID, models.RefundCompleted)
		for !refunds(t, own, 2)() {
			own.Sweep(t)
			time.Sleep(10 * time.Millisecond) // between two looks
		}
		settleNow(t, own)
		for range 2 { // the list is read again
			held(t, own, 0, 0, 80_00)
			leftFor(t, own, 20_00)
			blocked(t, own, 0)
			own.Sweep(t)
		}
		expectOutside(t, own)
		expectBothShown(t, own, c.ID, asked.ID)
	}
}

// A refund that the own bank refuses while the Pix is contested blocks nothing: that bank holds its money back itself.
func TestBank_OwnRefundFailsContested(t *testing.T) {
	t.Parallel()
	own := bankstest.New(t).WithOwn(t)
	r := refund(t, own, soldOwn(t, own).ID, 30_00)
	if _, err := byHand(t, own, "MED-1", 0); err != nil {
		t.Fatal(err)
	}
	if err := saysOf(t, own, r, psp.TransferRefused); err != nil {
		t.Fatal(err)
	}
	held(t, own, 100_00, 0, 0)
	blocked(t, own, 0)
}

// expectOutside checks that no money of an own bank account was in a book of money that the installation has.
func expectOutside(t *testing.T, own *bankstest.House) {
	t.Helper()
	if n := modelstest.One[int](t, own.DB, `SELECT count(*) FROM ledger_transfers,
		unnest(ARRAY[from_book, to_book]) AS book
		WHERE book ~ '/(available|blocked|reserved|fees|suspense|written_off)$'`); n != 0 {
		t.Errorf("%d transfers concern money that the installation has", n)
	}
	for book, want := range map[ledger.Book]money.Cents{ledger.Clearing(models.Live): -100_00,
		ledger.Refunds(models.Live): 80_00, ledger.PaidOut(models.Live): 20_00} {
		if got := inBook(t, own, book); got != want {
			t.Errorf("%s holds %s, want %s", book, got.Decimal(), want.Decimal())
		}
	}
}

// expectBothShown checks what the merchant sees of a refund of 30.00 and a debit of 50.00.
func expectBothShown(t *testing.T, own *bankstest.House, checkoutID, askedID string) {
	t.Helper()
	made, err := models.Refunds(t.Context(), own.DB.Pool, own.Live, checkoutID)
	if err != nil || len(made) != 2 {
		t.Fatalf("the refunds are %+v, %v", made, err)
	}
	debit := made[1]
	if made[0].ID != askedID || made[0].Amount != 30_00 || debit.Amount != 50_00 ||
		debit.Origin != models.RefundByDispute || debit.Status != models.RefundCompleted || debit.FromBlocked != 0 ||
		debit.Short != 0 {
		t.Errorf("the refunds are %+v", made)
	}
	contested, err := models.DisputesOfCheckout(t.Context(), own.DB.Pool, own.Account.ID, checkoutID)
	if err != nil || len(contested) != 1 || contested[0].Status != models.DisputeLost ||
		contested[0].Returned != 50_00 || contested[0].Blocked != 0 {
		t.Errorf("the disputes are %+v, %v", contested, err)
	}
	lines, err := models.Statement(t.Context(), own.DB.Pool, own.Account.ID, models.Live, models.StatementFilter{
		Kinds: []models.MovementKind{models.MovementRefund}, Limit: 10})
	if err != nil || len(lines) != 2 || lines[0].LinkedID != debit.ID || lines[0].Amount != -50_00 ||
		lines[1].LinkedID != askedID || lines[1].Amount != -30_00 {
		t.Errorf("the statement has %+v, %v", lines, err)
	}
}
