package models

import (
	"context"
	"time"
)

// AccessDecision is a decision of staff about an account's production access. It never changes
// after it is written.
type AccessDecision struct {
	AccountID  string
	RequestID  *string      // nil if staff gave access without a request
	Outcome    AccessStatus // APPROVED, REJECTED, RETURNED or REVOKED
	ReasonCode *string      // nil if approved
	Reason     *string      // shown to the merchant; nil if approved
	DecidedBy  string
	DecidedAt  time.Time
}

// InsertAccessDecision writes a decision.
func InsertAccessDecision(tx *Tx, d AccessDecision) error { return tx.Create(&d).Error }

// ListedAccessDecision is a decision with the name of the person who made it.
type ListedAccessDecision struct {
	AccessDecision
	DeciderName string
}

// LastAccessDecision returns the id of the last decision about an account, or 0 if there is
// none.
func LastAccessDecision(ctx context.Context, q Querier, accountID string) (id int64, err error) {
	err = q.QueryRow(ctx,
		"SELECT coalesce(max(id), 0) FROM access_decisions WHERE account_id = $1",
		accountID).Scan(&id)
	return id, err
}

// AccessDecisions lists the decisions about an account, newest first.
func AccessDecisions(ctx context.Context, q Reader, accountID string) ([]ListedAccessDecision, error) {
	return collect[ListedAccessDecision](ctx, q, `SELECT d.account_id, d.request_id, d.outcome, d.reason_code, d.reason,
			d.decided_by, d.decided_at, u.name AS decider_name
		FROM access_decisions d JOIN users u ON u.id = d.decided_by
		WHERE d.account_id = $1 ORDER BY d.id DESC LIMIT 100`, accountID)
}
