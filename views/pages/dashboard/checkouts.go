package dashboard

import (
	"cmp"
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// CheckoutProps is GET /app/cobrancas/{id}. Its forms post to
// /app/cobrancas/{id}/cancelar and, in test, …/simular and …/expirar.
type CheckoutProps struct {
	Shell            layouts.Shell
	ID               string
	Status           string
	Amount           money.Cents
	Description      string
	ExternalID       string
	CheckoutURL      string
	CopyPaste        string
	QR               components.QRProps
	CustomerID       string // "" if the charge names no customer
	CustomerName     string // customer members are left out when ""
	CustomerEmail    string
	CustomerDocument string
	EndToEndID       string
	TxID             string
	PaymentLinkID    string // "" if no link created it
	Product          string // of the link; "" if there is none
	ProductHref      string
	RequestID        string // of the API call that created it; "" if unknown, or if the visitor may not know it
	RequestHref      string // the call's page
	CreatedAt        time.Time
	ExpiresAt        time.Time
	PaidAt           *time.Time
	ClosedAt         *time.Time  // when it expired or was cancelled
	Settlement       *Settlement // nil until paid
	Refunds          []RefundRow
	Disputes         []DisputeRow
	Stray            []StrayPayment
	Metadata         []components.KeyValue
	Events           []EventRow // oldest first
	CanCancel        bool
	Cancelling       bool // the bank has not confirmed yet that it takes no payment
	CanRefund        bool
	NotAsked         bool // else it could be refunded, but its bank is not asked any more
	CanSimulate      bool
	Again            bool // it can no longer be paid, and the visitor may create another
	CanRepeat        bool // the visitor may create another like it
	CanMailReceipt   bool
	Receipts         []ReceiptRow // oldest first
	Send             bool         // it was just made, to be sent by WhatsApp
	// What could not be read.
	NoEvents, NoStory bool
}

// shareFirst reports whether phones show what to do next before what is known: the page to send, or another charge.
func (p CheckoutProps) shareFirst() bool { return p.Status == base.StatusPending || p.Again }

// customer is who pays, as the charge was told.
func (p CheckoutProps) customer(ctx context.Context) string {
	return cmp.Or(p.CustomerName, i18n.T(ctx, "checkout.customer_unknown"))
}

// customerHref leads to all that the customer bought, "" if the charge names no customer.
func (p CheckoutProps) customerHref() string {
	if p.CustomerID == "" {
		return ""
	}
	return CustomersPath + "/" + p.CustomerID
}

// ReceiptRow is a receipt that was mailed.
type ReceiptRow struct {
	To       string // masked
	ByMember bool
	SentAt   time.Time
}

// How far a payment's money has come (contract 3.2); between the first two it is AVAILABLE.
const (
	SettlementPending   = "PENDING"
	SettlementCompleted = "COMPLETED"
	// SettlementOwn is of money at the merchant's own bank account, which is never available here.
	SettlementOwn = "OWN"
)

// Settlement is the settlement of a payment.
type Settlement struct {
	Status      string
	Paid        money.Cents
	Fee         money.Cents
	Net         money.Cents
	AvailableAt *time.Time
	Own         bool // the money is at the merchant's own bank account, from AvailableAt on
}

// place returns where the money is, as one of the constants above or AVAILABLE.
func (s *Settlement) place() string {
	if s.Own {
		return SettlementOwn
	}
	return s.Status
}

// freeAt returns when the money becomes or became available, "" if it never is or the time is unknown.
func (s *Settlement) freeAt(ctx context.Context) string {
	if s.Own {
		return ""
	}
	return instantOrNone(ctx, s.AvailableAt)
}

// RefundRow is a refund of a payment.
type RefundRow struct {
	ID        string
	Status    string // REQUESTED, PROCESSING, COMPLETED, FAILED
	Failure   string // why it failed, in the bank's words
	Amount    money.Cents
	ReturnID  string // the institution's; "" if there is none
	CreatedAt time.Time
}

// StrayPayment is a Pix payment for a checkout that did not make it PAID.
type StrayPayment struct {
	EndToEndID string
	Amount     money.Cents
	PaidAt     time.Time
	Kind       string // LATE, UNDERPAID, OVERPAID, DUPLICATE
	Decision   string // ACCEPTED, REFUNDED, WRITTEN_OFF; "" while undecided
}

// instantOrNone returns "" for a nil time, which leaves out its row.
func instantOrNone(ctx context.Context, t *time.Time) string {
	if t == nil {
		return ""
	}
	return i18n.Instant(ctx, *t)
}
