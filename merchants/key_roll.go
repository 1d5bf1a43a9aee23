package merchants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/models"
)

// Overlaps lists how long a key may work beside the one that replaces it; 0 ends it at once.
var Overlaps = []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// ErrKeyOver reports a key that was revoked or has ended.
var ErrKeyOver = errors.New("merchants: the key was revoked or has ended")

// KeyRoll describes the replacement of a key.
type KeyRoll struct {
	Overlap time.Duration // one of Overlaps
	EndsAt  *time.Time    // of the new key; nil: never
	Form    string        // the key of the form; "" without a form
}

// RollKey creates a key with the name, permissions, switches and networks of a key of the scope, and returns its
// secret, which cannot be read again. The replaced key ends after the overlap, or at its own end if that comes
// first; without an overlap it is revoked. A form replaces a key once: later calls fail with ErrMade. RollKey fails
// with models.ErrNotFound, with ErrKeyOver, with Invalid, with ErrManyKeys if both are to work for a while and there is
// no room for one more, and with refusal.Forbidden if the actor's role could not give the new key all that the
// replaced one has.
func (s *Service) RollKey(
	ctx context.Context, by models.Actor, scope models.Scope, id string, in KeyRoll,
) (key *models.APIKey, secret string, err error) {
	problems, ends := Invalid{}, (*time.Time)(nil)
	if !slices.Contains(Overlaps, in.Overlap) {
		problems["overlap"] = Unknown
	}
	if ends = problems.end(in.EndsAt, s.now()); len(problems) > 0 {
		return nil, "", problems
	}
	secret = newKeySecret(scope.Environment)
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		role, err := lockMaker(tx, by, scope, models.Integrate)
		if err != nil {
			return err
		}
		old, err := models.LockAPIKey(tx, scope, id)
		if err != nil {
			return err
		}
		if !MayRoll(role, old) {
			return errRole
		}
		key = &models.APIKey{
			ID: models.NewAPIKeyID(), Name: old.Name, Permissions: old.Permissions, Refunds: old.Refunds,
			Events: old.Events, Audit: old.Audit, Networks: old.Networks, EndsAt: ends,
		}
		if err := s.claimForm(tx, scope, models.OperationKey, in.Form, key.ID); err != nil {
			return err
		}
		if old.RevokedAt != nil || old.Ended(s.now()) {
			return ErrKeyOver
		}
		if in.Overlap > 0 { // else the new key takes the place of the old one
			if err := s.roomForKey(tx, scope); err != nil {
				return err
			}
		}
		if err := s.insertKey(tx, by, scope, key, secret, map[string]string{"replaces": old.ID}); err != nil {
			return err
		}
		return s.replaceKey(tx, by, scope, old, key.ID, in.Overlap)
	})
	s.keys.clear()
	if err != nil {
		return nil, "", fmt.Errorf("merchants: roll the key %s: %w", id, err)
	}
	return key, secret, nil
}

// replaceKey ends the replaced key after the overlap.
func (s *Service) replaceKey(tx *models.Tx, by models.Actor, scope models.Scope, old *models.APIKey, newID string,
	overlap time.Duration) error {
	end := earlier(s.now().Add(overlap), old)
	ended := change{map[string]string{}, map[string]string{"ends": end.Format(time.RFC3339)}}
	if old.EndsAt != nil {
		ended.before["ends"] = old.EndsAt.Format(time.RFC3339)
	}
	var err error
	if overlap == 0 {
		_, err = models.RevokeAPIKey(tx, scope, old.ID, s.now())
	} else {
		err = models.EndAPIKey(tx, old.ID, end)
	}
	if err != nil {
		return err
	}
	return s.auditChange(tx, by, "api_key.rolled", old.ID, ended, map[string]string{"replacedBy": newID})
}

// MayRoll reports whether members with the role may replace the key: those who could make it, with its switches.
func MayRoll(role models.Role, key *models.APIKey) bool {
	return role.Can(models.Integrate) && within(key.Permissions, role.KeyRights()) &&
		!slices.ContainsFunc(models.KeySwitches, func(of models.KeySwitch) bool {
			return key.Has(of) && !role.Can(KeyGate(of, key.Environment))
		})
}
