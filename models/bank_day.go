package models

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// BankDay compares the Pix that a bank account received on a day in São Paulo, and what was returned of them,
// with the books.
type BankDay struct {
	BankAccountID string
	Day           time.Time // midnight in UTC stands for the day
	BankDayCounts
	Differing  []DifferingPix // the first BankDayNames of them, by time
	ComparedAt *time.Time     // nil if the first comparison is not complete
	Differs    bool
	Progress   *BankDayProgress // of a comparison under way, or nil
}

// BankDayNames limits the Pix that are named of a day that differs.
const BankDayNames = 100

// BankDayCounts are numbers of Pix and of completed returns, with their sums.
type BankDayCounts struct {
	BankPix         int64
	BankPixSum      money.Cents
	BooksPix        int64
	BooksPixSum     money.Cents
	BankReturns     int64
	BankReturnsSum  money.Cents
	BooksReturns    int64
	BooksReturnsSum money.Cents
}

// DifferingPix is a Pix on which a bank and the books disagree. A side that lacks it has 0. It is empty for Pix
// of the bank's list that cannot be read.
type DifferingPix struct {
	EndToEndID   string
	Bank, Books  money.Cents // received
	BankReturned money.Cents
	Returned     money.Cents // by the books
}

// BankDayProgress is a comparison that was interrupted, or is made in several steps.
type BankDayProgress struct {
	From      time.Time // what is compared next
	Counts    BankDayCounts
	Differing []DifferingPix
}

const bankDayColumns = `d.bank_account_id, d.day, d.bank_pix, d.bank_pix_sum, d.books_pix, d.books_pix_sum,
	d.bank_returns, d.bank_returns_sum, d.books_returns, d.books_returns_sum, d.differing, d.compared_at, d.differs,
	d.progress`

// DueBankDay returns a day of a bank account to be compared, or nil: the day before today, the one before
// that, and days that differed, unless it was compared since a time, or is to be tried again later. No day
// is before first.
func DueBankDay(ctx context.Context, q Querier, bankAccountID string, today, first, since, now time.Time) (*BankDay,
	error) {
	rows, err := q.Query(ctx, `WITH due AS (
			SELECT $2::date - 1 AS day UNION SELECT $2::date - 2
			UNION SELECT day FROM bank_days WHERE bank_account_id = $1 AND differs
		)
		SELECT `+bankDayColumns+` FROM (SELECT $1::text AS bank_account_id, due.day,
			coalesce(d.bank_pix, 0) AS bank_pix, coalesce(d.bank_pix_sum, 0) AS bank_pix_sum,
			coalesce(d.books_pix, 0) AS books_pix, coalesce(d.books_pix_sum, 0) AS books_pix_sum,
			coalesce(d.bank_returns, 0) AS bank_returns, coalesce(d.bank_returns_sum, 0) AS bank_returns_sum,
			coalesce(d.books_returns, 0) AS books_returns, coalesce(d.books_returns_sum, 0) AS books_returns_sum,
			coalesce(d.differing, '[]') AS differing, d.compared_at, coalesce(d.differs, false) AS differs, d.progress
			FROM due LEFT JOIN bank_days d ON d.bank_account_id = $1 AND d.day = due.day
			WHERE due.day >= $3::date AND due.day < $2::date AND (d.compared_at >= $4) IS NOT TRUE
				AND (d.retry_at > $5) IS NOT TRUE
			ORDER BY d.progress IS NULL, due.day DESC LIMIT 1) d`, bankAccountID, today, first, since, now)
	if err != nil {
		return nil, err
	}
	days, err := scanBankDays(rows)
	if err != nil || len(days) == 0 {
		return nil, err
	}
	return &days[0], nil
}

func scanBankDays(rows pgx.Rows) (days []BankDay, err error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d BankDay, err error) {
		err = row.Scan(&d.BankAccountID, &d.Day, &d.BankPix, &d.BankPixSum, &d.BooksPix, &d.BooksPixSum, &d.BankReturns,
			&d.BankReturnsSum, &d.BooksReturns, &d.BooksReturnsSum, &d.Differing, &d.ComparedAt, &d.Differs,
			&d.Progress)
		return d, err
	})
}

// SaveBankDayProgress writes how far a comparison came.
func SaveBankDayProgress(ctx context.Context, q Querier, d *BankDay) error {
	progress, err := json.Marshal(d.Progress)
	if err != nil {
		return fmt.Errorf("models: progress of a day: %w", err)
	}
	_, err = q.Exec(ctx, `INSERT INTO bank_days (bank_account_id, day, progress) VALUES ($1, $2, $3)
		ON CONFLICT (bank_account_id, day) DO UPDATE SET progress = excluded.progress, retry_at = NULL`,
		d.BankAccountID, d.Day, progress)
	return err
}

// PutOffBankDay lets a day be tried again later, because the bank did not answer.
func PutOffBankDay(ctx context.Context, q Querier, d *BankDay, until time.Time) error {
	_, err := q.Exec(ctx, `INSERT INTO bank_days (bank_account_id, day, retry_at) VALUES ($1, $2, $3)
		ON CONFLICT (bank_account_id, day) DO UPDATE SET retry_at = excluded.retry_at`, d.BankAccountID, d.Day, until)
	return err
}

// SaveBankDay writes a comparison that is complete, in place of an earlier one.
func SaveBankDay(ctx context.Context, q Querier, d *BankDay) error {
	differing, err := json.Marshal(append([]DifferingPix{}, d.Differing...))
	if err != nil {
		return fmt.Errorf("models: Pix that differ: %w", err)
	}
	_, err = q.Exec(ctx, `INSERT INTO bank_days (bank_account_id, day, bank_pix, bank_pix_sum, books_pix, books_pix_sum,
			bank_returns, bank_returns_sum, books_returns, books_returns_sum, differing, compared_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (bank_account_id, day) DO UPDATE SET bank_pix = excluded.bank_pix,
			bank_pix_sum = excluded.bank_pix_sum, books_pix = excluded.books_pix,
			books_pix_sum = excluded.books_pix_sum,
			bank_returns = excluded.bank_returns, bank_returns_sum = excluded.bank_returns_sum,
			books_returns = excluded.books_returns, books_returns_sum = excluded.books_returns_sum,
			differing = excluded.differing, compared_at = excluded.compared_at, progress = NULL, retry_at = NULL`,
		d.BankAccountID, d.Day, d.BankPix, d.BankPixSum, d.BooksPix, d.BooksPixSum, d.BankReturns, d.BankReturnsSum,
		d.BooksReturns, d.BooksReturnsSum, differing, d.ComparedAt)
	return err
}

// BankDays lists the days of a bank account that were compared, newest first, at most limit, and then older ones
// that differ.
func BankDays(ctx context.Context, q Reader, bankAccountID string, limit int) ([]BankDay, error) {
	rows, err := q.Query(ctx, "SELECT "+bankDayColumns+` FROM bank_days d
		WHERE d.bank_account_id = $1 AND d.compared_at IS NOT NULL AND (d.differs OR d.day IN (SELECT day FROM bank_days
			WHERE bank_account_id = $1 AND compared_at IS NOT NULL ORDER BY day DESC LIMIT $2))
		ORDER BY d.day DESC`, bankAccountID, limit)
	if err != nil {
		return nil, err
	}
	return scanBankDays(rows)
}

// DifferingBankDays lists the days that differ of all bank accounts that are not closed, oldest first, at most
// limit.
func DifferingBankDays(ctx context.Context, q Querier, limit int) ([]BankDay, error) {
	rows, err := q.Query(ctx, "SELECT "+bankDayColumns+` FROM bank_days d
		JOIN bank_accounts b ON b.id = d.bank_account_id WHERE d.differs AND b.status <> 'CLOSED'
		ORDER BY d.day, d.bank_account_id LIMIT $1`, limit)
	if err != nil {
		return nil, err
	}
	return scanBankDays(rows)
}

// CountDifferingBankDays counts the days of a bank account that differ.
func CountDifferingBankDays(ctx context.Context, q Querier, bankAccountID string) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT count(*) FROM bank_days WHERE bank_account_id = $1 AND differs",
		bankAccountID).Scan(&n)
	return n, err
}

// BookedPix is a Pix of a bank account as the books have it.
type BookedPix struct {
	EndToEndID string
	Amount     money.Cents
	Returns    int64 // completed ones, with the exceptions that were refunded
	Returned   money.Cents
}

const bookedPix = `SELECT p.end_to_end_id, p.amount, r.n + x.n AS returns, r.sum + x.sum AS returned FROM payments p
	CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(amount), 0)::bigint AS sum FROM refunds
		WHERE payment_id = p.id AND status = 'COMPLETED') r
	CROSS JOIN LATERAL (SELECT count(*) AS n, CASE WHEN count(*) > 0 THEN p.amount ELSE 0 END AS sum
		FROM payment_exceptions WHERE payment_id = p.id AND (decision = 'REFUNDED' OR return_status = 'COMPLETED')) x
	WHERE p.bank_account_id = $1 AND `

// BookedPixOf returns the Pix of a bank account that have these EndToEndIDs.
func BookedPixOf(ctx context.Context, q Querier, bankAccountID string, ids []string) ([]BookedPix, error) {
	return collect[BookedPix](ctx, q, bookedPix+"p.livemode AND p.end_to_end_id = ANY($2)", bankAccountID, ids)
}

// BookedPixBetween returns the Pix that a bank account received in a time, without its end, by the bank's clock.
func BookedPixBetween(ctx context.Context, q Querier, bankAccountID string, from, until time.Time) ([]BookedPix,
	error) {
	return collect[BookedPix](ctx, q, bookedPix+"p.paid_at >= $2 AND p.paid_at < $3 ORDER BY p.paid_at, p.id",
		bankAccountID, from, until)
}

// BookedPixEnd returns an end for a time that begins with from, so that a bank account received about limit
// Pix in it, and not after until.
func BookedPixEnd(ctx context.Context, q Querier, bankAccountID string, from, until time.Time, limit int) (time.Time,
	error) {
	end := until
	err := notFound(q.QueryRow(ctx, `SELECT paid_at FROM payments WHERE bank_account_id = $1 AND paid_at > $2
		AND paid_at < $3 ORDER BY paid_at OFFSET $4 LIMIT 1`, bankAccountID, from, until, limit).Scan(&end))
	if errors.Is(err, ErrNotFound) {
		return until, nil
	}
	return end, err
}

// Difference describes a day that differs, for the log and for garoupa check.
func (d *BankDay) Difference() string {
	text := fmt.Sprintf("%s %s: the bank has %d Pix of %s and %d returns of %s, the books %d of %s and %d of %s",
		d.BankAccountID, d.Day.Format(time.DateOnly), d.BankPix, d.BankPixSum.Decimal(), d.BankReturns,
		d.BankReturnsSum.Decimal(),
		d.BooksPix, d.BooksPixSum.Decimal(), d.BooksReturns, d.BooksReturnsSum.Decimal())
	const named = 5
	for i, p := range d.Differing {
		if i == named {
			return text + fmt.Sprintf(", and %d more", len(d.Differing)-named)
		}
		text += "; " + cmp.Or(p.EndToEndID, "one that cannot be read")
	}
	return text
}
