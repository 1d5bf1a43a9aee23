package merchants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"garoupa/models"
	"garoupa/passkey"
)

// MaxPasskeys is how many passkeys a person may have.
const MaxPasskeys = 10

// maxPasskeyName bounds the name of a passkey in characters.
const maxPasskeyName = 60

var (
	// ErrPasskeys reports that a person has as many passkeys as they may.
	ErrPasskeys = errors.New("merchants: the person has too many passkeys")
	// ErrPasskeyKnown reports a passkey that somebody has already.
	ErrPasskeyKnown = errors.New("merchants: the passkey is known")
	// ErrLastPasskey reports a passkey without which its person could not log in.
	ErrLastPasskey = errors.New("merchants: the person has no password and no other passkey")
)

// AskNewPasskey returns what the visitor's browser is asked so that it makes a passkey.
// It fails with ErrPasskeys.
func (s *Service) AskNewPasskey(ctx context.Context, v *models.Visitor) (options []byte, err error) {
	p, err := s.person(ctx, v.UserID)
	if err != nil {
		return nil, expected(err, "ask for a new passkey")
	}
	if len(p.Keys) >= MaxPasskeys {
		return nil, ErrPasskeys
	}
	q, err := s.Passkeys.AskNew(p)
	return s.asked(ctx, q, err, models.ChallengeAdd, v.TokenHash)
}

// AddPasskey keeps a passkey that the visitor's browser made, under a name of theirs, and
// tells them by mail. Its caller has just made sure who they are. The session counts as
// proven by a passkey. It fails with Invalid, ErrPasskeys, ErrPasskeyKnown, or
// ErrCredentials where the answer is to no question of this browser.
func (s *Service) AddPasskey(ctx context.Context, v *models.Visitor, by Actor, name string, a *passkey.NewAnswer) error {
	name, err := passkeyName(name)
	if err != nil {
		return err
	}
	if err := s.take(ctx, a.Challenge, models.ChallengeAdd, v.TokenHash); err != nil {
		return expected(err, "add a passkey", ErrCredentials)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, v.UserID)
		if err != nil {
			return err
		}
		all, err := models.UserPasskeys(tx.DB, user.ID)
		if err != nil {
			return err
		}
		if len(all) >= MaxPasskeys {
			return ErrPasskeys
		}
		key, err := s.Passkeys.Made(a, personOf(user, all))
		if errors.Is(err, passkey.ErrRefused) {
			return ErrCredentials
		} else if err != nil {
			return err
		}
		added := newPasskey(user.ID, name, key, s.now())
		if err := models.InsertPasskey(tx, added); err != nil {
			return err
		}
		if err := models.ProveSession(tx.DB, v.ID, s.now(), v.ExpiresAt, true); err != nil {
			return err
		}
		return s.tellOfPasskey(tx, by, user, added, "passkey.added", models.MailPasskeyAdded)
	})
	if models.Violates(err, models.PasskeysCredentialUnique) {
		return ErrPasskeyKnown
	}
	return expected(err, "add a passkey", ErrCredentials, ErrPasskeys)
}

func newPasskey(userID, name string, key passkey.Key, now time.Time) *models.Passkey {
	return &models.Passkey{
		ID: models.NewPasskeyID(), UserID: userID, Name: name, CredentialID: key.ID, PublicKey: key.PublicKey, SignCount: key.SignCount,
		Synced: key.Synced, CreatedAt: now,
	}
}

// RenamePasskey gives one of the actor's passkeys another name. It fails with Invalid,
// or models.ErrNotFound.
func (s *Service) RenamePasskey(ctx context.Context, by Actor, id, name string) error {
	name, err := passkeyName(name)
	if err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := models.LockUser(tx, by.UserID); err != nil {
			return err
		}
		p, err := models.UserPasskey(tx.DB, by.UserID, id)
		if err != nil || p.Name == name {
			return err
		}
		if err := models.RenamePasskey(tx, p.ID, name); err != nil {
			return err
		}
		c := change{map[string]string{"name": p.Name}, map[string]string{"name": name}}
		return s.auditChange(tx, by, "passkey.renamed", p.ID, c, nil)
	})
	return expected(err, "rename a passkey", models.ErrNotFound)
}

// RemovePasskey forgets one of the actor's passkeys, which logs in no more, and tells
// them by mail. Its caller has just made sure who they are. One that is gone is
// models.ErrNotFound; the last one of a person without a password is ErrLastPasskey.
func (s *Service) RemovePasskey(ctx context.Context, by Actor, id string) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, by.UserID)
		if err != nil {
			return err
		}
		p, err := models.UserPasskey(tx.DB, user.ID, id)
		if err != nil {
			return err
		}
		if user.PasswordHash == nil {
			all, err := models.UserPasskeys(tx.DB, user.ID)
			if err != nil || len(all) == 1 {
				return errors.Join(err, ErrLastPasskey)
			}
		}
		if deleted, err := models.DeletePasskey(tx, p.ID); err != nil || !deleted {
			return errors.Join(err, models.ErrNotFound)
		}
		return s.tellOfPasskey(tx, by, user, p, "passkey.removed", models.MailPasskeyRemoved)
	})
	return expected(err, "remove a passkey", models.ErrNotFound, ErrLastPasskey)
}

// tellOfPasskey writes down what was done about a passkey, and tells its person by mail.
func (s *Service) tellOfPasskey(tx *models.Tx, by Actor, user *models.User, p *models.Passkey, action, kind string) error {
	if err := s.audit(tx, by, action, p.ID, map[string]string{"name": p.Name}); err != nil {
		return err
	}
	return models.InsertMails(tx, models.Mail{
		Fact: kind + "/" + p.ID, To: user.Email, Language: user.Language, Kind: kind,
		Params:    map[string]string{"name": user.Name, "passkey": p.Name, "at": s.now().Format(time.RFC3339)},
		CreatedAt: s.now(),
	})
}

// passkeyName brings a name into the form in which it is kept, or fails with Invalid.
func passkeyName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	problems := Invalid{}
	problems.length("passkey_name", name, 1, maxPasskeyName)
	if !plain(name) {
		problems["passkey_name"] = Malformed
	}
	return name, problems.orNil()
}

// person is a user as their passkeys know them.
func (s *Service) person(ctx context.Context, userID string) (passkey.Person, error) {
	db := s.DB.WithContext(ctx)
	user, err := models.UserByID(db, userID)
	if err != nil {
		return passkey.Person{}, fmt.Errorf("read user %s: %w", userID, err)
	}
	all, err := models.UserPasskeys(db, userID)
	return personOf(user, all), err
}

func personOf(user *models.User, keys []models.Passkey) passkey.Person {
	p := passkey.Person{Handle: user.ID, Email: user.Email, Name: user.Name} // ids are random, and say nothing of whom
	for _, k := range keys {
		p.Keys = append(p.Keys, passkey.Key{ID: k.CredentialID, PublicKey: k.PublicKey, SignCount: k.SignCount, Synced: k.Synced})
	}
	return p
}
