package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// NoticeRefusal says why a request to the address for notices became no new notice.
type NoticeRefusal string

const (
	NoticeUnknownToken NoticeRefusal = "UNKNOWN_TOKEN"
	NoticeUnproven     NoticeRefusal = "UNPROVEN" // it did not show the bank's certificate
	NoticeGarbage      NoticeRefusal = "GARBAGE"
	NoticeTooLarge     NoticeRefusal = "TOO_LARGE"
	NoticeTooMany      NoticeRefusal = "TOO_MANY" // at the same time
	NoticeTwice        NoticeRefusal = "REPEATED" // while the same notice was waiting
)

// NoticeCount is what requests are counted by.
type NoticeCount struct {
	BankAccountID string // "" if the token belongs to no account
	What          NoticeRefusal
}

// AddNoticeCounts adds numbers of requests to those of an hour.
func AddNoticeCounts(ctx context.Context, q Querier, at time.Time, counts map[NoticeCount]int64) error {
	var accounts, whats []string
	var numbers []int64
	for c, n := range counts {
		accounts, whats, numbers = append(accounts, c.BankAccountID), append(whats, string(c.What)), append(numbers, n)
	}
	_, err := q.Exec(ctx, `INSERT INTO bank_notice_counts AS c (bank_account_id, hour, what, n)
		SELECT account, date_trunc('hour', $1::timestamptz), what, n
		FROM unnest($2::text[], $3::text[], $4::bigint[]) AS t (account, what, n) ORDER BY account, what
		ON CONFLICT (bank_account_id, hour, what) DO UPDATE SET n = c.n + EXCLUDED.n`, at, accounts, whats, numbers)
	return err
}

// NoticeCounts returns how often requests of a bank account, and those of no account, were refused since
// a time.
func NoticeCounts(ctx context.Context, q Querier, bankAccountID string, since time.Time) (map[NoticeRefusal]int64,
	error) {
	rows, err := q.Query(ctx, `SELECT what, sum(n)::bigint FROM bank_notice_counts
		WHERE bank_account_id IN ($1, '') AND hour >= $2 GROUP BY what`, bankAccountID, since)
	if err != nil {
		return nil, err
	}
	counts := map[NoticeRefusal]int64{}
	var what NoticeRefusal
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&what, &n}, func() error {
		counts[what] = n
		return nil
	})
	return counts, err
}

// DeleteNoticeCounts deletes the counts of hours before a time. more is always false: there are few.
func DeleteNoticeCounts(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	_, err = q.Exec(ctx, "DELETE FROM bank_notice_counts WHERE hour < $1", before)
	return false, err
}
