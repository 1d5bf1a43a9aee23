package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"garoupa/merchants"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
	"garoupa/quote"
	"garoupa/vault"
)

// services are the operations over one database, wired by hand.
type services struct {
	vault     *vault.Vault
	payments  *payments.Service
	merchants *merchants.Service
}

// newServices wires the services. wake is called after commits that leave work.
func newServices(ctx context.Context, s settings, db *database, wake func()) (*services, error) {
	v, err := openVault(s)
	if err != nil {
		return nil, err
	}
	if err := checkKey(ctx, db.DB, v); err != nil {
		return nil, err
	}
	checkoutURL, err := url.Parse(s.CheckoutHost)
	if err != nil {
		return nil, fmt.Errorf("settings: GAROUPA_CHECKOUT_HOST: %w", err)
	}
	sim, err := simulator.New(checkoutURL.Host)
	if err != nil {
		return nil, fmt.Errorf("settings: GAROUPA_CHECKOUT_HOST: %w", err)
	}
	var live psp.Provider = psp.None{}
	if s.LiveProvider == providerSimulator {
		live = sim
	}
	return &services{
		vault: v,
		payments: payments.New(payments.Options{
			DB: db.DB, Simulator: sim, Live: live, Vault: v, CheckoutHost: s.CheckoutHost,
			SettlementDelayTest: s.SettlementDelayTest, SettlementDelayLive: s.SettlementDelayLive,
			Withdrawals: s.withdrawals, Quotes: quote.New(s.quotes, time.Now), Backoff: s.backoff, Now: time.Now, Wake: wake,
		}),
		merchants: merchants.New(merchants.Options{DB: db.DB, Vault: v, AllowPrivate: s.allowPrivate(), Now: time.Now}),
	}, nil
}
