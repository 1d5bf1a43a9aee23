package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// latest is how many checkouts the start page shows.
const latest = 7

// home shows GET /app.
func (s *server) home(c *fiber.Ctx) error {
	page, err := s.Payments.Checkouts(c.UserContext(), scope(c), models.CheckoutFilter{Limit: latest})
	if err != nil {
		return err
	}
	steps, err := s.firstSteps(c)
	if err != nil {
		return err
	}
	account, err := models.AccountByID(s.DB.WithContext(c.UserContext()), visitor(c).AccountID)
	if err != nil {
		return err
	}
	switches, err := s.switchNotices(c, account)
	if err != nil {
		return err
	}
	troubles, err := s.troubles(c)
	if err != nil {
		return err
	}
	var balance *pages.Balance
	if mayTreasure(visitor(c)) {
		if balance, err = s.balance(c); err != nil {
			return err
		}
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	v := visitor(c)
	props := pages.HomeProps{
		Shell: shell, Switches: switches, Steps: steps, Troubles: troubles, Balance: balance, Checkouts: checkoutRows(page.Checkouts), APIURL: s.BaseURL,
		CanCreate: mayDevelop(v) && !needsAccess(v),
	}
	if len(props.Checkouts) > 0 {
		if err := s.addOverview(c, &props); err != nil {
			return err
		}
	}
	return render(c, pages.Home(props))
}

// addOverview fills in how the environment does and what in it waits for somebody.
func (s *server) addOverview(c *fiber.Ctx, props *pages.HomeProps) (err error) {
	if props.Overview, err = s.overview(c); err != nil {
		return err
	}
	if props.Stray, err = models.OpenExceptions(c.UserContext(), s.DB.Pool, scope(c)); err != nil {
		return fmt.Errorf("web: count exceptions: %w", err)
	}
	return nil
}

// firstSteps are what a new merchant does before selling; none once all is done.
func (s *server) firstSteps(c *fiber.Ctx) ([]pages.HomeStep, error) {
	v := visitor(c)
	test := models.Scope{ProjectID: *v.ProjectID}
	keys, err := models.APIKeys(c.UserContext(), s.DB.Pool, test)
	if err != nil {
		return nil, err
	}
	paid, err := models.ListCheckouts(c.UserContext(), s.DB.Pool, test, models.CheckoutFilter{Status: models.CheckoutPaid, Limit: 1})
	if err != nil {
		return nil, err
	}
	endpoints, err := models.Endpoints(c.UserContext(), s.DB.Pool, test)
	if err != nil {
		return nil, err
	}
	steps := []pages.HomeStep{
		{ID: pages.StepAccount, Done: v.EmailVerified, Detail: v.Email, Href: "/verificar-email"},
		{ID: pages.StepKey, Href: "/app/chaves/nova"},
		{ID: pages.StepCheckout, Done: len(paid) > 0, Href: "/app/cobrancas"},
		{ID: pages.StepWebhook, Done: len(endpoints) > 0, Href: "/app/webhooks/novo"},
		liveStep(c),
	}
	if len(keys) > 0 && keys[0].RevokedAt == nil {
		steps[1].Done, steps[1].Detail = true, merchants.PrefixTest+"…"+keys[0].Last4
	}
	for _, step := range steps {
		if !step.Done {
			return steps, nil
		}
	}
	return nil, nil
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
