package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standing is what a user is to the installation and to one account.
type Standing struct {
	StaffRole StaffRole // "": not staff
	Role      Role      // "": not a member of the account
}

// UserStanding returns a user's standing towards an account; an unknown user is
// neither staff nor a member.
func UserStanding(tx *Tx, userID, accountID string) (s Standing, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT coalesce((SELECT staff_role FROM users WHERE id = $1), ''),
			coalesce((SELECT role FROM members WHERE user_id = $1 AND account_id = $2), '')`, userID, accountID).Scan(&s.StaffRole, &s.Role)
	})
	return s, err
}

// StaffMember is a person of the installation's staff.
type StaffMember struct {
	ID, Name, Email string
	Role            StaffRole
	CreatedAt       time.Time
	TOTP, Passkey   bool // what the person has shown a second factor by
	Sessions        int  // that have not expired
	LastSeenAt      *time.Time
	LastIP          string // of the session seen last; "" for none
}

// StaffMembers lists the staff, supervisors first.
func StaffMembers(ctx context.Context, q Querier, now time.Time) ([]StaffMember, error) {
	rows, err := q.Query(ctx, `SELECT u.id, u.name, u.email, u.staff_role, u.created_at, u.totp_since IS NOT NULL,
			EXISTS (SELECT FROM passkeys WHERE user_id = u.id), coalesce(s.n, 0), s.last, coalesce(s.ip, '')
		FROM users u LEFT JOIN LATERAL (
			SELECT count(*) AS n, max(last_seen_at) AS last, (array_agg(ip ORDER BY last_seen_at DESC))[1] AS ip
			FROM sessions WHERE user_id = u.id AND expires_at > $1 AND NOT awaits_code) s ON true
		WHERE u.staff_role IS NOT NULL ORDER BY u.staff_role DESC, u.created_at, u.id`, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[StaffMember])
}

// LockStaff returns the role of everybody of staff, by id, and holds their rows until tx
// ends.
func LockStaff(tx *Tx) (map[string]StaffRole, error) {
	roles := map[string]StaffRole{}
	err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT id, staff_role FROM users WHERE staff_role IS NOT NULL ORDER BY id FOR NO KEY UPDATE")
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

// SetStaffRole gives a person another role of staff; "" takes them off it.
func SetStaffRole(tx *Tx, userID string, role StaffRole) error {
	return tx.Exec("UPDATE users SET staff_role = nullif(?, '') WHERE id = ?", role, userID).Error
}
