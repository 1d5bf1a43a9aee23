package merchants

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/auth/passkey"
	"garoupa/models"
)

// FirstPasskey is the passkey that a browser created for a person who signs up without a
// password.
type FirstPasskey struct {
	Name   string             // chosen by the person
	Answer *passkey.NewAnswer // nil means no passkey, which is an error once the rest is valid
}

// AskSignUpPasskey returns the options with which a browser creates the passkey of a person
// who signs up. The challenge is bound to the address and to the browser, which is identified
// by a secret that only the browser has. It fails with Invalid before a device creates a
// passkey in vain.
func (s *Service) AskSignUpPasskey(ctx context.Context, browser string, in NewMerchant) (options []byte, err error) {
	in, problems := in.checked()
	if err := s.free(ctx, in.Email, problems); err != nil {
		return nil, err
	}
	return s.askFirst(ctx, browser, in.Email, in.Name)
}

// SignUpWithPasskey is SignUp for a person with a passkey in place of a password, and
// returns the token of their first session. It fails with Invalid; with ErrCredentials if
// the answer belongs to no challenge of this browser for this address; and with
// ErrPasskeyKnown if the passkey is registered already, as when a form is sent twice.
func (s *Service) SignUpWithPasskey(ctx context.Context, browser string, in NewMerchant, first FirstPasskey,
	from Browser) (token string, err error) {
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

// AskJoinPasskey is AskSignUpPasskey for a person with the link of an invitation. It fails
// with ErrLink, Invalid, or ErrKnown.
func (s *Service) AskJoinPasskey(ctx context.Context, browser, token string, in Newcomer) (options []byte, err error) {
	i, in, err := s.newcomer(ctx, token, in)
	if err != nil {
		return nil, err
	}
	return s.askFirst(ctx, browser, i.Email, in.Name)
}

// JoinWithPasskey is JoinAsNewcomer for a person with a passkey in place of a password, and
// returns the token of their first session. It fails as AskJoinPasskey does, and as
// SignUpWithPasskey does for the passkey.
func (s *Service) JoinWithPasskey(ctx context.Context, browser, token string, in Newcomer, first FirstPasskey,
	from Browser) (session string, err error) {
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

// newcomer returns the invitation of a person who may join without a password, and their
// normalized answers.
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

// free fails with Invalid if there are problems, to which it adds one if the address is taken.
func (s *Service) free(ctx context.Context, email string, problems Invalid) error {
	if problems["email"] != "" {
		return problems
	}
	_, err := models.UserByEmail(ctx, s.DB, email)
	if err == nil {
		problems["email"] = Taken
	} else if !errors.Is(err, models.ErrNotFound) {
		return fmt.Errorf("merchants: look up an email address: %w", err)
	}
	return problems.orNil()
}

// askFirst creates the challenge for the passkey of a person who has no user yet.
func (s *Service) askFirst(ctx context.Context, browser, email, name string) (options []byte, err error) {
	userID := models.NewUserID()
	q, err := s.Passkeys.AskNew(passkey.Person{Handle: userID, Email: email, Name: name})
	return s.saveChallenge(ctx, q, err, models.PasskeyChallenge{Purpose: models.ChallengeSignUp,
		Browser: firstBrowser(browser, email), NewUserID: &userID})
}

// firstBrowser identifies a browser together with an address, so that an answer for another
// address does not match the challenge.
func firstBrowser(browser, email string) []byte { return tokenHash(browser + "\x00" + email) }

// begin creates a person with a first passkey and logs the person in, because the device has
// verified the person. insert writes the user. A wrong answer uses up its challenge.
func (s *Service) begin(ctx context.Context, browser, email string, first FirstPasskey, from Browser,
	insert func(tx *models.Tx, userID string) error) (token string, err error) {
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
		if err := s.audit(tx, models.Actor{UserID: userID, IP: from.IP}, "passkey.added", added.ID,
			map[string]string{"name": name}); err != nil {
			return err
		}
		token, err = s.startSession(tx, models.Session{UserID: userID, SecondFactor: true}, wayPasskey, from)
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

// known returns the reason why an answer matches no challenge: its passkey is already
// registered, or there never was such a challenge.
func (s *Service) known(tx *models.Tx, a *passkey.NewAnswer) error {
	_, err := models.PasskeyByCredential(tx.Context(), tx, a.KeyID)
	switch {
	case err == nil:
		return ErrPasskeyKnown
	case errors.Is(err, models.ErrNotFound):
		return ErrCredentials
	}
	return err
}
