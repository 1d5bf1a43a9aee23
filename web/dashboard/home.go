package dashboard

import (
	"fmt"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// latest is how many checkouts the start page shows.
const latest = 7

// home shows GET /app. If a part cannot be read, the page says so and shows the others.
func (s *dashboard) home(c *fiber.Ctx) error {
	v := page.Visitor(c)
	account, err := models.AccountByID(c.UserContext(), s.DB, v.AccountID)
	if err != nil {
		return err
	}
	switches, err := switchNotices(s.Site, c, account)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	filter, span, problems := readFigures(c, s.Now())
	if len(problems) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
	} else {
		keepCurrent(s.Site, c, &shell)
	}
	props := pages.HomeProps{
		Shell: shell, Filter: filter, Errors: problems, Switches: switches,
		StepsHidden: v.StepsHidden && v.Role.Can(models.Integrate),
		CanCreate:   offersSales(v), Empty: s.emptyCheckouts(v),
	}
	for _, part := range []struct {
		name string
		read func(c *fiber.Ctx, props *pages.HomeProps) error
	}{
		{"webhooks", func(c *fiber.Ctx, props *pages.HomeProps) (err error) {
			if v.Role.Can(models.Integrate) { // who can mend them
				props.Troubles, err = troubles(s.Site, c)
			}
			return err
		}},
		{"steps", func(c *fiber.Ctx, props *pages.HomeProps) (err error) {
			props.Ways, props.Steps, err = s.firstSteps(c)
			return err
		}},
		{"balance", s.addBalance},
		{"checkouts", s.addLatest},
		{"overview", func(c *fiber.Ctx, props *pages.HomeProps) error { return s.addOverview(c, props, span) }},
	} {
		if lacks(s.Site, c, part.name, part.read(c, &props)) {
			props.Missing = append(props.Missing, part.name)
		}
	}
	return page.Render(c, pages.Home(props))
}

// lacks reports whether reading a part of a page failed, and logs the error.
func lacks(s *page.Site, c *fiber.Ctx, part string, err error) bool {
	if err != nil {
		slog.ErrorContext(c.UserContext(), "part of a page failed", "path", page.LogPath(c.Path()), "part",
			part, "err", err)
	}
	return err != nil
}

func (s *dashboard) addBalance(c *fiber.Ctx, props *pages.HomeProps) (err error) {
	if page.Visitor(c).Role.Can(models.MoveMoney) {
		props.Balance, err = balance(s.Site, c)
	}
	return err
}

func (s *dashboard) addLatest(c *fiber.Ctx, props *pages.HomeProps) error {
	found, err := s.Payments.Checkouts(c.UserContext(), page.Scope(c), models.CheckoutFilter{Limit: latest})
	props.Checkouts = checkoutRows(found.Rows)
	return err
}

// addOverview adds the numbers of the environment and what needs attention in it, once there
// was a charge.
func (s *dashboard) addOverview(c *fiber.Ctx, props *pages.HomeProps, span figures) error {
	if len(props.Checkouts) == 0 {
		return nil
	}
	count, checkout, err := models.OpenExceptions(c.UserContext(), s.DB.Pool, page.Scope(c))
	if err != nil {
		return fmt.Errorf("dashboard: count exceptions: %w", err)
	}
	props.Stray, props.StrayHref = count, "/app/cobrancas/"+checkout
	props.Overview, err = s.overview(c, span)
	return err
}
