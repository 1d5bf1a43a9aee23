package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Rail is the way in which a withdrawal is paid (contract 2.7).
type Rail string

const (
	RailPix  Rail = "BRL_PIX"
	RailUSDT Rail = "USDT_WALLET"
)

// DestinationStatus is the status of a destination. An APPROVED destination is in use from
// UsableAt until ReplacedAt.
type DestinationStatus string

const (
	DestinationPendingReview DestinationStatus = "PENDING_REVIEW"
	DestinationApproved      DestinationStatus = "APPROVED"
	DestinationRejected      DestinationStatus = "REJECTED"
	DestinationRemoved       DestinationStatus = "REMOVED"
)

// Destination is a Pix key or a wallet to which an account withdraws.
type Destination struct {
	ID         string
	AccountID  string
	Rail       Rail
	Type       string // CPF, CNPJ, PHONE, EMAIL, EVP; TRON, ETHEREUM, POLYGON
	Address    []byte // the key or the wallet's address, sealed by package vault
	Masked     string // Address with most characters hidden, not secret
	Digest     string // of rail, type and address
	HolderName string
	Status     DestinationStatus
	Version    int // increases with every change
	ReasonCode *string
	Reason     *string // reason of the rejection
	CreatedBy  string
	CreatedAt  time.Time
	ReviewedBy *string
	ReviewedAt *time.Time
	UsableAt   *time.Time // end of the hold after the approval
	ReplacedAt *time.Time // from then on ReplacedBy is in use
	ReplacedBy *string
	RemovedAt  *time.Time
}

// Position is the destination's place in lists.
func (d Destination) Position() Position { return Position{d.CreatedAt, d.ID} }

// DestinationsOneInReview is the constraint that allows an account one destination in review
// for each rail.
const DestinationsOneInReview = "destinations_one_in_review"

const destinationColumns = `d.id, d.account_id, d.rail, d.type, d.address, d.masked, d.digest, d.holder_name,
	d.status, d.version, d.reason_code, d.reason, d.created_by, d.created_at, d.reviewed_by, d.reviewed_at, d.usable_at,
	d.replaced_at, d.replaced_by, d.removed_at`

func (d *Destination) targets() []any {
	return []any{&d.ID, &d.AccountID, &d.Rail, &d.Type, &d.Address, &d.Masked, &d.Digest, &d.HolderName,
		&d.Status, &d.Version,
		&d.ReasonCode, &d.Reason, &d.CreatedBy, &d.CreatedAt, &d.ReviewedBy, &d.ReviewedAt, &d.UsableAt, &d.ReplacedAt,
		&d.ReplacedBy, &d.RemovedAt}
}

// InsertDestination writes a new destination. If the account has another in review for the
// rail, it fails with a violation of DestinationsOneInReview.
func InsertDestination(tx *Tx, d *Destination) error { return tx.Create(d).Error }

// DestinationByID returns a destination of the account, or ErrNotFound. An empty accountID
// means any account, for staff.
func DestinationByID(ctx context.Context, q Querier, accountID, id string) (*Destination, error) {
	return destination(ctx, q, id, "WHERE d.id = $1 AND ($2 = '' OR d.account_id = $2)", id, accountID)
}

// LockDestination is DestinationByID and locks the row until tx ends.
func LockDestination(tx *Tx, accountID, id string) (*Destination, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Destination, error) {
		return destination(ctx, q, id, "WHERE d.id = $1 AND ($2 = '' OR d.account_id = $2) FOR UPDATE", id, accountID)
	})
}

func destination(ctx context.Context, q Querier, id, where string, args ...any) (*Destination, error) {
	if !destinationShape.fits(id) {
		return nil, ErrNotFound
	}
	var d Destination
	if err := q.QueryRow(ctx, "SELECT "+destinationColumns+" FROM destinations d "+where,
		args...).Scan(d.targets()...); err != nil {
		return nil, notFound(err)
	}
	return &d, nil
}

// ActiveDestination returns the destination of the rail that is in use for the account, or
// ErrNotFound.
func ActiveDestination(ctx context.Context, q Querier, accountID string, rail Rail,
	now time.Time) (*Destination, error) {
	var d Destination
	err := q.QueryRow(ctx, "SELECT "+destinationColumns+` FROM destinations d
		WHERE d.account_id = $1 AND d.rail = $2 AND d.status = 'APPROVED' AND d.usable_at <= $3
			AND (d.replaced_at IS NULL OR d.replaced_at > $3)
		ORDER BY d.usable_at DESC, d.id DESC LIMIT 1`, accountID, rail, now).Scan(d.targets()...)
	if err != nil {
		return nil, notFound(err)
	}
	return &d, nil
}

// DestinationBefore returns the latest approved destination of the same account and rail that
// was added before d, or ErrNotFound.
func DestinationBefore(ctx context.Context, q Querier, d *Destination) (*Destination, error) {
	return destination(ctx, q, d.ID,
		`WHERE d.account_id = $1 AND d.rail = $2 AND d.reviewed_at IS NOT NULL AND d.usable_at IS NOT NULL
		AND d.created_at < $3 AND d.id <> $4 ORDER BY d.created_at DESC, d.id DESC LIMIT 1`, d.AccountID, d.Rail,
		d.CreatedAt, d.ID)
}

// SaveDestination writes the changes of a destination that the caller has locked, and
// increases its version.
func SaveDestination(tx *Tx, d *Destination) error {
	d.Version++
	return tx.Model(d).Where("id = ?", d.ID).Select("Status", "Version", "ReasonCode", "Reason", "ReviewedBy",
		"ReviewedAt", "UsableAt",
		"ReplacedAt", "ReplacedBy", "RemovedAt").Updates(d).Error
}

// ReplaceDestinations replaces the account's approved destination of the rail by d, from
// d.UsableAt on. Call it before saving d.
func ReplaceDestinations(tx *Tx, d *Destination) error {
	return tx.exec(`UPDATE destinations SET replaced_at = $4, replaced_by = $1, version = version + 1
		WHERE account_id = $2 AND rail = $3 AND status = 'APPROVED' AND replaced_at IS NULL AND id <> $1`,
		d.ID, d.AccountID, d.Rail, d.UsableAt)
}

// RestoreReplaced undoes ReplaceDestinations if d was not in use yet by now: the destination
// that d would have replaced stays until the replacement of d takes over, or for good. Call it
// after removing d.
func RestoreReplaced(tx *Tx, d *Destination, now time.Time) error {
	return tx.exec(`UPDATE destinations SET replaced_at = $3, replaced_by = $4, version = version + 1
		WHERE replaced_by = $1 AND replaced_at > $2 AND status = 'APPROVED'`, d.ID, now, d.ReplacedAt, d.ReplacedBy)
}

// AccountDestination is a destination with its account.
type AccountDestination struct {
	Destination
	AccountName string
	Uses        int // number of completed withdrawals to the destination
}

// DestinationFilter narrows a list of destinations.
type DestinationFilter struct {
	AccountID string // "" for all, for staff
	Rail      Rail
	InReview  bool      // only those in review, oldest first; otherwise all, newest first
	After     *Position // the last row of the previous page
	Limit     int
}

// Destinations lists the destinations that match the filter.
func Destinations(ctx context.Context, q Reader, f DestinationFilter) ([]AccountDestination, error) {
	query := where{args: []any{f.Limit}}
	order, sign := "DESC", "<"
	if f.InReview {
		query.and("d.status = 'PENDING_REVIEW'")
		order, sign = "ASC", ">"
	}
	if f.AccountID != "" {
		query.and("d.account_id = %s", f.AccountID)
	}
	if f.Rail != "" {
		query.and("d.rail = %s", f.Rail)
	}
	query.after("d.created_at, d.id", sign, f.After)
	rows, err := q.Query(ctx, "SELECT "+destinationColumns+`, a.name AS account_name,
			(SELECT count(*) FROM withdrawals w WHERE w.destination_id = d.id AND w.status = 'COMPLETED') AS uses
		FROM destinations d JOIN accounts a ON a.id = d.account_id WHERE true`+query.sql+
		" ORDER BY d.created_at "+order+", d.id "+order+" LIMIT $1", query.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d AccountDestination, err error) {
		return d, row.Scan(append(d.targets(), &d.AccountName, &d.Uses)...)
	})
}

// AccountsWithDestination counts the other accounts that have or had a destination with the
// digest.
func AccountsWithDestination(ctx context.Context, q Querier, digest, exceptAccountID string) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT count(DISTINCT account_id) FROM destinations WHERE digest = $1 AND account_id <> $2",
		digest, exceptAccountID).Scan(&n)
	return n, err
}
