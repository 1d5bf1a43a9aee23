package merchants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/auth/passkey"
	"garoupa/internal/input"
	"garoupa/models"
)

// MaxPasskeys is the number of passkeys that a person may have.
const MaxPasskeys = 10

// maxPasskeyName limits the name of a passkey, in characters.
const maxPasskeyName = 60

var (
	// ErrPasskeys reports that a person has the largest allowed number of passkeys.
	ErrPasskeys = errors.New("merchants: the person has too many passkeys")
	// ErrPasskeyKnown reports a passkey that is already registered.
	ErrPasskeyKnown = errors.New("merchants: the passkey is known")
	// ErrLastPasskey reports that a person could not log in without the passkey.
	ErrLastPasskey = errors.New("merchants: the person has no password and no other passkey")
)

// AskNewPasskey returns the options with which the visitor's browser creates a passkey. It
// fails with ErrPasskeys.
func (s *Service) AskNewPasskey(ctx context.Context, v *models.Visitor) (options []byte, err error) {
	p, err := s.person(ctx, v.UserID)
	if err != nil {
		return nil, expected(err, "request a new passkey")
	}
	if len(p.Keys) >= MaxPasskeys {
		return nil, ErrPasskeys
	}
	q, err := s.Passkeys.AskNew(p)
	return s.asked(ctx, q, err, models.ChallengeAdd, sessionMark(v))
}

// AddPasskey stores a passkey that the visitor's browser created, under the given name, and
// notifies the visitor by mail. The caller must have just verified the person. The session
// counts as proven by a passkey. A person with a password from now on needs the passkey after it,
// and gets recovery codes, which cannot be shown again, unless the person has some. It fails with
// Invalid, ErrPasskeys, ErrPasskeyKnown, or ErrCredentials if the answer belongs to no challenge
// of this browser. The session gets a new token (see raise).
func (s *Service) AddPasskey(
	ctx context.Context, v *models.Visitor, by models.Actor, name string, a *passkey.NewAnswer,
) (recovery []string, err error) {
	if name, err = passkeyName(name); err != nil {
		return nil, err
	}
	if err := s.take(ctx, a.Challenge, models.ChallengeAdd, sessionMark(v)); err != nil {
		return nil, expected(err, "add a passkey", ErrCredentials)
	}
	err = s.raise(ctx, v, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, v.UserID)
		if err != nil {
			return err
		}
		all, err := models.UserPasskeys(ctx, tx, user.ID)
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
		if err := models.ProveSession(ctx, tx, v.ID, s.now(), v.ExpiresAt, true); err != nil {
			return err
		}
		if recovery, err = s.firstRecoveryCodes(tx, user); err != nil {
			return err
		}
		return s.tellOfPasskey(tx, by, user, added, "passkey.added", models.MailPasskeyAdded)
	})
	if models.Violates(err, models.PasskeysCredentialUnique) {
		return nil, ErrPasskeyKnown
	}
	if err != nil {
		return nil, expected(err, "add a passkey", ErrCredentials, ErrPasskeys)
	}
	return recovery, nil
}

func newPasskey(userID, name string, key passkey.Key, now time.Time) *models.Passkey {
	return &models.Passkey{
		ID: models.NewPasskeyID(), UserID: userID, Name: name, CredentialID: key.ID, PublicKey: key.PublicKey,
		SignCount: key.SignCount,
		Synced:    key.Synced, CreatedAt: now,
	}
}

// RenamePasskey renames one of the actor's passkeys. It fails with Invalid, or
// models.ErrNotFound.
func (s *Service) RenamePasskey(ctx context.Context, by models.Actor, id, name string) error {
	name, err := passkeyName(name)
	if err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := models.LockUser(tx, by.UserID); err != nil {
			return err
		}
		p, err := models.UserPasskey(ctx, tx, by.UserID, id)
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

// RemovePasskey deletes one of the actor's passkeys and notifies the actor by mail. The caller
// must have just verified the person. It fails with models.ErrNotFound for an unknown passkey,
// and with ErrLastPasskey for the last one of a person without a password.
func (s *Service) RemovePasskey(ctx context.Context, by models.Actor, id string) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, by.UserID)
		if err != nil {
			return err
		}
		p, err := models.UserPasskey(ctx, tx, user.ID, id)
		if err != nil {
			return err
		}
		if user.PasswordHash == nil {
			all, err := models.UserPasskeys(ctx, tx, user.ID)
			if err != nil || len(all) == 1 {
				return errors.Join(err, ErrLastPasskey)
			}
		}
		if deleted, err := models.DeletePasskey(tx, p.ID); err != nil || !deleted {
			return errors.Join(err, models.ErrNotFound)
		}
		if err := models.DeleteIdleRecoveryCodes(tx, user.ID); err != nil {
			return err
		}
		return s.tellOfPasskey(tx, by, user, p, "passkey.removed", models.MailPasskeyRemoved)
	})
	return expected(err, "remove a passkey", models.ErrNotFound, ErrLastPasskey)
}

// tellOfPasskey writes the audit line about a passkey, and notifies its owner by mail.
func (s *Service) tellOfPasskey(
	tx *models.Tx, by models.Actor, user *models.User, p *models.Passkey, action, kind string,
) error {
	if err := s.audit(tx, by, action, p.ID, map[string]string{"name": p.Name}); err != nil {
		return err
	}
	return models.InsertMails(tx, models.Mail{
		Fact: kind + "/" + p.ID, To: user.Email, Language: user.Language, Kind: kind,
		Params:    map[string]string{"name": user.Name, "passkey": p.Name, "at": s.now().Format(time.RFC3339)},
		CreatedAt: s.now(),
	})
}

// passkeyName returns a normalized name, or fails with Invalid.
func passkeyName(name string) (string, error) {
	name = input.TrimLine(name)
	problems := Invalid{}
	problems.line("passkey_name", name, 1, maxPasskeyName)
	return name, problems.orNil()
}

// person returns a user with their passkeys, in the form of package passkey.
func (s *Service) person(ctx context.Context, userID string) (passkey.Person, error) {
	user, err := models.UserByID(ctx, s.DB, userID)
	if err != nil {
		return passkey.Person{}, fmt.Errorf("read user %s: %w", userID, err)
	}
	all, err := models.UserPasskeys(ctx, s.DB, userID)
	return personOf(user, all), err
}

func personOf(user *models.User, keys []models.Passkey) passkey.Person {
	// Ids are random, and reveal nothing about the person.
	p := passkey.Person{Handle: user.ID, Email: user.Email, Name: user.Name}
	for _, k := range keys {
		p.Keys = append(p.Keys, passkey.Key{ID: k.CredentialID, PublicKey: k.PublicKey, SignCount: k.SignCount,
			Synced: k.Synced})
	}
	return p
}
