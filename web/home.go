package web

import (
	"fmt"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// latest is how many checkouts the start page shows.
const latest = 7

// home shows GET /app. A part that cannot be read is said to be missing; the others
// stand.
func (s *server) home(c *fiber.Ctx) error {
	v := visitor(c)
	account, err := models.AccountByID(s.DB.WithContext(c.UserContext()), v.AccountID)
	if err != nil {
		return err
	}
	switches, err := s.switchNotices(c, account)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.HomeProps{
		Shell: shell, Switches: switches, StepsHidden: v.StepsHidden && mayDevelop(v),
		CanCreate: mayDevelop(v) && !needsAccess(v), Empty: s.emptyCheckouts(v),
	}
	for _, part := range []struct {
		name string
		read func(c *fiber.Ctx, props *pages.HomeProps) error
	}{
		{"webhooks", func(c *fiber.Ctx, props *pages.HomeProps) (err error) {
			props.Troubles, err = s.troubles(c)
			return err
		}},
		{"steps", func(c *fiber.Ctx, props *pages.HomeProps) (err error) { props.Steps, err = s.firstSteps(c); return err }},
		{"balance", s.addBalance},
		{"checkouts", s.addLatest},
		{"overview", s.addOverview},
	} {
		if s.lacks(c, part.name, part.read(c, &props)) {
			props.Missing = append(props.Missing, part.name)
		}
	}
	return render(c, pages.Home(props))
}

// lacks reports whether a part of a page could not be read, and logs why.
func (s *server) lacks(c *fiber.Ctx, part string, err error) bool {
	if err != nil {
		slog.ErrorContext(c.UserContext(), "part of a page failed", "path", LogPath(c.Path()), "part", part, "err", err)
	}
	return err != nil
}

func (s *server) addBalance(c *fiber.Ctx, props *pages.HomeProps) (err error) {
	if mayTreasure(visitor(c)) {
		props.Balance, err = s.balance(c)
	}
	return err
}

func (s *server) addLatest(c *fiber.Ctx, props *pages.HomeProps) error {
	page, err := s.Payments.Checkouts(c.UserContext(), scope(c), models.CheckoutFilter{Limit: latest})
	props.Checkouts = checkoutRows(page.Checkouts)
	return err
}

// addOverview fills in how the environment does and what in it waits for somebody, once
// something was charged.
func (s *server) addOverview(c *fiber.Ctx, props *pages.HomeProps) error {
	if len(props.Checkouts) == 0 {
		return nil
	}
	count, checkout, err := models.OpenExceptions(c.UserContext(), s.DB.Pool, scope(c))
	if err != nil {
		return fmt.Errorf("web: count exceptions: %w", err)
	}
	props.Stray, props.StrayHref = count, "/app/cobrancas/"+checkout
	props.Overview, err = s.overview(c)
	return err
}

// firstSteps are what a new merchant does before selling; none for a member who put
// them out of sight, and for roles that the steps are not for.
func (s *server) firstSteps(c *fiber.Ctx) ([]pages.HomeStep, error) {
	v := visitor(c)
	if v.StepsHidden || !mayDevelop(v) {
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
	endpoints, err := models.Endpoints(c.UserContext(), s.DB.Pool, test)
	if err != nil {
		return nil, err
	}
	steps := []pages.HomeStep{
		{ID: pages.StepAccount, Done: v.EmailVerified, Detail: v.Email, Href: verifyPath},
		{ID: pages.StepKey, Href: "/app/chaves/nova"},
		charge,
		{ID: pages.StepWebhook, Done: len(endpoints) > 0, Href: "/app/webhooks/novo"},
		liveStep(c),
	}
	if len(keys) > 0 && keys[0].RevokedAt == nil {
		steps[1].Done, steps[1].Detail = true, merchants.PrefixTest+"…"+keys[0].Last4
	}
	return steps, nil
}

// checkoutStep is the first charge in test. It is taken once one is paid: who made one
// is led to it.
func (s *server) checkoutStep(c *fiber.Ctx, test models.Scope) (pages.HomeStep, error) {
	step := pages.HomeStep{ID: pages.StepCheckout, Href: "/app/cobrancas"}
	for _, status := range []models.CheckoutStatus{models.CheckoutPaid, models.CheckoutPending} {
		found, err := models.ListCheckouts(c.UserContext(), s.DB.Pool, test, models.CheckoutFilter{Status: status, Limit: 1})
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

// liveStep is the last of the first steps: asking for production access, and then
// waiting for it.
func liveStep(c *fiber.Ctx) pages.HomeStep {
	step := pages.HomeStep{ID: pages.StepLive, Href: "/app/producao"}
	switch visitor(c).Access {
	case models.AccessApproved:
		step.Done = true
	case models.AccessPendingReview:
		step.Href, step.Detail = "", i18n.T(c.UserContext(), "home.live_waits")
	case models.AccessRejected:
		step.Detail = i18n.T(c.UserContext(), "home.live_refused")
	}
	return step
}
