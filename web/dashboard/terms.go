package dashboard

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// addTerms adds the account's fee and limits to the balance.
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
		fee, err := s.FeeOr(c, next.Fee)
		if err != nil {
			return err
		}
		props.Terms.NextFee = &pages.PlannedTerms{From: next.ValidFrom, Terms: base.Terms{Fee: fee}}
	}
	if next := page.NextLimits(account.Limits, now); next != nil {
		props.Terms.NextLimits = &pages.PlannedTerms{From: next.ValidFrom,
			Terms: page.ShownTerms(s.Payments.Resolve(next.Limits))}
	}
	return nil
}
