package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"garoupa/banks"
	"garoupa/internal/auth/passkey"
	"garoupa/internal/auth/vault"
	"garoupa/internal/mail"
	"garoupa/internal/usdt/quote"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
	"garoupa/views/layouts"
)

// services are the operations on one database, wired by hand.
type services struct {
	clock     *models.Clock // the time that decides; its owner runs it
	vault     *vault.Vault
	payments  *payments.Service
	merchants *merchants.Service
	banks     *banks.Service
	// At most one of the two is set: the sender or, in the embedded mode without an SMTP
	// server, the page that shows mails. If both are nil, mails wait.
	sender     *mail.Sender
	shownMails *mail.Writer
}

// saveCounts stores what the process counted and has not stored yet.
func (s *services) saveCounts(ctx context.Context) error {
	return errors.Join(s.banks.SaveCalls(ctx), s.payments.SaveVisits(ctx))
}

// signals are called after commits: wake if there is new work, and tell if streams that watch
// an id may show something new. called, which may be nil, is called after each call of a bank.
type signals struct {
	wake   func()
	tell   func(id string)
	called func(operation, outcome string, took time.Duration)
}

// beside returns the signals of a command that runs beside serving processes. They find work
// by themselves, and streams are notified at once, as the command ends soon.
func beside(ctx context.Context, db *models.DB) signals {
	return signals{wake: func() {}, tell: func(id string) {
		db.LogFailure(ctx, "notifying streams failed; they look by themselves", models.NotifyChanges(ctx, db.Pool, id))
	}}
}

// openBeside opens the database and services for a command that runs beside a serving
// process. The caller closes the database.
func openBeside(ctx context.Context, s settings) (*database, *services, error) {
	db, err := openMigrated(ctx, s, false)
	if err != nil {
		return nil, nil, err
	}
	services, err := newServices(ctx, s, db, beside(ctx, db.DB))
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, services, nil
}

// live returns the institution of live, nil for the active bank account.
func (s *settings) live(sim *simulator.Provider) psp.Provider {
	switch s.LiveProvider {
	case providerSimulator:
		return sim
	case providerBank:
		return nil
	}
	return psp.None{}
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
	pages, err := url.Parse(s.CheckoutURL)
	if err != nil {
		return nil, fmt.Errorf("settings: GAROUPA_CHECKOUT_HOST: %w", err)
	}
	sim, err := simulator.New(pages.Host)
	if err != nil {
		return nil, fmt.Errorf("settings: GAROUPA_CHECKOUT_HOST: %w", err)
	}
	clock, err := models.NewClock(ctx, db.DB, time.Now)
	if err != nil {
		return nil, err
	}
	accounts := banks.New(banks.Options{
		DB: db.DB, Vault: v, Profiles: s.bankProfiles, Proxy: s.bankProxy, NoticesURL: s.BankURL,
		AllowPrivate: s.embedded() || s.Demo, Called: after.called, Now: clock.Now, Log: slog.Default(),
	})
	people := merchants.New(merchants.Options{
		DB: db.DB, Vault: v, Passkeys: passkey.NewSite(layouts.Brand, s.AppURL),
		SSO: s.provider(clock.Now), SSOOnly: s.OIDCOnly,
		AllowPrivate: s.allowPrivate(), WithdrawalFee: s.withdrawals.Fee, Now: clock.Now,
	})
	out := &services{
		clock: clock, vault: v,
		payments: payments.New(payments.Options{
			DB: db.DB, Simulator: sim, Live: s.live(sim), Banks: accounts, Vault: v, CheckoutURL: s.CheckoutURL,
			SettlementDelayTest: s.SettlementDelayTest, SettlementDelayLive: s.SettlementDelayLive,
			AmountMin: s.amounts.min, AmountMax: s.amounts.max,
			Withdrawals: s.withdrawals, ApprovedName: people.ApprovedName, Quotes: quote.New(s.quotes, clock.Now),
			Backoff: s.backoff, Now: clock.Now, Wake: after.wake, Tell: after.tell,
		}),
		merchants: people,
		banks:     accounts,
	}
	writer := &mail.Writer{Vault: v, AppURL: s.AppURL, CheckoutURL: s.CheckoutURL, SupportURL: s.SupportURL}
	switch {
	case s.smtp != nil:
		out.sender = &mail.Sender{Writer: writer, Server: s.smtp, From: *s.from}
	case s.keepsMails():
		out.shownMails = writer
	}
	return out, nil
}
