package models

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// OperationWithdrawal is the idempotency scope of withdrawals: the account's.
const OperationWithdrawal = "withdrawal"

// WithdrawalStatus is the state of a withdrawal (decisions, 7).
type WithdrawalStatus string

const (
	WithdrawalPendingReview WithdrawalStatus = "PENDING_REVIEW"
	WithdrawalCancelled     WithdrawalStatus = "CANCELLED"
	WithdrawalRejected      WithdrawalStatus = "REJECTED"
	WithdrawalApproved      WithdrawalStatus = "APPROVED"
	WithdrawalProcessing    WithdrawalStatus = "PROCESSING"
	WithdrawalCompleted     WithdrawalStatus = "COMPLETED"
	WithdrawalFailed        WithdrawalStatus = "FAILED"
	WithdrawalReturned      WithdrawalStatus = "RETURNED"
)

// WithdrawalStatuses are all states, in the order of a withdrawal's life.
var WithdrawalStatuses = []WithdrawalStatus{
	WithdrawalPendingReview, WithdrawalApproved, WithdrawalProcessing, WithdrawalCompleted,
	WithdrawalCancelled, WithdrawalRejected, WithdrawalFailed, WithdrawalReturned,
}

// The constraints that let no two withdrawals share the proof of a payment.
const (
	WithdrawalsEndToEndIDUnique = "withdrawals_end_to_end_id_unique"
	WithdrawalsTxHashUnique     = "withdrawals_tx_hash_unique"
)

// Quote is what an amount was worth in USDT for a while.
type Quote struct {
	Rate      int64 // BRL for one USDT, times 10^8
	Amount    int64 // USDT, times 10^6
	ExpiresAt time.Time
}

// Withdrawal is money on its way out of an account, in live.
type Withdrawal struct {
	ID          string
	AccountID   string
	Rail        Rail
	Status      WithdrawalStatus
	Version     int // grows with every change
	Amount      money.Cents
	Fee         money.Cents // part of Amount
	Destination Destination // the one that was approved at the request
	RequestedBy string      // the id of an API key or a user

	Quote         *Quote // at the request, indicative; nil for Pix
	ApprovalQuote *Quote // when it was, or was last to be, approved

	FirstApprovedBy *string // the first of two people
	FirstApprovedAt *time.Time
	ApprovedBy      *string
	ApprovedAt      *time.Time

	EndToEndID  *string // of the Pix payment
	TxHash      *string // of the transaction on the wallet's network
	FailureCode *string
	Reason      *string // why it was rejected, failed or came back
	CreatedAt   time.Time
	CompletedAt *time.Time
	UpdatedAt   time.Time
}

// Net is what arrives, before any exchange.
func (w *Withdrawal) Net() money.Cents { return w.Amount - w.Fee }

const withdrawalQuery = `SELECT w.id, w.account_id, w.rail, w.status, w.version, w.amount, w.fee, w.requested_by,
	w.quote_rate, w.quote_amount, w.quote_expires_at, w.approval_rate, w.approval_amount, w.approval_expires_at,
	w.first_approved_by, w.first_approved_at, w.approved_by, w.approved_at, w.end_to_end_id, w.tx_hash, w.failure_code, w.reason,
	w.created_at, w.completed_at, w.updated_at, ` + destinationColumns + `, a.name
	FROM withdrawals w JOIN destinations d ON d.id = w.destination_id JOIN accounts a ON a.id = w.account_id `

// scanWithdrawal reads a row of withdrawalQuery.
func scanWithdrawal(row pgx.CollectableRow) (w AccountWithdrawal, err error) {
	var asked, approved struct {
		rate, amount *int64
		expires      *time.Time
	}
	err = row.Scan(append(append([]any{&w.ID, &w.AccountID, &w.Rail, &w.Status, &w.Version, &w.Amount, &w.Fee, &w.RequestedBy,
		&asked.rate, &asked.amount, &asked.expires, &approved.rate, &approved.amount, &approved.expires,
		&w.FirstApprovedBy, &w.FirstApprovedAt, &w.ApprovedBy, &w.ApprovedAt, &w.EndToEndID, &w.TxHash, &w.FailureCode, &w.Reason,
		&w.CreatedAt, &w.CompletedAt, &w.UpdatedAt}, w.Destination.targets()...), &w.AccountName)...)
	if asked.rate != nil {
		w.Quote = &Quote{*asked.rate, *asked.amount, *asked.expires}
	}
	if approved.rate != nil {
		w.ApprovalQuote = &Quote{*approved.rate, *approved.amount, *approved.expires}
	}
	return w, err
}

// InsertWithdrawal writes a new withdrawal and its idempotency key. It reports
// false when the key is taken; a request in flight with the same key is waited for.
func InsertWithdrawal(tx *Tx, w *Withdrawal, key string, requestHash []byte) (made bool, err error) {
	var rate, amount *int64
	var expires *time.Time
	if w.Quote != nil {
		rate, amount, expires = &w.Quote.Rate, &w.Quote.Amount, &w.Quote.ExpiresAt
	}
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, `WITH claim AS (
				INSERT INTO idempotency_keys (owner_id, livemode, operation, key, request_hash, resource_id, created_at)
				VALUES ($2, true, '`+OperationWithdrawal+`', $12, $13, $1, $11) ON CONFLICT DO NOTHING RETURNING key)
			INSERT INTO withdrawals (id, account_id, rail, amount, fee, destination_id, requested_by,
				quote_rate, quote_amount, quote_expires_at, created_at, updated_at)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11 FROM claim`,
			w.ID, w.AccountID, w.Rail, w.Amount, w.Fee, w.Destination.ID, w.RequestedBy, rate, amount, expires, w.CreatedAt, key, requestHash)
		made = tag.RowsAffected() == 1
		return err
	})
	return made, err
}

// WithdrawalByID returns one withdrawal of the account, or ErrNotFound.
func WithdrawalByID(ctx context.Context, q Querier, accountID, id string) (*Withdrawal, error) {
	w, err := withdrawal(ctx, q, accountID, id, "")
	if err != nil {
		return nil, err
	}
	return &w.Withdrawal, nil
}

// AccountWithdrawalByID returns one withdrawal of any account, for staff, or
// ErrNotFound.
func AccountWithdrawalByID(ctx context.Context, q Querier, id string) (*AccountWithdrawal, error) {
	return withdrawal(ctx, q, "", id, "")
}

// LockWithdrawal returns one withdrawal of the account, any if it is "", and holds
// its row until tx ends; or ErrNotFound.
func LockWithdrawal(tx *Tx, accountID, id string) (w *Withdrawal, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		found, err := withdrawal(ctx, conn, accountID, id, " FOR UPDATE OF w")
		if err == nil {
			w = &found.Withdrawal
		}
		return err
	})
	return w, err
}

func withdrawal(ctx context.Context, q Querier, accountID, id, locking string) (*AccountWithdrawal, error) {
	if !wellFormed(id, "wdr_", 20) {
		return nil, ErrNotFound
	}
	rows, err := q.Query(ctx, withdrawalQuery+"WHERE w.id = $1 AND ($2 = '' OR w.account_id = $2)"+locking, id, accountID)
	if err != nil {
		return nil, err
	}
	w, err := pgx.CollectExactlyOneRow(rows, scanWithdrawal)
	if err != nil {
		return nil, notFound(err)
	}
	return &w, nil
}

// SaveWithdrawal writes what changed about a withdrawal that the caller holds, and
// raises its version.
func SaveWithdrawal(tx *Tx, w *Withdrawal) error {
	var rate, amount *int64
	var expires *time.Time
	if w.ApprovalQuote != nil {
		rate, amount, expires = &w.ApprovalQuote.Rate, &w.ApprovalQuote.Amount, &w.ApprovalQuote.ExpiresAt
	}
	w.Version++
	return tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `UPDATE withdrawals SET status = $2, version = $3, approval_rate = $4, approval_amount = $5, approval_expires_at = $6,
				first_approved_by = $7, first_approved_at = $8, approved_by = $9, approved_at = $10, end_to_end_id = $11, tx_hash = $12,
				failure_code = $13, reason = $14, completed_at = $15, updated_at = $16
			WHERE id = $1`, w.ID, w.Status, w.Version, rate, amount, expires, w.FirstApprovedBy, w.FirstApprovedAt, w.ApprovedBy, w.ApprovedAt,
			w.EndToEndID, w.TxHash, w.FailureCode, w.Reason, w.CompletedAt, w.UpdatedAt)
		return err
	})
}

// WithdrawnSince adds up what the account asked for since a time and did not get
// back: what is under way, and what was paid out.
func WithdrawnSince(tx *Tx, accountID string, since time.Time) (total money.Cents, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT coalesce(sum(amount), 0)::bigint FROM withdrawals
			WHERE account_id = $1 AND created_at >= $2 AND status IN ('PENDING_REVIEW', 'APPROVED', 'PROCESSING', 'COMPLETED')`,
			accountID, since).Scan(&total)
	})
	return total, err
}

// AccountWithdrawal is a withdrawal with the account that it belongs to.
type AccountWithdrawal struct {
	Withdrawal
	AccountName string
}

// WithdrawalFilter narrows a list of withdrawals.
type WithdrawalFilter struct {
	AccountID   string // "" for all, for staff
	Statuses    []WithdrawalStatus
	OldestFirst bool      // as a queue is read; needs Statuses
	After       *Position // the last row of the page before
	Limit       int
}

// Withdrawals lists withdrawals by keyset, the newest first.
func Withdrawals(ctx context.Context, q Querier, f WithdrawalFilter) ([]AccountWithdrawal, error) {
	sql, args := withdrawalQuery+"WHERE true", []any{f.Limit}
	order, beyond := "DESC", "<"
	if f.OldestFirst {
		order, beyond = "ASC", ">"
	}
	if f.AccountID != "" {
		args = append(args, f.AccountID)
		sql += place(" AND w.account_id = $%d", len(args))
	}
	if len(f.Statuses) > 0 {
		args = append(args, f.Statuses)
		sql += place(" AND w.status = ANY($%d)", len(args))
	}
	if f.After != nil {
		args = append(args, f.After.CreatedAt, f.After.ID)
		sql += place(" AND (w.created_at, w.id) "+beyond+" ($%d, $%d)", len(args)-1, len(args))
	}
	rows, err := q.Query(ctx, sql+" ORDER BY w.created_at "+order+", w.id "+order+" LIMIT $1", args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanWithdrawal)
}

// place writes the numbers of parameters into a condition.
func place(condition string, numbers ...int) string {
	args := make([]any, len(numbers))
	for i, n := range numbers {
		args[i] = n
	}
	return fmt.Sprintf(condition, args...)
}

// UnpaidWithdrawals returns the ids of withdrawals in a state that they were in by a
// time, the oldest first.
func UnpaidWithdrawals(ctx context.Context, q Querier, status WithdrawalStatus, by time.Time, limit int) ([]string, error) {
	rows, err := q.Query(ctx, "SELECT id FROM withdrawals WHERE status = $1 AND updated_at <= $2 ORDER BY created_at, id LIMIT $3", status, by, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// DestinationUse is how a destination was used before a withdrawal.
type DestinationUse struct {
	Completed int
	LastAt    *time.Time // when the last of them was completed; nil: none was
}

// UseOfDestination counts the completed withdrawals to a destination besides one.
func UseOfDestination(ctx context.Context, q Querier, destinationID, exceptID string) (use DestinationUse, err error) {
	err = q.QueryRow(ctx, `SELECT count(*), max(completed_at) FROM withdrawals WHERE destination_id = $1 AND id <> $2 AND status = 'COMPLETED'`,
		destinationID, exceptID).Scan(&use.Completed, &use.LastAt)
	return use, err
}
