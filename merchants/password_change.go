package merchants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/input"
	"garoupa/models"
)

// AskReset sends a mail for choosing another password to the person with the address. Neither
// its result nor its duration reveals whether the address is known.
func (s *Service) AskReset(ctx context.Context, email string) error {
	done := time.After(resetTakes)
	err := s.sendReset(ctx, normalEmail(email))
	select {
	case <-done:
	case <-ctx.Done():
	}
	if err != nil {
		return fmt.Errorf("merchants: request a password reset: %w", err)
	}
	return nil
}

func (s *Service) sendReset(ctx context.Context, email string) error {
	if !input.Storable(email) {
		return nil
	}
	user, err := models.UserByEmail(ctx, s.DB, email)
	if errors.Is(err, models.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := models.LockUser(tx, user.ID); err != nil {
			return err
		}
		n, err := models.TokensSince(tx, models.TokenResetPassword, user.ID, s.now().Add(-time.Hour))
		if err != nil || n >= linksAnHour {
			return err
		}
		return s.sendLink(tx, user, models.TokenResetPassword, models.MailResetPassword, resetWithin)
	})
}

// CheckReset fails with ErrLink unless the link would change a password. It reports whether the
// person's passkeys would be removed.
func (s *Service) CheckReset(ctx context.Context, token string) (replaces bool, err error) {
	t, err := s.link(ctx, models.TokenResetPassword, token)
	if err != nil {
		return false, err
	}
	user, err := models.UserByID(ctx, s.DB, t.UserID)
	if err != nil {
		return false, fmt.Errorf("merchants: read the person of a link: %w", err)
	}
	return replacesFactors(user), nil
}

// replacesFactors reports whether a link to reset the password replaces the person's passkeys.
func replacesFactors(user *models.User) bool {
	return user.EmailVerifiedAt == nil || user.PasswordHash == nil && user.TOTPSince == nil
}

// ResetPassword changes the password of the person to whom the link was sent, and ends all
// sessions of the person. A code generator and passkeys stay, and the log-in needs them after the
// new password, with two exceptions. If the address was not proven, another person may have signed
// up with it, and must not be able to log in: both go. Passkeys of a person who had neither a
// password nor a generator go too: the link replaces them, as they may be lost. It fails with
// ErrLink or Invalid.
func (s *Service) ResetPassword(ctx context.Context, token, password, ip string) error {
	t, err := s.link(ctx, models.TokenResetPassword, token)
	if err != nil {
		return err
	}
	if err := s.checkPassword(ctx, t.UserID, password); err != nil {
		return err
	}
	hash, err := s.hashed(ctx, password)
	if err != nil {
		return expected(err, "reset password")
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if taken, err := models.TakeTokens(tx, t, s.now()); err != nil || !taken {
			return errors.Join(err, ErrLink)
		}
		user, err := models.LockUser(tx, t.UserID)
		if err != nil {
			return err
		}
		if replacesFactors(user) {
			if err := s.forgetFactors(tx, models.Actor{UserID: user.ID, IP: ip}); err != nil {
				return err
			}
		}
		if err := s.verified(tx, t.UserID, ip); err != nil { // the person received the mail with this link
			return err
		}
		// The person reads mail there.
		if err := models.InsertLogInPlaces(tx, user.ID, s.places(Browser{IP: ip}), s.now()); err != nil {
			return err
		}
		return s.setPassword(tx, models.Actor{UserID: t.UserID, IP: ip}, hash, "")
	})
	return expected(err, "reset password", ErrLink)
}

// forgetFactors deletes all of a person's means of logging in, except the password.
func (s *Service) forgetFactors(tx *models.Tx, by models.Actor) error {
	all, err := models.UserPasskeys(tx.Context(), tx, by.UserID)
	if err != nil {
		return err
	}
	for _, p := range all {
		if _, err := models.DeletePasskey(tx, p.ID); err != nil {
			return err
		}
		if err := s.audit(tx, by, "passkey.removed", p.ID, map[string]string{"name": p.Name}); err != nil {
			return err
		}
	}
	if err := models.DeleteRecoveryCodes(tx, by.UserID); err != nil {
		return err
	}
	if stopped, err := models.StopTOTP(tx, by.UserID); err != nil || !stopped {
		return err
	}
	return s.audit(tx, by, "user.totp_disabled", by.UserID, nil)
}

// FirstPassword sets the password of a visitor who has none, and ends the visitor's other
// sessions. The log-in with it needs a passkey, too, so the visitor gets recovery codes, which
// cannot be shown again. The caller must have just verified the person. It fails with Invalid, or
// with ErrCredentials if the visitor already has a password. The session gets a new token (see raise).
func (s *Service) FirstPassword(
	ctx context.Context, v *models.Visitor, by models.Actor, password string,
) (recovery []string, err error) {
	if err := s.checkPassword(ctx, v.UserID, password); err != nil {
		return nil, err
	}
	hash, err := s.hashed(ctx, password)
	if err != nil {
		return nil, expected(err, "set a first password")
	}
	err = s.raise(ctx, v, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, v.UserID)
		if err != nil {
			return err
		}
		if user.PasswordHash != nil {
			return ErrCredentials
		}
		if err := s.setPassword(tx, by, hash, v.ID); err != nil {
			return err
		}
		user.PasswordHash = &hash
		recovery, err = s.firstRecoveryCodes(tx, user)
		return err
	})
	if err != nil {
		return nil, expected(err, "set a first password", ErrCredentials)
	}
	return recovery, nil
}

// ChangePassword changes the visitor's password if current is correct, and ends the visitor's
// other sessions. It fails with ErrCredentials or Invalid. The session gets a new token (see raise).
func (s *Service) ChangePassword(
	ctx context.Context, v *models.Visitor, by models.Actor, current, password string,
) error {
	if err := s.passwordOf(ctx, v.UserID, current); err != nil {
		err = s.refused(ctx, err, failure{action: "session.proof_failed", userID: v.UserID, way: wayPassword,
			from: Browser{IP: by.IP, RequestID: by.RequestID}})
		return expected(err, "change password", ErrCredentials)
	}
	if err := s.checkPassword(ctx, v.UserID, password); err != nil {
		return err
	}
	hash, err := s.hashed(ctx, password)
	if err != nil {
		return expected(err, "change password")
	}
	err = s.raise(ctx, v, func(tx *models.Tx) error { return s.setPassword(tx, by, hash, v.ID) })
	return expected(err, "change password", ErrCredentials)
}

// setPassword writes a person's new password, ends the person's sessions except one, cancels a
// pending change of address and links to reset the password, which another person may have
// requested, and notifies the person.
func (s *Service) setPassword(tx *models.Tx, by models.Actor, hash, sparedSession string) error {
	user, err := models.LockUser(tx, by.UserID)
	if err != nil {
		return err
	}
	if err := models.SetPasswordHash(tx, user.ID, hash); err != nil {
		return err
	}
	if _, err := models.DeleteOtherSessions(tx, user.ID, sparedSession); err != nil {
		return err
	}
	for _, purpose := range []models.TokenPurpose{models.TokenChangeEmail, models.TokenResetPassword} {
		if _, err := models.EndTokens(tx, purpose, user.ID, s.now()); err != nil {
			return err
		}
	}
	return s.tellUser(tx, by, user, "user.password_changed", models.MailPasswordChanged)
}

// EndSession ends one of a person's sessions by its id. It fails with models.ErrNotFound for
// an unknown session.
func (s *Service) EndSession(ctx context.Context, by models.Actor, id string) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		deleted, err := models.DeleteUserSession(tx, by.UserID, id)
		if err != nil {
			return err
		}
		if !deleted {
			return models.ErrNotFound
		}
		return s.audit(tx, by, "session.ended", id, nil)
	})
	return expected(err, "end session", models.ErrNotFound)
}

// EndOtherSessions ends all of the visitor's sessions except the current one.
func (s *Service) EndOtherSessions(ctx context.Context, v *models.Visitor, by models.Actor) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		n, err := models.DeleteOtherSessions(tx, v.UserID, v.ID)
		if err != nil || n == 0 {
			return err
		}
		return s.audit(tx, by, "session.others_ended", v.ID, map[string]string{"ended": fmt.Sprint(n)})
	})
	return expected(err, "end other sessions")
}
