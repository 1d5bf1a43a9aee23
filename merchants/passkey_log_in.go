package merchants

import (
	"context"
	"errors"
	"fmt"

	"garoupa/models"
	"garoupa/passkey"
)

// AskPasskeyLogIn returns what a browser is asked to have signed so that a passkey logs
// it in. It is the same for everybody. The browser is known by a secret that only it
// keeps.
func (s *Service) AskPasskeyLogIn(ctx context.Context, browser string) (options []byte, err error) {
	q, err := s.Passkeys.AskAny()
	return s.asked(ctx, q, err, models.ChallengeLogIn, tokenHash(browser))
}

// LogInWithPasskey starts a session for whom the passkey belongs to, and returns its
// token. The device verified its person, so that both halves of a log-in are done. It
// fails with ErrCredentials, whatever is wrong.
func (s *Service) LogInWithPasskey(ctx context.Context, browser string, a *passkey.Answer, from Browser) (token string, err error) {
	err = s.signed(ctx, a, models.ChallengeLogIn, tokenHash(browser), a.Handle, from.IP, func(tx *models.Tx) error {
		token, err = s.startSession(tx.DB, models.Session{UserID: a.Handle, SecondFactor: true}, from)
		return err
	})
	if err != nil {
		return "", expected(err, "log in with a passkey", ErrCredentials)
	}
	return token, nil
}

// AskPasskeyProof returns what the visitor's browser is asked to have signed by one of
// their passkeys, or models.ErrNotFound if they have none.
func (s *Service) AskPasskeyProof(ctx context.Context, v *models.Visitor) (options []byte, err error) {
	p, err := s.person(ctx, v.UserID)
	if err != nil {
		return nil, expected(err, "ask for a proof by a passkey")
	}
	if len(p.Keys) == 0 {
		return nil, models.ErrNotFound
	}
	q, err := s.Passkeys.AskOf(p)
	return s.asked(ctx, q, err, models.ChallengeProve, v.TokenHash)
}

// ProveWithPasskey notes that the visitor has just shown once more who they are, by one
// of their passkeys. It fails with ErrCredentials.
func (s *Service) ProveWithPasskey(ctx context.Context, v *models.Visitor, a *passkey.Answer) error {
	err := s.signed(ctx, a, models.ChallengeProve, v.TokenHash, v.UserID, v.IP, func(tx *models.Tx) error {
		return models.ProveSession(tx.DB, v.ID, s.now(), v.ExpiresAt, true)
	})
	return expected(err, "prove with a passkey", ErrCredentials)
}

// asked keeps the challenge of a question and returns its options.
func (s *Service) asked(ctx context.Context, q passkey.Question, err error, purpose models.ChallengePurpose, browser []byte) ([]byte, error) {
	return s.askedFor(ctx, q, err, models.PasskeyChallenge{Purpose: purpose, Browser: browser})
}

// askedFor is asked for a challenge of which is given whose and what for it is.
func (s *Service) askedFor(ctx context.Context, q passkey.Question, err error, of models.PasskeyChallenge) ([]byte, error) {
	if err == nil {
		of.Challenge, of.ExpiresAt = q.Challenge, s.now().Add(passkey.Lasts)
		err = models.InsertPasskeyChallenge(ctx, s.DB.Pool, of)
	}
	if err != nil {
		return nil, fmt.Errorf("merchants: ask for a passkey: %w", err)
	}
	return q.Options, nil
}

// take uses up the challenge of an answer, or fails with ErrCredentials if it is none of
// this browser's. It is used up whatever else is wrong with the answer.
func (s *Service) take(ctx context.Context, challenge []byte, purpose models.ChallengePurpose, browser []byte) error {
	taken, err := models.TakePasskeyChallenge(ctx, s.DB.Pool, challenge, purpose, browser, s.now())
	if err == nil && !taken {
		err = ErrCredentials
	}
	return err
}

// signed runs then if a passkey of the user signed the answer, in the transaction that
// notes it; else it fails with ErrCredentials. What does not count on is written down by
// a transaction that commits.
func (s *Service) signed(ctx context.Context, a *passkey.Answer, purpose models.ChallengePurpose, browser []byte, userID, ip string, then func(tx *models.Tx) error) error {
	if err := s.take(ctx, a.Challenge, purpose, browser); err != nil {
		return err
	}
	db := s.DB.WithContext(ctx)
	key, err := models.PasskeyByCredential(db, a.KeyID)
	if errors.Is(err, models.ErrNotFound) || err == nil && key.UserID != userID {
		return ErrCredentials
	} else if err != nil {
		return err
	}
	user, err := models.UserByID(db, userID)
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

// suspectCopy writes down that a device's count of signatures did not grow, as happens
// where there are two copies of a passkey. One that was removed meanwhile is no copy.
func (s *Service) suspectCopy(tx *models.Tx, key *models.Passkey, ip string) error {
	_, err := models.UserPasskey(tx.DB, key.UserID, key.ID)
	if errors.Is(err, models.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	return s.audit(tx, Actor{UserID: key.UserID, IP: ip}, "passkey.copy_suspected", key.ID, map[string]string{"name": key.Name})
}
