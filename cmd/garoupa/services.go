package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"garoupa/mail"
	"garoupa/merchants"
	"garoupa/passkey"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
	"garoupa/quote"
	"garoupa/vault"
	"garoupa/views/layouts"
)

// services are the operations over one database, wired by hand.
type services struct {
	vault     *vault.Vault
	payments  *payments.Service
	merchants *merchants.Service
	// One of the two words mails: the sender, or in the embedded mode without an SMTP
	// server the page that shows them. Both are nil where mails only wait.
	sender     *mail.Sender
	shownMails *mail.Writer
}

// signals are called after commits: wake when they left work, tell when they wrote
// test events of a project.
type signals struct {
	wake func()
	tell func(projectID string)
}

// silent is for commands that run beside a serving process: it finds what they did.
var silent = signals{wake: func() {}, tell: func(string) {}}

// openBeside opens what a command works with that runs beside a serving process. The
// database is the caller's to close.
func openBeside(ctx context.Context, s settings) (*database, *services, error) {
	db, err := openMigrated(ctx, s, false)
	if err != nil {
		return nil, nil, err
	}
	services, err := newServices(ctx, s, db, silent)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, services, nil
}

// newServices wires the services.
func newServices(ctx context.Context, s settings, db *database, after signals) (*services, error) {
	v, err := openVault(s)
	if err != nil {
		return nil, err
	}
	if v, err = checkKey(ctx, db.DB, v); err != nil {
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
	out := &services{
		vault: v,
		payments: payments.New(payments.Options{
			DB: db.DB, Simulator: sim, Live: live, Vault: v, CheckoutHost: s.CheckoutHost,
			SettlementDelayTest: s.SettlementDelayTest, SettlementDelayLive: s.SettlementDelayLive,
			Withdrawals: s.withdrawals, Quotes: quote.New(s.quotes, time.Now), Backoff: s.backoff, Now: time.Now, Wake: after.wake, Tell: after.tell,
		}),
		merchants: merchants.New(merchants.Options{
			DB: db.DB, Vault: v, Passkeys: passkey.NewSite(layouts.Brand, s.AppURL), AllowPrivate: s.allowPrivate(), Now: time.Now,
		}),
	}
	writer := &mail.Writer{Vault: v, AppURL: s.AppURL, SupportURL: s.SupportURL}
	switch {
	case s.smtp != nil:
		out.sender = &mail.Sender{Writer: writer, Server: s.smtp, From: *s.from}
	case s.keepsMails():
		out.shownMails = writer
	}
	return out, nil
}
