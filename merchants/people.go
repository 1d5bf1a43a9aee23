package merchants

import (
	"context"
	"strconv"

	"garoupa/models"
)

// EndSessionsOf ends all sessions of the person with the address, of staff or not, and returns their
// number. Only commands on the server may call it. It fails with models.ErrNotFound.
func (s *Service) EndSessionsOf(ctx context.Context, email string) (ended int64, err error) {
	err = s.asOperator(ctx, email, func(tx *models.Tx, user *models.User) error {
		ended, err = s.endSessions(tx, user)
		return err
	})
	return ended, expected(err, "end a person's sessions", models.ErrNotFound)
}

// RemoveFactors removes the code generator, the recovery codes and the passkeys of the person with the
// address, who has lost them, ends the person's sessions, and tells the person. Passkeys of a person
// without a password stay: a link to reset the password removes them. Only commands on the server may
// call it, once the person's identity was verified. It fails with models.ErrNotFound.
func (s *Service) RemoveFactors(ctx context.Context, email string) error {
	err := s.asOperator(ctx, email, func(tx *models.Tx, user *models.User) error {
		operator := models.Actor{UserID: models.ActorSystem}
		stopped, err := models.StopTOTP(tx, user.ID)
		if err != nil {
			return err
		}
		if stopped {
			if err := s.tellUser(tx, operator, user, "user.totp_disabled", models.MailTOTPDisabled); err != nil {
				return err
			}
		}
		if err := s.removePasskeys(tx, operator, user); err != nil {
			return err
		}
		if err := models.DeleteIdleRecoveryCodes(tx, user.ID); err != nil {
			return err
		}
		_, err = s.endSessions(tx, user)
		return err
	})
	return expected(err, "remove a person's second factors", models.ErrNotFound)
}

// removePasskeys removes all passkeys of a person who has a password, too.
func (s *Service) removePasskeys(tx *models.Tx, by models.Actor, user *models.User) error {
	if user.PasswordHash == nil {
		return nil
	}
	all, err := models.UserPasskeys(tx.Context(), tx, user.ID)
	if err != nil {
		return err
	}
	for _, p := range all {
		if _, err := models.DeletePasskey(tx, p.ID); err != nil {
			return err
		}
		if err := s.tellOfPasskey(tx, by, user, &p, "passkey.removed", models.MailPasskeyRemoved); err != nil {
			return err
		}
	}
	return nil
}

// asOperator calls change for the person with the address, whose row it locks.
func (s *Service) asOperator(
	ctx context.Context, email string, change func(tx *models.Tx, user *models.User) error,
) error {
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		found, err := models.UserByEmail(ctx, tx, normalEmail(email))
		if err != nil {
			return err
		}
		user, err := models.LockUser(tx, found.ID)
		if err != nil {
			return err
		}
		return change(tx, user)
	})
}

// endSessions ends all sessions of a person, with a line of the audit log if there were any.
func (s *Service) endSessions(tx *models.Tx, user *models.User) (ended int64, err error) {
	if ended, err = models.DeleteOtherSessions(tx, user.ID, ""); err != nil || ended == 0 {
		return ended, err
	}
	return ended, s.audit(tx, models.Actor{UserID: models.ActorSystem}, "user.sessions_ended", user.ID,
		map[string]string{"ended": strconv.FormatInt(ended, 10)})
}
