package dashboard

import (
	"fmt"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/i18n"
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
	keepCurrent(s.Site, c, &shell)
	props := pages.HomeProps{
		Shell: shell, Switches: switches, StepsHidden: v.StepsHidden && v.Role.Can(models.Integrate),
		CanCreate: offersSales(v), Empty: s.emptyCheckouts(v),
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
			props.Steps,
				err = s.firstSteps(c)
			return err
		}},
		{"balance", s.addBalance},
		{"checkouts", s.addLatest},
		{"overview", s.addOverview},
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
func (s *dashboard) addOverview(c *fiber.Ctx, props *pages.HomeProps) error {
	if len(props.Checkouts) == 0 {
		return nil
	}
	count, checkout, err := models.OpenExceptions(c.UserContext(), s.DB.Pool, page.Scope(c))
	if err != nil {
		return fmt.Errorf("dashboard: count exceptions: %w", err)
	}
	props.Stray, props.StrayHref = count, "/app/cobrancas/"+checkout
	props.Overview, err = s.overview(c)
	return err
}

// firstSteps returns the steps of a new merchant before selling. It returns none for a member
// who has hidden them and for roles that cannot take them.
func (s *dashboard) firstSteps(c *fiber.Ctx) ([]pages.HomeStep, error) {
	v := page.Visitor(c)
	if v.StepsHidden || !v.Role.Can(models.Integrate) || salesStopped(v) {
		return nil, nil
	}
	test := models.Scope{ProjectID: *v.ProjectID}
	keys, err := models.APIKeys(c.UserContext(), s.DB.Pool, test)
	if err != nil {
		return nil, err
	}
	charge, err := s.checkoutStep(c, test)
	if err != nil {
		return nil, err
	}
	endpoints, err := models.Endpoints(c.UserContext(), s.DB.Pool, test, nil, 1)
	if err != nil {
		return nil, err
	}
	steps := []pages.HomeStep{
		{ID: pages.StepAccount, Done: v.EmailVerified, Detail: v.Email, Href: page.VerifyPath},
		{ID: pages.StepKey, Href: "/app/chaves/nova"},
		charge,
		{ID: pages.StepWebhook, Done: len(endpoints) > 0, Href: "/app/webhooks/novo"},
		liveStep(c),
	}
	if len(keys) > 0 && keys[0].RevokedAt == nil {
		steps[1].Done, steps[1].Detail = true, merchants.DisplayKey(&keys[0])
	}
	return steps, nil
}

// checkoutStep is the first charge in test. The step is done when a charge is paid; after
// creating one the step links to it.
func (s *dashboard) checkoutStep(c *fiber.Ctx, test models.Scope) (pages.HomeStep, error) {
	step := pages.HomeStep{ID: pages.StepCheckout, Href: "/app/cobrancas"}
	for _, status := range []models.CheckoutStatus{models.CheckoutPaid, models.CheckoutPending} {
		found, err := models.ListCheckouts(c.UserContext(), s.DB.Pool, test,
			models.CheckoutFilter{Status: status, Limit: 1})
		switch {
		case err != nil:
			return step, err
		case len(found) == 0:
		case status == models.CheckoutPaid:
			step.Done = true
			return step, nil
		default:
			step.Href = "/app/cobrancas/" + found[0].ID
			step.Detail = i18n.T(c.UserContext(), "home.step_checkout_created")
			step.Action = i18n.T(c.UserContext(), "home.step_checkout_pay")
		}
	}
	return step, nil
}

// liveStep is the last step: requesting production access, and then waiting for it.
func liveStep(c *fiber.Ctx) pages.HomeStep {
	step := pages.HomeStep{ID: pages.StepLive, Href: "/app/producao"}
	switch page.Visitor(c).Access {
	case models.AccessApproved:
		step.Done = true
	case models.AccessPendingReview:
		step.Href, step.Detail = "", i18n.T(c.UserContext(), "home.live_waits")
	case models.AccessRejected:
		step.Detail = i18n.T(c.UserContext(), "home.live_refused")
	}
	return step
}
