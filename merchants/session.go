package merchants

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"garoupa/models"
)

// SessionLifetime is how long a browser stays logged in.
const SessionLifetime = 14 * 24 * time.Hour

// ErrCredentials reports an e-mail and a password that do not belong together; it
// does not say which of them is wrong.
var ErrCredentials = errors.New("merchants: e-mail or password is wrong")

// Browser is where somebody logs in from.
type Browser struct {
	IP, UserAgent string
}

// codeWithin is how long a log-in waits for its code.
const codeWithin = 10 * time.Minute

// ErrCodeNeeded reports that the password was right and that a code must follow.
var ErrCodeNeeded = errors.New("merchants: a code is needed to log in")

// LogIn starts a session and returns its token, which only the browser keeps. It
// fails with ErrCredentials, after the same time whether the e-mail is known or not.
// With ErrCodeNeeded comes a token for LogInWithCode, which lets nobody in before.
func (s *Service) LogIn(ctx context.Context, email, password string, from Browser) (token string, err error) {
	db := s.DB.WithContext(ctx)
	user := &models.User{}
	if email = normalEmail(email); validEmail(email) { // another would not even be text to the database
		known, err := models.UserByEmail(db, email)
		if err == nil {
			user = known
		} else if !errors.Is(err, models.ErrNotFound) {
			return "", fmt.Errorf("merchants: log in: %w", err)
		}
	}
	if !isPasswordOf(user, password) {
		return "", ErrCredentials
	}

	session := models.Session{UserID: user.ID, AwaitsCode: user.TOTPSince != nil}
	if token, err = s.startSession(db, session, from); err != nil {
		return "", fmt.Errorf("merchants: log in: %w", err)
	}
	if session.AwaitsCode {
		return token, ErrCodeNeeded
	}
	return token, nil
}

// startSession writes a new session, of which is given whose it is and by what they
// showed it, and returns its token.
func (s *Service) startSession(db *gorm.DB, session models.Session, from Browser) (token string, err error) {
	token = rand.Text()
	now := s.now()
	session.ID, session.TokenHash, session.IP, session.UserAgent = models.NewSessionID(), tokenHash(token), from.IP, cut(from.UserAgent, 300)
	session.ProvenAt, session.CreatedAt, session.LastSeenAt, session.ExpiresAt = now, now, now, now.Add(SessionLifetime)
	if session.AwaitsCode {
		session.ExpiresAt = now.Add(codeWithin)
	}
	project, err := models.FirstProject(db, session.UserID)
	if err == nil {
		session.ProjectID = &project.ID
	} else if !errors.Is(err, models.ErrNotFound) {
		return "", err
	}
	return token, models.InsertSession(db, &session)
}

// Session returns the token's session, even one that awaits a code, or
// models.ErrNotFound.
func (s *Service) Session(ctx context.Context, token string) (*models.Session, error) {
	session, err := models.SessionByToken(s.DB.WithContext(ctx), tokenHash(token), s.now())
	if err != nil {
		return nil, fmt.Errorf("merchants: read session: %w", err)
	}
	return session, nil
}

// Visitor returns who the token's session belongs to, or models.ErrNotFound. When they
// were last seen is kept by the minute.
func (s *Service) Visitor(ctx context.Context, token string) (*models.Visitor, error) {
	db, now := s.DB.WithContext(ctx), s.now()
	v, err := models.VisitorByToken(db, tokenHash(token), now)
	if err == nil && now.Sub(v.LastSeenAt) >= time.Minute {
		v.LastSeenAt = now
		err = models.TouchSession(db, v.ID, now)
	}
	if err != nil {
		return nil, fmt.Errorf("merchants: read session: %w", err)
	}
	return v, nil
}

// Prove notes that the visitor has just shown once more who they are: by a code where
// they have a generator, else by the password. It fails with ErrCredentials.
func (s *Service) Prove(ctx context.Context, v *models.Visitor, proof string) error {
	db := s.DB.WithContext(ctx)
	if !v.TOTPEnrolled {
		err := passwordOf(db, v.UserID, proof)
		if err == nil {
			err = models.ProveSession(db, v.ID, s.now(), v.ExpiresAt, false)
		}
		return expected(err, "prove", ErrCredentials)
	}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := s.takeCode(tx, v.UserID, proof, v.IP); err != nil {
			return err
		}
		return models.ProveSession(tx.DB, v.ID, s.now(), v.ExpiresAt, true)
	})
	return expected(err, "prove", ErrCredentials)
}

// passwordOf fails with ErrCredentials unless the password is the user's.
func passwordOf(db *gorm.DB, userID, password string) error {
	user, err := models.UserByID(db, userID)
	if err != nil {
		return err
	}
	if !isPasswordOf(user, password) {
		return ErrCredentials
	}
	return nil
}

// isPasswordOf reports whether the password is the user's, after the same time where
// there is no user or no password.
func isPasswordOf(user *models.User, password string) bool {
	hash := nobodysHash
	if user.PasswordHash != nil {
		hash = *user.PasswordHash
	}
	return len(password) <= 4*MaxPasswordLength && passwordMatches(hash, password) && user.PasswordHash != nil
}

// LogOut ends the token's session.
func (s *Service) LogOut(ctx context.Context, token string) error {
	if err := models.DeleteSession(s.DB.WithContext(ctx), tokenHash(token)); err != nil {
		return fmt.Errorf("merchants: log out: %w", err)
	}
	return nil
}

// LookAt keeps which environment the token's session looks at.
func (s *Service) LookAt(ctx context.Context, token string, livemode bool) error {
	if err := models.SetSessionLivemode(s.DB.WithContext(ctx), tokenHash(token), livemode); err != nil {
		return fmt.Errorf("merchants: switch environment: %w", err)
	}
	return nil
}

// Speak keeps the language in which mails are written to the token's user. A token of
// nobody changes nothing.
func (s *Service) Speak(ctx context.Context, token, language string) error {
	if err := models.SetSessionUserLanguage(s.DB.WithContext(ctx), tokenHash(token), language); err != nil {
		return fmt.Errorf("merchants: keep language: %w", err)
	}
	return nil
}

func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// cut keeps the first n bytes of s that are valid text.
func cut(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return toText(s)
}
