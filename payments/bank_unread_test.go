package payments_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// garbled is Banks whose bank lists one more Pix, which cannot be read.
type garbled struct{ payments.Banks }

// For implements payments.Banks.
func (g garbled) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := g.Banks.For(ctx, id)
	return garbledList{bank}, err
}

type garbledList struct{ psp.Bank }

// Payments implements psp.Bank.
func (g garbledList) Payments(ctx context.Context, w psp.Window, page int) (psp.Page, error) {
	p, err := g.Bank.Payments(ctx, w, page)
	p.Total++
	p.Unread = append(p.Unread, errors.New("a Pix has no amount"))
	return p, err
}

// A Pix that cannot be read is an error of each sweep. The others are recorded, and the next windows are read;
// but no charge lapses, because the Pix may have paid it.
func TestBank_Unread(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	open := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	paid := h.Charge(t, payments.NewCheckout{ExpiresIn: time.Hour})
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = next_check_at + interval '1 day'")
	h.Pay(t, control.PayRequest{Code: paid.CopyPaste})
	h.Later(3 * time.Minute)
	h.Service.Banks = garbled{h.Banks}
	var before time.Time
	const watermark = "SELECT watermark FROM bank_sweeps"
	for range 2 {
		if err := h.TendBank(t.Context(), h.AccountID); !errors.Is(err, psp.ErrUnread) {
			t.Fatalf("tending ends with %v", err)
		}
		if now := modelstest.One[time.Time](t, h.DB, watermark); !now.After(before) {
			t.Errorf("the watermark stays at %v", now)
		} else {
			before = now
		}
		h.Later(time.Minute)
	}
	expect(t, h, paid.ID, models.CheckoutPaid)
	expectCharge(t, h, open.ID, models.BankChargeOpen)

	h.Service.Banks = h.Banks
	h.Sweep(t)
	expectCharge(t, h, open.ID, models.BankChargeLapsed)
}

// A return that cannot be recorded, because another refund has its id, is an error of each reading. It holds up
// neither another Pix nor the next windows and old days; but no charge lapses.
func TestBank_Unrecorded(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c, other := sold(t, h), sold(t, h)
	open := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	paid := h.Charge(t, payments.NewCheckout{ExpiresIn: time.Hour})
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = next_check_at + interval '1 day'")
	made := madeInPortal(t, h, c, 40_00).Returns[0]
	note(t, h, other, 30_00, made.RtrID)
	h.Pay(t, control.PayRequest{Code: paid.CopyPaste})
	var before time.Time
	const watermark = "SELECT watermark FROM bank_sweeps"
	for range 2 {
		h.Later(3 * time.Minute)
		if err := h.TendBank(t.Context(), h.AccountID); err == nil || models.Unavailable(err) {
			t.Fatalf("tending ends with %v", err)
		}
		if now := modelstest.One[time.Time](t, h.DB, watermark); !now.After(before) {
			t.Errorf("the watermark stays at %v", now)
		} else {
			before = now
		}
	}
	expect(t, h, paid.ID, models.CheckoutPaid)
	expectCharge(t, h, open.ID, models.BankChargeOpen)

	h.Later(40 * time.Hour) // the day is an old one, and not the last
	const oldDay = "SELECT old_from FROM bank_sweeps"
	var days []*time.Time
	for range 3 {
		h.Later(15 * time.Minute)
		_ = h.TendBank(t.Context(), h.AccountID) // whose error is that of the return
		days = append(days, modelstest.One[*time.Time](t, h.DB, oldDay))
	}
	if days[0] == nil || days[1] != nil || days[2] == nil {
		t.Errorf("the old days are %v", days)
	}
}

// restless is Banks whose bank's lists never have the number of Pix that they say.
type restless struct{ payments.Banks }

// For implements payments.Banks.
func (r restless) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := r.Banks.For(ctx, id)
	return restlessList{bank}, err
}

type restlessList struct{ psp.Bank }

// Payments implements psp.Bank.
func (r restlessList) Payments(ctx context.Context, w psp.Window, page int) (psp.Page, error) {
	p, err := r.Bank.Payments(ctx, w, page)
	p.Total++
	return p, err
}

// A list that keeps changing long after its window is an error, and holds up neither what it has nor the next windows.
// While it is young, it is read again.
func TestBank_Restless(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Tend(t)
	paid := h.Charge(t, payments.NewCheckout{ExpiresIn: 24 * time.Hour})
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = next_check_at + interval '1 day'")
	h.Pay(t, control.PayRequest{Code: paid.CopyPaste})
	h.Service.Banks = restless{h.Banks}
	const watermark = "SELECT watermark FROM bank_sweeps"
	before := modelstest.One[time.Time](t, h.DB, watermark)
	h.Later(20 * time.Second)
	_ = h.TendBank(t.Context(), h.AccountID) // the old day is an error
	if now := modelstest.One[time.Time](t, h.DB, watermark); !now.Equal(before) {
		t.Errorf("while the list is young the watermark goes on to %v", now)
	}
	expect(t, h, paid.ID, models.CheckoutPaid)
	h.Later(2 * time.Hour)
	if err := h.TendBank(t.Context(), h.AccountID); err == nil || !strings.Contains(err.Error(), "the list changes") {
		t.Errorf("tending ends with %v", err)
	}
	if now := modelstest.One[time.Time](t, h.DB, watermark); !now.After(before) {
		t.Errorf("the watermark stays at %v", now)
	}
}
