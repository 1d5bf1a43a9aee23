package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
	"garoupa/pix/psp/bank/control"
)

const (
	// manyAccounts is the number of bank accounts of which one hangs, and eachAccount the number of calls to
	// each at the same time.
	manyAccounts, eachAccount = 20, 2
	// hung begins the TxIDs of the account that hangs.
	hung = "hung"
)

// accounts returns the product's clients of many accounts. They share no connection, token, limit or breaker,
// as those of accounts at different banks.
func (b *servedBank) accounts() (clients []*bacen.Client, err error) {
	profiles, err := bacen.Profiles([]byte(bankProfile))
	if err != nil {
		return nil, err
	}
	certificate, err := b.folder.Client()
	if err != nil {
		return nil, err
	}
	authorities, err := b.folder.Authorities()
	if err != nil {
		return nil, err
	}
	at := b.folder.Account
	for range manyAccounts {
		c, err := bacen.New(bacen.Options{Profile: profiles["generic"], BaseURL: b.state.Base,
			TokenURL: b.state.TokenURL, Certificate: certificate, Roots: authorities, ClientID: at.ClientID,
			ClientSecret: at.ClientSecret, PixKey: at.PixKey, AllowTestBank: true})
		if err != nil {
			return nil, err
		}
		clients = append(clients, c)
	}
	return clients, nil
}

// beside measures the latency of charges at all accounts but one, first while that one answers, and then while
// it hangs.
func (b *servedBank) beside(ctx context.Context, length time.Duration) (before, with result, err error) {
	clients, err := b.accounts()
	if err != nil {
		return before, with, err
	}
	defer func() {
		for _, c := range clients {
			c.Close()
		}
	}()
	if err := b.control.SetFault(ctx, control.Fault{Name: "slow", Value: bankSlow, On: "/cob/"}); err != nil {
		return before, with, err
	}
	if _, err := b.chargeAt(ctx, clients, warmUp*time.Second); err != nil {
		return before, with, err
	}
	if before, err = b.chargeAt(ctx, clients, length); err != nil {
		return before, with, err
	}
	if err := b.control.SetFault(ctx, control.Fault{Name: "hang", On: "/cob/" + hung}); err != nil {
		return before, with, err
	}
	if with, err = b.chargeAt(ctx, clients, length); err != nil {
		return before, with, err
	}
	return before, with, b.control.ClearFaults(ctx)
}

// chargeAt charges at all accounts for a time. It counts the calls of all but the first, whose errors are
// expected.
func (b *servedBank) chargeAt(ctx context.Context, clients []*bacen.Client, length time.Duration) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, length+patience)
	defer cancel()
	histograms := make([]histogram, manyAccounts*eachAccount)
	others, ctx := errgroup.WithContext(ctx)
	first, end := errgroup.Group{}, make(chan struct{})
	start := time.Now()
	for i := range histograms {
		account := i / eachAccount
		if account == 0 {
			first.Go(func() error { b.chargeFirst(ctx, clients[0], end); return nil })
			continue
		}
		others.Go(func() error {
			for sent := time.Now(); sent.Before(start.Add(length)) || histograms[i].total == 0; {
				if err := chargeOnce(ctx, clients[account], "okay"); err != nil {
					return err
				}
				answered := time.Now()
				histograms[i].add(answered.Sub(sent))
				sent = answered
			}
			return nil
		})
	}
	err := others.Wait()
	close(end)
	cancel()
	_ = first.Wait()
	if err != nil {
		return result{}, fmt.Errorf("charge at %d accounts: %w", manyAccounts, err)
	}
	all := &histogram{}
	for i := range histograms {
		all.merge(&histograms[i])
	}
	return result{rate: float64(all.total) / length.Seconds(), p50: all.quantile(0.50), p99: all.quantile(0.99)}, nil
}

// chargeFirst charges at the account that may hang until the others are done.
func (b *servedBank) chargeFirst(ctx context.Context, client *bacen.Client, end <-chan struct{}) {
	for {
		err := chargeOnce(ctx, client, hung)
		wait := time.Duration(0)
		if err != nil { // its breaker may be open
			wait = 100 * time.Millisecond
		}
		select {
		case <-end:
			return
		case <-time.After(wait):
		}
	}
}

func chargeOnce(ctx context.Context, client *bacen.Client, prefix string) error {
	_, err := client.Bank().PutCharge(ctx, psp.Charge{TxID: fmt.Sprintf("%s%015x%015x", prefix, rand.Uint64()>>4,
		rand.Uint64()>>4), Amount: 1249_90, ExpiresIn: 24 * time.Hour, MerchantName: "Ateliê Aurora", City: "Recife"})
	return err
}
