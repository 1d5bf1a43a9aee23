package models

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Session is a browser that has logged in. The cookie holds a token and the row its SHA-256,
// so a copy of the table gives no access.
type Session struct {
	ID           string
	TokenHash    []byte `gorm:"primaryKey"`
	UserID       string
	ProjectID    *string     // the project shown; nil for staff without an account
	Environment  Environment `gorm:"column:livemode" db:"livemode"` // the environment shown
	IP           string
	UserAgent    string
	CreatedAt    time.Time
	LastSeenAt   time.Time
	ExpiresAt    time.Time
	ProvenAt     time.Time // when the person last entered the password or a code, or used a passkey
	SecondFactor bool      // the log-in included a code or a passkey
	AwaitsCode   bool      // the password was correct; a code or a passkey is missing, and the session gives no access
	DeviceID     *string   // nil if the log-in is not complete, or if the browser has no device's cookie
	ByProvider   bool      // the log-in was at the OpenID Connect provider
}

// InsertSession writes a new session.
func InsertSession(ctx context.Context, h Handle, s *Session) error {
	return h.gorm(ctx).Create(s).Error
}

// TakeSession ends the session of a token, even an expired one, or of a former token, and returns it, or
// ErrNotFound.
func TakeSession(tx *Tx, tokenHash []byte, now time.Time) (*Session, error) {
	var id string
	if err := tx.Scan("SELECT id FROM ("+sessionOfToken+") t", []any{tokenHash, now}, &id); err != nil {
		return nil, err
	}
	var s Session
	done := tx.Clauses(clause.Returning{}).Delete(&s, "id = ?", id)
	if done.Error == nil && done.RowsAffected == 0 {
		return nil, ErrNotFound
	}
	return &s, done.Error
}

// DeleteUserSession ends one of the user's sessions by its id. It reports false if the user
// has no such session.
func DeleteUserSession(tx *Tx, userID, id string) (deleted bool, err error) {
	if !sessionShape.fits(id) {
		return false, nil
	}
	done := tx.Delete(&Session{}, "user_id = ? AND id = ?", userID, id)
	return done.RowsAffected == 1, done.Error
}

// DeleteOtherSessions ends the user's sessions except the one with the id spared; "" ends all.
// It returns their number.
func DeleteOtherSessions(tx *Tx, userID, spared string) (int64, error) {
	done := tx.Delete(&Session{}, "user_id = ? AND id <> ?", userID, spared)
	return done.RowsAffected, done.Error
}

// DeleteEndedSessions deletes sessions that expired before a time, up to a limit, and reports
// whether more may be left.
func DeleteEndedSessions(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "sessions", "id",
		"SELECT id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2", before)
}

// UserSessions lists the user's sessions that give access, the last used first.
func UserSessions(ctx context.Context, h Handle, userID string, now time.Time) ([]Session, error) {
	var all []Session
	err := h.gorm(ctx).Where("user_id = ? AND expires_at > ? AND NOT awaits_code", userID, now).
		Order("last_seen_at DESC, id").Find(&all).Error
	return all, err
}

// SetSessionEnvironment stores the environment that the browser with a token, or former token, shows.
func SetSessionEnvironment(ctx context.Context, q Querier, tokenHash []byte, now time.Time, e Environment) error {
	_, err := q.Exec(ctx, "UPDATE sessions SET livemode = $3 WHERE id IN (SELECT id FROM ("+sessionOfToken+") t)",
		tokenHash, now, e)
	return err
}

// SetSessionProject stores the project that the browser shows, in test.
func SetSessionProject(ctx context.Context, h Handle, id, projectID string) error {
	return h.gorm(ctx).Model(&Session{}).Where("id = ?", id).
		Updates(map[string]any{"project_id": projectID, "livemode": Test}).Error
}

// TouchSession stores when the session was last used, and when it ends without another use.
func TouchSession(ctx context.Context, h Handle, id string, now, expires time.Time) error {
	return h.gorm(ctx).Model(&Session{}).Where("id = ?", id).
		Updates(map[string]any{"last_seen_at": now, "expires_at": expires}).Error
}

// ProveSession records that the person has just proved their identity; second says that a code
// or a passkey was part of it. The session then gives access and lasts until expires.
func ProveSession(ctx context.Context, h Handle, id string, now, expires time.Time, second bool) error {
	return h.gorm(ctx).Model(&Session{}).Where("id = ?", id).Updates(map[string]any{
		"proven_at": now, "expires_at": expires,
		"second_factor": gorm.Expr("second_factor OR ?", second), "awaits_code": false,
	}).Error
}

// SetSessionDevice stores the device of a session.
func SetSessionDevice(tx *Tx, id string, device *string) error {
	return tx.Model(&Session{}).Where("id = ?", id).Update("device_id", device).Error
}

// Visitor is a logged-in browser: the person, and what the browser shows.
type Visitor struct {
	Session
	UserName      string
	Email         string
	EmailVerified bool
	TOTPEnrolled  bool // log-in requires a code
	HasPasskey    bool
	HasPassword   bool // false if the person logs in only with passkeys
	StaffRole     *StaffRole
	Role          Role // in the account below; "" for staff without an account
	AccountID     string
	AccountName   string
	Access        ProductionAccess
	SalesStopped  bool // staff have stopped the account's live charges and links
	Accounts      int  // number of accounts of the person
	StepsHidden   bool // the first steps on the start page are hidden
	SellingWays
	SecondNeeded bool // the owner requires a second factor of all members

	// NewToken is the token that an operation gave the session, and that the browser must store in place
	// of its own; "" if there is none.
	NewToken string `db:"-"`
}

// SessionByToken returns a session that has not expired by now, or ErrNotFound. The session
// may be waiting for a code. A former token has none.
func SessionByToken(ctx context.Context, h Handle, tokenHash []byte, now time.Time) (*Session, error) {
	var s Session
	if err := h.gorm(ctx).Where("token_hash = ? AND expires_at > ?", tokenHash, now).Take(&s).Error; err != nil {
		return nil, notFound(err)
	}
	return &s, nil
}

// VisitorByToken returns the visitor of a session that has not expired by now and gives
// access, or ErrNotFound. A removed member has no visitor. Of a former token, the visitor has the token
// and the proofs that it stands for.
func VisitorByToken(ctx context.Context, q Querier, tokenHash []byte, now time.Time) (*Visitor, error) {
	return one[Visitor](ctx, q, `SELECT s.id, $1::bytea AS token_hash, s.user_id, s.project_id, s.livemode,
			s.ip, s.user_agent, s.created_at, s.last_seen_at, s.expires_at, t.proven_at, t.second_factor,
			s.awaits_code, s.device_id, s.by_provider,
			u.name AS user_name, u.email, u.staff_role, coalesce(m.role, '') AS role,
			u.email_verified_at IS NOT NULL AS email_verified, u.totp_since IS NOT NULL AS totp_enrolled,
			u.password_hash IS NOT NULL AS has_password,
			EXISTS (SELECT FROM passkeys WHERE user_id = u.id) AS has_passkey,
			coalesce(a.id, '') AS account_id, coalesce(a.name, '') AS account_name,
			coalesce(a.production_access, '') AS access,
			coalesce(a.suspended OR a.live_blocked, false) AS sales_stopped,
			(SELECT count(*) FROM members WHERE user_id = u.id) AS accounts,
			coalesce(m.steps_hidden, false) AS steps_hidden,
			coalesce(m.sells_by_link, false) AS sells_by_link, coalesce(m.sells_by_api, false) AS sells_by_api,
			coalesce(a.second_factor_required, false) AS second_needed
		FROM (`+sessionOfToken+`) t JOIN sessions s ON s.id = t.id JOIN users u ON u.id = s.user_id
		LEFT JOIN projects p ON p.id = s.project_id LEFT JOIN accounts a ON a.id = p.account_id
		LEFT JOIN members m ON m.account_id = a.id AND m.user_id = u.id
		WHERE s.expires_at > $2 AND NOT s.awaits_code
			AND (s.project_id IS NULL OR m.role IS NOT NULL)`, tokenHash, now)
}
