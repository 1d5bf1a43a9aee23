package dashboard

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// account reads the account that the visitor looks at, with its switches.
func account(s *page.Site, c *fiber.Ctx) (*models.Account, error) {
	account, err := models.AccountByID(c.UserContext(), s.DB, page.Visitor(c).AccountID)
	if err != nil {
		return nil, fmt.Errorf("dashboard: read account: %w", err)
	}
	return account, nil
}

// readBalance shows GET /app/saldo. If a part cannot be read, the page says so and shows the
// others.
func (s *treasury) readBalance(c *fiber.Ctx) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	keepCurrent(s.Site, c, &shell)
	props := pages.BalanceProps{Shell: shell, CanWithdraw: page.Visitor(c).Environment == models.Live}
	balance, err := balance(s.Site, c)
	props.NoBalance = lacks(s.Site, c, "balance", err)
	if props.NeedsAccess = err == nil && balance == nil; props.NeedsAccess {
		return page.Render(c, pages.BalancePage(props))
	}
	if balance != nil {
		props.Balance = *balance
	}
	if err := s.addOwnBank(c, &props); err != nil {
		return err
	}
	if props.Balance.Blocked > 0 {
		props.Blocked, err = s.blockedRows(c)
		props.NoBlocked = lacks(s.Site, c, "blocked", err)
	}
	props.NoReleases = lacks(s.Site, c, "releases", s.addReleases(c, &props))
	props.NoTerms = lacks(s.Site, c, "terms", s.addTerms(c, &props))
	props.NoStatement = lacks(s.Site, c, "statement", s.addStatement(c, &props))
	return page.Render(c, pages.BalancePage(props))
}

// balance returns the balance of the environment, or nil in live without production access.
func balance(s *page.Site, c *fiber.Ctx) (*pages.Balance, error) {
	account, err := account(s, c)
	if err != nil {
		return nil, err
	}
	b, err := s.Payments.Balance(c.UserContext(), account, page.Visitor(c).Environment)
	if err != nil && refusal.Of(err).Code == refusal.Forbidden {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &pages.Balance{Gross: b.Gross, Fee: b.Fee, Pending: b.Pending, Available: b.Available, Reserved: b.Reserved,
		Blocked: b.Blocked}, nil
}

// addReleases adds the days on which pending money becomes available.
func (s *treasury) addReleases(c *fiber.Ctx, props *pages.BalanceProps) error {
	owner, err := account(s.Site, c)
	if err != nil {
		return err
	}
	calendar, err := s.Payments.Calendar(c.UserContext(), owner, page.Visitor(c).Environment)
	if err != nil {
		return err
	}
	u := calendar.Uncovered
	props.Releases = pages.Releases{Rest: calendar.Rest(), Uncovered: u.Amount, UncoveredMany: u.Count,
		UncoveredMore: u.More}
	for _, day := range calendar.Days {
		props.Releases.Days = append(props.Releases.Days, pages.ReleaseRow{Day: day.Day, Count: day.Count,
			Gross: day.Gross, Fee: day.Fee, Refunded: day.Refunded, Net: day.Net()})
	}
	return nil
}

func (s *treasury) blockedRows(c *fiber.Ctx) ([]pages.BlockedRow, error) {
	v := page.Visitor(c)
	blocked, err := models.BlockedAmounts(c.UserContext(), s.DB.Pool, v.AccountID, v.Environment, true)
	if err != nil {
		return nil, fmt.Errorf("dashboard: list blocked amounts: %w", err)
	}
	var rows []pages.BlockedRow
	for _, b := range blocked {
		rows = append(rows, pages.BlockedRow{Amount: b.Amount, Reason: b.Reason, Since: b.CreatedAt})
	}
	disputes, err := models.HeldDisputes(c.UserContext(), s.DB.Pool, v.AccountID, v.Environment)
	if err != nil {
		return nil, fmt.Errorf("dashboard: list disputes with blocked amounts: %w", err)
	}
	for _, d := range disputes {
		rows = append(rows, pages.BlockedRow{Amount: d.Held(), Since: d.CreatedAt, Href: "/app/disputas/" + d.ID,
			Reason: i18n.T(c.UserContext(), "balance.blocked_dispute")})
	}
	return rows, nil
}
