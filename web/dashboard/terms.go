package dashboard

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// addTerms adds the account's fees and limits to the balance.
func (s *treasury) addTerms(c *fiber.Ctx, props *pages.BalanceProps) error {
	account, err := account(s.Site, c)
	if err != nil {
		return err
	}
	now := s.Now()
	terms, err := s.Payments.TermsAt(c.UserContext(), account, now)
	if err != nil {
		return err
	}
	props.Terms = pages.OwnTerms{Now: page.ShownTerms(terms)}
	fees, err := models.AccountFees(c.UserContext(), s.DB.Pool, account.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read fees: %w", err)
	}
	if next := page.NextFee(fees, now); next != nil {
		fees, err := s.FeesOr(c, next.Fee, next.WithdrawalFee)
		if err != nil {
			return err
		}
		props.Terms.NextFees = &pages.PlannedTerms{From: next.ValidFrom, Terms: base.Terms{Fees: fees}}
	}
	if next := page.NextLimits(account.Limits, now); next != nil {
		props.Terms.NextLimits = &pages.PlannedTerms{From: next.ValidFrom,
			Terms: page.ShownTerms(s.Payments.Resolve(next.Limits))}
	}
	return nil
}
