package page

import (
	"cmp"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/pages"
)

// ShownTerms returns terms in the form for pages.
func ShownTerms(t payments.Terms) pages.Terms {
	return pages.Terms{
		Fees:      pages.Fees{Charge: t.Fee, Withdrawal: t.WithdrawalFee},
		MinAmount: t.MinAmount, MaxAmount: t.MaxAmount, SettlementDelay: t.SettlementDelay,
		DestinationHold: t.DestinationHold, WebhookEndpoints: t.WebhookEndpoints,
	}
}

// DestinationHold returns how long a destination waits after its approval.
func (s *Site) DestinationHold(account *models.Account) time.Duration {
	return s.Payments.Resolve(account.Limits.At(s.Now())).DestinationHold
}

// FeesOr returns the fees, with the installation's current fee for one that is nil.
func (s *Site) FeesOr(c *fiber.Ctx, charge, withdrawal *money.Fee) (pages.Fees, error) {
	installation, err := models.DefaultFeeAt(c.UserContext(), s.DB.Pool, s.Now())
	if err != nil {
		return pages.Fees{}, fmt.Errorf("page: read the installation's fee: %w", err)
	}
	return pages.Fees{
		Charge: *cmp.Or(charge, &installation), Withdrawal: *cmp.Or(withdrawal, &s.Payments.Withdrawals.Fee),
	}, nil
}

// next returns the index of the terms that will apply next, or -1. The n terms are ordered
// from the last decided to the first. Terms that later ones replace before their moment never
// apply.
func next(n int, from func(int) time.Time, now time.Time) int {
	found := -1
	for i := range n {
		at := from(i)
		if !at.After(now) {
			break // these terms apply now, and older ones never will again
		}
		if found < 0 || at.Before(from(found)) {
			found = i
		}
	}
	return found
}

// CurrentFee returns the fees that apply now. fees are those of an account, the last decided first.
// If none of them applies yet, the result has no fees, which means those of the installation.
func CurrentFee(fees []models.AccountFee, now time.Time) models.AccountFee {
	for _, f := range fees {
		if !f.ValidFrom.After(now) {
			return f
		}
	}
	return models.AccountFee{}
}

// NextFee returns the fees that will apply next, or nil.
func NextFee(fees []models.AccountFee, now time.Time) *models.AccountFee {
	if i := next(len(fees), func(i int) time.Time { return fees[i].ValidFrom }, now); i >= 0 {
		return &fees[i]
	}
	return nil
}

// NextLimits returns the limits that will apply next, or nil.
func NextLimits(history models.LimitsHistory, now time.Time) *models.AccountLimits {
	if i := next(len(history), func(i int) time.Time { return history[i].ValidFrom }, now); i >= 0 {
		return &history[i]
	}
	return nil
}
