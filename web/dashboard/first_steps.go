package dashboard

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// firstSteps returns the steps of a new merchant before selling, in the ways in which the member sells, or the
// question for them. It returns none for a member who has hidden them and for roles that cannot take them.
func (s *dashboard) firstSteps(c *fiber.Ctx) (ways pages.Ways, steps []pages.HomeStep, err error) {
	v := page.Visitor(c)
	if v.StepsHidden || !v.Role.Can(models.Integrate) || salesStopped(v) {
		return pages.WaysHidden, nil, nil
	}
	if v.SellingWays == (models.SellingWays{}) {
		return pages.WaysAsked, nil, nil
	}
	test := models.Scope{ProjectID: *v.ProjectID}
	var byLink, byAPI []pages.HomeStep
	if v.SellsByLink {
		byLink, err = s.linkSteps(c, test)
	}
	if err == nil && v.SellsByAPI {
		byAPI, err = s.apiSteps(c, test)
	}
	account := pages.HomeStep{ID: pages.StepAccount, Done: v.EmailVerified, Detail: v.Email, Href: page.VerifyPath}
	return pages.WaysSaid, slices.Concat([]pages.HomeStep{account}, byLink, byAPI, []pages.HomeStep{liveStep(c)}), err
}

// linkSteps are the steps of a shop that sells by links.
func (s *dashboard) linkSteps(c *fiber.Ctx, test models.Scope) ([]pages.HomeStep, error) {
	is, err := models.LinkStepsOf(c.UserContext(), s.DB.Pool, test)
	if err != nil {
		return nil, err
	}
	steps := []pages.HomeStep{
		{ID: pages.StepProduct, Done: is.Product, Href: "/app/produtos/novo"},
		{ID: pages.StepLink, Done: is.LinkID != "", Href: "/app/links/novo"},
		{ID: pages.StepShare, Done: is.Used},
		{ID: pages.StepSale, Done: is.Paid},
	}
	if is.LinkID != "" {
		steps[2].Href = "/app/links/" + is.LinkID
	}
	if is.Open != "" {
		steps[3].Href = "/app/cobrancas/" + is.Open
	}
	return steps, nil
}

// apiSteps are the steps of a developer.
func (s *dashboard) apiSteps(c *fiber.Ctx, test models.Scope) ([]pages.HomeStep, error) {
	keys, err := models.APIKeys(c.UserContext(), s.DB.Pool, test)
	if err != nil {
		return nil, err
	}
	endpoints, err := models.Endpoints(c.UserContext(), s.DB.Pool, test, nil, 1)
	if err != nil {
		return nil, err
	}
	key := pages.HomeStep{ID: pages.StepKey, Href: "/app/chaves/nova"}
	if len(keys) > 0 && keys[0].RevokedAt == nil {
		key.Done, key.Detail = true, merchants.DisplayKey(&keys[0])
	}
	checkout, payment := pages.HomeStep{ID: pages.StepCheckout, Href: "/app/cobrancas"},
		pages.HomeStep{ID: pages.StepPayment}
	for _, status := range []models.CheckoutStatus{"", models.CheckoutPaid, models.CheckoutPending} {
		found, err := models.ListCheckouts(c.UserContext(), s.DB.Read, test,
			models.CheckoutFilter{Status: status, Limit: 1})
		if err != nil {
			return nil, err
		}
		switch some := len(found) > 0; {
		case status == "":
			checkout.Done = some
		case status == models.CheckoutPaid:
			payment.Done = some
		case some:
			payment.Href = "/app/cobrancas/" + found[0].ID
		}
	}
	return []pages.HomeStep{key, checkout,
		{ID: pages.StepWebhook, Done: len(endpoints) > 0, Href: "/app/webhooks/novo"}, payment}, nil
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
