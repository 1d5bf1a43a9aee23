package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"garoupa/money"
)

// AccessStatus is how far a request for production access has come.
type AccessStatus string

const (
	AccessRequestPending   AccessStatus = "PENDING_REVIEW"
	AccessRequestWithdrawn AccessStatus = "WITHDRAWN" // by the merchant
	AccessRequestApproved  AccessStatus = "APPROVED"
	AccessRequestRejected  AccessStatus = "REJECTED"
	AccessRequestReturned  AccessStatus = "RETURNED" // with a question
	AccessRequestRevoked   AccessStatus = "REVOKED"  // approved once
)

// AccessRequest is what a merchant answered when it asked for production access.
// Only its status changes: who corrects an answer asks again.
type AccessRequest struct {
	ID            string `gorm:"primaryKey"`
	AccountID     string
	Status        AccessStatus
	Version       int
	LegalName     string
	Document      string // CPF or CNPJ, no punctuation
	Website       *string
	Sells         *string // what is sold, in the merchant's words
	MonthlyVolume money.Cents
	ContactName   string
	ContactEmail  string
	ContactPhone  []byte // sealed by package vault
	SubmittedBy   string
	SubmittedAt   time.Time
	UpdatedAt     time.Time
}

// AccessRequestOnePending is the index that keeps an account to one request in
// review.
const AccessRequestOnePending = "access_requests_one_pending"

const accessRequestColumns = `r.id, r.account_id, r.status, r.version, r.legal_name, r.document, r.website, r.sells, r.monthly_volume,
	r.contact_name, r.contact_email, r.contact_phone, r.submitted_by, r.submitted_at, r.updated_at`

func (r *AccessRequest) targets() []any {
	return []any{&r.ID, &r.AccountID, &r.Status, &r.Version, &r.LegalName, &r.Document, &r.Website, &r.Sells, &r.MonthlyVolume,
		&r.ContactName, &r.ContactEmail, &r.ContactPhone, &r.SubmittedBy, &r.SubmittedAt, &r.UpdatedAt}
}

// InsertAccessRequest writes a new request; a second one in review violates
// AccessRequestOnePending.
func InsertAccessRequest(tx *Tx, r *AccessRequest) error { return tx.Create(r).Error }

// AccessRequestByID returns a request of any account, or ErrNotFound.
func AccessRequestByID(db *gorm.DB, id string) (*AccessRequest, error) {
	if !wellFormed(id, "acr_", 20) {
		return nil, ErrNotFound
	}
	var r AccessRequest
	if err := db.Where("id = ?", id).Take(&r).Error; err != nil {
		return nil, notFound(err)
	}
	return &r, nil
}

// LatestAccessRequest returns the newest request of an account, or ErrNotFound.
func LatestAccessRequest(db *gorm.DB, accountID string) (*AccessRequest, error) {
	var r AccessRequest
	if err := db.Where("account_id = ?", accountID).Order("submitted_at DESC, id DESC").Take(&r).Error; err != nil {
		return nil, notFound(err)
	}
	return &r, nil
}

// SetAccessRequestStatus moves a request that is still in the version from one
// status to another, and reports whether it did.
func SetAccessRequestStatus(tx *Tx, id string, version int, from, to AccessStatus, at time.Time) (changed bool, err error) {
	result := tx.Exec(`UPDATE access_requests SET status = ?, version = version + 1, updated_at = ?
		WHERE id = ? AND version = ? AND status = ?`, to, at, id, version, from)
	return result.RowsAffected == 1, result.Error
}

// ListedAccessRequest is a request with the name of its account.
type ListedAccessRequest struct {
	AccessRequest
	AccountName string
}

// AccessRequestsOf lists the requests of an account, newest first.
func AccessRequestsOf(ctx context.Context, q Querier, accountID string) ([]ListedAccessRequest, error) {
	return listAccessRequests(ctx, q, "WHERE r.account_id = $1 ORDER BY r.submitted_at DESC, r.id DESC LIMIT 50", accountID)
}

// AccessRequestsByDocument lists the requests under a CPF or CNPJ that other
// accounts made, newest first.
func AccessRequestsByDocument(ctx context.Context, q Querier, document, exceptAccountID string) ([]ListedAccessRequest, error) {
	return listAccessRequests(ctx, q, `WHERE r.document = $1 AND r.account_id <> $2
		ORDER BY r.submitted_at DESC, r.id DESC LIMIT 50`, document, exceptAccountID)
}

// AccessRequestsInReview lists the requests that wait, the oldest first, from those
// after the position.
func AccessRequestsInReview(ctx context.Context, q Querier, after *Position, limit int) ([]ListedAccessRequest, error) {
	if after == nil {
		return listAccessRequests(ctx, q, "WHERE r.status = 'PENDING_REVIEW' ORDER BY r.submitted_at, r.id LIMIT $1", limit)
	}
	return listAccessRequests(ctx, q, `WHERE r.status = 'PENDING_REVIEW' AND (r.submitted_at, r.id) > ($2, $3)
		ORDER BY r.submitted_at, r.id LIMIT $1`, limit, after.CreatedAt, after.ID)
}

// AccessRequestsDone lists the requests that wait no more, the latest change first,
// from those after the position.
func AccessRequestsDone(ctx context.Context, q Querier, after *Position, limit int) ([]ListedAccessRequest, error) {
	if after == nil {
		return listAccessRequests(ctx, q, "WHERE r.status <> 'PENDING_REVIEW' ORDER BY r.updated_at DESC, r.id DESC LIMIT $1", limit)
	}
	return listAccessRequests(ctx, q, `WHERE r.status <> 'PENDING_REVIEW' AND (r.updated_at, r.id) < ($2, $3)
		ORDER BY r.updated_at DESC, r.id DESC LIMIT $1`, limit, after.CreatedAt, after.ID)
}

func listAccessRequests(ctx context.Context, q Querier, where string, args ...any) ([]ListedAccessRequest, error) {
	rows, err := q.Query(ctx, "SELECT "+accessRequestColumns+`, a.name FROM access_requests r
		JOIN accounts a ON a.id = r.account_id `+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r ListedAccessRequest, err error) {
		return r, row.Scan(append(r.targets(), &r.AccountName)...)
	})
}
