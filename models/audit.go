package models

import (
	"encoding/json"
	"fmt"
	"time"
)

// AuditEntry is one line of the append-only audit log.
type AuditEntry struct {
	At        time.Time
	Actor     string // a user's id, or "system"
	AccountID string // "" if it concerns none
	Action    string // "api_key.created"
	ObjectID  string
	Detail    map[string]string // never a secret
	IP        string
}

// InsertAudit writes e with the change that it records.
func InsertAudit(tx *Tx, e AuditEntry) error {
	detail, err := json.Marshal(e.Detail)
	if err != nil {
		return fmt.Errorf("models: audit detail: %w", err)
	}
	if e.Detail == nil {
		detail = []byte("{}")
	}
	return tx.Exec(`INSERT INTO audit_log (at, actor, account_id, action, object_id, detail, ip)
		VALUES (?, ?, nullif(?, ''), ?, ?, ?::jsonb, ?)`, e.At, e.Actor, e.AccountID, e.Action, e.ObjectID, string(detail), e.IP).Error
}
