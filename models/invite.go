package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Invite asks somebody, by mail, to join an account. Its link is made of its id.
type Invite struct {
	ID         string `gorm:"primaryKey"`
	AccountID  string
	Email      string // lower case
	Role       Role   // never OWNER
	InvitedBy  string
	CreatedAt  time.Time
	SentAt     time.Time // the last time
	ExpiresAt  time.Time
	AcceptedAt *time.Time
	AcceptedBy *string
	RevokedAt  *time.Time
}

// InvitesOneOpen is the constraint that keeps an address to one open invitation of an
// account.
const InvitesOneOpen = "invites_one_open"

// InsertInvite writes a new invitation; one to an address that has an open one
// violates InvitesOneOpen.
func InsertInvite(tx *Tx, i *Invite) error { return tx.Create(i).Error }

// LockInvite returns an account's open invitation, expired or not, and keeps others
// from changing it until tx ends, or ErrNotFound.
func LockInvite(tx *Tx, accountID, id string) (*Invite, error) {
	if !wellFormed(id, "inv_", 20) {
		return nil, ErrNotFound
	}
	var i Invite
	err := tx.Raw(`SELECT * FROM invites WHERE id = ? AND account_id = ? AND accepted_at IS NULL AND revoked_at IS NULL FOR UPDATE`,
		id, accountID).Take(&i).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &i, nil
}

// ExtendInvite notes that a user sent the invitation again: from then on it is theirs.
func ExtendInvite(tx *Tx, id, userID string, sentAt, expiresAt time.Time) error {
	return tx.Model(&Invite{}).Where("id = ?", id).Updates(map[string]any{"invited_by": userID, "sent_at": sentAt, "expires_at": expiresAt}).Error
}

// RevokeInvite takes an open invitation back.
func RevokeInvite(tx *Tx, id string, now time.Time) error {
	return tx.Model(&Invite{}).Where("id = ?", id).Update("revoked_at", now).Error
}

// RevokeInvitesBy takes back the open invitations to an account that a user sent, and
// returns them.
func RevokeInvitesBy(tx *Tx, accountID, userID string, now time.Time) (revoked []Invite, err error) {
	err = tx.Raw(`UPDATE invites SET revoked_at = ? WHERE account_id = ? AND invited_by = ? AND accepted_at IS NULL AND revoked_at IS NULL
		RETURNING *`, now, accountID, userID).Scan(&revoked).Error
	return revoked, err
}

// DeleteEndedInvites deletes invitations that were accepted, revoked or expired before
// a time, and reports whether there may be more of them.
func DeleteEndedInvites(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	const end = "coalesce(accepted_at, revoked_at, expires_at)"
	return deleteSome(ctx, q, "invites", "id", "SELECT id FROM invites WHERE "+end+" < $1 ORDER BY "+end+" LIMIT $2", before)
}

// AcceptInvite uses an invitation up for a user. It reports false if it is not open
// any more: of two who bring it, one wins.
func AcceptInvite(tx *Tx, id, userID string, now time.Time) (accepted bool, err error) {
	done := tx.Exec(`UPDATE invites SET accepted_at = ?, accepted_by = ?
		WHERE id = ? AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?`, now, userID, id, now)
	return done.RowsAffected == 1, done.Error
}

// OpenInvites lists an account's invitations that were neither accepted nor revoked,
// expired ones too, newest first.
func OpenInvites(ctx context.Context, q Querier, accountID string) ([]Invite, error) {
	rows, err := q.Query(ctx, `SELECT id, email, role, created_at, sent_at, expires_at FROM invites
		WHERE account_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL ORDER BY created_at DESC, id DESC`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (i Invite, err error) {
		return i, row.Scan(&i.ID, &i.Email, &i.Role, &i.CreatedAt, &i.SentAt, &i.ExpiresAt)
	})
}

// OpenInviteCount counts them.
func OpenInviteCount(tx *Tx, accountID string) (n int64, err error) {
	err = tx.Model(&Invite{}).Where("account_id = ? AND accepted_at IS NULL AND revoked_at IS NULL", accountID).Count(&n).Error
	return n, err
}

// Invitation is an invitation as whom it is for reads it.
type Invitation struct {
	Invite
	AccountName string
	InviterName string
	Known       bool // somebody has the address
}

// InvitationByID returns an invitation that can be accepted now, or ErrNotFound.
func InvitationByID(db *gorm.DB, id string, now time.Time) (*Invitation, error) {
	if !wellFormed(id, "inv_", 20) {
		return nil, ErrNotFound
	}
	var i Invitation
	err := db.Raw(`SELECT i.*, a.name AS account_name, u.name AS inviter_name, EXISTS (SELECT FROM users k WHERE k.email = i.email) AS known
		FROM invites i JOIN accounts a ON a.id = i.account_id JOIN users u ON u.id = i.invited_by
		WHERE i.id = ? AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ?`, id, now).Take(&i).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &i, nil
}
