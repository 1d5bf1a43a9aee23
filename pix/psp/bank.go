package psp

import (
	"context"
	"time"
)

// Bank is one account at a bank that speaks BACEN's API Pix. Its errors are *Error, unless a
// method says otherwise. Methods may take seconds, must not be called in a transaction, are safe
// for concurrent use and leave no goroutine behind. A bank that can do more also implements
// Payer or Disputer.
type Bank interface {
	Provider

	// Now returns the time by the bank's clock, as far as its answers have shown it.
	Now() time.Time

	// Charge returns the charge as the bank has it now.
	Charge(ctx context.Context, txID string) (ChargeState, error)

	// RemoveCharge asks the bank to accept no payment of the charge any more, and returns what
	// the charge has become: PAID if the payer was faster. It is idempotent.
	RemoveCharge(ctx context.Context, txID string) (ChargeState, error)

	// Payment returns a received Pix.
	Payment(ctx context.Context, endToEndID string) (Payment, error)

	// LongestWindow returns the longest Window that Payments takes, more than 0. AllPayments takes longer ones.
	LongestWindow() time.Duration

	// Payments returns a page of the received Pix, counted from 0. AllPayments reads all pages.
	Payments(ctx context.Context, w Window, page int) (Page, error)

	// PutReturn asks the bank to give back an amount in centavos of a received Pix. id has 1 to
	// 35 letters and digits; repeating it with the same amount gives nothing back again. The
	// bank may take days: see Return.
	PutReturn(ctx context.Context, endToEndID, id string, amount int64) (Return, error)

	// Return returns a return as the bank has it now.
	Return(ctx context.Context, endToEndID, id string) (Return, error)

	// RegisterNotices asks the bank to post notices of received Pix to the URL, to which banks
	// add "/pix". An earlier URL of the key is replaced.
	RegisterNotices(ctx context.Context, url string) error

	// Hints returns the ids in a notice. They are hints only: anyone can write a notice, so the
	// bank must be read before anything is believed.
	Hints(body []byte) ([]Hint, error)

	// Check tries what the account needs, one finding each.
	Check(ctx context.Context) []Finding
}

// Payer is a bank from whose account Pix can be sent by API.
type Payer interface {
	// Send sends a Pix, and never repeats it by itself. After an error that is Ambiguous, and
	// if ctx ends first, the Pix may have been sent: only Sent tells.
	Send(ctx context.Context, p Payout) (Sent, error)

	// Sent returns what has become of the payout that was sent with this id.
	Sent(ctx context.Context, id string) (Sent, error)
}

// Disputer is a bank whose API lists contested Pix.
type Disputer interface {
	// Disputes returns the disputes opened since a time, closed ones too.
	Disputes(ctx context.Context, since time.Time) ([]Dispute, error)

	// Defend sends the receiver's answer to a dispute, and never repeats it by itself.
	Defend(ctx context.Context, ref, text string) error

	// Agree is Defend for a receiver who agrees that the bank gives the money back.
	Agree(ctx context.Context, ref, text string) error
}
