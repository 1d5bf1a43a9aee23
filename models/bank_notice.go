package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// NoticeOutcome says what became of a notice of a bank.
type NoticeOutcome string

const (
	NoticeRecorded NoticeOutcome = "RECORDED" // the bank has a Pix that was not recorded
	NoticeRead     NoticeOutcome = "READ"     // the bank says that the charge is not paid
	NoticeRepeated NoticeOutcome = "REPEATED" // all was recorded before
	NoticeSwept    NoticeOutcome = "SWEPT"    // it was about so much that the whole list is read
	NoticeForeign  NoticeOutcome = "FOREIGN"  // it was about another key of the bank's customer
	NoticeUnknown  NoticeOutcome = "UNKNOWN"  // the bank does not know the Pix, or the gateway the charge
	NoticeEmpty    NoticeOutcome = "EMPTY"    // it was about nothing that the gateway reads
	NoticeGivenUp  NoticeOutcome = "GIVEN_UP" // the bank could not be read for a day; the sweeps went on
)

// NoticeHint names what a notice is about. Each field may be "".
type NoticeHint struct {
	TxID       string `json:"txid,omitempty"`
	EndToEndID string `json:"endToEndId,omitempty"`
	ReturnID   string `json:"returnId,omitempty"`
}

// BankNotice is a notice of a bank. Its body is not stored.
type BankNotice struct {
	ID            int64
	BankAccountID string
	ReceivedAt    time.Time
	Hints         []NoticeHint
	Tries         int // how often the bank was read for it, with the try under way
}

// InsertBankNotice writes a notice whose body has this SHA-256. If the same one waits already, written is
// false. A notice without hints is done at once.
func InsertBankNotice(ctx context.Context, q Querier, n *BankNotice, digest []byte) (written bool, err error) {
	hints, err := json.Marshal(n.Hints)
	if err != nil {
		return false, fmt.Errorf("models: encode hints: %w", err)
	}
	var next, done *time.Time
	var outcome *NoticeOutcome
	if next = &n.ReceivedAt; len(n.Hints) == 0 {
		next, done, outcome, hints = nil, &n.ReceivedAt, new(NoticeEmpty), []byte("[]")
	}
	tag, err := q.Exec(ctx, `INSERT INTO bank_notices
			(bank_account_id, received_at, digest, hints, next_try_at, done_at, outcome)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (bank_account_id, digest) WHERE done_at IS NULL DO NOTHING`,
		n.BankAccountID, n.ReceivedAt, digest, hints, next, done, outcome)
	return tag.RowsAffected() == 1, err
}

// BankAccountsWithNotices returns the ids of the bank accounts that have notices which are due.
func BankAccountsWithNotices(ctx context.Context, q Querier, now time.Time) ([]string, error) {
	rows, err := q.Query(ctx, "SELECT DISTINCT bank_account_id FROM bank_notices WHERE next_try_at <= $1", now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// ClaimBankNotices returns up to limit notices of a bank account that are due, the oldest first. It puts
// their next try off until lease is over, so that another process follows them if this one ends.
func ClaimBankNotices(ctx context.Context, q Querier, bankAccountID string, now time.Time, lease time.Duration,
	limit int) ([]BankNotice, error) {
	return collect[BankNotice](ctx, q, `WITH due AS (
			SELECT id FROM bank_notices WHERE bank_account_id = $1 AND next_try_at <= $2
			ORDER BY next_try_at LIMIT $4 FOR UPDATE SKIP LOCKED
		)
		UPDATE bank_notices n SET next_try_at = $3, tries = n.tries + 1 FROM due WHERE n.id = due.id
		RETURNING n.id, n.bank_account_id, n.received_at, n.hints, n.tries`,
		bankAccountID, now, now.Add(lease), limit)
}

// EndBankNotices writes that notices are done, and how. Those that are done already stay as they are.
func EndBankNotices(ctx context.Context, q Querier, ids []int64, outcome NoticeOutcome, at time.Time) error {
	_, err := q.Exec(ctx, `UPDATE bank_notices SET done_at = $3, outcome = $2, next_try_at = NULL
		WHERE id = ANY($1) AND done_at IS NULL`, ids, outcome, at)
	return err
}

// DeferBankNotice sets when a notice is tried next.
func DeferBankNotice(ctx context.Context, q Querier, id int64, at time.Time) error {
	_, err := q.Exec(ctx, "UPDATE bank_notices SET next_try_at = $2 WHERE id = $1 AND done_at IS NULL", id, at)
	return err
}

// DeleteBankNotices deletes the oldest notices from before a time, up to a limit, and reports whether more
// may be left.
func DeleteBankNotices(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	tag, err := q.Exec(ctx, `DELETE FROM bank_notices WHERE id IN (SELECT id FROM bank_notices
		WHERE received_at < $1 ORDER BY received_at LIMIT $2)`, before, deletedAtOnce)
	return tag.RowsAffected() == deletedAtOnce, err
}

// LastBankNotice returns when a bank account got its last notice, nil if there was none.
func LastBankNotice(ctx context.Context, q Querier, bankAccountID string) (at *time.Time, err error) {
	err = q.QueryRow(ctx, "SELECT max(received_at) FROM bank_notices WHERE bank_account_id = $1",
		bankAccountID).Scan(&at)
	return at, err
}

// FirstUnnoticedPix returns the time, by the bank's clock, of the first Pix for which a notice is missing, or nil if
// none is missing or the address is not registered. It considers only Pix that paid a checkout, because banks post no
// notices of others; that came more than slack after from, the registration and the last notice; and that were recorded
// by recordedUntil.
func FirstUnnoticedPix(ctx context.Context, q Querier, bankAccountID, address string, slack time.Duration,
	from, recordedUntil time.Time) (paidAt *time.Time, err error) {
	err = notFound(q.QueryRow(ctx, `SELECT p.paid_at FROM bank_registrations r
			CROSS JOIN (SELECT max(received_at) AS at FROM bank_notices WHERE bank_account_id = $1) last
			JOIN payments p ON p.bank_account_id = r.bank_account_id AND p.settles
				AND p.paid_at > greatest(r.registered_at, last.at, $4) + $3::interval AND p.recorded_at <= $5
		WHERE r.bank_account_id = $1 AND r.address = $2 ORDER BY p.paid_at LIMIT 1`,
		bankAccountID, address, slack, from, recordedUntil).Scan(&paidAt))
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return paidAt, err
}
