package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// OperationWithdrawal is the idempotency scope of withdrawals. Their keys belong to the
// account.
const OperationWithdrawal = "withdrawal"

// WithdrawalStatus is the state of a withdrawal (docs/rules.md, "Withdrawals").
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

// WithdrawalStatuses lists all statuses, in the order of a withdrawal's life.
var WithdrawalStatuses = []WithdrawalStatus{
	WithdrawalPendingReview, WithdrawalApproved, WithdrawalProcessing, WithdrawalCompleted,
	WithdrawalCancelled, WithdrawalRejected, WithdrawalFailed, WithdrawalReturned,
}

// The constraints that make the proof of a payout unique.
const (
	WithdrawalsEndToEndIDUnique = "withdrawals_end_to_end_id_unique"
	WithdrawalsTxHashUnique     = "withdrawals_tx_hash_unique"
)

// Quote is the value of an amount in USDT, valid for a while.
type Quote struct {
	Rate      int64 // BRL for one USDT, times 10^8
	Amount    int64 // USDT, times 10^6
	ExpiresAt time.Time
}

// Withdrawal is a payout of an account's money, in live.
type Withdrawal struct {
	ID          string
	AccountID   string
	Rail        Rail
	Status      WithdrawalStatus
	Version     int // increases with every change
	Amount      money.Cents
	Fee         money.Cents // part of Amount
	Destination Destination // the destination in use at the request
	RequestedBy string      // the id of an API key or a user

	Quote         *Quote // made at the request, indicative; nil for Pix
	ApprovalQuote *Quote // made for the approval, or for the last attempt to approve

	FirstApprovedBy *string // the first of two approvers
	FirstApprovedAt *time.Time
	ApprovedBy      *string
	ApprovedAt      *time.Time

	EndToEndID  *string // of the Pix payment
	TxHash      *string // of the transaction on the wallet's network
	FailureCode *string
	Reason      *string // why the withdrawal was rejected, failed or came back
	CreatedAt   time.Time
	CompletedAt *time.Time
	UpdatedAt   time.Time
}

// Position is the withdrawal's place in lists.
func (w Withdrawal) Position() Position { return Position{w.CreatedAt, w.ID} }

// Net returns the amount that is paid out, before any exchange.
func (w *Withdrawal) Net() money.Cents { return w.Amount - w.Fee }

const withdrawalQuery = `SELECT w.id, w.account_id, w.rail, w.status, w.version, w.amount, w.fee, w.requested_by,
	w.quote_rate, w.quote_amount, w.quote_expires_at, w.approval_rate, w.approval_amount, w.approval_expires_at,
	w.first_approved_by, w.first_approved_at, w.approved_by, w.approved_at, w.end_to_end_id, w.tx_hash,
	w.failure_code, w.reason, w.created_at, w.completed_at, w.updated_at, ` + destinationColumns + `, a.name
	FROM withdrawals w JOIN destinations d ON d.id = w.destination_id JOIN accounts a ON a.id = w.account_id `

// scanWithdrawal reads a row of withdrawalQuery.
func scanWithdrawal(row pgx.CollectableRow) (w AccountWithdrawal, err error) {
	var asked, approved struct {
		rate, amount *int64
		expires      *time.Time
	}
	err = row.Scan(append(append([]any{&w.ID, &w.AccountID, &w.Rail, &w.Status, &w.Version, &w.Amount, &w.Fee,
		&w.RequestedBy,
		&asked.rate, &asked.amount, &asked.expires, &approved.rate, &approved.amount, &approved.expires,
		&w.FirstApprovedBy, &w.FirstApprovedAt, &w.ApprovedBy, &w.ApprovedAt, &w.EndToEndID, &w.TxHash,
		&w.FailureCode, &w.Reason,
		&w.CreatedAt, &w.CompletedAt, &w.UpdatedAt}, w.Destination.targets()...), &w.AccountName)...)
	if asked.rate != nil {
		w.Quote = &Quote{*asked.rate, *asked.amount, *asked.expires}
	}
	if approved.rate != nil {
		w.ApprovalQuote = &Quote{*approved.rate, *approved.amount, *approved.expires}
	}
	return w, err
}

// InsertWithdrawal writes a new withdrawal and its idempotency key. It reports false if the
// key is taken. If a request in progress has the same key, it waits for that request.
func InsertWithdrawal(tx *Tx, w *Withdrawal, key string, requestHash []byte) (made bool, err error) {
	var rate, amount *int64
	var expires *time.Time
	if w.Quote != nil {
		rate, amount, expires = &w.Quote.Rate, &w.Quote.Amount, &w.Quote.ExpiresAt
	}
	return tx.execOne(`WITH claim AS (
			INSERT INTO idempotency_keys (owner_id, livemode, operation, key, request_hash, resource_id, created_at)
			VALUES ($2, true, '`+OperationWithdrawal+`', $12, $13, $1, $11) ON CONFLICT DO NOTHING RETURNING key)
		INSERT INTO withdrawals (id, account_id, rail, amount, fee, destination_id, requested_by,
			quote_rate, quote_amount, quote_expires_at, created_at, updated_at)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11 FROM claim`,
		w.ID, w.AccountID, w.Rail, w.Amount, w.Fee, w.Destination.ID, w.RequestedBy, rate, amount, expires,
		w.CreatedAt, key, requestHash)
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

// LockWithdrawal returns one withdrawal of the account and locks its row until tx ends, or
// returns ErrNotFound. An empty accountID means any account.
func LockWithdrawal(tx *Tx, accountID, id string) (*Withdrawal, error) {
	w, err := within(tx, func(ctx context.Context, q Querier) (*AccountWithdrawal, error) {
		return withdrawal(ctx, q, accountID, id, " FOR UPDATE OF w")
	})
	if err != nil {
		return nil, err
	}
	return &w.Withdrawal, nil
}

func withdrawal(ctx context.Context, q Querier, accountID, id, locking string) (*AccountWithdrawal, error) {
	if !withdrawalShape.fits(id) {
		return nil, ErrNotFound
	}
	rows, err := q.Query(ctx, withdrawalQuery+"WHERE w.id = $1 AND ($2 = '' OR w.account_id = $2)"+locking,
		id, accountID)
	if err != nil {
		return nil, err
	}
	w, err := pgx.CollectExactlyOneRow(rows, scanWithdrawal)
	if err != nil {
		return nil, notFound(err)
	}
	return &w, nil
}

// SaveWithdrawal writes the changes of a withdrawal that the caller has locked, and increases
// its version.
func SaveWithdrawal(tx *Tx, w *Withdrawal) error {
	var rate, amount *int64
	var expires *time.Time
	if w.ApprovalQuote != nil {
		rate, amount, expires = &w.ApprovalQuote.Rate, &w.ApprovalQuote.Amount, &w.ApprovalQuote.ExpiresAt
	}
	w.Version++
	return tx.exec(`UPDATE withdrawals SET status = $2, version = $3,
			approval_rate = $4, approval_amount = $5, approval_expires_at = $6,
			first_approved_by = $7, first_approved_at = $8, approved_by = $9, approved_at = $10,
			end_to_end_id = $11, tx_hash = $12,
			failure_code = $13, reason = $14, completed_at = $15, updated_at = $16
		WHERE id = $1`, w.ID, w.Status, w.Version, rate, amount, expires,
		w.FirstApprovedBy, w.FirstApprovedAt, w.ApprovedBy, w.ApprovedAt,
		w.EndToEndID, w.TxHash, w.FailureCode, w.Reason, w.CompletedAt, w.UpdatedAt)
}

// RaiseWithdrawalsTo increases the version of the withdrawals to a destination that may still
// be approved or sent, because what staff saw of them has changed. It returns their ids.
func RaiseWithdrawalsTo(tx *Tx, destinationID string) (ids []string, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx, `UPDATE withdrawals SET version = version + 1
			WHERE destination_id = $1 AND status IN ('PENDING_REVIEW', 'APPROVED') RETURNING id`, destinationID)
		if err != nil {
			return err
		}
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return ids, err
}

// WithdrawnSince returns the sum of the account's withdrawals since a time, in progress or
// paid out, without those that came back.
func WithdrawnSince(tx *Tx, accountID string, since time.Time) (total money.Cents, err error) {
	err = tx.Scan(`SELECT coalesce(sum(amount), 0)::bigint FROM withdrawals WHERE account_id = $1 AND created_at >= $2
		AND status IN ('PENDING_REVIEW', 'APPROVED', 'PROCESSING', 'COMPLETED')`, []any{accountID, since}, &total)
	return total, err
}

// AccountWithdrawal is a withdrawal with its account.
type AccountWithdrawal struct {
	Withdrawal
	AccountName string
}

// WithdrawalFilter narrows a list of withdrawals.
type WithdrawalFilter struct {
	AccountID   string // "" for all, for staff
	Statuses    []WithdrawalStatus
	OldestFirst bool      // for queues; requires Statuses
	Largest     bool      // the largest amounts first, without pages; requires Statuses
	After       *Position // the last row of the previous page
	Limit       int
}

// Withdrawals lists withdrawals, newest first unless OldestFirst, paged by keyset.
func Withdrawals(ctx context.Context, q Reader, f WithdrawalFilter) ([]AccountWithdrawal, error) {
	query := where{args: []any{f.Limit}}
	order, sign := "DESC", "<"
	if f.OldestFirst {
		order, sign = "ASC", ">"
	}
	if f.AccountID != "" {
		query.and("w.account_id = %s", f.AccountID)
	}
	if len(f.Statuses) > 0 {
		query.and("w.status = ANY(%s)", f.Statuses)
	}
	sorted := "w.created_at " + order + ", w.id " + order
	if f.Largest {
		sorted = "w.amount DESC, w.created_at, w.id"
	} else {
		query.after("w.created_at, w.id", sign, f.After)
	}
	rows, err := q.Query(ctx, withdrawalQuery+"WHERE true"+query.sql+" ORDER BY "+sorted+" LIMIT $1", query.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanWithdrawal)
}

// UnpaidWithdrawals returns the ids of withdrawals of a rail, "" for all, that entered a status by a
// time, oldest first. APPROVED ones of accounts that may not withdraw now are left out, so that they do not
// delay the others.
func UnpaidWithdrawals(ctx context.Context, q Querier, rail Rail, status WithdrawalStatus, by time.Time,
	limit int) ([]string, error) {
	rows, err := q.Query(ctx, `SELECT w.id FROM withdrawals w JOIN accounts a ON a.id = w.account_id
		WHERE w.status = $1 AND w.updated_at <= $2 AND (w.status <> 'APPROVED'
			OR a.production_access = 'APPROVED' AND NOT a.suspended AND NOT a.withdrawals_blocked)
			AND ($4 = '' OR w.rail = $4)
		ORDER BY w.created_at, w.id LIMIT $3`, status, by, limit, rail)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// DestinationUse is the use of a destination before a withdrawal.
type DestinationUse struct {
	Completed int
	LastAt    *time.Time // when the last of them was completed; nil if none was
}

// UseOfDestination counts the completed withdrawals to a destination, except one.
func UseOfDestination(ctx context.Context, q Querier, destinationID, exceptID string) (use DestinationUse, err error) {
	err = q.QueryRow(ctx,
		`SELECT count(*), max(completed_at) FROM withdrawals
		WHERE destination_id = $1 AND id <> $2 AND status = 'COMPLETED'`,
		destinationID, exceptID).Scan(&use.Completed, &use.LastAt)
	return use, err
}
