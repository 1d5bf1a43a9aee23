package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/refusal"
	"garoupa/internal/usdt/quote"
	"garoupa/models"
)

// quoteOf requests a quote of the withdrawal's net amount in USDT. The refusal is
// QuoteUnavailable.
func (s *Service) quoteOf(ctx context.Context, w *models.Withdrawal) (*models.Quote, error) {
	rate, err := s.Quotes.Rate(ctx)
	if errors.Is(err, quote.ErrUnavailable) {
		return nil, refusal.New(refusal.QuoteUnavailable,
			"There is no exchange rate for USDT now. Try again in a few minutes.").Because(err)
	} else if err != nil {
		return nil, fmt.Errorf("payments: quote %s: %w", w.ID, err)
	}
	amount := rate.USDT(int64(w.Net()))
	if amount <= 0 {
		return nil, refusal.New(refusal.InvalidAmount, "amount is worth less than 0.000001 USDT.")
	}
	return &models.Quote{Rate: rate.Value, Amount: amount, ExpiresAt: rate.ExpiresAt.UTC()}, nil
}
