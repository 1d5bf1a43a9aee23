package payments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/pix/psp"
)

const (
	// comparedAfter is the time of the day in São Paulo after which the days before are compared.
	comparedAfter = 3 * time.Hour
	// comparedAtOnce limits the Pix that one step of a comparison reads, by the books.
	comparedAtOnce = 2000
	// lackingAtOnce limits the Pix of a step that the bank is asked about one by one.
	lackingAtOnce = 20
	// comparedAgainAfter is the pause after a bank did not answer.
	comparedAgainAfter = 15 * time.Minute
	fullDay            = 24 * time.Hour
)

// saoPaulo is the time zone of the days. Brazil has had no daylight saving time since 2019.
var saoPaulo = time.FixedZone("America/Sao_Paulo", -3*60*60)

// CompareBankDay makes a step of the comparison of a day of a bank account, if one is due: each night the two
// days before are read whole from the bank, what was missed is recorded, and the rest is compared with the books. A
// day that differs is logged as an error, and compared again each night. Only the process that tends the account
// may call it.
func (s *Service) CompareBankDay(ctx context.Context, bank psp.Bank, bankAccountID string,
	startedAt time.Time) error {
	local := bank.Now().In(saoPaulo)
	today := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, saoPaulo)
	since := today.Add(comparedAfter)
	if local.Before(since) {
		return nil
	}
	day, err := models.DueBankDay(ctx, s.DB.Pool, bankAccountID, dateOf(today), dateOf(startedAt.In(saoPaulo)), since,
		s.now())
	if err != nil || day == nil {
		return err
	}
	account, err := models.BankAccountByID(ctx, s.DB, bankAccountID)
	if err != nil {
		return fmt.Errorf("payments: read the bank account: %w", err)
	}
	c := comparison{Service: s, bank: bank, account: account, day: day}
	if err := c.step(ctx, startedAt); err != nil {
		err = fmt.Errorf("payments: compare %s of %s: %w", day.Day.Format(time.DateOnly), bankAccountID, err)
		return errors.Join(err, models.PutOffBankDay(ctx, s.DB.Pool, day, s.now().Add(comparedAgainAfter)))
	}
	return c.left
}

// dateOf returns the date of a time as the database reads it.
func dateOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// comparison compares a day of a bank account with the books.
type comparison struct {
	*Service
	bank    psp.Bank
	account *models.BankAccount
	day     *models.BankDay
	left    error // about Pix that cannot be read or recorded
}

// errUnsettled reports a list that changed while it was read, or that has Pix whose checkouts are being created.
var errUnsettled = errors.New("payments: the list changes")

// step compares the next part of the day.
func (c *comparison) step(ctx context.Context, startedAt time.Time) error {
	begin := time.Date(c.day.Day.Year(), c.day.Day.Month(), c.day.Day.Day(), 0, 0, 0, 0, saoPaulo)
	end := begin.Add(fullDay)
	if c.day.Progress == nil {
		c.day.Progress = &models.BankDayProgress{From: latest(begin, startedAt)}
	}
	from := c.day.Progress.From
	until, err := models.BookedPixEnd(ctx, c.DB.Pool, c.account.ID, from, end, comparedAtOnce)
	if err != nil {
		return err
	}
	all, settled, err := psp.AllPayments(ctx, c.bank, psp.Window{From: from, Until: until})
	if errors.Is(err, psp.ErrUnread) {
		c.left = fmt.Errorf("payments: read a day of %s: %w", c.account.ID, err)
	} else if err != nil {
		return err
	}
	listed := slices.DeleteFunc(all, func(p psp.Payment) bool {
		return p.PaidAt.Before(from) || !p.PaidAt.Before(until) ||
			p.Key != "" && !strings.EqualFold(p.Key, c.account.PixKey)
	})
	early, err := c.RecordBankPayments(ctx, c.account.ID, listed)
	if err != nil && !errors.Is(err, errUnrecorded) {
		return err
	} else if err != nil { // the Pix that cannot be recorded differs
		c.left = errors.Join(c.left, err)
	}
	if !settled || len(early) > 0 {
		return errUnsettled
	}
	if err := c.compare(ctx, listed, from, until); err != nil {
		return err
	}
	if errors.Is(c.left, psp.ErrUnread) {
		c.name(models.DifferingPix{})
	}
	if c.day.Progress.From = until; until.Before(end) {
		return models.SaveBankDayProgress(ctx, c.DB.Pool, c.day)
	}
	return c.finish(ctx)
}

// compare adds the Pix of a part of the day to its counts.
func (c *comparison) compare(ctx context.Context, listed []psp.Payment, from, until time.Time) error {
	ids := make([]string, len(listed))
	for i, p := range listed {
		ids[i] = p.EndToEndID
	}
	booked, err := models.BookedPixOf(ctx, c.DB.Pool, c.account.ID, ids)
	if err != nil {
		return err
	}
	books := make(map[string]models.BookedPix, len(booked))
	for _, b := range booked {
		books[b.EndToEndID] = b
	}
	for i := range listed {
		b, known := books[listed[i].EndToEndID]
		if !known {
			c.add(&listed[i], nil)
			continue
		}
		c.add(&listed[i], &b)
	}
	within, err := models.BookedPixBetween(ctx, c.DB.Pool, c.account.ID, from, until)
	if err != nil {
		return err
	}
	lacking := slices.DeleteFunc(within, func(b models.BookedPix) bool {
		_, listed := books[b.EndToEndID]
		return listed
	})
	for i := range lacking {
		if i >= lackingAtOnce {
			c.add(nil, &lacking[i])
		} else if err := c.addUnlisted(ctx, &lacking[i], from, until); err != nil {
			return err
		}
	}
	return nil
}

// addUnlisted adds a Pix that the books have and the bank did not list. First the bank is asked for it: the bank
// may have another time for it, and then another part of a day has it.
func (c *comparison) addUnlisted(ctx context.Context, booked *models.BookedPix, from, until time.Time) error {
	paid, err := c.bank.Payment(ctx, booked.EndToEndID)
	why, ofBank := errors.AsType[*psp.Error](err)
	switch {
	case ofBank && why.Kind == psp.NotFound:
		c.add(nil, booked)
	case err != nil:
		return err
	case !paid.PaidAt.Before(from) && paid.PaidAt.Before(until):
		c.add(&paid, booked)
	}
	return nil
}

// add counts a Pix. The side that lacks it is nil.
func (c *comparison) add(bank *psp.Payment, books *models.BookedPix) {
	counts := &c.day.Progress.Counts
	var d models.DifferingPix
	var returns int64 // that the bank has more than the books
	if bank != nil {
		d.EndToEndID, d.Bank = bank.EndToEndID, money.Cents(bank.Amount)
		counts.BankPix++
		counts.BankPixSum += d.Bank
		for _, r := range bank.Returns {
			if r.Status == psp.TransferDone {
				returns++
				d.BankReturned += money.Cents(r.Amount)
			}
		}
		counts.BankReturns += returns
		counts.BankReturnsSum += d.BankReturned
	}
	if books != nil {
		d.EndToEndID, d.Books, d.Returned = books.EndToEndID, books.Amount, books.Returned
		counts.BooksPix++
		counts.BooksPixSum += d.Books
		counts.BooksReturns += books.Returns
		returns -= books.Returns
		counts.BooksReturnsSum += d.Returned
	}
	if d.Bank != d.Books || d.BankReturned != d.Returned || returns != 0 {
		c.name(d)
	}
}

// name notes a Pix that differs.
func (c *comparison) name(d models.DifferingPix) {
	if len(c.day.Progress.Differing) < models.BankDayNames {
		c.day.Progress.Differing = append(c.day.Progress.Differing, d)
	}
}

// finish writes a comparison that is complete, and logs a difference.
func (c *comparison) finish(ctx context.Context) error {
	now := c.now()
	c.day.BankDayCounts, c.day.Differing, c.day.ComparedAt = c.day.Progress.Counts, c.day.Progress.Differing, &now
	if err := models.SaveBankDay(ctx, c.DB.Pool, c.day); err != nil {
		return err
	}
	if len(c.day.Differing) > 0 {
		slog.ErrorContext(ctx, "a bank and the books do not agree; see docs/operations.md",
			"difference", c.day.Difference())
	}
	return nil
}
