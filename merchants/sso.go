package merchants

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/auth/oidc"
	"garoupa/internal/auth/passkey"
	"garoupa/internal/input"
	"garoupa/models"
)

var (
	// ErrNoPerson reports an identity at the provider that belongs to no person here. It is an
	// ErrCredentials.
	ErrNoPerson = fmt.Errorf("%w: the identity belongs to no person", ErrCredentials)
	// ErrUnproven reports an identity whose email is not proven, at the provider or here, and that is
	// not linked yet. It is an ErrCredentials.
	ErrUnproven = fmt.Errorf("%w: the email is not verified", ErrCredentials)
	// ErrPasswordsOff reports that people log in at the provider alone.
	ErrPasswordsOff = errors.New("merchants: people log in at the provider alone")
)

// LogInWithIdentity starts a session for the person who has the identity at the provider, and
// returns its token. The first time, the person is found by the verified email and linked
// (docs/rules.md, "Log-in at a provider"). With ErrCodeNeeded it returns a token for LogInWithCode.
// It fails with ErrNoPerson or ErrUnproven.
func (s *Service) LogInWithIdentity(ctx context.Context, who oidc.Identity, from Browser) (token string, err error) {
	session := models.Session{SecondFactor: who.Strong, ByProvider: true}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := s.identified(tx, who, from)
		if err != nil {
			return err
		}
		session.UserID, session.AwaitsCode = user.ID, user.TOTPSince != nil && !who.Strong
		token, err = s.startSession(tx, session, waySSO, from)
		return err
	})
	if err != nil {
		err = s.refused(ctx, err, failure{action: "session.failed", userID: s.ownerOfIdentity(ctx, who),
			email: normalEmail(who.Email), way: waySSO, from: from})
		return "", expected(err, "log in at the provider", ErrNoPerson, ErrUnproven)
	}
	if session.AwaitsCode {
		return token, ErrCodeNeeded
	}
	return token, nil
}

// identified returns the person who has the identity, whom it links if nothing is linked yet.
func (s *Service) identified(tx *models.Tx, who oidc.Identity, from Browser) (*models.User, error) {
	if !input.Storable(who.Subject) {
		return nil, ErrNoPerson
	}
	owner, err := models.IdentityOwner(tx.Context(), tx, who.Issuer, who.Subject)
	if err == nil {
		return models.LockUser(tx, owner)
	} else if !errors.Is(err, models.ErrNotFound) {
		return nil, err
	}
	email := normalEmail(who.Email)
	if email == "" {
		return nil, ErrUnproven
	}
	if !input.MemberEmail(email) {
		return nil, ErrNoPerson
	}
	found, err := models.UserByEmail(tx.Context(), tx, email)
	if errors.Is(err, models.ErrNotFound) {
		return nil, ErrNoPerson
	} else if err != nil {
		return nil, err
	}
	user, err := models.LockUser(tx, found.ID)
	if err != nil {
		return nil, err
	}
	return user, s.linkIdentity(tx, user, email, who, from)
}

// linkIdentity links the person, whose row is locked, to the identity, and tells the person. An address
// that is not proven here may be a stranger's sign-up. A person has one identity at a provider: a second
// one with the same email is another account there, perhaps of the address's next owner.
func (s *Service) linkIdentity(tx *models.Tx, user *models.User, email string, who oidc.Identity, from Browser) error {
	owner, err := models.IdentityOwner(tx.Context(), tx, who.Issuer, who.Subject)
	if err == nil && owner == user.ID {
		return nil // another request of the person was first
	} else if err == nil {
		return ErrNoPerson
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	linked, err := models.HasIdentity(tx, user.ID, who.Issuer)
	switch {
	case err != nil:
		return err
	case linked, user.Email != email: // the address changed before the lock
		return ErrNoPerson
	case user.EmailVerifiedAt == nil:
		return ErrUnproven
	}
	err = models.InsertPersonIdentity(tx, models.PersonIdentity{Issuer: who.Issuer, Subject: who.Subject,
		UserID: user.ID, CreatedAt: s.now()})
	if err != nil {
		return err
	}
	by, err := from.actor(tx, user.ID)
	if err != nil {
		return err
	}
	return s.tellUser(tx, by, user, "user.identity_linked", models.MailIdentityLinked)
}

// ownerOfIdentity returns the id of the person who is linked to the identity, or "".
func (s *Service) ownerOfIdentity(ctx context.Context, who oidc.Identity) string {
	if !input.Storable(who.Subject) {
		return ""
	}
	owner, err := models.IdentityOwner(ctx, s.DB, who.Issuer, who.Subject)
	if err != nil {
		return ""
	}
	return owner
}

// ProveWithIdentity records that the visitor has just proven their identity at the provider, in place of
// the password. A person with a second factor here needs one there. It fails with ErrCredentials.
// The session gets a new token (see raise).
func (s *Service) ProveWithIdentity(ctx context.Context, v *models.Visitor, who oidc.Identity, from Browser) error {
	err := s.raise(ctx, v, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, v.UserID)
		if err != nil {
			return err
		}
		second, err := s.factorsOf(tx, user.ID)
		if err != nil {
			return err
		}
		owner, err := models.IdentityOwner(ctx, tx, who.Issuer, who.Subject)
		switch {
		case err != nil && !errors.Is(err, models.ErrNotFound):
			return err
		case owner != user.ID, second && !who.Strong:
			return ErrCredentials
		}
		return models.ProveSession(ctx, tx, v.ID, s.now(), v.ExpiresAt, who.Strong)
	})
	err = s.refused(ctx, err, failure{action: "session.proof_failed", userID: v.UserID, way: waySSO, from: from})
	return expected(err, "prove at the provider", ErrCredentials)
}

// AddPasskeyFactor starts a new session for the owner of a passkey, whose session with the token began at
// the provider, and returns its token: where people log in at the provider alone, a passkey is a second
// factor. It fails with ErrCredentials.
func (s *Service) AddPasskeyFactor(ctx context.Context, token, browser string, a *passkey.Answer, from Browser) (
	string, error) {
	session, err := models.SessionByToken(ctx, s.DB, tokenHash(token), s.now())
	if errors.Is(err, models.ErrNotFound) || err == nil && (!session.ByProvider || session.UserID != a.Handle) {
		return "", ErrCredentials
	} else if err != nil {
		return "", fmt.Errorf("merchants: add a passkey to a log-in: %w", err)
	}
	return s.logInWithPasskey(ctx, browser, a, true, from)
}
