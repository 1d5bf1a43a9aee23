package payments

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"garoupa/models"
)

const (
	// closeAfter is when a month is closed on its next month's first day in Brasília, and closeWithin how long after it
	// that is made up for.
	closeAfter  = 6 * time.Hour
	closeWithin = 7 * 24 * time.Hour
	// closeBatch is how many accounts CloseMonths reads at once.
	closeBatch = 100
)

// CloseMonths mails a summary of last month to the owner of each account whose live money moved in it, from 6:00 in
// Brasília on the first day of a month until the seventh; a later mail would only confuse. Several processes may call
// it: each account gets one mail for a month, because the mail and the record of the month are committed together. A
// job calls it.
func (s *Service) CloseMonths(ctx context.Context) error {
	now := s.now()
	today := now.In(saoPaulo)
	until := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, saoPaulo)
	if late := now.Sub(until); late < closeAfter || late >= closeWithin {
		return nil
	}
	since := until.AddDate(0, -1, 0)
	var failed error // of some accounts, which the next call tries again
	for after := ""; ; {
		accounts, err := models.AccountsToClose(ctx, s.DB.Pool, since, until, after, closeBatch)
		if err != nil {
			return fmt.Errorf("payments: find accounts with a month to close: %w", err)
		}
		for _, id := range accounts {
			after = id
			if err := s.closeMonth(ctx, id, since, until); err != nil {
				failed = errors.Join(failed, fmt.Errorf("payments: close the month of %s: %w", id, err))
			}
		}
		if len(accounts) < closeBatch || ctx.Err() != nil {
			return failed
		}
	}
}

// closeMonth mails the owner of an account what a month was, unless that has happened.
func (s *Service) closeMonth(ctx context.Context, accountID string, since, until time.Time) error {
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		closed, err := models.CloseMonth(tx, accountID, since, s.now())
		if err != nil || !closed {
			return err
		}
		var sales int
		var opening, closing models.Balance
		err = tx.PGX(func(ctx context.Context, q models.Querier) (err error) {
			if sales, err = models.SalesOf(ctx, q, accountID, models.Live, since, until); err != nil {
				return err
			}
			if opening, err = models.BalanceAt(ctx, q, accountID, models.Live, since); err != nil {
				return err
			}
			closing, err = models.BalanceAt(ctx, q, accountID, models.Live, until)
			return err
		})
		if err != nil {
			return err
		}
		return s.tellMembers(tx, accountID, models.MailMonthClosed, accountID+"/"+since.Format("2006-01"),
			monthFacts(sales, opening, closing, since, until))
	})
}

// monthFacts are the params of the mail: opening + gross − fees − refunds − withdrawals = closing.
func monthFacts(sales int, opening, closing models.Balance, since, until time.Time) map[string]string {
	facts := map[string]string{
		"month": since.Format(time.RFC3339), "sales": strconv.Itoa(sales),
		"first": since.Format(time.DateOnly), "last": until.AddDate(0, 0, -1).Format(time.DateOnly),
	}
	for name, amount := range map[string]int64{
		"opening": int64(opening.Total()), "gross": int64(closing.Gross - opening.Gross),
		"fees": int64(closing.Fee - opening.Fee), "refunds": int64(closing.Refunded - opening.Refunded),
		"withdrawals": int64(closing.Withdrawn - opening.Withdrawn), "closing": int64(closing.Total()),
	} {
		facts[name] = strconv.FormatInt(amount, 10)
	}
	return facts
}
