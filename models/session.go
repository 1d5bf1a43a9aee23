package models

import (
	"time"

	"gorm.io/gorm"
)

// Session is a browser that logged in. The cookie holds a token, the row its
// SHA-256, so that a copy of the table opens nothing.
type Session struct {
	TokenHash  []byte `gorm:"primaryKey"`
	UserID     string
	ProjectID  *string // the project looked at; nil for staff without an account
	Livemode   bool    // the environment looked at
	IP         string
	UserAgent  string
	CreatedAt  time.Time
	LastSeenAt time.Time
	ExpiresAt  time.Time
}

// InsertSession writes a new session.
func InsertSession(db *gorm.DB, s *Session) error { return db.Create(s).Error }

// DeleteSession ends a session; an unknown one is ended already.
func DeleteSession(db *gorm.DB, tokenHash []byte) error {
	return db.Delete(&Session{}, "token_hash = ?", tokenHash).Error
}

// SetSessionLivemode keeps which environment the browser looks at.
func SetSessionLivemode(db *gorm.DB, tokenHash []byte, livemode bool) error {
	return db.Model(&Session{}).Where("token_hash = ?", tokenHash).Update("livemode", livemode).Error
}

// Visitor is a logged-in browser: who it is and what it looks at.
type Visitor struct {
	Session
	UserName    string
	Email       string
	StaffRole   *StaffRole
	Role        Role // in the account below; "" for staff without an account
	AccountID   string
	AccountName string
	Access      ProductionAccess
}

// VisitorByToken returns the session that has not expired by now, or ErrNotFound.
// A member who was removed has no visitor any more.
func VisitorByToken(db *gorm.DB, tokenHash []byte, now time.Time) (*Visitor, error) {
	var v Visitor
	err := db.Raw(`SELECT s.*, u.name AS user_name, u.email, u.staff_role, coalesce(m.role, '') AS role,
			coalesce(a.id, '') AS account_id, coalesce(a.name, '') AS account_name,
			coalesce(a.production_access, '') AS access
		FROM sessions s JOIN users u ON u.id = s.user_id
		LEFT JOIN projects p ON p.id = s.project_id LEFT JOIN accounts a ON a.id = p.account_id
		LEFT JOIN members m ON m.account_id = a.id AND m.user_id = u.id
		WHERE s.token_hash = ? AND s.expires_at > ? AND (s.project_id IS NULL OR m.role IS NOT NULL)`, tokenHash, now).Take(&v).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &v, nil
}
