package merchants

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/input"
	"garoupa/models"
)

// SessionLifetime is how long a browser stays logged in at most.
const SessionLifetime = 14 * 24 * time.Hour

// How long a session lasts without a visit. A member's outlasts a weekend, so that a shop stays logged in.
// One of staff outlasts the 12 hours after which the console ends it in any case, so that the console can
// keep a form then.
const (
	IdleMember = 72 * time.Hour
	IdleStaff  = 24 * time.Hour
)

// endOf returns when a session ends unless it is used after now.
func endOf(createdAt, now time.Time, staff bool) time.Time {
	idle := IdleMember
	if staff {
		idle = IdleStaff
	}
	if last := createdAt.Add(SessionLifetime); last.Before(now.Add(idle)) {
		return last
	}
	return now.Add(idle)
}

// ErrCredentials reports a wrong email address or password, without saying which.
var ErrCredentials = errors.New("merchants: email or password is wrong")

// Browser describes the browser of a log-in.
type Browser struct {
	IP, UserAgent string
	Name          string // of the browser and its system, for people; "" if unknown
	RequestID     string // of the HTTP request
	Mark          string // a random text that only the browser has, and keeps beyond sessions; "" if it has none
}

// codeWithin is how long a log-in waits for its code or passkey.
const codeWithin = 10 * time.Minute

// ErrCodeNeeded reports that the password was correct and that a code or a passkey must follow.
var ErrCodeNeeded = errors.New("merchants: a second factor is needed to log in")

// LogIn starts a session and returns its token, which only the browser keeps. It fails with
// ErrCredentials, after the same time whether the address is known or not, and with
// models.ErrOverloaded, before it checks the password, if there are too many log-ins. With
// ErrCodeNeeded it returns a token for LogInWithCode, which gives no access before that.
func (s *Service) LogIn(ctx context.Context, email, password string, from Browser) (token string, err error) {
	if s.SSOOnly {
		return "", ErrPasswordsOff
	}
	user := &models.User{}
	if email = normalEmail(email); input.Storable(email) { // the database cannot contain other texts
		known, err := models.UserByEmail(ctx, s.DB, email)
		if err == nil {
			user = known
		} else if !errors.Is(err, models.ErrNotFound) {
			return "", fmt.Errorf("merchants: log in: %w", err)
		}
	}
	if matches, err := s.isPasswordOf(ctx, user, password); err != nil {
		return "", fmt.Errorf("merchants: log in: %w", err)
	} else if !matches {
		return "", expected(s.refused(ctx, ErrCredentials, failure{action: "session.failed", userID: user.ID,
			email: email, way: wayPassword, from: from}), "log in", ErrCredentials)
	}

	session := models.Session{UserID: user.ID}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if session.AwaitsCode, err = s.hasSecondFactor(tx, user.ID); err != nil {
			return err
		}
		token, err = s.startSession(tx, session, wayPassword, from)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("merchants: log in: %w", err)
	}
	if session.AwaitsCode {
		return token, ErrCodeNeeded
	}
	return token, nil
}

// startSession writes a new session, with its line of the audit log, and returns its token. The
// caller sets the session's user and the proofs of identity.
func (s *Service) startSession(
	tx *models.Tx, session models.Session, way string, from Browser,
) (token string, err error) {
	token = rand.Text()
	now := s.now()
	session.ID, session.TokenHash = models.NewSessionID(), tokenHash(token)
	session.IP, session.UserAgent = from.IP, cut(from.UserAgent, 300)
	user, err := models.UserByID(tx.Context(), tx, session.UserID)
	if err != nil {
		return "", err
	}
	session.ProvenAt, session.CreatedAt, session.LastSeenAt = now, now, now
	session.ExpiresAt = endOf(now, now, user.StaffRole != nil)
	if session.AwaitsCode {
		session.ExpiresAt = now.Add(codeWithin)
	}
	project, err := models.FirstProject(tx.Context(), tx, session.UserID)
	if err == nil {
		session.ProjectID = &project.ID
	} else if !errors.Is(err, models.ErrNotFound) {
		return "", err
	}
	action := "session.awaits_code"
	if !session.AwaitsCode {
		action = "session.started"
		if err := s.noteDevice(tx, &session, way, from); err != nil {
			return "", err
		}
	}
	if err := models.InsertSession(tx.Context(), tx, &session); err != nil {
		return "", err
	}
	return token, s.recordSession(tx, action, &session, way, from)
}

// Session returns the token's session, even one that waits for a code, or models.ErrNotFound.
func (s *Service) Session(ctx context.Context, token string) (*models.Session, error) {
	session, err := models.SessionByToken(ctx, s.DB, tokenHash(token), s.now())
	if err != nil {
		return nil, fmt.Errorf("merchants: read session: %w", err)
	}
	return session, nil
}

// Visitor returns the visitor of the token's session, or models.ErrNotFound. It records the
// time of the visit, from which the session's end follows, at most once a minute.
func (s *Service) Visitor(ctx context.Context, token string) (*models.Visitor, error) {
	v, err := s.AbsentVisitor(ctx, token)
	if now := s.now(); err == nil && now.Sub(v.LastSeenAt) >= time.Minute {
		v.LastSeenAt, v.ExpiresAt = now, endOf(v.CreatedAt, now, v.StaffRole != nil)
		id, ends := v.ID, v.ExpiresAt
		s.noteUse(ctx, func(ctx context.Context) error { return models.TouchSession(ctx, s.DB, id, now, ends) })
	}
	return v, err
}

// AbsentVisitor is like Visitor for what an open page asks for by itself, which is no visit: a forgotten page
// does not keep its session.
func (s *Service) AbsentVisitor(ctx context.Context, token string) (*models.Visitor, error) {
	v, err := models.VisitorByToken(ctx, s.DB.Pool, tokenHash(token), s.now())
	if err == nil && s.SSOOnly && !v.ByProvider {
		return nil, models.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("merchants: read session: %w", err)
	}
	return v, nil
}

// LogOut ends the token's session, if there is one.
func (s *Service) LogOut(ctx context.Context, token string, from Browser) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		session, err := models.TakeSession(tx, tokenHash(token), s.now())
		if errors.Is(err, models.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		by, err := from.actor(tx, session.UserID)
		if err != nil {
			return err
		}
		return s.audit(tx, by, "session.logged_out", session.ID, nil)
	})
	if err != nil {
		return fmt.Errorf("merchants: log out: %w", err)
	}
	return nil
}

// LookAt stores the environment that the token's session shows.
func (s *Service) LookAt(ctx context.Context, token string, environment models.Environment) error {
	if err := models.SetSessionEnvironment(ctx, s.DB.Pool, tokenHash(token), s.now(), environment); err != nil {
		return fmt.Errorf("merchants: switch environment: %w", err)
	}
	return nil
}

// Speak stores the language of mails to the token's user. It ignores an unknown token.
func (s *Service) Speak(ctx context.Context, token, language string) error {
	if err := models.SetSessionUserLanguage(ctx, s.DB.Pool, tokenHash(token), language); err != nil {
		return fmt.Errorf("merchants: store language: %w", err)
	}
	return nil
}

func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// cut returns at most the first n bytes of s that are valid text.
func cut(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return input.ToStorable(s)
}
