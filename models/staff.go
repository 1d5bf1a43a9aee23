package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Matter is something about which staff decide.
type Matter struct {
	AccountID string    // "" without an account
	Since     time.Time // when it was requested; zero if it starts with the decision
	AskedBy   string    // id of the user or the API key that requested it; "" if there is none
}

// Decider is a user's relation to the installation and to a matter.
type Decider struct {
	StaffRole StaffRole // "" if not staff
	// TakesPart reports whether the user requested the matter, created the API key that
	// requested it, or was a member of the account at any time since it was requested.
	TakesPart bool
}

// UserAsDecider returns a user's relation to a matter. An unknown user is not staff.
func UserAsDecider(ctx context.Context, q Querier, userID string, m Matter) (d Decider, err error) {
	var since *time.Time
	if !m.Since.IsZero() {
		since = &m.Since
	}
	err = q.QueryRow(ctx, `SELECT coalesce((SELECT staff_role FROM users WHERE id = $1), ''),
			$1 = $3 OR EXISTS (SELECT FROM api_keys WHERE id = $3 AND created_by = $1)
			OR EXISTS (SELECT FROM members WHERE user_id = $1 AND account_id = $2)
			OR EXISTS (SELECT FROM audit_log WHERE object_id = $1 AND account_id = $2
				AND action IN ('member.left', 'member.removed') AND at >= $4)`,
		userID, m.AccountID, m.AskedBy, since).Scan(&d.StaffRole, &d.TakesPart)
	return d, err
}

// LockDecider is UserAsDecider in a transaction. Until tx ends, the user's staff role cannot
// change, and the user cannot join an account.
func LockDecider(tx *Tx, userID string, m Matter) (Decider, error) {
	// Lock in a separate statement: one that waited for the lock would read the other tables as
	// they were before the wait.
	if err := ShareUsers(tx, userID); err != nil {
		return Decider{}, err
	}
	return within(tx, func(ctx context.Context, q Querier) (Decider, error) {
		return UserAsDecider(ctx, q, userID, m)
	})
}

// StaffMember is a member of the installation's staff.
type StaffMember struct {
	ID, Name, Email string
	Role            StaffRole
	CreatedAt       time.Time
	TOTP, Passkey   bool // the person's second factors
	Linked          bool // to an identity at a log-in provider
	Sessions        int  // number of sessions that have not expired
	LastSeenAt      *time.Time
	LastIP          string // of the session used last; "" if there is none
}

// StaffMembers lists the staff, supervisors first.
func StaffMembers(ctx context.Context, q Reader, now time.Time) ([]StaffMember, error) {
	rows, err := q.Query(ctx, `SELECT u.id, u.name, u.email, u.staff_role, u.created_at, u.totp_since IS NOT NULL,
			EXISTS (SELECT FROM passkeys WHERE user_id = u.id),
			EXISTS (SELECT FROM person_identities WHERE user_id = u.id), coalesce(s.n, 0), s.last, coalesce(s.ip, '')
		FROM users u LEFT JOIN LATERAL (
			SELECT count(*) AS n, max(last_seen_at) AS last, (array_agg(ip ORDER BY last_seen_at DESC))[1] AS ip
			FROM sessions WHERE user_id = u.id AND expires_at > $1 AND NOT awaits_code) s ON true
		WHERE u.staff_role IS NOT NULL ORDER BY u.staff_role DESC, u.created_at, u.id`, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[StaffMember])
}

// StaffWho returns the members of staff whose role has a capability, as recipients of mails.
func StaffWho(ctx context.Context, h Handle, c StaffCapability) (people []User, err error) {
	return people, h.gorm(ctx).Where("staff_role IN ?", staffCapabilities[c]).Order("id").Find(&people).Error
}

// LockStaff returns the staff roles by user id, and locks their rows until tx ends.
func LockStaff(tx *Tx) (map[string]StaffRole, error) {
	roles := map[string]StaffRole{}
	err := tx.PGX(func(ctx context.Context, conn Querier) error {
		rows, err := conn.Query(ctx,
			"SELECT id, staff_role FROM users WHERE staff_role IS NOT NULL ORDER BY id FOR NO KEY UPDATE")
		if err != nil {
			return err
		}
		var id string
		var role StaffRole
		_, err = pgx.ForEachRow(rows, []any{&id, &role}, func() error {
			roles[id] = role
			return nil
		})
		return err
	})
	return roles, err
}

// SetStaffRole changes a person's staff role; "" removes the person from the staff.
func SetStaffRole(tx *Tx, userID string, role StaffRole) error {
	return tx.exec("UPDATE users SET staff_role = nullif($2, '') WHERE id = $1", userID, role)
}
