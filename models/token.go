package models

import (
	"context"
	"time"
)

// TokenPurpose is the purpose of a Token's link.
type TokenPurpose string

const (
	TokenVerifyEmail   TokenPurpose = "VERIFY_EMAIL"
	TokenResetPassword TokenPurpose = "RESET_PASSWORD"
	TokenChangeEmail   TokenPurpose = "CHANGE_EMAIL"
	TokenNewDevice     TokenPurpose = "NEW_DEVICE" // ends the sessions of a device
)

// Token is the row behind a link in a mail. The link is valid once, until it expires, and only
// while the person has the address to which it was sent. A token that changes the address is
// sent to the new one, and a person has at most one open token of this kind.
type Token struct {
	ID        string `gorm:"primaryKey"`
	Purpose   TokenPurpose
	UserID    string
	Email     string
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time
	DeviceID  *string // nil if the link is about no device
}

// InsertToken writes a new token.
func InsertToken(tx *Tx, t *Token) error { return tx.Create(t).Error }

// TokenByID returns the token of the purpose, used or not, that has not expired by
// now, or ErrNotFound.
func TokenByID(ctx context.Context, h Handle, purpose TokenPurpose, id string, now time.Time) (*Token, error) {
	if !tokenShape.fits(id) {
		return nil, ErrNotFound
	}
	var t Token
	err := h.gorm(ctx).Joins("JOIN users u ON u.id = tokens.user_id AND (u.email = tokens.email OR tokens.purpose = ?)",
		TokenChangeEmail).Where("tokens.id = ? AND purpose = ? AND expires_at > ?", id, purpose, now).Take(&t).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &t, nil
}

// TakeToken marks t as used. It reports whether t was unused before, so of two concurrent calls one
// succeeds.
func TakeToken(tx *Tx, t *Token, now time.Time) (taken bool, err error) {
	done := tx.Model(&Token{}).Where("id = ? AND used_at IS NULL", t.ID).Update("used_at", now)
	return done.RowsAffected == 1, done.Error
}

// TakeTokens marks all of the user's tokens of the purpose as used. It reports whether t was
// unused before, so of two concurrent calls one succeeds.
func TakeTokens(tx *Tx, t *Token, now time.Time) (taken bool, err error) {
	if taken, err = TakeToken(tx, t, now); err != nil || !taken {
		return false, err
	}
	_, err = EndTokens(tx, t.Purpose, t.UserID, now)
	return true, err
}

// EndTokens marks all of the user's tokens of the purpose as used, and reports whether one of
// them was still valid.
func EndTokens(tx *Tx, purpose TokenPurpose, userID string, now time.Time) (open bool, err error) {
	err = tx.Scan(`WITH ended AS (
			UPDATE tokens SET used_at = $3 WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL
			RETURNING expires_at
		) SELECT count(*) > 0 FROM ended WHERE expires_at > $3`, []any{userID, purpose, now}, &open)
	return open, err
}

// EmailChange returns the user's open token that changes the address, or ErrNotFound.
func EmailChange(ctx context.Context, h Handle, userID string, now time.Time) (*Token, error) {
	var t Token
	err := h.gorm(ctx).Where("user_id = ? AND purpose = ?", userID, TokenChangeEmail).
		Where("used_at IS NULL AND expires_at > ?", now).Take(&t).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &t, nil
}

// LatestToken returns the latest token of the purpose that was sent to the user, or
// ErrNotFound.
func LatestToken(ctx context.Context, h Handle, purpose TokenPurpose, userID string) (*Token, error) {
	var t Token
	err := h.gorm(ctx).Where("user_id = ? AND purpose = ?", userID, purpose).Order("created_at DESC").Take(&t).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &t, nil
}

// TokensSince counts the tokens of the purpose that were sent to the user since a time.
func TokensSince(tx *Tx, purpose TokenPurpose, userID string, since time.Time) (n int64, err error) {
	err = tx.Model(&Token{}).Where("purpose = ? AND user_id = ? AND created_at > ?", purpose, userID,
		since).Count(&n).Error
	return n, err
}

// DeleteEndedTokens deletes tokens, used or not, that expired before a time, up to a limit,
// and reports whether more may be left.
func DeleteEndedTokens(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "tokens", "id",
		"SELECT id FROM tokens WHERE expires_at < $1 ORDER BY expires_at LIMIT $2", before)
}
