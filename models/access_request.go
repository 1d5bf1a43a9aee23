package models

import (
	"context"
	"time"

	"gorm.io/gorm"

	"garoupa/internal/money"
)

// AccessStatus is the status of a request for production access.
type AccessStatus string

const (
	AccessRequestPending   AccessStatus = "PENDING_REVIEW"
	AccessRequestWithdrawn AccessStatus = "WITHDRAWN" // by the merchant
	AccessRequestApproved  AccessStatus = "APPROVED"
	AccessRequestRejected  AccessStatus = "REJECTED"
	AccessRequestReturned  AccessStatus = "RETURNED" // for correction, with a question
	AccessRequestRevoked   AccessStatus = "REVOKED"  // after an approval
)

// AccessRequest holds the answers with which a merchant requested production access. Only its status changes: to
// correct an answer, the merchant sends a new request. LegalName, Document, ContactName and ContactEmail are sealed in
// Answers; their columns hold placeholders until package merchants has opened the answers.
type AccessRequest struct {
	ID            string `gorm:"primaryKey"`
	AccountID     string
	Status        AccessStatus
	Version       int
	LegalName     string
	Document      string // CPF or CNPJ, without punctuation
	Website       *string
	Sells         *string // what is sold, in the merchant's words
	MonthlyVolume money.Cents
	ContactName   string
	ContactEmail  string
	ContactPhone  []byte // sealed by package vault
	SubmittedBy   string
	SubmittedAt   time.Time
	UpdatedAt     time.Time
	// Answers is sealed by package vault; nil if a program of an earlier version wrote the
	// request, or the answers have ended.
	Answers []byte
	// DocumentDigest and EmailDigest are keyed.
	DocumentDigest, EmailDigest []byte
}

// AccessRequestOnePending is the index that allows an account only one request in review.
const AccessRequestOnePending = "access_requests_one_pending"

const accessRequestColumns = `r.id, r.account_id, r.status, r.version, r.legal_name, r.document, r.website, r.sells,
	r.monthly_volume, r.contact_name, r.contact_email, r.contact_phone, r.submitted_by, r.submitted_at, r.updated_at,
	r.answers, r.document_digest, r.email_digest`

// InsertAccessRequest writes a new request. If the account has another one in review, it fails
// with a violation of AccessRequestOnePending.
func InsertAccessRequest(tx *Tx, r *AccessRequest) error { return tx.Create(r).Error }

// AccessRequestByID returns a request of any account, or ErrNotFound.
func AccessRequestByID(ctx context.Context, h Handle, id string) (*AccessRequest, error) {
	if !accessRequestShape.fits(id) {
		return nil, ErrNotFound
	}
	var r AccessRequest
	if err := h.gorm(ctx).Where("id = ?", id).Take(&r).Error; err != nil {
		return nil, notFound(err)
	}
	return &r, nil
}

// LatestAccessRequest returns the newest request of an account, or ErrNotFound.
func LatestAccessRequest(ctx context.Context, h Handle, accountID string) (*AccessRequest, error) {
	var r AccessRequest
	err := h.gorm(ctx).Where("account_id = ?", accountID).Order("submitted_at DESC, id DESC").Take(&r).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &r, nil
}

// SetAccessRequestStatus changes the status of a request from one value to another if the
// request still has the version, and reports whether it did.
func SetAccessRequestStatus(tx *Tx, id string, version int, from, to AccessStatus, at time.Time) (changed bool,
	err error) {
	done := tx.Model(&AccessRequest{}).Where("id = ? AND version = ? AND status = ?", id, version, from).
		Updates(map[string]any{"status": to, "version": gorm.Expr("version + 1"), "updated_at": at})
	return done.RowsAffected == 1, done.Error
}

// RenewAccessRequest gives the request of an account that is in review, if there is one, a new
// version: a decision of staff who saw the account's former name fails.
func RenewAccessRequest(tx *Tx, accountID string, at time.Time) error {
	return tx.Model(&AccessRequest{}).Where("account_id = ? AND status = ?", accountID, AccessRequestPending).
		Updates(map[string]any{"version": gorm.Expr("version + 1"), "updated_at": at}).Error
}

// ListedAccessRequest is a request with the name of its account.
type ListedAccessRequest struct {
	AccessRequest
	AccountName string
}

// AccessRequestsOf lists the requests of an account, newest first.
func AccessRequestsOf(ctx context.Context, q Querier, accountID string) ([]ListedAccessRequest, error) {
	return listAccessRequests(ctx, q, "WHERE r.account_id = $1 ORDER BY r.submitted_at DESC, r.id DESC LIMIT 50",
		accountID)
}

// AccessRequestsByDocument lists other accounts' requests with a CPF or CNPJ, newest first: those with
// the digest, and those with a plain document.
func AccessRequestsByDocument(ctx context.Context, q Querier, document string, digest []byte,
	exceptAccountID string) ([]ListedAccessRequest, error) {
	return listAccessRequests(ctx, q, `WHERE (r.document_digest = $1 OR r.document = $2) AND r.account_id <> $3
		ORDER BY r.submitted_at DESC, r.id DESC LIMIT 50`, digest, document, exceptAccountID)
}

// AccessRequestsInReview lists the requests in review, oldest first, starting after the
// position.
func AccessRequestsInReview(ctx context.Context, q Reader, after *Position, limit int) ([]ListedAccessRequest, error) {
	if after == nil {
		return listAccessRequests(ctx, q, "WHERE r.status = 'PENDING_REVIEW' ORDER BY r.submitted_at, r.id LIMIT $1",
			limit)
	}
	return listAccessRequests(ctx, q, `WHERE r.status = 'PENDING_REVIEW' AND (r.submitted_at, r.id) > ($2, $3)
		ORDER BY r.submitted_at, r.id LIMIT $1`, limit, after.CreatedAt, after.ID)
}

// AccessRequestsDone lists the requests that are no longer in review, the latest change first,
// starting after the position.
func AccessRequestsDone(ctx context.Context, q Reader, after *Position, limit int) ([]ListedAccessRequest, error) {
	if after == nil {
		return listAccessRequests(ctx, q,
			"WHERE r.status <> 'PENDING_REVIEW' ORDER BY r.updated_at DESC, r.id DESC LIMIT $1", limit)
	}
	return listAccessRequests(ctx, q, `WHERE r.status <> 'PENDING_REVIEW' AND (r.updated_at, r.id) < ($2, $3)
		ORDER BY r.updated_at DESC, r.id DESC LIMIT $1`, limit, after.CreatedAt, after.ID)
}

func listAccessRequests(ctx context.Context, q Reader, where string, args ...any) ([]ListedAccessRequest, error) {
	return collect[ListedAccessRequest](ctx, q, "SELECT "+accessRequestColumns+`, a.name AS account_name
		FROM access_requests r JOIN accounts a ON a.id = r.account_id `+where, args...)
}
