package merchants

import (
	"context"
	"errors"

	"garoupa/models"
)

// ErrNoSecondFactor reports that the owner has neither a code generator nor a usable passkey.
var ErrNoSecondFactor = errors.New("merchants: the owner has no second factor")

// RequireSecondFactor says whether all members of the actor's account must have a second factor. The
// actor must be the owner. It fails with refusal.Forbidden, or with ErrNoSecondFactor if the owner has
// none.
func (s *Service) RequireSecondFactor(ctx context.Context, by models.Actor, required bool) error {
	err := s.changeTeam(ctx, by, "require a second factor", func(tx *models.Tx, t *team) error {
		if err := t.need(models.Own); err != nil {
			return err
		}
		action := "account.second_factor_optional"
		if required {
			action = "account.second_factor_required"
			second, err := s.hasSecondFactor(tx, by.UserID)
			if err != nil {
				return err
			}
			if !second {
				return ErrNoSecondFactor
			}
		}
		changed, err := models.RequireSecondFactor(tx, by.AccountID, required)
		if err != nil || !changed {
			return err
		}
		return s.audit(tx, by, action, by.AccountID, nil)
	})
	if errors.Is(err, ErrNoSecondFactor) {
		return ErrNoSecondFactor
	}
	return err
}
