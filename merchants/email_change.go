package merchants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/fault"
	"garoupa/models"
)

// changeWithin is how long the link to a new address works.
const changeWithin = time.Hour

// ErrEmailTaken reports an address that became somebody else's before it was proven.
var ErrEmailTaken = errors.New("merchants: somebody else has the address")

// AskEmailChange sends a link to the address that a person wants in place of their proven
// one, and tells the one that they have. Nothing changes until the link is followed; it
// takes the place of one that was sent before. An address that is somebody else's is
// answered the same: its owner is told, and no link is sent. The caller has just made
// sure who the person is. It fails with Invalid, ErrTooSoon, ErrUnverified, and with
// fault.Forbidden for staff, whose addresses are given by who runs the server.
func (s *Service) AskEmailChange(ctx context.Context, by Actor, email string) error {
	if email = normalEmail(email); !validEmail(email) {
		return Invalid{"email": Malformed}
	}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, by.UserID)
		switch {
		case err != nil:
			return err
		case user.StaffRole != nil:
			return fault.New(fault.Forbidden, "The email of staff is set by whoever runs the server.")
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
	return expected(err, "ask for another e-mail", ErrTooSoon, ErrUnverified)
}

// sendEmailChange makes the token and writes the mails about it.
func (s *Service) sendEmailChange(tx *models.Tx, user *models.User, email string) error {
	now := s.now()
	t := &models.Token{ID: models.NewTokenID(), Purpose: models.TokenChangeEmail, UserID: user.ID, Email: email, CreatedAt: now, ExpiresAt: now.Add(changeWithin)}
	if err := models.InsertToken(tx, t); err != nil {
		return err
	}
	there := models.Mail{
		To: email, Language: user.Language, Kind: models.MailEmailChange, Params: map[string]string{"name": user.Name, "token": t.ID},
	}
	owner, err := models.UserByEmail(tx.DB, email)
	switch {
	case err == nil:
		there.Language, there.Kind, there.Params = owner.Language, models.MailEmailTaken, map[string]string{"name": owner.Name, "email": email}
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

// CancelEmailChange takes the wish back. It does nothing where there is none.
func (s *Service) CancelEmailChange(ctx context.Context, by Actor) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		open, err := models.EndTokens(tx, models.TokenChangeEmail, by.UserID, s.now())
		if err != nil || !open {
			return err
		}
		return s.audit(tx, by, "user.email_change_cancelled", by.UserID, nil)
	})
	return expected(err, "cancel the change of an e-mail")
}

// NewEmail returns the address that the link would give its person, or ErrLink.
func (s *Service) NewEmail(ctx context.Context, token string) (string, error) {
	t, err := s.link(ctx, models.TokenChangeEmail, token)
	if err != nil {
		return "", err
	}
	return t.Email, nil
}

// ChangeEmail gives the person who asked for the link the address that it was sent to,
// and ends their sessions save the one with an id, if it is theirs. Who brings the link
// need not be logged in: by is then where they are, and nobody. It fails with ErrLink,
// and with ErrEmailTaken.
func (s *Service) ChangeEmail(ctx context.Context, token string, by Actor, sessionID string) error {
	t, err := s.link(ctx, models.TokenChangeEmail, token)
	if err != nil {
		return err
	}
	if by.UserID != t.UserID {
		by, sessionID = Actor{UserID: t.UserID, IP: by.IP, RequestID: by.RequestID}, ""
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, t.UserID)
		if err != nil {
			return err
		}
		if user.StaffRole != nil { // since they asked
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
	return expected(err, "change e-mail", ErrLink)
}

// tellEmailChanged keeps the change in the log, and tells the address that was.
func (s *Service) tellEmailChanged(tx *models.Tx, by Actor, user *models.User, t *models.Token) error {
	c := change{map[string]string{"email": user.Email}, map[string]string{"email": t.Email}}
	if err := s.auditChange(tx, by, "user.email_replaced", user.ID, c, nil); err != nil {
		return err
	}
	return models.InsertMails(tx, models.Mail{
		Fact: fmt.Sprintf("%s/%s", models.MailEmailChanged, t.ID), To: user.Email, Language: user.Language, Kind: models.MailEmailChanged, CreatedAt: s.now(),
		Params: map[string]string{"name": user.Name, "email": t.Email, "at": s.now().Format(time.RFC3339)},
	})
}
