package merchants

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"garoupa/internal/auth/passkey"
	"garoupa/models"
)

// AskPasskeyLogIn returns the options with which a browser signs a challenge to log in. Except
// for the challenge, they are the same for everyone. browser is a secret that only the browser
// has, and identifies it.
func (s *Service) AskPasskeyLogIn(ctx context.Context, browser string) (options []byte, err error) {
	q, err := s.Passkeys.AskAny()
	return s.asked(ctx, q, err, models.ChallengeLogIn, tokenHash(browser))
}

// LogInWithPasskey starts a session for the owner of the passkey, and returns its token. The
// device has verified the person, so no code is needed. If anything is wrong it fails with
// ErrCredentials.
func (s *Service) LogInWithPasskey(ctx context.Context, browser string, a *passkey.Answer, from Browser) (token string,
	err error) {
	if s.SSOOnly {
		return "", ErrPasswordsOff
	}
	return s.logInWithPasskey(ctx, browser, a, false, from)
}

// logInWithPasskey is LogInWithPasskey, also for a session that began at the provider.
func (s *Service) logInWithPasskey(ctx context.Context, browser string, a *passkey.Answer, byProvider bool,
	from Browser) (token string, err error) {
	err = s.signed(ctx, a, models.ChallengeLogIn, tokenHash(browser), a.Handle, from.IP, func(tx *models.Tx) error {
		token, err = s.startSession(tx, models.Session{UserID: a.Handle, SecondFactor: true, ByProvider: byProvider},
			wayPasskey, from)
		return err
	})
	if err != nil {
		err = s.refused(ctx, err, failure{action: "session.failed", userID: s.ownerOf(ctx, a), way: wayPasskey,
			from: from})
		return "", expected(err, "log in with a passkey", ErrCredentials)
	}
	return token, nil
}

// ownerOf returns the id of the person to whom the passkey of an answer belongs, or "".
func (s *Service) ownerOf(ctx context.Context, a *passkey.Answer) string {
	key, err := models.PasskeyByCredential(ctx, s.DB, a.KeyID)
	if err != nil {
		return ""
	}
	return key.UserID
}

// AskPasskeyProof returns the options with which the visitor's browser signs a challenge
// with one of their passkeys, or models.ErrNotFound if they have none.
func (s *Service) AskPasskeyProof(ctx context.Context, v *models.Visitor) (options []byte, err error) {
	p, err := s.person(ctx, v.UserID)
	if err != nil {
		return nil, expected(err, "request a proof by a passkey")
	}
	if len(p.Keys) == 0 {
		return nil, models.ErrNotFound
	}
	q, err := s.Passkeys.AskOf(p)
	return s.asked(ctx, q, err, models.ChallengeProve, sessionMark(v))
}

// ProveWithPasskey records that the visitor has just proven their identity with one of their
// passkeys. It fails with ErrCredentials. The session gets a new token (see raise).
func (s *Service) ProveWithPasskey(ctx context.Context, v *models.Visitor, a *passkey.Answer, from Browser) error {
	fresh := rand.Text()
	err := s.signed(ctx, a, models.ChallengeProve, sessionMark(v), v.UserID, from.IP, func(tx *models.Tx) error {
		if err := s.renewToken(tx, v, fresh); err != nil {
			return err
		}
		return models.ProveSession(ctx, tx, v.ID, s.now(), v.ExpiresAt, true)
	})
	if err == nil {
		tookToken(v, fresh)
	}
	err = s.refused(ctx, err, failure{action: "session.proof_failed", userID: v.UserID, way: wayPasskey, from: from})
	return expected(err, "prove with a passkey", ErrCredentials)
}

// asked stores the challenge of q for a browser and a purpose, and returns the options for
// the browser.
func (s *Service) asked(ctx context.Context, q passkey.Question, err error, purpose models.ChallengePurpose,
	browser []byte) ([]byte, error) {
	return s.saveChallenge(ctx, q, err, models.PasskeyChallenge{Purpose: purpose, Browser: browser})
}

// saveChallenge stores the challenge of q for an owner and a purpose, and returns the options
// for the browser. If err, the error of the call that returned q, is not nil, it returns err.
func (s *Service) saveChallenge(ctx context.Context, q passkey.Question, err error,
	of models.PasskeyChallenge) ([]byte, error) {
	if err == nil {
		of.Challenge, of.ExpiresAt = q.Challenge, s.now().Add(passkey.Lasts)
		err = models.InsertPasskeyChallenge(ctx, s.DB.Pool, of)
	}
	if err != nil {
		return nil, fmt.Errorf("merchants: request a passkey: %w", err)
	}
	return q.Options, nil
}

// take uses up the challenge of an answer, or fails with ErrCredentials if this browser has
// no such challenge. The challenge is used up even if the rest of the answer is wrong.
func (s *Service) take(ctx context.Context, challenge []byte, purpose models.ChallengePurpose, browser []byte) error {
	taken, err := models.TakePasskeyChallenge(ctx, s.DB.Pool, challenge, purpose, browser, s.now())
	if err == nil && !taken {
		err = ErrCredentials
	}
	return err
}

// signed calls then if a passkey of the user signed the answer, in the transaction that
// records the use. Otherwise it fails with ErrCredentials. If the device's count of signatures
// did not increase, signed records that and commits.
func (s *Service) signed(ctx context.Context, a *passkey.Answer, purpose models.ChallengePurpose, browser []byte,
	userID, ip string, then func(tx *models.Tx) error) error {
	if err := s.take(ctx, a.Challenge, purpose, browser); err != nil {
		return err
	}
	key, err := models.PasskeyByCredential(ctx, s.DB, a.KeyID)
	if errors.Is(err, models.ErrNotFound) || err == nil && key.UserID != userID {
		return ErrCredentials
	} else if err != nil {
		return err
	}
	user, err := models.UserByID(ctx, s.DB, userID)
	if err != nil {
		return err
	}
	count, err := s.Passkeys.Signed(a, personOf(user, []models.Passkey{*key}))
	if errors.Is(err, passkey.ErrRefused) {
		return ErrCredentials
	} else if err != nil {
		return err
	}
	refused := false
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		used, err := models.UsePasskey(tx, key.ID, count, s.now())
		if refused = !used; err != nil || refused {
			return errors.Join(err, s.suspectCopy(tx, key, ip))
		}
		return then(tx)
	})
	if err == nil && refused {
		err = ErrCredentials
	}
	return err
}

// suspectCopy records that a device's count of signatures did not increase, which happens when
// there are two copies of a passkey. It ignores a passkey that was removed meanwhile.
func (s *Service) suspectCopy(tx *models.Tx, key *models.Passkey, ip string) error {
	_, err := models.UserPasskey(tx.Context(), tx, key.UserID, key.ID)
	if errors.Is(err, models.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	return s.audit(tx, models.Actor{UserID: key.UserID, IP: ip}, "passkey.copy_suspected", key.ID,
		map[string]string{"name": key.Name})
}
