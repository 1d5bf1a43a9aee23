package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// foundAtMost bounds how many charges, and how many calls, a search shows.
const foundAtMost = 10

// search shows GET /app/busca: what matches the text in the environment. A whole id redirects to its page.
func (s *dashboard) search(c *fiber.Ctx) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props, whole, err := s.searched(c, shell)
	if err != nil {
		return err
	}
	if whole || len(props.Hits) == 1 && props.Hits[0].Form == nil {
		return c.Redirect(props.Hits[0].Href, fiber.StatusSeeOther)
	}
	return page.Render(c, pages.Search(props))
}

// palette answers GET /app/busca/lista: the list of the palette, which an open page asks for.
func (s *dashboard) palette(c *fiber.Ctx) error {
	props, _, err := s.searched(c, layouts.Shell{Live: page.Visitor(c).Environment == models.Live, Now: s.Now()})
	if err != nil {
		return err
	}
	if props.Text == "" {
		props.Hits = findPlaces(c.UserContext(), page.Visitor(c), "")
	}
	return page.Render(c, pages.Palette(props))
}

// searched returns what the text of the address finds, and whether it is a whole id.
func (s *dashboard) searched(c *fiber.Ctx, shell layouts.Shell) (props pages.SearchProps, whole bool, err error) {
	props = pages.SearchProps{Shell: shell, Text: searched(c.Query("q"))}
	if props.Text == "" {
		return props, false, nil
	}
	v := *page.Visitor(c)
	if props.Hits, whole, err = s.find(c.UserContext(), &v, props.Text); err != nil {
		return props, false, fmt.Errorf("dashboard: search: %w", err)
	}
	if len(props.Hits) == 0 {
		v.Environment = v.Environment.Other()
		there, _, err := s.find(c.UserContext(), &v, props.Text)
		if err != nil {
			return props, false, fmt.Errorf("dashboard: search the other environment: %w", err)
		}
		props.Elsewhere = len(there) > 0
	}
	charges := 0
	for _, hit := range props.Hits {
		if hit.Kind == pages.HitCheckout {
			charges++
		}
	}
	props.More = charges == foundAtMost
	return props, whole, nil
}

// find searches pages and actions, named things, and charges by everything that the list of charges can be searched
// by, in the environment that v looks at. It reports whether the text is the whole id of the one hit.
func (s *dashboard) find(ctx context.Context, v *models.Visitor, text string) (hits []pages.Hit, whole bool,
	err error) {
	within := models.Scope{ProjectID: *v.ProjectID, Environment: v.Environment}
	hit, err := s.named(ctx, v, text)
	if err == nil {
		hit.Title = text
		return []pages.Hit{*hit}, true, nil
	} else if !missing(err) {
		return nil, false, err
	}
	hits = findPlaces(ctx, v, text)
	named, err := models.SearchNamed(ctx, s.DB.Read, v.AccountID, within, text)
	if err != nil {
		return nil, false, err
	}
	for _, n := range named {
		hits = append(hits, namedHit(n))
	}
	charges, err := s.findCharges(ctx, within, text)
	if hits = append(hits, charges...); err != nil || !v.Role.Can(models.Integrate) {
		return hits, false, err
	}
	calls, err := models.APIRequests(ctx, s.DB.Read, within,
		models.APIRequestFilter{RequestID: text, Limit: foundAtMost})
	for _, call := range calls.Rows {
		hits = append(hits, pages.Hit{Kind: pages.HitRequest, Title: call.Method + " " + call.Path,
			Detail: call.RequestID, At: call.At, Href: requestPage(call.ID)})
	}
	return hits, false, err
}

// namedPages are the pages of named things.
var namedPages = map[string]string{
	models.NamedProduct: "/app/produtos/", models.NamedLink: "/app/links/", models.NamedEndpoint: "/app/webhooks/",
	models.NamedMember: "/app/equipe/",
}

func namedHit(n models.Named) pages.Hit {
	hit := pages.Hit{Kind: n.Kind, Title: n.Title, Detail: n.Detail, Href: "/app/chaves"}
	if path := namedPages[n.Kind]; path != "" {
		hit.Href = path + url.PathEscape(n.ID)
	}
	return hit
}

func (s *dashboard) findCharges(ctx context.Context, within models.Scope, text string) (hits []pages.Hit, err error) {
	search := models.CheckoutSearch{Text: text, Limit: foundAtMost}
	search.Amount, _ = page.ReadPrice(text) // zero if the text is not an amount
	checkouts, err := s.Payments.SearchCheckouts(ctx, within, search)
	if err != nil {
		return nil, err
	}
	for i, row := range checkoutRows(checkouts.Rows) {
		hit := pages.Hit{Kind: pages.HitCheckout, Title: row.Description, Detail: row.ExternalID,
			Amount: row.Amount, Status: row.Status, At: row.CreatedAt, Href: "/app/cobrancas/" + row.ID}
		hit.Why, hit.Matched = why(&checkouts.Rows[i], text, search.Amount)
		hits = append(hits, hit)
	}
	return hits, nil
}

// named returns the object with a page and this whole id, in the environment that v looks at.
func (s *dashboard) named(ctx context.Context, v *models.Visitor, id string) (*pages.Hit, error) {
	within := models.Scope{ProjectID: *v.ProjectID, Environment: v.Environment}
	for _, look := range []func() (*pages.Hit, error){
		func() (*pages.Hit, error) { return s.findCheckout(ctx, within, id) },
		func() (*pages.Hit, error) { return s.findLink(ctx, within, id) },
		func() (*pages.Hit, error) { return s.findEvent(ctx, within, id) },
		func() (*pages.Hit, error) { return s.findDelivery(ctx, within, id) },
		func() (*pages.Hit, error) { return s.findEndpoint(ctx, within, id) },
		func() (*pages.Hit, error) { return s.findWithdrawal(ctx, v, id) },
	} {
		if hit, err := look(); err == nil || !missing(err) {
			return hit, err
		}
	}
	return nil, models.ErrNotFound
}

// missing reports whether err only says that nothing has this id.
func missing(err error) bool {
	return errors.Is(err, models.ErrNotFound) || refusal.Of(err).Code == refusal.WithdrawalNotFound
}

func (s *dashboard) findCheckout(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	checkout, err := models.CheckoutByID(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Kind: pages.HitCheckout, Href: "/app/cobrancas/" + checkout.ID}, nil
}

func (s *dashboard) findLink(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	link, err := models.PaymentLinkByID(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Kind: models.NamedLink, Href: "/app/links/" + link.ID}, nil
}

func (s *dashboard) findEvent(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	event, err := models.EventByID(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Kind: pages.HitEvent, Href: "/app/eventos/" + event.ID}, nil
}

func (s *dashboard) findDelivery(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	endpoint, err := models.DeliveryEndpoint(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Kind: pages.HitDelivery,
		Href: "/app/webhooks/" + endpoint + "/entregas/" + url.PathEscape(text)}, nil
}

func (s *dashboard) findEndpoint(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	if !strings.HasPrefix(text, "we_") {
		return nil, models.ErrNotFound
	}
	endpoint, err := models.EndpointByID(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Kind: models.NamedEndpoint, Href: "/app/webhooks/" + endpoint.ID}, nil
}

func (s *dashboard) findWithdrawal(ctx context.Context, v *models.Visitor, text string) (*pages.Hit, error) {
	if v.Environment == models.Test || !v.Role.Can(models.MoveMoney) {
		return nil, models.ErrNotFound
	}
	withdrawal, err := models.WithdrawalByID(ctx, s.DB.Pool, v.AccountID, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Kind: pages.HitWithdrawal, Href: "/app/saques/" + withdrawal.ID}, nil
}
