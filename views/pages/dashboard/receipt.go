package dashboard

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// NewReceiptProps is GET and POST /app/cobrancas/{id}/comprovante. Fields: email, and key, which sends one receipt
// however often the form is sent.
type NewReceiptProps struct {
	Shell       layouts.Shell
	ID          string
	Key         string
	Amount      money.Cents
	Description string
	PaidAt      time.Time
	Live        bool
	Email       string // as typed
	Receipts    []ReceiptRow
	Errors      components.FieldErrors
}

func (p NewReceiptProps) hint(ctx context.Context) string {
	if p.Live {
		return i18n.T(ctx, "receipt.email_hint")
	}
	return i18n.T(ctx, "pay.mail_test")
}
