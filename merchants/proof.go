package merchants

import (
	"context"
	"crypto/rand"
	"time"

	"garoupa/models"
)

// FormerTokenLasts is how long a session's former token stands for the session, with its former rights,
// so that a request of the browser that was on its way is not logged out.
const FormerTokenLasts = 10 * time.Second

// raise calls do in a transaction that raises the rights of the visitor's session and gives it a new
// token, v.NewToken, which the browser must store. So a person who knew the former token has no part in
// what the rise brings, and nothing after FormerTokenLasts. It fails with ErrCredentials if the session
// has another token by now: then another request of the browser was first, and its answer has the token.
func (s *Service) raise(ctx context.Context, v *models.Visitor, do func(tx *models.Tx) error) error {
	fresh := rand.Text()
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := models.LockUser(tx, v.UserID); err != nil { // before the session, as all who lock both
			return err
		}
		if err := s.renewToken(tx, v, fresh); err != nil {
			return err
		}
		return do(tx)
	})
	if err == nil {
		tookToken(v, fresh)
	}
	return err
}

// renewToken gives the visitor's session the new token, before the rest of tx raises the session's
// rights. A token that v got in the same request has not left the process, and stays.
func (s *Service) renewToken(tx *models.Tx, v *models.Visitor, fresh string) error {
	if v.NewToken != "" {
		return nil
	}
	now := s.now()
	renewed, err := models.RenewSessionToken(tx, v.ID, v.TokenHash, tokenHash(fresh), now.Add(FormerTokenLasts), now)
	if err == nil && !renewed {
		return ErrCredentials
	}
	return err
}

// tookToken stores in v the token of renewToken, once its transaction is committed.
func tookToken(v *models.Visitor, fresh string) {
	if v.NewToken == "" {
		v.NewToken, v.TokenHash = fresh, tokenHash(fresh)
	}
}

// sessionMark identifies the visitor's session, whatever its token, for challenges of passkeys.
func sessionMark(v *models.Visitor) []byte { return tokenHash("session/" + v.ID) }

// Prove records that the visitor has just proven their identity: by a code of the generator or a
// recovery code if they have a second factor, otherwise by the password. It fails with
// ErrCredentials. The session gets a new token (see raise).
func (s *Service) Prove(ctx context.Context, v *models.Visitor, proof string, from Browser) error {
	way := wayCode
	var err error
	if !v.TOTPEnrolled && !(v.HasPasskey && s.Passkeys != nil) {
		if s.SSOOnly {
			return ErrCredentials
		}
		way = wayPassword
		err = s.proveByPassword(ctx, v, proof)
	} else {
		err = s.raise(ctx, v, func(tx *models.Tx) error {
			if _, err := s.takeCode(tx, v.UserID, proof, from.IP); err != nil {
				return err
			}
			return models.ProveSession(ctx, tx, v.ID, s.now(), v.ExpiresAt, true)
		})
	}
	err = s.refused(ctx, err, failure{action: "session.proof_failed", userID: v.UserID, way: way, from: from})
	return expected(err, "prove", ErrCredentials)
}

// proveByPassword fails with ErrCredentials unless the password is the visitor's and the visitor
// has no second factor.
func (s *Service) proveByPassword(ctx context.Context, v *models.Visitor, password string) error {
	if err := s.passwordOf(ctx, v.UserID, password); err != nil {
		return err
	}
	return s.raise(ctx, v, func(tx *models.Tx) error {
		second, err := s.hasSecondFactor(tx, v.UserID)
		if err != nil {
			return err
		}
		if second {
			return ErrCredentials
		}
		return models.ProveSession(ctx, tx, v.ID, s.now(), v.ExpiresAt, false)
	})
}

// passwordOf fails with ErrCredentials unless the password is the user's.
func (s *Service) passwordOf(ctx context.Context, userID, password string) error {
	user, err := models.UserByID(ctx, s.DB, userID)
	if err != nil {
		return err
	}
	if matches, err := s.isPasswordOf(ctx, user, password); err != nil {
		return err
	} else if !matches {
		return ErrCredentials
	}
	return nil
}
