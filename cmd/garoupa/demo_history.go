package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/i18n"
)

// shopSeed makes every demo shop sell the same.
const shopSeed = 90

// historyFlag is the words of the flags that give a demo merchant a past.
const historyFlag = "give the demo merchant 90 days of invented test sales"

// sincePast returns merchants' operations at the time when a demo merchant with a history signed up.
func sincePast(m *merchants.Service) *merchants.Service {
	o := m.Options
	opened := o.Now().AddDate(0, 0, -shopDays-1)
	o.Now = func() time.Time { return opened }
	return merchants.New(o)
}

// demoHistory writes the past sales of a new demo merchant, in test, with their products and links.
func demoHistory(ctx context.Context, s *services, d *demoMerchant) error {
	account, err := models.AccountByID(ctx, s.merchants.DB, d.AccountID)
	if err != nil {
		return fmt.Errorf("read the demo account: %w", err)
	}
	now := s.clock.Now()
	today, err := i18n.ParseDay(i18n.Day(now))
	if err != nil {
		return fmt.Errorf("the day of %s: %w", now, err)
	}
	sells := &demoShop{Rand: rand.New(rand.NewPCG(shopSeed, 0)), owner: d.owner}
	scope := models.Scope{ProjectID: d.ProjectID, Environment: models.Test}
	if sells.links, err = demoLinks(ctx, s, scope, account, d.owner); err != nil {
		return err
	}
	if err := s.merchants.HideSteps(ctx, d.owner, true); err != nil { // a shop of 90 days has taken them
		return err
	}
	return s.payments.WriteHistory(ctx, scope, account, sells.sales(today, now))
}

// demoLinks makes the shop's products and links, as old as the shop.
func demoLinks(ctx context.Context, s *services, scope models.Scope, account *models.Account,
	owner models.Actor) (map[string]*models.PaymentLink, error) {
	past := sincePast(s.merchants)
	o := s.payments.Options
	o.Now = past.Now
	links, sells := map[string]*models.PaymentLink{}, payments.New(o)
	for _, p := range shopProducts {
		if p.about == "" {
			continue
		}
		if _, err := past.CreateProduct(ctx, owner, scope, merchants.ProductForm{Slug: p.slug, Name: p.name,
			Description: p.about, Amount: p.price, PaymentCycle: "ONE_TIME"}); err != nil {
			return nil, fmt.Errorf("demo product %s: %w", p.slug, err)
		}
		if !p.link {
			continue
		}
		link, _, err := sells.CreatePaymentLink(ctx, scope, account, payments.NewPaymentLink{By: &owner,
			ProductSlug: p.slug, ExpiresIn: time.Hour, IdempotencyKey: "demo-" + p.slug, RequestHash: make([]byte, 32)})
		if err != nil {
			return nil, fmt.Errorf("demo link to %s: %w", p.slug, err)
		}
		links[p.slug] = link
	}
	return links, nil
}
