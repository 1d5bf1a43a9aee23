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
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// foundAtMost bounds how many charges, and how many calls, a search shows.
const foundAtMost = 10

// search shows GET /app/busca: the objects of the environment that match the text. A single
// result redirects to its page.
func (s *dashboard) search(c *fiber.Ctx) error {
	text := searched(c.Query("q"))
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.SearchProps{Shell: shell, Text: text}
	if text != "" {
		v := *page.Visitor(c)
		if props.Hits, err = s.find(c.UserContext(), &v, text); err != nil {
			return fmt.Errorf("dashboard: search: %w", err)
		}
		if len(props.Hits) == 0 {
			v.Environment = v.Environment.Other()
			there, err := s.find(c.UserContext(), &v, text)
			if err != nil {
				return fmt.Errorf("dashboard: search the other environment: %w", err)
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
	}
	if len(props.Hits) == 1 {
		return c.Redirect(props.Hits[0].Href, fiber.StatusSeeOther)
	}
	return page.Render(c, pages.Search(props))
}

// find searches objects by their whole ids, and charges by everything that the list of charges
// can be searched by, in the environment that v looks at.
func (s *dashboard) find(ctx context.Context, v *models.Visitor, text string) ([]pages.Hit, error) {
	within := models.Scope{ProjectID: *v.ProjectID, Environment: v.Environment}
	hit, err := s.named(ctx, v, text)
	if err == nil {
		return []pages.Hit{*hit}, nil
	} else if !missing(err) {
		return nil, err
	}
	var hits []pages.Hit
	product, err := models.ProductBySlug(ctx, s.DB.Pool, within, text)
	if err == nil {
		hits = append(hits, pages.Hit{Kind: pages.HitProduct, Title: product.Name, Detail: product.Slug,
			Href: "/app/produtos/" + product.Slug})
	} else if !missing(err) {
		return nil, err
	}
	search := models.CheckoutSearch{Text: text, Limit: foundAtMost}
	search.Amount, _ = page.ReadPrice(text) // zero if the text is not an amount
	checkouts, err := s.Payments.SearchCheckouts(ctx, within, search)
	if err != nil {
		return nil, err
	}
	for _, row := range checkoutRows(checkouts.Rows) {
		hits = append(hits, pages.Hit{Kind: pages.HitCheckout, Title: row.Description, Detail: row.ExternalID,
			Amount: row.Amount, Status: row.Status, At: row.CreatedAt, Href: "/app/cobrancas/" + row.ID})
	}
	if !v.Role.Can(models.Integrate) {
		return hits, nil
	}
	calls, err := models.APIRequests(ctx, s.DB.Pool, within,
		models.APIRequestFilter{RequestID: text, Limit: foundAtMost})
	for _, call := range calls.Rows {
		hits = append(hits, pages.Hit{Kind: pages.HitRequest, Title: call.Method + " " + call.Path,
			Detail: call.RequestID, At: call.At, Href: requestPage(call.ID)})
	}
	return hits, err
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
	return &pages.Hit{Href: "/app/cobrancas/" + checkout.ID}, nil
}

func (s *dashboard) findLink(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	link, err := models.PaymentLinkByID(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Href: "/app/links/" + link.ID}, nil
}

func (s *dashboard) findEvent(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	event, err := models.EventByID(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Href: "/app/eventos/" + event.ID}, nil
}

func (s *dashboard) findDelivery(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	endpoint, err := models.DeliveryEndpoint(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Href: "/app/webhooks/" + endpoint + "/entregas/" + url.PathEscape(text)}, nil
}

func (s *dashboard) findEndpoint(ctx context.Context, within models.Scope, text string) (*pages.Hit, error) {
	if !strings.HasPrefix(text, "we_") {
		return nil, models.ErrNotFound
	}
	endpoint, err := models.EndpointByID(ctx, s.DB.Pool, within, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Href: "/app/webhooks/" + endpoint.ID}, nil
}

func (s *dashboard) findWithdrawal(ctx context.Context, v *models.Visitor, text string) (*pages.Hit, error) {
	if v.Environment == models.Test || !v.Role.Can(models.MoveMoney) {
		return nil, models.ErrNotFound
	}
	withdrawal, err := models.WithdrawalByID(ctx, s.DB.Pool, v.AccountID, text)
	if err != nil {
		return nil, err
	}
	return &pages.Hit{Href: "/app/saques/" + withdrawal.ID}, nil
}
