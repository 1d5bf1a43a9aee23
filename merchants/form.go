package merchants

import (
	"errors"

	"garoupa/models"
)

// ErrMade reports a form that was sent before and whose secret cannot be shown again.
var ErrMade = errors.New("merchants: the form was sent before")

// claimForm binds a form to the object that tx is about to create for the scope. Its fields
// may differ between calls. It fails with ErrMade if the form was sent before.
func (s *Service) claimForm(tx *models.Tx, scope models.Scope, operation, form, resourceID string) error {
	earlier, err := models.ClaimForm(tx, models.SentForm{
		OwnerID: scope.ProjectID, Environment: scope.Environment, Operation: operation,
		Key: form, ResourceID: resourceID, SentAt: s.now(),
	})
	if err == nil && earlier != "" {
		err = ErrMade
	}
	return err
}
