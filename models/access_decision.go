package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// AccessDecision is what staff decided about an account's production access. It is
// final once written.
type AccessDecision struct {
	AccountID  string
	RequestID  *string      // nil: access was given without one
	Outcome    AccessStatus // APPROVED, REJECTED, RETURNED or REVOKED
	ReasonCode *string      // nil: approved
	Reason     *string      // as the merchant reads it; nil: approved
	DecidedBy  string
	DecidedAt  time.Time
}

// InsertAccessDecision writes a decision.
func InsertAccessDecision(tx *Tx, d AccessDecision) error {
	return tx.Exec(`INSERT INTO access_decisions (account_id, request_id, outcome, reason_code, reason, decided_by, decided_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, d.AccountID, d.RequestID, d.Outcome, d.ReasonCode, d.Reason, d.DecidedBy, d.DecidedAt).Error
}

// ListedAccessDecision is a decision with the name of who made it.
type ListedAccessDecision struct {
	AccessDecision
	DeciderName string
}

// AccessDecisions lists the decisions about an account, the latest first.
func AccessDecisions(ctx context.Context, q Querier, accountID string) ([]ListedAccessDecision, error) {
	rows, err := q.Query(ctx, `SELECT d.account_id, d.request_id, d.outcome, d.reason_code, d.reason, d.decided_by, d.decided_at, u.name
		FROM access_decisions d JOIN users u ON u.id = d.decided_by WHERE d.account_id = $1 ORDER BY d.id DESC LIMIT 100`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d ListedAccessDecision, err error) {
		return d, row.Scan(&d.AccountID, &d.RequestID, &d.Outcome, &d.ReasonCode, &d.Reason, &d.DecidedBy, &d.DecidedAt, &d.DeciderName)
	})
}
