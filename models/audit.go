package models

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// ActorSystem is the actor of actions that no person requested.
const ActorSystem = "system"

// ActorStaff replaces the name of a member of staff for readers who must not see it.
const ActorStaff = "staff"

// AuditEntry is one line of the append-only audit log. No field contains a secret.
type AuditEntry struct {
	At        time.Time
	Actor     string // a user id, an API key id, or ActorSystem
	AccountID string // "" if no account is concerned
	Action    string // "api_key.created": what changed, and how
	ObjectID  string
	Detail    map[string]string // further facts
	Before    map[string]string // the old values
	After     map[string]string // the new values
	IP        string
	RequestID string // of the HTTP request
}

// InsertAudit writes e in the transaction of the change that e records. It adds the actor's
// role in the account or, if the actor is not a member, the actor's staff role.
func InsertAudit(tx *Tx, e AuditEntry) error {
	facts := make([]string, 3)
	for i, members := range []map[string]string{e.Detail, e.Before, e.After} {
		facts[i] = "{}"
		if members == nil {
			continue
		}
		text, err := json.Marshal(members)
		if err != nil {
			return fmt.Errorf("models: audit entry: %w", err)
		}
		facts[i] = string(text)
	}
	return tx.exec(`INSERT INTO audit_log (at, actor, actor_role, account_id, action, object_id, detail, before, after,
			ip, request_id)
		VALUES ($1, $2, coalesce((SELECT role FROM members WHERE user_id = $2 AND account_id = $3),
			(SELECT staff_role FROM users WHERE id = $2), ''),
			nullif($3, ''), $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9, $10)`,
		e.At, e.Actor, e.AccountID, e.Action, e.ObjectID, facts[0], facts[1], facts[2], e.IP, e.RequestID)
}

// AuditLine is a line of the log with the data for showing it.
type AuditLine struct {
	ID int64 // increases with time
	AuditEntry
	ActorName   string // "" if the actor is not a user
	ActorRole   string // the Role or StaffRole at the time; "" for none
	ActorEmail  string
	ByStaff     bool // the actor acted as staff and not as a member of the account
	AccountName string
}

// Position is the line's place in lists.
func (l AuditLine) Position() Position { return numbered(l.At, l.ID) }

// ForMerchant returns the line without what a merchant must not know: which member of staff acted, and
// from where.
func (l AuditLine) ForMerchant() AuditLine {
	if l.ByStaff {
		l.Detail = maps.Clone(l.Detail)
		delete(l.Detail, "ticket")
		l.Actor, l.ActorName, l.ActorEmail, l.ActorRole, l.IP, l.RequestID = ActorStaff, "", "", "", "", ""
	}
	l.AccountName = ""
	return l
}

// AuditFilter narrows the log. The zero value selects everything.
type AuditFilter struct {
	AccountID string
	Action    string // "api_key.created"
	Subject   string // what changed: "api_key" of "api_key.created"
	Actor     string // a user's id or email address, an API key id, or ActorSystem
	ObjectID  string
	RequestID string
	Merchant  bool      // hide staff: Actor and RequestID find none of their lines, ActorStaff finds all
	From, To  time.Time // From is inclusive, To exclusive; zero means no bound
	Before    int64     // only lines with a smaller id; 0 for all
	Limit     int       // 0 for no limit
}

// byStaff is the condition that the actor acted as staff, by the role that the line stores.
// Lines from before roles were stored are judged by the actor's current roles.
const byStaff = `CASE l.actor_role WHEN '' THEN u.staff_role IS NOT NULL AND m.user_id IS NULL
	ELSE l.actor_role IN ('REVIEWER', 'SUPERVISOR') END`

const auditLines = `SELECT l.id, l.at, l.actor, coalesce(l.account_id, '') AS account_id, l.action, l.object_id,
	l.detail, l.before, l.after, l.ip, l.request_id,
	coalesce(u.name, '') AS actor_name, coalesce(u.email, '') AS actor_email, l.actor_role, ` + byStaff + ` AS by_staff,
	coalesce(a.name, '') AS account_name
	FROM audit_log l LEFT JOIN users u ON u.id = l.actor LEFT JOIN accounts a ON a.id = l.account_id
	LEFT JOIN members m ON m.user_id = l.actor AND m.account_id = l.account_id WHERE true`

// AuditLines returns the lines that match the filter, newest first.
func AuditLines(ctx context.Context, q Reader, f AuditFilter) ([]AuditLine, error) {
	query := where{args: []any{f.Limit}}
	actor := "l.actor IN (SELECT %[1]s UNION SELECT id FROM users WHERE email = lower(%[1]s))"
	request := "l.request_id = %s"
	if f.Merchant {
		actor = "CASE WHEN " + byStaff + " THEN %[1]s = '" + ActorStaff + "' ELSE " + actor + " END"
		request += " AND NOT " + byStaff
	}
	for _, equal := range []struct{ condition, value string }{
		{"l.account_id = %s", f.AccountID}, {"l.action = %s", f.Action},
		{"split_part(l.action, '.', 1) = %s", f.Subject},
		{"l.object_id = %s", f.ObjectID}, {request, f.RequestID}, {actor, f.Actor},
	} {
		if equal.value != "" {
			query.and(equal.condition, equal.value)
		}
	}
	if !f.From.IsZero() {
		query.and("l.at >= %s", f.From)
	}
	if !f.To.IsZero() {
		query.and("l.at < %s", f.To)
	}
	if f.Before > 0 {
		query.and("l.id < %s", f.Before)
	}
	return collect[AuditLine](ctx, q, auditLines+query.sql+" ORDER BY l.id DESC LIMIT nullif($1, 0)", query.args...)
}
