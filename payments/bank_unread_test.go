package payments_test

import (
	"context"
	"errors"
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
