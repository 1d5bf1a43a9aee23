package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// AccountFee is the fees of an account from a moment on. It never changes after it is written.
// Of the rows whose moment has come, the one that was written last applies.
type AccountFee struct {
	ID            int64 // increases with every row
	AccountID     string
	Fee           *money.Fee // of charges; nil means the installation's fee
	WithdrawalFee *money.Fee // nil means the installation's fee
	ValidFrom     time.Time
	ProposalID    *string // nil if no proposal led to the row; then Reason and the names are empty too
	Reason        *string
	ProposedBy    *string // user ids
	ApprovedBy    *string
	Proposer      string // the users' names, read-only
	Approver      string
	WrittenAt     time.Time
}

// accountTerms is the result of the database's function account_terms: basis points, centavos,
// and the settlement delay in seconds, which may be nil.
type accountTerms [3]*int64

func (t accountTerms) fee() money.Fee {
	return money.Fee{BasisPoints: *t[0], Fixed: money.Cents(*t[1])}
}

// FeeAt returns the fee of charges that an account creates at a time: its own, or the
// installation's.
func FeeAt(ctx context.Context, q Querier, accountID string, at time.Time) (money.Fee, error) {
	var terms accountTerms
	if err := q.QueryRow(ctx, "SELECT account_terms($1, $2)", accountID, at).Scan(&terms); err != nil {
		return money.Fee{}, err
	}
	return terms.fee(), nil
}

// WithdrawalFeeAt returns an account's own fee of withdrawals that are requested at a time, or
// nil if it has none.
func WithdrawalFeeAt(ctx context.Context, q Querier, accountID string, at time.Time) (*money.Fee, error) {
	var points *int64
	var fixed *money.Cents
	err := q.QueryRow(ctx, `SELECT withdrawal_basis_points, withdrawal_fixed FROM account_fees
		WHERE account_id = $1 AND valid_from <= $2 ORDER BY id DESC LIMIT 1`, accountID, at).Scan(&points, &fixed)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	return feeOf(points, fixed), nil
}

// DefaultFeeAt returns the installation's fee for charges that are created at a time.
func DefaultFeeAt(ctx context.Context, q Querier, at time.Time) (fee money.Fee, err error) {
	err = q.QueryRow(ctx, `SELECT basis_points, fixed FROM default_fees WHERE valid_from <= $1
		ORDER BY id DESC LIMIT 1`, at).
		Scan(&fee.BasisPoints, &fee.Fixed)
	return fee, err
}

// FeeOfCheckout returns the fee that applied when a checkout was created, or ErrNotFound.
func FeeOfCheckout(tx *Tx, checkoutID string) (fee money.Fee, err error) {
	var terms accountTerms
	err = tx.Scan(`SELECT account_terms(j.account_id, c.created_at) FROM checkouts c
		JOIN projects j ON j.id = c.project_id WHERE c.id = $1`, []any{checkoutID}, &terms)
	if err != nil {
		return fee, err
	}
	return terms.fee(), nil
}

// SetDefaultFee makes fee the installation's for charges created from now on. If it already
// is, nothing is written.
func SetDefaultFee(ctx context.Context, db *DB, fee money.Fee, now time.Time) error {
	if same, err := isDefaultFee(ctx, db.Pool, fee); err != nil || same {
		return err
	}
	return db.InTx(ctx, func(tx *Tx) error {
		if err := tx.exec("LOCK TABLE default_fees IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		same, err := within(tx, func(ctx context.Context, q Querier) (bool, error) {
			return isDefaultFee(ctx, q, fee)
		})
		if err != nil || same {
			return err
		}
		return tx.exec("INSERT INTO default_fees (basis_points, fixed, valid_from) VALUES ($1, $2, $3)",
			fee.BasisPoints, fee.Fixed, now)
	})
}

func isDefaultFee(ctx context.Context, q Querier, fee money.Fee) (same bool, err error) {
	err = q.QueryRow(ctx, "SELECT (basis_points, fixed) = ($1, $2) FROM default_fees ORDER BY id DESC LIMIT 1",
		fee.BasisPoints, fee.Fixed).Scan(&same)
	return same, err
}

// InsertAccountFee writes a fee. The caller must hold the lock of the account's row.
func InsertAccountFee(tx *Tx, f AccountFee) error {
	points, fixed := feeColumns(f.Fee)
	withdrawalPoints, withdrawalFixed := feeColumns(f.WithdrawalFee)
	return tx.exec(`INSERT INTO account_fees (account_id, basis_points, fixed, withdrawal_basis_points,
			withdrawal_fixed, valid_from, proposal_id, reason, proposed_by, approved_by, written_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		f.AccountID, points, fixed, withdrawalPoints, withdrawalFixed, f.ValidFrom, f.ProposalID, f.Reason,
		f.ProposedBy, f.ApprovedBy, f.WrittenAt)
}

// feeColumns returns the columns of a fee. Both are nil for the installation's fee.
func feeColumns(fee *money.Fee) (basisPoints *int64, fixed *money.Cents) {
	if fee == nil {
		return nil, nil
	}
	return &fee.BasisPoints, &fee.Fixed
}

// AccountFees lists the past, current and future fees of an account, the one written last
// first.
func AccountFees(ctx context.Context, q Querier, accountID string) ([]AccountFee, error) {
	rows, err := q.Query(ctx, `SELECT f.id, f.account_id, f.basis_points, f.fixed, f.withdrawal_basis_points,
			f.withdrawal_fixed, f.valid_from, f.proposal_id, f.reason, f.proposed_by, f.approved_by,
			coalesce(p.name, ''), coalesce(a.name, ''), f.written_at
		FROM account_fees f LEFT JOIN users p ON p.id = f.proposed_by LEFT JOIN users a ON a.id = f.approved_by
		WHERE f.account_id = $1 ORDER BY f.id DESC`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (f AccountFee, err error) {
		var points, withdrawalPoints *int64
		var fixed, withdrawalFixed *money.Cents
		err = row.Scan(&f.ID, &f.AccountID, &points, &fixed, &withdrawalPoints, &withdrawalFixed, &f.ValidFrom,
			&f.ProposalID, &f.Reason, &f.ProposedBy, &f.ApprovedBy, &f.Proposer, &f.Approver, &f.WrittenAt)
		f.Fee, f.WithdrawalFee = feeOf(points, fixed), feeOf(withdrawalPoints, withdrawalFixed)
		return f, err
	})
}

// feeOf returns the fee of columns from feeColumns.
func feeOf(basisPoints *int64, fixed *money.Cents) *money.Fee {
	if basisPoints == nil || fixed == nil {
		return nil
	}
	return &money.Fee{BasisPoints: *basisPoints, Fixed: *fixed}
}
