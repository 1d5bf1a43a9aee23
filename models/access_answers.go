package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// SealAnswers replaces the plain answers of a request whose Answers are sealed by placeholders: accountName, which
// buyers see, and the request's id. Programs of earlier versions read these columns, too.
func (r *AccessRequest) SealAnswers(accountName string) {
	r.LegalName, r.Document, r.ContactName, r.ContactEmail = accountName, r.ID, r.ID, r.ID
}

// Plain reports whether the answers were written by a program that did not seal them.
func (r *AccessRequest) Plain() bool { return r.Answers == nil && r.Document != r.ID }

// LockPlainAccessRequests locks up to limit requests with plain answers, and skips those that another
// transaction has locked.
func LockPlainAccessRequests(tx *Tx, limit int) ([]ListedAccessRequest, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]ListedAccessRequest, error) {
		return listAccessRequests(ctx, q, `WHERE r.answers IS NULL AND r.document <> r.id
			ORDER BY r.id LIMIT $1 FOR UPDATE OF r SKIP LOCKED`, limit)
	})
}

// SaveSealedAnswers replaces the plain answers of a request that tx has locked by the sealed ones.
func SaveSealedAnswers(tx *Tx, r *AccessRequest) error {
	return tx.exec(`UPDATE access_requests SET legal_name = $2, document = $3, contact_name = $4, contact_email = $5,
		answers = $6, document_digest = $7, email_digest = $8 WHERE id = $1`, r.ID, r.LegalName, r.Document,
		r.ContactName, r.ContactEmail, r.Answers, r.DocumentDigest, r.EmailDigest)
}

// LockEndedAccessRequests locks up to limit requests with sealed answers that are neither in review nor the
// reason for an account's access, and did not change since before. It skips locked ones. Only the ids are set.
func LockEndedAccessRequests(tx *Tx, before time.Time, limit int) (ids []string, err error) {
	return within(tx, func(ctx context.Context, q Querier) ([]string, error) {
		rows, err := q.Query(ctx, `SELECT id FROM access_requests WHERE answers IS NOT NULL
			AND status NOT IN ('PENDING_REVIEW', 'APPROVED') AND updated_at < $1
			ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED`, before, limit)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[string])
	})
}

// EndAccessAnswers deletes the sealed answers of a request. noPhone is sealed for the request.
func EndAccessAnswers(tx *Tx, id string, noPhone []byte) error {
	return tx.exec(`UPDATE access_requests SET answers = NULL, document_digest = NULL, email_digest = NULL,
		contact_phone = $2 WHERE id = $1`, id, noPhone)
}

// DeleteAccessDrafts deletes drafts that were saved before a time. It always reports that no more are left.
func DeleteAccessDrafts(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	_, err = q.Exec(ctx, "DELETE FROM access_drafts WHERE saved_at < $1", before)
	return false, err
}
