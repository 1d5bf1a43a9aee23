package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"
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

// JoinAccount is InsertMember for a user who may already be a member. In that case it changes
// nothing and returns false.
func JoinAccount(tx *Tx, m *Member) (joined bool, err error) {
	done := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(m)
	return done.RowsAffected == 1, done.Error
}

// LockMembers returns the roles of an account's members by user id, and locks their rows until
// tx ends.
func LockMembers(tx *Tx, accountID string) (map[string]Role, error) {
	var all []Member
	err := tx.Clauses(forUpdate).Where("account_id = ?", accountID).Order("user_id").Find(&all).Error
	roles := map[string]Role{}
	for _, m := range all {
		roles[m.UserID] = m.Role
	}
	return roles, err
}

// LockMember is LockRole for an account.
func LockMember(tx *Tx, accountID, userID string) (role Role, err error) {
	err = tx.Scan("SELECT role FROM members WHERE account_id = $1 AND user_id = $2 FOR SHARE",
		[]any{accountID, userID}, &role)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return role, err
}

// LockRole returns the user's role in the account that owns a project, and locks it until
// tx ends. It returns "" for a user who is not a member.
func LockRole(tx *Tx, projectID, userID string) (role Role, err error) {
	err = tx.Scan(`SELECT m.role FROM members m JOIN projects p ON p.account_id = m.account_id
		WHERE p.id = $1 AND m.user_id = $2 FOR SHARE OF m`, []any{projectID, userID}, &role)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return role, err
}

// SetRole gives a member another role.
func SetRole(tx *Tx, accountID, userID string, role Role) error {
	return tx.Model(&Member{}).Where("account_id = ? AND user_id = ?", accountID, userID).Update("role", role).Error
}

// DeleteMember ends a membership. Sessions of the person that show the account no longer
// give access to it.
func DeleteMember(tx *Tx, accountID, userID string) error {
	return tx.Where("account_id = ? AND user_id = ?", accountID, userID).Delete(&Member{}).Error
}

// Colleague is a member as other members see them.
type Colleague struct {
	UserID, Name, Email string
	Role                Role
	TOTP                bool // log-in requires a code
	Passkey             bool // the user has a passkey
	Linked              bool // to an identity at a log-in provider
	JoinedAt            time.Time
	SeenAt              *time.Time // last use of any page, of any account; nil if none is recorded
}

// Team lists the members of an account: the owner first, then by name.
func Team(ctx context.Context, q Querier, accountID string) ([]Colleague, error) {
	rows, err := q.Query(ctx, `SELECT u.id, u.name, u.email, m.role, u.totp_since IS NOT NULL,
			EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id),
			EXISTS (SELECT FROM person_identities i WHERE i.user_id = u.id), m.created_at,
			greatest(u.last_seen_at, (SELECT max(last_seen_at) FROM sessions s
				WHERE s.user_id = u.id AND NOT s.awaits_code))
		FROM members m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1
		ORDER BY m.role <> 'OWNER', lower(u.name), u.id`, accountID)
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
