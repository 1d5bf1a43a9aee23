package pages

import (
	"context"

	"garoupa/internal/money"
	"garoupa/views/i18n"
)

// Signed formats an amount with its sign, even if it is positive.
func Signed(ctx context.Context, amount money.Cents) string {
	if amount > 0 {
		return "+" + i18n.Money(ctx, amount)
	}
	return i18n.Money(ctx, amount)
}
