package payments_test

import (
	"context"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// terse is Banks whose bank does not list the Pix of a charge with it.
type terse struct{ payments.Banks }

// For implements payments.Banks.
func (b terse) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := b.Banks.For(ctx, id)
	return terseBank{bank}, err
}

type terseBank struct{ psp.Bank }

// Charge implements psp.Bank.
func (b terseBank) Charge(ctx context.Context, txID string) (psp.ChargeState, error) {
	state, err := b.Bank.Charge(ctx, txID)
	state.Payments = nil
	return state, err
}

// At a bank whose lists are shorter than a day, whether or not a day has a whole number of them, old days and
// nights are read as elsewhere, and so are the Pix of a charge that the bank does not list with it.
func TestBank_ShortWindows(t *testing.T) {
	t.Parallel()
	for name, profiles := range map[string]string{
		"half a day": `{"generic": {"max_window": 12}}`, "five hours": `{"generic": {"max_window": 5}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := bankstest.Known(t, "generic", profiles)
			untilNight(h)
			h.Later(4 * time.Hour)
			h.Tend(t)
			// As if the sweeps went by without what comes now.
			modelstest.Exec(t, h.DB, "UPDATE bank_sweeps SET watermark = $1, swept_at = $2, swept_deep_at = $2",
				h.Bank.Clock.Now().Add(24*time.Hour), h.Bank.Clock.Now().Add(72*time.Hour))
			c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
			id := h.Pay(t, control.PayRequest{Code: c.CopyPaste})[0]
			h.Service.Banks = terse{h.Banks}
			h.Later(20 * time.Second)
			h.Tend(t)
			expect(t, h, c.ID, models.CheckoutPaid)
			h.Service.Banks = h.Banks

			h.Later(14 * time.Hour) // the sale is in the second part
			giveBack(t, h, id, 30_00)
			h.Tend(t)
			const returned = "SELECT coalesce(sum(amount), 0)::bigint FROM refunds WHERE status = 'COMPLETED'"
			if sum := modelstest.One[int64](t, h.DB, returned); sum != 30_00 {
				t.Errorf("returns of %d were found in the old days", sum)
			}
			day := today(h)
			untilNight(h)
			tendNight(t, h)
			if got := dayOf(t, h, day); got.Differs || got.BankPix != 1 || got.BankReturnsSum != 30_00 {
				t.Errorf("the day is %+v", got)
			}
		})
	}
}
