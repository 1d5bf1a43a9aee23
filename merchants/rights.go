package merchants

import (
	"slices"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// DefaultPermissions returns the preselected permissions of a new key that a member with the
// role creates: those of CheckoutIntegration that the role may give.
func DefaultPermissions(role models.Role) []models.Permission {
	return slices.DeleteFunc(slices.Clone(CheckoutIntegration), func(p models.Permission) bool {
		return !slices.Contains(role.KeyRights(), p)
	})
}

// lockMaker returns the actor's role in the account that owns the scope's project, and locks
// it until tx ends. It fails with refusal.Forbidden for a role without the capability.
func lockMaker(tx *models.Tx, by models.Actor, scope models.Scope, c models.Capability) (models.Role, error) {
	role, err := models.LockRole(tx, scope.ProjectID, by.UserID)
	if err != nil {
		return "", err
	}
	if !role.Can(c) {
		return "", errRole
	}
	return role, nil
}

// errRole refuses an operation that the member's role does not include.
var errRole = refusal.New(refusal.Forbidden, "The member's role does not include this.")
