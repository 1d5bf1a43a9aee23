package merchants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// changeWithin is how long the link to a new address is valid.
const changeWithin = time.Hour

// ErrEmailTaken reports an address that another person took before it was proven.
var ErrEmailTaken = errors.New("merchants: another person has the address")

// AskEmailChange sends a link to the new address of a person whose current address is proven,
// and notifies the current address. Nothing changes until the person follows the link. The
// link replaces an earlier one. For an address of another person the result is the same, but
// its owner is notified and no link is sent. The caller must have just verified the person. It
// fails with Invalid, ErrTooSoon, ErrUnverified, and with refusal.Forbidden for staff, whose
// addresses are changed on the server.
func (s *Service) AskEmailChange(ctx context.Context, by models.Actor, email string) error {
	if email = normalEmail(email); !input.MemberEmail(email) {
		return Invalid{"email": Malformed}
	}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, by.UserID)
		switch {
		case err != nil:
			return err
		case user.StaffRole != nil:
			return refusal.New(refusal.Forbidden, "The email of staff is changed on the server.")
		case user.EmailVerifiedAt == nil:
			return ErrUnverified
		case user.Email == email:
			return Invalid{"email": Taken}
		}
		if err := s.mayAsk(tx, models.TokenChangeEmail, user.ID); err != nil {
			return err
		}
		if _, err := models.EndTokens(tx, models.TokenChangeEmail, user.ID, s.now()); err != nil {
			return err
		}
		if err := s.sendEmailChange(tx, user, email); err != nil {
			return err
		}
		return s.audit(tx, by, "user.email_change_asked", user.ID, map[string]string{"email": email})
	})
	if problems, ok := errors.AsType[Invalid](err); ok {
		return problems
	}
	return expected(err, "request another email address", ErrTooSoon, ErrUnverified)
}

// sendEmailChange creates the token and writes the mails about it.
func (s *Service) sendEmailChange(tx *models.Tx, user *models.User, email string) error {
	now := s.now()
	t := &models.Token{ID: models.NewTokenID(), Purpose: models.TokenChangeEmail, UserID: user.ID, Email: email,
		CreatedAt: now, ExpiresAt: now.Add(changeWithin)}
	if err := models.InsertToken(tx, t); err != nil {
		return err
	}
	there := models.Mail{
		To: email, Language: user.Language, Kind: models.MailEmailChange,
		Params: map[string]string{"name": user.Name, "token": t.ID},
	}
	owner, err := models.UserByEmail(tx.Context(), tx, email)
	switch {
	case err == nil:
		there.Language, there.Kind = owner.Language, models.MailEmailTaken
		there.Params = map[string]string{"name": owner.Name, "email": email}
	case !errors.Is(err, models.ErrNotFound):
		return err
	}
	here := models.Mail{
		To: user.Email, Language: user.Language, Kind: models.MailEmailChangeAsked,
		Params: map[string]string{"name": user.Name, "email": email, "at": now.Format(time.RFC3339)},
	}
	for _, mail := range []*models.Mail{&there, &here} {
		mail.Fact, mail.CreatedAt = mail.Kind+"/"+t.ID, now
	}
	return models.InsertMails(tx, there, here)
}

// CancelEmailChange cancels the pending change, if there is one.
func (s *Service) CancelEmailChange(ctx context.Context, by models.Actor) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		open, err := models.EndTokens(tx, models.TokenChangeEmail, by.UserID, s.now())
		if err != nil || !open {
			return err
		}
		return s.audit(tx, by, "user.email_change_cancelled", by.UserID, nil)
	})
	return expected(err, "cancel the change of an email")
}

// NewEmail returns the address that the link would set, or ErrLink.
func (s *Service) NewEmail(ctx context.Context, token string) (string, error) {
	t, err := s.link(ctx, models.TokenChangeEmail, token)
	if err != nil {
		return "", err
	}
	return t.Email, nil
}

// ChangeEmail sets the address to which the link was sent, and ends the person's sessions
// except the one with sessionID, if it is theirs. The visitor may be logged out: then by has
// no user. It fails with ErrLink or ErrEmailTaken.
func (s *Service) ChangeEmail(ctx context.Context, token string, by models.Actor, sessionID string) error {
	t, err := s.link(ctx, models.TokenChangeEmail, token)
	if err != nil {
		return err
	}
	if by.UserID != t.UserID {
		by, sessionID = models.Actor{UserID: t.UserID, IP: by.IP, RequestID: by.RequestID}, ""
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, t.UserID)
		if err != nil {
			return err
		}
		if user.StaffRole != nil { // the person joined the staff after the request
			return ErrLink
		}
		if taken, err := models.TakeTokens(tx, t, s.now()); err != nil || !taken {
			return errors.Join(err, ErrLink)
		}
		if err := models.SetProvenEmail(tx, user.ID, t.Email, s.now()); err != nil {
			return err
		}
		if _, err := models.DeleteOtherSessions(tx, user.ID, sessionID); err != nil {
			return err
		}
		return s.tellEmailChanged(tx, by, user, t)
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return ErrEmailTaken
	}
	return expected(err, "change email", ErrLink)
}

// tellEmailChanged writes the change to the audit log, and notifies the old address.
func (s *Service) tellEmailChanged(tx *models.Tx, by models.Actor, user *models.User, t *models.Token) error {
	c := change{map[string]string{"email": user.Email}, map[string]string{"email": t.Email}}
	if err := s.auditChange(tx, by, "user.email_replaced", user.ID, c, nil); err != nil {
		return err
	}
	return models.InsertMails(tx, models.Mail{
		Fact: fmt.Sprintf("%s/%s", models.MailEmailChanged, t.ID), To: user.Email, Language: user.Language,
		Kind: models.MailEmailChanged, CreatedAt: s.now(),
		Params: map[string]string{"name": user.Name, "email": t.Email, "at": s.now().Format(time.RFC3339)},
	})
}
