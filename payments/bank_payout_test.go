package payments_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// sendPath is the path of the request for a payout at Efí.
const sendPath = "/v3/gn/pix"

// paying returns a house at Efí, whose merchant has 100.00 available and a destination, and whose
// installation has them at the bank.
func paying(t *testing.T) *bankstest.House {
	t.Helper()
	h := bankstest.At(t, "efi")
	h.Receive(t)
	h.Register(t) // Efí sends none without
	payable(t, h)
	return h
}

// payable gives the merchant of a house 100.00 and a destination.
func payable(t *testing.T, h *bankstest.House) {
	t.Helper()
	h.SetFee(t, money.Fee{})
	h.SetWithdrawalFee(t, money.Fee{Fixed: 1_00})
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	h.Destination(t, models.RailPix)
	h.Later(max(paymentstest.SettlementDelay, paymentstest.Policy.Hold) + time.Minute)
	if _, err := h.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// toPay returns a withdrawal of an amount that staff have approved.
func toPay(t *testing.T, h *bankstest.House, amount money.Cents) string {
	t.Helper()
	w := h.Withdraw(t, amount)
	if _, err := h.ApproveWithdrawal(t.Context(), h.Staff(t), w.ID, 1); err != nil {
		t.Fatal(err)
	}
	return w.ID
}

// payOut does once what is due about payouts.
func payOut(t *testing.T, h *bankstest.House) {
	t.Helper()
	if err := h.TendPayouts(t.Context(), h.AccountID); err != nil {
		t.Fatal(err)
	}
}

// payLater is payOut after the next look is due and the bank has done its work.
func payLater(t *testing.T, h *bankstest.House) {
	t.Helper()
	h.Later(5 * time.Minute)
	payOut(t, h)
}

// payUntilEnded pays until the bank, which takes its time, has ended the payouts of some withdrawals.
func payUntilEnded(t *testing.T, h *bankstest.House, ids ...string) {
	t.Helper()
	for {
		payLater(t, h)
		const open = "SELECT count(*) FROM payout_attempts WHERE ended_at IS NULL AND withdrawal_id = ANY($1)"
		if modelstest.One[int](t, h.DB, open, ids) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond) // between two looks
	}
}

// expectPayout checks a withdrawal, its books, its last payout, and that all agree.
func expectPayout(t *testing.T, h *bankstest.House, id, want string, status models.PayoutStatus) *models.PayoutAttempt {
	t.Helper()
	if got := stand(t, h.Gateway, id); got != want {
		t.Errorf("the withdrawal is %s, want %s", got, want)
	}
	sound(t, h.Gateway)
	all, err := models.PayoutAttempts(t.Context(), h.DB.Pool, id)
	if err != nil || len(all) != 1 {
		t.Fatalf("the payouts are %+v, %v", all, err)
	}
	if p := all[0]; p.Status != status || p.Amount != modelstest.One[money.Cents](t, h.DB,
		"SELECT amount - fee FROM withdrawals WHERE id = $1", id) {
		t.Errorf("the payout is %+v, want %s", p, status)
	}
	return &all[0]
}

// sentAt returns the number of payouts that the bank has.
func sentAt(t *testing.T, h *bankstest.House) (n int) {
	t.Helper()
	state, err := h.Bank.Control.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range state.Recent {
		if line.Kind == "payout" {
			n++
		}
	}
	return n
}

// How a withdrawal of 50.00 with a fee of 1.00 and its books stand.
const (
	processing = "PROCESSING -50.00 50.00 0.00 0.00"
	completed  = "COMPLETED -50.00 0.00 49.00 1.00"
	failed     = "FAILED 0.00 0.00 0.00 0.00"
)

// An approved withdrawal is paid by the bank, without staff, and its proof is the bank's EndToEndId.
func TestBank_Payout(t *testing.T) {
	t.Parallel()
	h := paying(t)
	id := toPay(t, h, 50_00)
	if pays, err := h.BankPays(t.Context(), models.RailPix); err != nil || !pays {
		t.Errorf("the bank pays: %t, %v", pays, err)
	}
	payOut(t, h)
	p := expectPayout(t, h, id, processing, models.PayoutProcessing)
	if want := strings.ReplaceAll(id, "_", "") + "n1"; p.ID != want || p.BankAccountID != h.AccountID {
		t.Errorf("the payout is %+v", p)
	}
	payUntilEnded(t, h, id)
	p = expectPayout(t, h, id, completed, models.PayoutDone)
	w, err := h.Withdrawal(t.Context(), h.Account.ID, models.Live, id)
	if err != nil || *w.EndToEndID != *p.EndToEndID || !strings.HasPrefix(*w.EndToEndID, "E99999999") {
		t.Errorf("the withdrawal is %+v, %v", w, err)
	}
	payLater(t, h)
	if n := sentAt(t, h); n != 1 {
		t.Errorf("the bank has %d payouts", n)
	}
}

// A bank that has no payouts by API leaves them to staff, as does a wallet.
func TestBank_PayoutByStaff(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	payable(t, h)
	id := toPay(t, h, 50_00)
	payOut(t, h)
	if got := stand(t, h.Gateway, id); got != "APPROVED -50.00 50.00 0.00 0.00" {
		t.Errorf("the withdrawal is %s", got)
	}
	for _, rail := range []models.Rail{models.RailPix, models.RailUSDT} {
		if pays, err := h.BankPays(t.Context(), rail); err != nil || pays {
			t.Errorf("%s: the bank pays: %t, %v", rail, pays, err)
		}
	}
}

// payers is Banks whose bank lets a test act in the place of Send.
type payers struct {
	payments.Banks
	send func(ctx context.Context, payer psp.Payer, p psp.Payout) (psp.Sent, error)
}

// For implements payments.Banks.
func (b payers) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := b.Banks.For(ctx, id)
	if err != nil {
		return nil, err
	}
	return sender{bank, bank.(psp.Payer), b}, nil
}

type sender struct {
	psp.Bank
	psp.Payer
	payers
}

// For hides that of payers.
func (s sender) For() {}

// Send implements psp.Payer.
func (s sender) Send(ctx context.Context, p psp.Payout) (psp.Sent, error) {
	return s.send(ctx, s.Payer, p)
}

// dies calls pay for a process that ends in Send, before or after the bank has the payout.
func dies(t *testing.T, h *bankstest.House, sends bool) {
	t.Helper()
	dying := h.Another(t)
	dying.Service.Banks = payers{dying.Banks, func(ctx context.Context, payer psp.Payer, p psp.Payout) (psp.Sent,
		error) {
		if sends {
			if _, err := payer.Send(ctx, p); err != nil {
				t.Error(err)
			}
		}
		panic("the process ends")
	}}
	defer func() {
		if recover() == nil {
			t.Error("the process did not end")
		}
	}()
	_ = dying.TendPayouts(t.Context(), dying.AccountID)
}

// A process that ends after the payout is stored has sent nothing: another one sends it (crash j).
func TestBank_PayoutStored(t *testing.T) {
	t.Parallel()
	h := paying(t)
	id := toPay(t, h, 50_00)
	h.Fault(t, control.Fault{Name: "reset", On: "/gn/pix/enviados"}) // it is stored, and goes no further
	payOut(t, h)
	expectPayout(t, h, id, processing, models.PayoutStored)
	h.Heal(t)
	other := h.Another(t)
	payUntilEnded(t, other, id)
	expectPayout(t, h, id, completed, models.PayoutDone)
}

// A process that ends once the payout may have left has perhaps sent it: another one only reads (crash k).
func TestBank_PayoutSending(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		sends bool
		want  string
		ends  models.PayoutStatus
	}{
		"before the first byte": {false, processing, models.PayoutSending},
		"after the last":        {true, completed, models.PayoutDone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := paying(t)
			id := toPay(t, h, 50_00)
			dies(t, h, tc.sends)
			expectPayout(t, h, id, processing, models.PayoutSending)
			if tc.sends {
				payUntilEnded(t, h, id)
			}
			for range 3 {
				payLater(t, h)
			}
			expectPayout(t, h, id, tc.want, tc.ends)
			if n := sentAt(t, h); n != map[bool]int{true: 1}[tc.sends] {
				t.Errorf("the bank has %d payouts", n)
			}
		})
	}
}

// lastly is Banks that calls end before it answers.
type lastly struct {
	payments.Banks
	end func()
}

// For implements payments.Banks.
func (b lastly) For(ctx context.Context, id string) (psp.Bank, error) {
	b.end()
	return b.Banks.For(context.WithoutCancel(ctx), id)
}

// A process that is told to end while it works at a bank leaves the account to the next one at once.
func TestBank_HandedOver(t *testing.T) {
	t.Parallel()
	h := paying(t)
	id := toPay(t, h, 50_00)
	ending := h.Another(t)
	at := ending.Service.Banks
	paying, end := context.WithCancel(t.Context())
	ending.Service.Banks = payers{at, func(context.Context, psp.Payer, psp.Payout) (psp.Sent, error) {
		end()
		return psp.Sent{}, paying.Err()
	}}
	_ = ending.TendPayouts(paying, ending.AccountID) // it fails
	expectPayout(t, h, id, processing, models.PayoutSending)
	sweeping, end := context.WithCancel(t.Context())
	ending.Service.Banks = lastly{at, end}
	if err := ending.TendBank(sweeping, ending.AccountID); !errors.Is(err, context.Canceled) {
		t.Errorf("the sweep ended with %v", err)
	}
	for _, lease := range []string{"leased_until", "payouts_leased_until"} {
		if modelstest.One[bool](t, h.DB, "SELECT "+lease+" > $1 FROM bank_sweeps", h.Bank.Clock.Now()) {
			t.Errorf("%s is not over", lease)
		}
	}
}

// Processes that pay at the same time send each payout once.
func TestBank_PayoutOnce(t *testing.T) {
	t.Parallel()
	h := paying(t)
	ids := []string{toPay(t, h, 50_00), toPay(t, h, 10_00), toPay(t, h, 20_00)}
	var sends atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		process := h.Another(t)
		process.Service.Banks = payers{process.Banks, func(ctx context.Context, payer psp.Payer,
			p psp.Payout) (psp.Sent, error) {
			sends.Add(1)
			return payer.Send(ctx, p)
		}}
		all.Go(func() {
			for range 3 {
				payOut(t, process)
			}
		})
	}
	all.Wait()
	payUntilEnded(t, h, ids...)
	for i, want := range []string{"49.00", "9.00", "19.00"} {
		amount := modelstest.One[money.Cents](t, h.DB, "SELECT amount FROM withdrawals WHERE id = $1", ids[i])
		expectPayout(t, h, ids[i], "COMPLETED -"+amount.Decimal()+" 0.00 "+want+" 1.00", models.PayoutDone)
	}
	if n := sentAt(t, h); n != 3 || sends.Load() != 3 {
		t.Errorf("%d were sent, the bank has %d", sends.Load(), n)
	}
}

// A payout whose answer is lost is never sent again, and is read until the bank says how it ended.
func TestBank_PayoutLost(t *testing.T) {
	t.Parallel()
	for _, fault := range []control.Fault{
		{Name: "send-unknown"}, {Name: "drop-answer", On: sendPath}, {Name: "500-done", On: sendPath},
	} {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			h := paying(t)
			id := toPay(t, h, 50_00)
			h.Fault(t, fault)
			payOut(t, h)
			expectPayout(t, h, id, processing, models.PayoutSending)
			payLater(t, h)
			h.Heal(t)
			payUntilEnded(t, h, id)
			expectPayout(t, h, id, completed, models.PayoutDone)
			if n := sentAt(t, h); n != 1 {
				t.Errorf("the bank has %d payouts", n)
			}
		})
	}
}
