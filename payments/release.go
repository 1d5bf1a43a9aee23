package payments

import (
	"context"
	"fmt"
	"time"

	"garoupa/ledger"
	"garoupa/models"
)

const (
	// releaseLate is how late a settlement may be before Calendar has to look further back.
	releaseLate = time.Hour
	// longestRelease is how far back Calendar looks for money that is pending for longer than any delay that applies:
	// the longest settlement delay of an account.
	longestRelease = 90*24*time.Hour + releaseLate
)

// Calendar says when an account's money becomes available.
type Calendar struct {
	models.Releases
	Uncovered models.Uncovered
}

// Calendar returns when an account's pending money becomes available, and which checkouts wait to be covered. It reads
// only what was paid within the account's longest settlement delay, unless the ledger says that more is pending, and
// models.SummedCheckouts checkouts of each. The refusal is that of Balance.
func (s *Service) Calendar(ctx context.Context, account *models.Account,
	environment models.Environment) (c Calendar, err error) {
	if environment == models.Live && account.ProductionAccess != models.AccessApproved {
		return c, notApproved
	}
	book := string(ledger.Account(account.ID, environment, ledger.Pending))
	now := s.now()
	for _, back := range []time.Duration{s.longestDelay(account, environment) + releaseLate, longestRelease} {
		c.Releases, err = models.ReleasesOf(ctx, s.DB.Read, account.ID, environment, book, models.ReleaseFilter{
			PaidSince: now.Add(-back), Now: now, Limit: models.SummedCheckouts})
		if err != nil {
			return c, fmt.Errorf("payments: read the releases of %s: %w", account.ID, err)
		}
		if c.Rest() == 0 || c.full() {
			break
		}
	}
	c.Uncovered, err = models.UncoveredOf(ctx, s.DB.Read, account.ID, environment, models.SummedCheckouts)
	if err != nil {
		return c, fmt.Errorf("payments: read what of %s is not covered: %w", account.ID, err)
	}
	return c, nil
}

// full reports whether as many checkouts were read as may be.
func (c Calendar) full() bool {
	n := 0
	for _, day := range c.Days {
		n += day.Count
	}
	return n >= models.SummedCheckouts
}

// longestDelay returns the longest settlement delay that charges of the account may have: the installation's, or one
// that the account had or has.
func (s *Service) longestDelay(account *models.Account, environment models.Environment) time.Duration {
	if environment == models.Test {
		return s.SettlementDelayTest
	}
	longest := s.SettlementDelayLive
	for _, l := range account.Limits {
		if l.SettlementDelay != nil {
			longest = max(longest, time.Duration(*l.SettlementDelay)*time.Second)
		}
	}
	return longest
}
