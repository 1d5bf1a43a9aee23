package models

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// Session is a browser that logged in. The cookie holds a token, the row its
// SHA-256, so that a copy of the table opens nothing.
type Session struct {
	ID           string
	TokenHash    []byte `gorm:"primaryKey"`
	UserID       string
	ProjectID    *string // the project looked at; nil for staff without an account
	Livemode     bool    // the environment looked at
	IP           string
	UserAgent    string
	CreatedAt    time.Time
	LastSeenAt   time.Time
	ExpiresAt    time.Time
	ProvenAt     time.Time // when the person last gave the password, a code or a passkey
	SecondFactor bool      // a code or a passkey was part of it
	AwaitsCode   bool      // the password was right and the code is to come: lets nobody in
}

// InsertSession writes a new session.
func InsertSession(db *gorm.DB, s *Session) error { return db.Create(s).Error }

// DeleteSession ends a session; an unknown one is ended already.
func DeleteSession(db *gorm.DB, tokenHash []byte) error {
	return db.Delete(&Session{}, "token_hash = ?", tokenHash).Error
}

// DeleteUserSession ends one of the user's sessions by its id. It reports false if
// the user has no such session.
func DeleteUserSession(tx *Tx, userID, id string) (deleted bool, err error) {
	done := tx.Delete(&Session{}, "user_id = ? AND id = ?", userID, id)
	return done.RowsAffected == 1, done.Error
}

// DeleteOtherSessions ends the user's sessions save the one with the id; "" spares
// none. It returns how many there were.
func DeleteOtherSessions(tx *Tx, userID, spared string) (int64, error) {
	done := tx.Delete(&Session{}, "user_id = ? AND id <> ?", userID, spared)
	return done.RowsAffected, done.Error
}

// DeleteEndedSessions deletes sessions that expired before a time, and reports whether
// there may be more of them.
func DeleteEndedSessions(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "sessions", "id", "SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2", before)
}

// UserSessions lists the user's sessions that let somebody in, the last seen first.
func UserSessions(db *gorm.DB, userID string, now time.Time) ([]Session, error) {
	var all []Session
	err := db.Where("user_id = ? AND expires_at > ? AND NOT awaits_code", userID, now).
		Order("last_seen_at DESC, id").Find(&all).Error
	return all, err
}

// SetSessionLivemode keeps which environment the browser looks at.
func SetSessionLivemode(db *gorm.DB, tokenHash []byte, livemode bool) error {
	return db.Model(&Session{}).Where("token_hash = ?", tokenHash).Update("livemode", livemode).Error
}

// SetSessionProject keeps which project the browser looks at, in test.
func SetSessionProject(db *gorm.DB, id, projectID string) error {
	return db.Model(&Session{}).Where("id = ?", id).Updates(map[string]any{"project_id": projectID, "livemode": false}).Error
}

// TouchSession keeps when the session was last used.
func TouchSession(db *gorm.DB, id string, now time.Time) error {
	return db.Model(&Session{}).Where("id = ?", id).Update("last_seen_at", now).Error
}

// ProveSession notes that the session's person has just shown who they are, and with
// a code or a passkey if there was one. The session then awaits nothing and lasts until expires.
func ProveSession(db *gorm.DB, id string, now, expires time.Time, second bool) error {
	return db.Exec(`UPDATE sessions SET proven_at = ?, expires_at = ?, second_factor = second_factor OR ?, awaits_code = false
		WHERE id = ?`, now, expires, second, id).Error
}

// Visitor is a logged-in browser: who it is and what it looks at.
type Visitor struct {
	Session
	UserName      string
	Email         string
	EmailVerified bool
	TOTPEnrolled  bool // a code is asked for at log-in
	HasPasskey    bool
	HasPassword   bool // false: the person logs in by passkeys alone
	StaffRole     *StaffRole
	Role          Role // in the account below; "" for staff without an account
	AccountID     string
	AccountName   string
	Access        ProductionAccess
	Accounts      int  // how many the person is a member of
	StepsHidden   bool // the first steps on the account's start page
}

// SessionByToken returns a session that has not expired by now, or ErrNotFound. It
// may be one that awaits a code.
func SessionByToken(db *gorm.DB, tokenHash []byte, now time.Time) (*Session, error) {
	var s Session
	if err := db.Where("token_hash = ? AND expires_at > ?", tokenHash, now).Take(&s).Error; err != nil {
		return nil, notFound(err)
	}
	return &s, nil
}

// VisitorByToken returns the session that has not expired by now and lets somebody in,
// or ErrNotFound. A member who was removed has no visitor any more.
func VisitorByToken(db *gorm.DB, tokenHash []byte, now time.Time) (*Visitor, error) {
	var v Visitor
	err := db.Raw(`SELECT s.*, u.name AS user_name, u.email, u.staff_role, coalesce(m.role, '') AS role,
			u.email_verified_at IS NOT NULL AS email_verified, u.totp_since IS NOT NULL AS totp_enrolled, u.password_hash IS NOT NULL AS has_password,
			EXISTS (SELECT FROM passkeys WHERE user_id = u.id) AS has_passkey,
			coalesce(a.id, '') AS account_id, coalesce(a.name, '') AS account_name,
			coalesce(a.production_access, '') AS access, (SELECT count(*) FROM members WHERE user_id = u.id) AS accounts,
			coalesce(m.steps_hidden, false) AS steps_hidden
		FROM sessions s JOIN users u ON u.id = s.user_id
		LEFT JOIN projects p ON p.id = s.project_id LEFT JOIN accounts a ON a.id = p.account_id
		LEFT JOIN members m ON m.account_id = a.id AND m.user_id = u.id
		WHERE s.token_hash = ? AND s.expires_at > ? AND NOT s.awaits_code AND (s.project_id IS NULL OR m.role IS NOT NULL)`, tokenHash, now).Take(&v).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &v, nil
}
