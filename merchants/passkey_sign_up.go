package merchants

import (
	"context"
	"errors"
	"fmt"

	"garoupa/models"
	"garoupa/passkey"
)

// FirstPasskey is what the browser of somebody who signs up without a password made.
type FirstPasskey struct {
	Name   string             // which the person knows it by
	Answer *passkey.NewAnswer // nil: there is none, which fails once the rest is found right
}

// AskSignUpPasskey returns what a browser is asked so that it makes the passkey of a
// person who signs up. The question is to that browser, which is known by a secret that
// only it keeps, and for that address. It fails with Invalid, before a device makes what
// would be of no use.
func (s *Service) AskSignUpPasskey(ctx context.Context, browser string, in NewMerchant) (options []byte, err error) {
	in, problems := in.checked()
	if err := s.free(ctx, in.Email, problems); err != nil {
		return nil, err
	}
	return s.askFirst(ctx, browser, in.Email, in.Name)
}

// SignUpWithPasskey is SignUp for a person with a passkey in place of a password, and
// returns the token of their first session. It fails with Invalid; with ErrCredentials
// where the answer is to no question of this browser for this address; and with
// ErrPasskeyKnown where the passkey is somebody's by now, as when a form is sent twice.
func (s *Service) SignUpWithPasskey(ctx context.Context, browser string, in NewMerchant, first FirstPasskey, from Browser) (token string, err error) {
	in, problems := in.checked()
	if len(problems) > 0 || first.Answer == nil {
		if err := s.free(ctx, in.Email, problems); err != nil {
			return "", err
		}
		return "", ErrCredentials
	}
	token, err = s.begin(ctx, browser, in.Email, first, from, func(tx *models.Tx, userID string) error {
		_, err := s.signUp(tx, in, models.User{ID: userID}, from.IP)
		return err
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return "", Invalid{"email": Taken}
	}
	return token, expected(err, "sign up with a passkey", ErrCredentials, ErrPasskeyKnown)
}

// AskJoinPasskey is AskSignUpPasskey for whom an invitation's link was sent. It fails with
// ErrLink, Invalid, or ErrKnown.
func (s *Service) AskJoinPasskey(ctx context.Context, browser, token string, in Newcomer) (options []byte, err error) {
	i, in, err := s.newcomer(ctx, token, in)
	if err != nil {
		return nil, err
	}
	return s.askFirst(ctx, browser, i.Email, in.Name)
}

// JoinWithPasskey is JoinAsNewcomer for a person with a passkey in place of a password,
// and returns the token of their first session. It fails as AskJoinPasskey does, and as
// SignUpWithPasskey does for what is wrong with the passkey.
func (s *Service) JoinWithPasskey(ctx context.Context, browser, token string, in Newcomer, first FirstPasskey, from Browser) (session string, err error) {
	i, in, err := s.newcomer(ctx, token, in)
	if err != nil {
		return "", err
	}
	if first.Answer == nil {
		return "", ErrCredentials
	}
	session, err = s.begin(ctx, browser, i.Email, first, from, func(tx *models.Tx, userID string) error {
		return s.joinAs(tx, i, in, models.User{ID: userID}, from.IP)
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return "", ErrKnown
	}
	return session, expected(err, "join with a passkey", ErrCredentials, ErrPasskeyKnown, ErrLink)
}

// newcomer returns the invitation of somebody who may join by it, without a password, and
// what they said as it is kept.
func (s *Service) newcomer(ctx context.Context, token string, in Newcomer) (*models.Invitation, Newcomer, error) {
	i, err := s.Invitation(ctx, token)
	if err != nil {
		return nil, in, err
	}
	if i.Known {
		return nil, in, ErrKnown
	}
	in, problems := in.checked()
	return i, in, problems.orNil()
}

// free fails with Invalid for the problems, to which it adds an address that is somebody's.
func (s *Service) free(ctx context.Context, email string, problems Invalid) error {
	if problems["email"] != "" {
		return problems
	}
	_, err := models.UserByEmail(s.DB.WithContext(ctx), email)
	if err == nil {
		problems["email"] = Taken
	} else if !errors.Is(err, models.ErrNotFound) {
		return fmt.Errorf("merchants: look for an e-mail: %w", err)
	}
	return problems.orNil()
}

// askFirst asks for the passkey of a person who is nobody yet.
func (s *Service) askFirst(ctx context.Context, browser, email, name string) (options []byte, err error) {
	userID := models.NewUserID()
	q, err := s.Passkeys.AskNew(passkey.Person{Handle: userID, Email: email, Name: name})
	return s.askedFor(ctx, q, err, models.PasskeyChallenge{Purpose: models.ChallengeSignUp, Browser: firstBrowser(browser, email), NewUserID: &userID})
}

// firstBrowser is who was asked for a first passkey, and for which address: an answer for
// another is to no question.
func firstBrowser(browser, email string) []byte { return tokenHash(browser + "\x00" + email) }

// begin makes a person with a first passkey, whom insert writes, and logs them in, for the
// device has verified them. What is wrong with an answer uses its question up.
func (s *Service) begin(ctx context.Context, browser, email string, first FirstPasskey, from Browser, insert func(tx *models.Tx, userID string) error) (token string, err error) {
	name, err := passkeyName(first.Name)
	if err != nil {
		return "", err
	}
	var refused error
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		userID, err := models.TakeSignUpChallenge(tx, first.Answer.Challenge, firstBrowser(browser, email), s.now())
		if errors.Is(err, models.ErrNotFound) {
			return s.known(tx, first.Answer)
		} else if err != nil {
			return err
		}
		key, err := s.Passkeys.Made(first.Answer, passkey.Person{Handle: userID, Email: email})
		if errors.Is(err, passkey.ErrRefused) {
			refused = ErrCredentials
			return nil
		} else if err != nil {
			return err
		}
		if err := insert(tx, userID); err != nil {
			return err
		}
		added := newPasskey(userID, name, key, s.now())
		if err := models.InsertPasskey(tx, added); err != nil {
			return err
		}
		if err := s.audit(tx, Actor{UserID: userID, IP: from.IP}, "passkey.added", added.ID, map[string]string{"name": name}); err != nil {
			return err
		}
		token, err = s.startSession(tx.DB, models.Session{UserID: userID, SecondFactor: true}, from)
		return err
	})
	if models.Violates(err, models.PasskeysCredentialUnique) {
		err = ErrPasskeyKnown
	}
	if err = errors.Join(err, refused); err != nil {
		return "", err
	}
	return token, nil
}

// known is why an answer is to no question: its passkey is somebody's, or it never was to
// one.
func (s *Service) known(tx *models.Tx, a *passkey.NewAnswer) error {
	_, err := models.PasskeyByCredential(tx.DB, a.KeyID)
	switch {
	case err == nil:
		return ErrPasskeyKnown
	case errors.Is(err, models.ErrNotFound):
		return ErrCredentials
	}
	return err
}
