package models

import (
	"context"
	"time"

	"gorm.io/gorm/clause"
)

// Invite is an invitation by mail to join an account. Its link contains its id.
type Invite struct {
	ID        string `gorm:"primaryKey"`
	AccountID string
	Email     string // lower case
	Role      Role   // never OWNER
	InvitedBy string
	CreatedAt time.Time
	SentAt    time.Time // of the last mail
	ExpiresAt time.Time
	RevokedAt *time.Time
}

// InvitesOneOpen is the constraint that allows an address one open invitation to an account.
const InvitesOneOpen = "invites_one_open"

const inviteColumns = `i.id, i.account_id, i.email, i.role, i.invited_by, i.created_at, i.sent_at, i.expires_at,
	i.revoked_at`

// InsertInvite writes a new invitation. If the address has an open one, it fails with a
// violation of InvitesOneOpen.
func InsertInvite(tx *Tx, i *Invite) error { return tx.Create(i).Error }

// LockInvite returns an account's open invitation, expired or not, and locks its row until tx
// ends, or returns ErrNotFound.
func LockInvite(tx *Tx, accountID, id string) (*Invite, error) {
	if !inviteShape.fits(id) {
		return nil, ErrNotFound
	}
	var i Invite
	err := tx.Clauses(forUpdate).Where("id = ? AND account_id = ?", id, accountID).
		Where("accepted_at IS NULL AND revoked_at IS NULL").Take(&i).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &i, nil
}

// ExtendInvite records that a user sent the invitation again, and makes that user its sender.
func ExtendInvite(tx *Tx, id, userID string, sentAt, expiresAt time.Time) error {
	return tx.Model(&Invite{}).Where("id = ?", id).Updates(map[string]any{"invited_by": userID, "sent_at": sentAt,
		"expires_at": expiresAt}).Error
}

// RevokeInvite revokes an open invitation.
func RevokeInvite(tx *Tx, id string, now time.Time) error {
	return tx.Model(&Invite{}).Where("id = ?", id).Update("revoked_at", now).Error
}

// RevokeInvitesBy revokes the open invitations to an account that a user sent, and returns
// them.
func RevokeInvitesBy(tx *Tx, accountID, userID string, now time.Time) (revoked []Invite, err error) {
	err = tx.Model(&revoked).Clauses(clause.Returning{}).Where("account_id = ? AND invited_by = ?", accountID, userID).
		Where("accepted_at IS NULL AND revoked_at IS NULL").Update("revoked_at", now).Error
	return revoked, err
}

// DeleteEndedInvites deletes invitations that were accepted, revoked or expired before a time,
// up to a limit, and reports whether more may be left.
func DeleteEndedInvites(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	const end = "coalesce(accepted_at, revoked_at, expires_at)"
	return deleteSome(ctx, q, "invites", "id", "SELECT id FROM invites WHERE "+end+" < $1 ORDER BY "+end+
		" LIMIT $2", before)
}

// AcceptInvite marks an invitation as accepted by a user. It reports false if the invitation
// is no longer open, so of two concurrent calls one succeeds.
func AcceptInvite(tx *Tx, id, userID string, now time.Time) (accepted bool, err error) {
	done := tx.Model(&Invite{}).
		Where("id = ? AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?", id, now).
		Updates(map[string]any{"accepted_at": now, "accepted_by": userID})
	return done.RowsAffected == 1, done.Error
}

// OpenInvites lists an account's invitations that were neither accepted nor revoked, including
// expired ones, newest first.
func OpenInvites(ctx context.Context, q Querier, accountID string) ([]Invite, error) {
	return collect[Invite](ctx, q, "SELECT "+inviteColumns+` FROM invites i
		WHERE i.account_id = $1 AND i.accepted_at IS NULL AND i.revoked_at IS NULL
		ORDER BY i.created_at DESC, i.id DESC`, accountID)
}

// OpenInviteCount returns the number of invitations that OpenInvites lists.
func OpenInviteCount(tx *Tx, accountID string) (n int64, err error) {
	err = tx.Model(&Invite{}).Where("account_id = ? AND accepted_at IS NULL AND revoked_at IS NULL",
		accountID).Count(&n).Error
	return n, err
}

// Invitation is an invitation with what its recipient is shown.
type Invitation struct {
	Invite
	AccountName string
	InviterName string
	Known       bool // a user has the address
}

// InvitationByID returns an invitation that can be accepted now, or ErrNotFound.
func InvitationByID(ctx context.Context, q Querier, id string, now time.Time) (*Invitation, error) {
	if !inviteShape.fits(id) {
		return nil, ErrNotFound
	}
	return one[Invitation](ctx, q, "SELECT "+inviteColumns+`, a.name AS account_name, u.name AS inviter_name,
			EXISTS (SELECT FROM users k WHERE k.email = i.email) AS known
		FROM invites i JOIN accounts a ON a.id = i.account_id JOIN users u ON u.id = i.invited_by
		WHERE i.id = $1 AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > $2`, id, now)
}
