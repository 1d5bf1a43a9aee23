package merchants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/input"
	"garoupa/models"
)

// How long links in mails are valid.
const (
	verifyWithin = 24 * time.Hour
	resetWithin  = time.Hour
)

// linksAnHour limits the mails with links of one purpose that a person gets in an hour,
// whether the person or a stranger requests them.
const linksAnHour = 5

// resendAfter is the shortest interval between two mails with a link.
const resendAfter = time.Minute

// resetTakes is the duration of AskReset for every address, so that its duration does not
// reveal whether the address is known.
const resetTakes = 300 * time.Millisecond

// ErrLink reports a link that we did not make, that was used, or that has expired.
var ErrLink = errors.New("merchants: the link no longer works")

// ErrTooSoon reports that a mail was requested again too soon.
var ErrTooSoon = errors.New("merchants: the mail was sent moments ago")

// ErrUnverified reports that a person must first prove their address.
var ErrUnverified = errors.New("merchants: the person's email is not verified")

// ErrVerified reports that a person has already proven their address.
var ErrVerified = errors.New("merchants: the person's email is already verified")

// sendLink creates a token and writes the mail with it.
func (s *Service) sendLink(tx *models.Tx, user *models.User, purpose models.TokenPurpose, kind string,
	within time.Duration) error {
	now := s.now()
	t := &models.Token{ID: models.NewTokenID(), Purpose: purpose, UserID: user.ID, Email: user.Email, CreatedAt: now,
		ExpiresAt: now.Add(within)}
	if err := models.InsertToken(tx, t); err != nil {
		return err
	}
	return models.InsertMails(tx, models.Mail{
		Fact: kind + "/" + t.ID, To: user.Email, Language: user.Language, Kind: kind, CreatedAt: now,
		Params: map[string]string{"name": user.Name, "token": t.ID},
	})
}

// link returns a link's token. It fails with ErrLink, also if the token was used.
func (s *Service) link(ctx context.Context, purpose models.TokenPurpose, token string) (*models.Token, error) {
	id, ours := s.Vault.TokenID(token)
	if !ours {
		return nil, ErrLink
	}
	t, err := models.TokenByID(ctx, s.DB, purpose, id, s.now())
	if errors.Is(err, models.ErrNotFound) || err == nil && t.UsedAt != nil {
		return nil, ErrLink
	} else if err != nil {
		return nil, fmt.Errorf("merchants: read link: %w", err)
	}
	return t, nil
}

// SendVerification sends the mail that proves a person's address again. It fails with
// ErrTooSoon or ErrVerified.
func (s *Service) SendVerification(ctx context.Context, by models.Actor) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := lockUnverified(tx, by.UserID)
		if err != nil {
			return err
		}
		return s.sendVerification(tx, user)
	})
	return expected(err, "send verification", ErrTooSoon, ErrVerified)
}

// lockUnverified locks a person whose address is not proven yet. It fails with ErrVerified.
func lockUnverified(tx *models.Tx, userID string) (*models.User, error) {
	user, err := models.LockUser(tx, userID)
	if err == nil && user.EmailVerifiedAt != nil {
		err = ErrVerified
	}
	return user, err
}

// VerificationDue returns the time from which the mail that proves a person's address may
// be sent again; zero if none was sent.
func (s *Service) VerificationDue(ctx context.Context, userID string) (time.Time, error) {
	sent, err := models.LatestToken(ctx, s.DB, models.TokenVerifyEmail, userID)
	if errors.Is(err, models.ErrNotFound) {
		return time.Time{}, nil
	} else if err != nil {
		return time.Time{}, fmt.Errorf("merchants: read when the verification was sent: %w", err)
	}
	return sent.CreatedAt.Add(resendAfter), nil
}

func (s *Service) sendVerification(tx *models.Tx, user *models.User) error {
	if err := s.mayAsk(tx, models.TokenVerifyEmail, user.ID); err != nil {
		return err
	}
	return s.sendLink(tx, user, models.TokenVerifyEmail, models.MailVerifyEmail, verifyWithin)
}

// mayAsk fails with ErrTooSoon if the person has reached the limit of links of the purpose.
func (s *Service) mayAsk(tx *models.Tx, purpose models.TokenPurpose, userID string) error {
	for within, most := range map[time.Duration]int64{resendAfter: 0, time.Hour: linksAnHour - 1} {
		n, err := models.TokensSince(tx, purpose, userID, s.now().Add(-within))
		if err != nil {
			return err
		}
		if n > most {
			return ErrTooSoon
		}
	}
	return nil
}

// CorrectEmail changes a person's address that is not proven yet, and sends the mail that proves it, also if the
// address is the same. It fails with Invalid, ErrTooSoon or ErrVerified. A proven address does not change.
func (s *Service) CorrectEmail(ctx context.Context, by models.Actor, email string) error {
	if email = normalEmail(email); !input.MemberEmail(email) {
		return Invalid{"email": Malformed}
	}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := lockUnverified(tx, by.UserID)
		if err != nil {
			return err
		}
		if user.Email == email {
			return s.sendVerification(tx, user)
		}
		before := user.Email
		user.Email = email
		if err := models.SetUserEmail(tx, user.ID, email); err != nil {
			return err
		}
		if err := s.auditChange(tx, by, "user.email_changed", user.ID,
			change{map[string]string{"email": before}, map[string]string{"email": email}}, nil); err != nil {
			return err
		}
		return s.sendVerification(tx, user)
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return Invalid{"email": Taken}
	}
	return expected(err, "correct email", ErrTooSoon, ErrVerified)
}

// CheckVerification returns the address that the link would prove. It fails with ErrLink.
func (s *Service) CheckVerification(ctx context.Context, token string) (email string, err error) {
	t, err := s.link(ctx, models.TokenVerifyEmail, token)
	if err != nil {
		return "", err
	}
	return t.Email, nil
}

// VerifyEmail proves the address that the link was sent to. It fails with ErrLink.
func (s *Service) VerifyEmail(ctx context.Context, token, ip string) error {
	t, err := s.link(ctx, models.TokenVerifyEmail, token)
	if err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if taken, err := models.TakeTokens(tx, t, s.now()); err != nil || !taken {
			return errors.Join(err, ErrLink)
		}
		return s.verified(tx, t.UserID, ip)
	})
	return expected(err, "verify email", ErrLink)
}

// verified records that the person has proven their address.
func (s *Service) verified(tx *models.Tx, userID, ip string) error {
	first, err := models.SetEmailVerified(tx, userID, s.now())
	if err != nil || !first {
		return err
	}
	return s.audit(tx, models.Actor{UserID: userID, IP: ip}, "user.email_verified", userID, nil)
}
