package merchants

import (
	"context"
	"fmt"
	"strconv"

	"garoupa/models"
)

// keySwitches says who turns each switch of a key on and off, by environment, and which line of the
// audit log says so. A switch without a capability does not exist in the environment.
var keySwitches = map[models.KeySwitch]struct {
	test, live models.Capability
	action     string
}{
	models.KeyRefunds: {models.MoveMoney, models.MoveMoney, "api_key.refunds_changed"},
	// A live key reads events about withdrawals.
	models.KeyEvents: {models.Integrate, models.MoveMoney, "api_key.events_changed"},
	// Lines of the audit log belong to no environment, and only the owner reads them.
	models.KeyAudit: {"", models.Own, "api_key.audit_changed"},
}

// KeyGate returns the capability that a member needs to turn a switch of the environment's keys on or
// off, or "", which members with no role have, if there is no such switch.
func KeyGate(s models.KeySwitch, environment models.Environment) models.Capability {
	if environment == models.Live {
		return keySwitches[s].live
	}
	return keySwitches[s].test
}

// SetKeySwitch turns a switch of a key of the scope on or off. Every instance knows it within a second. It
// fails with models.ErrNotFound, or with refusal.Forbidden if the actor's role lacks the KeyGate.
func (s *Service) SetKeySwitch(ctx context.Context, by models.Actor, scope models.Scope, id string,
	of models.KeySwitch, on bool) error {
	_, err := models.APIKeyByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			if _, err := lockMaker(tx, by, scope, KeyGate(of, scope.Environment)); err != nil {
				return err
			}
			changed, err := models.SetKeySwitch(tx, scope, id, of, on)
			if err != nil || !changed {
				return err
			}
			made := change{after: map[string]string{string(of): strconv.FormatBool(on)}}
			return s.auditChange(tx, by, keySwitches[of].action, id, made, nil)
		})
		s.keys.clear()
	}
	if err != nil {
		return fmt.Errorf("merchants: turn %s of the key %s on or off: %w", of, id, err)
	}
	return nil
}
