package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// ActorSystem acts where no person does.
const ActorSystem = "system"

// ActorStaff stands for whoever of staff acted, where that is not told.
const ActorStaff = "staff"

// AuditEntry is one line of the append-only audit log. None of its members holds a
// secret.
type AuditEntry struct {
	At        time.Time
	Actor     string // a user's id, an API key's, or ActorSystem
	AccountID string // "" if it concerns none
	Action    string // "api_key.created": what changed, and how
	ObjectID  string
	Detail    map[string]string // what else there is to know
	Before    map[string]string // what the change took away
	After     map[string]string // what stands since
	IP        string
	RequestID string // of the page or call that did it
}

// InsertAudit writes e with the change that it records, and with the role that the actor
// has in the account, or else as staff.
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
	return tx.Exec(`INSERT INTO audit_log (at, actor, actor_role, account_id, action, object_id, detail, before, after, ip, request_id)
		VALUES (?, ?, coalesce((SELECT role FROM members WHERE user_id = ? AND account_id = ?), (SELECT staff_role FROM users WHERE id = ?), ''),
			nullif(?, ''), ?, ?, ?::jsonb, ?::jsonb, ?::jsonb, ?, ?)`,
		e.At, e.Actor, e.Actor, e.AccountID, e.Actor, e.AccountID, e.Action, e.ObjectID, facts[0], facts[1], facts[2], e.IP, e.RequestID).Error
}

// AuditLine is a line of the log as it is read.
type AuditLine struct {
	ID int64 // grows with time
	AuditEntry
	ActorName   string // "" for what is no user
	ActorRole   string // a Role or StaffRole, as it was then; "" for none
	ActorEmail  string
	ByStaff     bool // the actor worked for the installation then and was no member of the account
	AccountName string
}

// AuditFilter narrows the log. The zero value is all of it.
type AuditFilter struct {
	AccountID string
	Subject   string // what changed: "api_key" of "api_key.created"
	Actor     string // a user's id or e-mail, an API key's id, or ActorSystem
	ObjectID  string
	RequestID string
	Merchant  bool      // who reads may not know who of staff did what: Actor and RequestID do not find their lines, ActorStaff does
	From, To  time.Time // From is within, To is not; zero is no bound
	Before    int64     // lines older than this one; 0 is from the newest
	Limit     int       // 0 is all
}

// byStaff tells the lines of staff by what their actor was when they acted, whatever
// became of them since. Lines from before that was written down tell by what they are now.
const byStaff = `CASE l.actor_role WHEN '' THEN u.staff_role IS NOT NULL AND m.user_id IS NULL ELSE l.actor_role IN ('REVIEWER', 'SUPERVISOR') END`

const auditLines = `SELECT l.id, l.at, l.actor, coalesce(l.account_id, ''), l.action, l.object_id, l.detail, l.before, l.after, l.ip, l.request_id,
	coalesce(u.name, ''), coalesce(u.email, ''), l.actor_role, ` + byStaff + `, coalesce(a.name, '')
	FROM audit_log l LEFT JOIN users u ON u.id = l.actor LEFT JOIN accounts a ON a.id = l.account_id
	LEFT JOIN members m ON m.user_id = l.actor AND m.account_id = l.account_id WHERE true`

// AuditLines returns the lines that pass the filter, the newest first.
func AuditLines(ctx context.Context, q Querier, f AuditFilter) ([]AuditLine, error) {
	sql, args := auditLines, []any{}
	where := func(condition string, value any) {
		args = append(args, value)
		sql += " AND " + fmt.Sprintf(condition, len(args))
	}
	actor, request := "l.actor IN (SELECT $%[1]d UNION SELECT id FROM users WHERE email = lower($%[1]d))", "l.request_id = $%d"
	if f.Merchant {
		actor = "CASE WHEN " + byStaff + " THEN $%[1]d = '" + ActorStaff + "' ELSE " + actor + " END"
		request += " AND NOT " + byStaff
	}
	for condition, value := range map[string]string{
		"l.account_id = $%d": f.AccountID, "split_part(l.action, '.', 1) = $%d": f.Subject, "l.object_id = $%d": f.ObjectID,
		request: f.RequestID, actor: f.Actor,
	} {
		if value != "" {
			where(condition, value)
		}
	}
	if !f.From.IsZero() {
		where("l.at >= $%d", f.From)
	}
	if !f.To.IsZero() {
		where("l.at < $%d", f.To)
	}
	if f.Before > 0 {
		where("l.id < $%d", f.Before)
	}
	args = append(args, f.Limit)
	rows, err := q.Query(ctx, fmt.Sprintf("%s ORDER BY l.id DESC LIMIT nullif($%d, 0)", sql, len(args)), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (l AuditLine, err error) {
		return l, row.Scan(&l.ID, &l.At, &l.Actor, &l.AccountID, &l.Action, &l.ObjectID, &l.Detail, &l.Before, &l.After, &l.IP, &l.RequestID,
			&l.ActorName, &l.ActorEmail, &l.ActorRole, &l.ByStaff, &l.AccountName)
	})
}
