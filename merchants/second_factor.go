package merchants

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"garoupa/internal/auth/totp"
	"garoupa/models"
)

// recoveryCodes is the number of recovery codes.
const recoveryCodes = 10

// recoveryLength is the length of a recovery code in characters of 5 bits, without the hyphens. 125 bits
// cannot be guessed from their digest. Codes of formerRecoveryLength, which were made before, still work.
const (
	recoveryLength       = 25
	formerRecoveryLength = 10
)

// isRecovery reports whether a code without its hyphens has the length of a recovery code.
func isRecovery(code string) bool {
	return len(code) == recoveryLength || len(code) == formerRecoveryLength
}

// recoveryLetters are Crockford's, which are hard to confuse.
const recoveryLetters = "0123456789abcdefghjkmnpqrstvwxyz"

// ErrEnrolled reports that a code generator is in use already.
var ErrEnrolled = errors.New("merchants: a code generator is in use")

// BeginTOTP returns the secret for a person's code generator, to be shown to the person. The
// secret has no effect before EnrollTOTP, and stays the same until then. It fails with
// ErrEnrolled.
func (s *Service) BeginTOTP(ctx context.Context, userID string) (secret string, err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, userID)
		if err != nil {
			return err
		}
		if user.TOTPSince != nil {
			return ErrEnrolled
		}
		if secret, err = s.totpSecret(user); err == nil && secret != "" {
			return nil
		}
		secret = totp.NewSecret()
		_, err = models.SetTOTPSecret(tx, userID, s.Vault.Seal(models.SealedTOTPSecret.Place(userID), secret))
		return err
	})
	if err != nil && !errors.Is(err, ErrEnrolled) {
		return "", fmt.Errorf("merchants: begin a code generator: %w", err)
	}
	return secret, err
}

// totpSecret returns the user's secret, or "" if there is none.
func (s *Service) totpSecret(user *models.User) (string, error) {
	if user.TOTPSecret == nil {
		return "", nil
	}
	return s.Vault.Open(models.SealedTOTPSecret.Place(user.ID), user.TOTPSecret)
}

// EnrollTOTP makes the visitor's log-in require codes, after a correct code has proven that the
// generator works, and returns recovery codes, which cannot be shown again. The session counts
// as proven by a code, and gets a new token (see raise). It fails with ErrCredentials or ErrEnrolled.
func (s *Service) EnrollTOTP(
	ctx context.Context, v *models.Visitor, by models.Actor, code string,
) (recovery []string, err error) {
	err = s.raise(ctx, v, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, v.UserID)
		if err != nil {
			return err
		}
		secret, err := s.totpSecret(user)
		if err != nil {
			return err
		}
		step, ok := totp.Match(secret, plainCode(code), s.now())
		if !ok {
			return ErrCredentials
		}
		if started, err := models.StartTOTP(tx, user.ID, step, s.now()); err != nil || !started {
			return errors.Join(err, ErrEnrolled)
		}
		if recovery, err = s.newRecoveryCodes(tx, user.ID); err != nil {
			return err
		}
		if err := models.ProveSession(ctx, tx, v.ID, s.now(), v.ExpiresAt, true); err != nil {
			return err
		}
		return s.tellUser(tx, by, user, "user.totp_enrolled", models.MailTOTPEnrolled)
	})
	return recovery, expected(err, "enrol a code generator", ErrCredentials, ErrEnrolled)
}

// hasSecondFactor reports whether a person has a code generator or a usable passkey, and keeps
// that true until tx ends.
func (s *Service) hasSecondFactor(tx *models.Tx, userID string) (bool, error) {
	if _, err := models.LockUser(tx, userID); err != nil {
		return false, err
	}
	return s.factorsOf(tx, userID)
}

// factorsOf is hasSecondFactor for a user whom the caller has locked.
func (s *Service) factorsOf(tx *models.Tx, userID string) (bool, error) {
	code, passkey := false, false
	err := tx.PGX(func(ctx context.Context, conn models.Querier) (err error) {
		code, passkey, err = models.SecondFactors(ctx, conn, userID)
		return err
	})
	return code || passkey && s.Passkeys != nil, err
}

// DisableTOTP turns off codes for a person's log-in. The caller must have just verified the
// person.
func (s *Service) DisableTOTP(ctx context.Context, by models.Actor) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, by.UserID)
		if err != nil {
			return err
		}
		if stopped, err := models.StopTOTP(tx, user.ID); err != nil || !stopped {
			return err
		}
		if err := models.DeleteIdleRecoveryCodes(tx, user.ID); err != nil {
			return err
		}
		return s.tellUser(tx, by, user, "user.totp_disabled", models.MailTOTPDisabled)
	})
	return expected(err, "disable the code generator")
}

// RenewRecoveryCodes returns new recovery codes and invalidates the old ones. The caller must
// have just verified the person.
func (s *Service) RenewRecoveryCodes(ctx context.Context, by models.Actor) (recovery []string, err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if recovery, err = s.newRecoveryCodes(tx, by.UserID); err != nil {
			return err
		}
		return s.audit(tx, by, "user.recovery_codes_renewed", by.UserID, nil)
	})
	return recovery, expected(err, "renew recovery codes")
}

// LogInWithCode finishes the log-in of a session that waits for a code, or adds a code to a
// session that began without one, and returns the session's new token: the old one, which was worth less,
// ends. The code is the generator's or a recovery code; each is accepted once. It fails with
// ErrCredentials, or models.ErrNotFound if there is no such session.
func (s *Service) LogInWithCode(ctx context.Context, token, code string, from Browser) (fresh string, err error) {
	userID := ""
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		session, err := models.SessionByToken(ctx, tx, tokenHash(token), s.now())
		if err != nil {
			return err
		}
		userID = session.UserID
		way, err := s.takeCode(tx, userID, code, from.IP)
		if err != nil {
			return err
		}
		fresh = rand.Text()
		return s.completeLogIn(tx, session, fresh, way, from)
	})
	if err != nil {
		err = s.refused(ctx, err, failure{action: "session.code_failed", userID: userID, way: wayCode, from: from})
		return "", expected(err, "log in with a code", ErrCredentials, models.ErrNotFound)
	}
	return fresh, nil
}

// completeLogIn gives a session, whose person has just shown a code, the new token and access.
func (s *Service) completeLogIn(tx *models.Tx, session *models.Session, fresh, way string, from Browser) error {
	now := s.now()
	renewed, err := models.RenewSessionToken(tx, session.ID, session.TokenHash, tokenHash(fresh),
		now.Add(FormerTokenLasts), now)
	if err != nil || !renewed {
		return errors.Join(err, models.ErrNotFound)
	}
	user, err := models.UserByID(tx.Context(), tx, session.UserID)
	if err != nil {
		return err
	}
	ends := endOf(session.CreatedAt, now, user.StaffRole != nil)
	err = models.ProveSession(tx.Context(), tx, session.ID, now, ends, true)
	if err != nil || !session.AwaitsCode {
		return err
	}
	if err := s.noteDevice(tx, session, way, from); err != nil {
		return err
	}
	if err := models.SetSessionDevice(tx, session.ID, session.DeviceID); err != nil {
		return err
	}
	return s.recordSession(tx, "session.started", session, way, from)
}

// takeCode uses up a code of the user's generator, or a recovery code, and returns which of the two.
func (s *Service) takeCode(tx *models.Tx, userID, code, ip string) (way string, err error) {
	code = plainCode(code)
	user, err := models.LockUser(tx, userID)
	if err != nil {
		return "", err
	}
	if isRecovery(code) {
		taken, err := models.TakeRecoveryCode(tx, userID, s.recoveryDigest(userID, code), s.now())
		if err != nil || !taken {
			return "", errors.Join(err, ErrCredentials)
		}
		return wayRecovery, s.tellUser(tx, models.Actor{UserID: userID, IP: ip}, user, "user.recovery_code_used",
			models.MailRecoveryCodeUsed)
	}
	if user.TOTPSince == nil {
		return "", ErrCredentials
	}
	secret, err := s.totpSecret(user)
	if err != nil {
		return "", err
	}
	step, ok := totp.Match(secret, code, s.now())
	if !ok {
		return "", ErrCredentials
	}
	taken, err := models.TakeTOTPStep(tx, userID, step)
	if err != nil || !taken {
		return "", errors.Join(err, ErrCredentials)
	}
	return wayCode, nil
}

// plainCode normalizes the ways in which people write a code.
func plainCode(code string) string {
	code = strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(strings.ToLower(code))
	if isRecovery(code) {
		code = strings.NewReplacer("o", "0", "i", "1", "l", "1").Replace(code)
	}
	return code
}

// firstRecoveryCodes returns recovery codes for a person who logs in with a password and then a
// passkey, and could lose it. It returns none if the person logs in otherwise or has codes.
func (s *Service) firstRecoveryCodes(tx *models.Tx, user *models.User) (codes []string, err error) {
	if user.PasswordHash == nil {
		return nil, nil
	}
	second, err := s.factorsOf(tx, user.ID)
	if err != nil || !second {
		return nil, err
	}
	has, err := models.HasRecoveryCodes(tx, user.ID)
	if err != nil || has {
		return nil, err
	}
	return s.newRecoveryCodes(tx, user.ID)
}

// newRecoveryCodes replaces the user's recovery codes and returns them, in groups of five characters.
func (s *Service) newRecoveryCodes(tx *models.Tx, userID string) (codes []string, err error) {
	digests := make([][]byte, 0, recoveryCodes)
	for range recoveryCodes {
		code := make([]byte, recoveryLength)
		rand.Read(code) // never fails since Go 1.24
		for i, b := range code {
			code[i] = recoveryLetters[b%32]
		}
		digests = append(digests, s.recoveryDigest(userID, string(code)))
		groups := slices.Collect(slices.Chunk(code, 5))
		codes = append(codes, string(bytes.Join(groups, []byte("-"))))
	}
	return codes, models.ReplaceRecoveryCodes(tx, userID, digests)
}

// recoveryDigest returns the stored form of a recovery code. It uses a key, because former codes
// have only 50 bits and could be guessed from a stolen plain hash.
func (s *Service) recoveryDigest(userID, code string) []byte {
	h := hmac.New(sha256.New, s.Vault.Key("recovery codes"))
	h.Write([]byte(userID + "/" + code))
	return h.Sum(nil)
}

// tellUser writes the audit line of a change to a person's log-in, and notifies the person by
// mail, in case another person made the change.
func (s *Service) tellUser(tx *models.Tx, by models.Actor, user *models.User, action, kind string) error {
	if err := s.audit(tx, by, action, user.ID, nil); err != nil {
		return err
	}
	return models.InsertMails(tx, models.Mail{
		Fact: fmt.Sprintf("%s/%s/%d", kind, user.ID, s.now().UnixMilli()), To: user.Email,
		Language: user.Language, Kind: kind,
		Params: map[string]string{"name": user.Name, "at": s.now().Format(time.RFC3339)}, CreatedAt: s.now(),
	})
}

// expected returns an error of told unchanged, and wraps any other error with the operation in
// doing.
func expected(err error, doing string, told ...error) error {
	if err == nil {
		return nil
	}
	for _, t := range told {
		if errors.Is(err, t) {
			return t
		}
	}
	return fmt.Errorf("merchants: %s: %w", doing, err)
}
