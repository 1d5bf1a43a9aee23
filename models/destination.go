package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Rail is how a withdrawal leaves (contract 2.7).
type Rail string

const (
	RailPix  Rail = "BRL_PIX"
	RailUSDT Rail = "USDT_WALLET"
)

// DestinationStatus is how far a destination is. An APPROVED one is used from
// UsableAt until ReplacedAt.
type DestinationStatus string

const (
	DestinationPendingReview DestinationStatus = "PENDING_REVIEW"
	DestinationApproved      DestinationStatus = "APPROVED"
	DestinationRejected      DestinationStatus = "REJECTED"
	DestinationRemoved       DestinationStatus = "REMOVED"
)

// Destination is a Pix key or a wallet that an account's withdrawals go to.
type Destination struct {
	ID         string
	AccountID  string
	Rail       Rail
	Type       string // CPF, CNPJ, PHONE, EMAIL, EVP; TRON, ETHEREUM, POLYGON
	Address    []byte // the key or the wallet's address, sealed by package vault
	Masked     string // the same as everybody may see it
	Digest     string // of rail, type and address: equal for equal ones
	HolderName string
	Status     DestinationStatus
	Version    int // grows with every change
	ReasonCode *string
	Reason     *string // why it was rejected
	CreatedBy  string
	CreatedAt  time.Time
	ReviewedBy *string
	ReviewedAt *time.Time
	UsableAt   *time.Time // approved, and the hold is over
	ReplacedAt *time.Time // from then on the one of ReplacedBy is used
	ReplacedBy *string
	RemovedAt  *time.Time
}

// DestinationsOneInReview is the constraint that lets an account have one
// destination in review for each rail.
const DestinationsOneInReview = "destinations_one_in_review"

const destinationColumns = `d.id, d.account_id, d.rail, d.type, d.address, d.masked, d.digest, d.holder_name, d.status, d.version,
	d.reason_code, d.reason, d.created_by, d.created_at, d.reviewed_by, d.reviewed_at, d.usable_at, d.replaced_at, d.replaced_by, d.removed_at`

func (d *Destination) targets() []any {
	return []any{&d.ID, &d.AccountID, &d.Rail, &d.Type, &d.Address, &d.Masked, &d.Digest, &d.HolderName, &d.Status, &d.Version,
		&d.ReasonCode, &d.Reason, &d.CreatedBy, &d.CreatedAt, &d.ReviewedBy, &d.ReviewedAt, &d.UsableAt, &d.ReplacedAt, &d.ReplacedBy, &d.RemovedAt}
}

// InsertDestination writes a new destination; a second one in review for its rail
// violates DestinationsOneInReview.
func InsertDestination(tx *Tx, d *Destination) error { return tx.Create(d).Error }

// DestinationByID returns a destination of the account, or ErrNotFound. An empty
// account is any, for staff.
func DestinationByID(ctx context.Context, q Querier, accountID, id string) (*Destination, error) {
	return destination(ctx, q, id, "WHERE d.id = $1 AND ($2 = '' OR d.account_id = $2)", id, accountID)
}

// LockDestination is DestinationByID and holds the row until tx ends.
func LockDestination(tx *Tx, accountID, id string) (d *Destination, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		d, err = destination(ctx, conn, id, "WHERE d.id = $1 AND ($2 = '' OR d.account_id = $2) FOR UPDATE", id, accountID)
		return err
	})
	return d, err
}

func destination(ctx context.Context, q Querier, id, where string, args ...any) (*Destination, error) {
	if !wellFormed(id, "dst_", 20) {
		return nil, ErrNotFound
	}
	var d Destination
	if err := q.QueryRow(ctx, "SELECT "+destinationColumns+" FROM destinations d "+where, args...).Scan(d.targets()...); err != nil {
		return nil, notFound(err)
	}
	return &d, nil
}

// ActiveDestination returns the one destination of the rail that the account's
// withdrawals go to now, or ErrNotFound.
func ActiveDestination(ctx context.Context, q Querier, accountID string, rail Rail, now time.Time) (*Destination, error) {
	var d Destination
	err := q.QueryRow(ctx, "SELECT "+destinationColumns+` FROM destinations d
		WHERE d.account_id = $1 AND d.rail = $2 AND d.status = 'APPROVED' AND d.usable_at <= $3 AND (d.replaced_at IS NULL OR d.replaced_at > $3)
		ORDER BY d.usable_at DESC, d.id DESC LIMIT 1`, accountID, rail, now).Scan(d.targets()...)
	if err != nil {
		return nil, notFound(err)
	}
	return &d, nil
}

// DestinationBefore returns the destination of the same account and rail that was approved
// last of those added before, or ErrNotFound.
func DestinationBefore(ctx context.Context, q Querier, d *Destination) (*Destination, error) {
	return destination(ctx, q, d.ID, `WHERE d.account_id = $1 AND d.rail = $2 AND d.reviewed_at IS NOT NULL AND d.usable_at IS NOT NULL
		AND d.created_at < $3 AND d.id <> $4 ORDER BY d.created_at DESC, d.id DESC LIMIT 1`, d.AccountID, d.Rail, d.CreatedAt, d.ID)
}

// SaveDestination writes what changed about a destination that the caller holds,
// and raises its version.
func SaveDestination(tx *Tx, d *Destination) error {
	d.Version++
	return tx.Model(d).Where("id = ?", d.ID).Select("Status", "Version", "ReasonCode", "Reason", "ReviewedBy", "ReviewedAt", "UsableAt",
		"ReplacedAt", "ReplacedBy", "RemovedAt").Updates(d).Error
}

// ReplaceDestinations lets d take the place of the account's approved destination
// of its rail, from d.UsableAt on. It comes before d itself is saved.
func ReplaceDestinations(tx *Tx, d *Destination) error {
	return tx.Exec(`UPDATE destinations SET replaced_at = ?, replaced_by = ?, version = version + 1
		WHERE account_id = ? AND rail = ? AND status = 'APPROVED' AND replaced_at IS NULL AND id <> ?`,
		d.UsableAt, d.ID, d.AccountID, d.Rail, d.ID).Error
}

// RestoreReplaced undoes ReplaceDestinations where d had not taken over by now. It
// comes after d was removed.
func RestoreReplaced(tx *Tx, d *Destination, now time.Time) error {
	return tx.Exec(`UPDATE destinations SET replaced_at = NULL, replaced_by = NULL, version = version + 1
		WHERE replaced_by = ? AND replaced_at > ? AND status = 'APPROVED'`, d.ID, now).Error
}

// AccountDestination is a destination with the account that it belongs to.
type AccountDestination struct {
	Destination
	AccountName string
	Uses        int // how many withdrawals were completed to it
}

// DestinationFilter narrows a list of destinations.
type DestinationFilter struct {
	AccountID string // "" for all, for staff
	Rail      Rail
	InReview  bool      // those in review alone, the oldest first; else all, the newest first
	After     *Position // the last row of the page before
	Limit     int
}

// Destinations lists destinations.
func Destinations(ctx context.Context, q Querier, f DestinationFilter) ([]AccountDestination, error) {
	sql, args := "SELECT "+destinationColumns+`, a.name, (SELECT count(*) FROM withdrawals w WHERE w.destination_id = d.id AND w.status = 'COMPLETED')
		FROM destinations d JOIN accounts a ON a.id = d.account_id WHERE true`, []any{f.Limit}
	order, beyond := "DESC", "<"
	if f.InReview {
		sql += " AND d.status = 'PENDING_REVIEW'"
		order, beyond = "ASC", ">"
	}
	if f.AccountID != "" {
		args = append(args, f.AccountID)
		sql += place(" AND d.account_id = $%d", len(args))
	}
	if f.Rail != "" {
		args = append(args, f.Rail)
		sql += place(" AND d.rail = $%d", len(args))
	}
	if f.After != nil {
		args = append(args, f.After.CreatedAt, f.After.ID)
		sql += place(" AND (d.created_at, d.id) "+beyond+" ($%d, $%d)", len(args)-1, len(args))
	}
	rows, err := q.Query(ctx, sql+" ORDER BY d.created_at "+order+", d.id "+order+" LIMIT $1", args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d AccountDestination, err error) {
		return d, row.Scan(append(d.targets(), &d.AccountName, &d.Uses)...)
	})
}

// AccountsWithDestination counts the other accounts that have, or had, the same
// address as a destination of the digest.
func AccountsWithDestination(ctx context.Context, q Querier, digest, exceptAccountID string) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT count(DISTINCT account_id) FROM destinations WHERE digest = $1 AND account_id <> $2", digest, exceptAccountID).Scan(&n)
	return n, err
}
