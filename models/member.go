package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Member is a user's role in an account.
type Member struct {
	AccountID string `gorm:"primaryKey"`
	UserID    string `gorm:"primaryKey"`
	Role      Role
	CreatedAt time.Time
}

// InsertMember writes a new membership.
func InsertMember(tx *Tx, m *Member) error { return tx.Create(m).Error }

// JoinAccount is InsertMember for somebody who may be a member already: then nothing
// changes, and it reports false.
func JoinAccount(tx *Tx, m *Member) (joined bool, err error) {
	done := tx.Exec("INSERT INTO members (account_id, user_id, role, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
		m.AccountID, m.UserID, m.Role, m.CreatedAt)
	return done.RowsAffected == 1, done.Error
}

// RoleIn returns the user's role in an account, "" for one who is no member.
func RoleIn(db *gorm.DB, accountID, userID string) (Role, error) {
	var role Role
	err := db.Raw("SELECT role FROM members WHERE account_id = ? AND user_id = ?", accountID, userID).Scan(&role).Error
	return role, err
}

// LockMembers returns the roles of an account's members by their ids, and keeps others
// from changing any until tx ends.
func LockMembers(tx *Tx, accountID string) (map[string]Role, error) {
	var all []Member
	err := tx.Raw("SELECT * FROM members WHERE account_id = ? ORDER BY user_id FOR UPDATE", accountID).Scan(&all).Error
	roles := map[string]Role{}
	for _, m := range all {
		roles[m.UserID] = m.Role
	}
	return roles, err
}

// SetRole gives a member another role.
func SetRole(tx *Tx, accountID, userID string, role Role) error {
	return tx.Exec("UPDATE members SET role = ? WHERE account_id = ? AND user_id = ?", role, accountID, userID).Error
}

// DeleteMember ends a membership. The person's sessions that look at the account let
// nobody in any more.
func DeleteMember(tx *Tx, accountID, userID string) error {
	return tx.Exec("DELETE FROM members WHERE account_id = ? AND user_id = ?", accountID, userID).Error
}

// Colleague is a member as the others see them.
type Colleague struct {
	UserID, Name, Email string
	Role                Role
	TOTP                bool // a code is asked for at log-in
	Passkey             bool // there is one to log in with
	JoinedAt            time.Time
	SeenAt              *time.Time // when they last looked at a page, of any account; nil: not since this is kept
}

// Team lists the members of an account: the owner first, then by name.
func Team(ctx context.Context, q Querier, accountID string) ([]Colleague, error) {
	rows, err := q.Query(ctx, `SELECT u.id, u.name, u.email, m.role, u.totp_since IS NOT NULL,
			EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id), m.created_at,
			greatest(u.last_seen_at, (SELECT max(last_seen_at) FROM sessions s WHERE s.user_id = u.id AND NOT s.awaits_code))
		FROM members m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 ORDER BY m.role <> 'OWNER', lower(u.name), u.id`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Colleague])
}

// Membership is an account that a person is a member of.
type Membership struct {
	AccountID, AccountName string
	Role                   Role
}

// Memberships lists a person's accounts by name.
func Memberships(ctx context.Context, q Querier, userID string) ([]Membership, error) {
	rows, err := q.Query(ctx, `SELECT a.id, a.name, m.role FROM members m JOIN accounts a ON a.id = m.account_id
		WHERE m.user_id = $1 ORDER BY lower(a.name), a.id`, userID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Membership])
}
