package payments

import (
	"time"

	"garoupa/models"
)

// ShownStatus is what the page of a checkout shows its buyer: the checkout's status, or more about a pending one.
type ShownStatus string

const (
	// ShownPending shows the code.
	ShownPending ShownStatus = "PENDING"
	// ShownSlow shows the code, while the bank has not said for some time what it received.
	ShownSlow ShownStatus = "SLOW"
	// ShownStopped shows no code, because the merchant may not charge now (decision 0037).
	ShownStopped ShownStatus = "STOPPED"
	// ShownMispaid is a checkout for which money came that does not pay it. Its bank takes no other Pix.
	ShownMispaid ShownStatus = "MISPAID"
	// ShownExpired is a checkout whose time is over, by the bank's clock or by ours.
	ShownExpired ShownStatus = "EXPIRED"
	// ShownCancelled is a checkout that is CANCELLED, or will be once its bank has removed the charge.
	ShownCancelled ShownStatus = "CANCELLED"
)

// Open reports whether the buyer sees a code and can pay.
func (s ShownStatus) Open() bool { return s == ShownPending || s == ShownSlow }

// slowAfter is how long after the last reading of what a bank received its confirmations are slow. Without
// an incident it is read three times a minute.
const slowAfter = 2 * time.Minute

// Shown returns what the page of a checkout shows.
func Shown(c *models.PublicCheckout, now time.Time) ShownStatus {
	charge := models.BankChargeStatus("")
	if c.ChargeStatus != nil {
		charge = *c.ChargeStatus
	}
	pending := c.Status == models.CheckoutPending
	switch {
	case c.Mispaid && c.Status != models.CheckoutPaid, pending && charge == models.BankChargePaid:
		return ShownMispaid
	case !pending:
		return ShownStatus(c.Status)
	case charge == models.BankChargeRemoving:
		return ShownCancelled
	case !MayCharge(c.Merchant.AccountSwitches, c.Environment):
		return ShownStopped
	case !now.Before(c.ExpiresAt), c.PayableUntil != nil && c.PayableUntil.Before(now):
		return ShownExpired
	case c.ReadUntil != nil && c.ReadUntil.Before(now.Add(-slowAfter)):
		return ShownSlow
	}
	return ShownPending
}
