package payments

import (
	"fmt"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// system is the actor of changes that no person or key requested.
var system = models.Actor{UserID: models.ActorSystem}

func (s *Service) audit(
	tx *models.Tx, by models.Actor, accountID, action, objectID string, detail map[string]string,
) error {
	return models.InsertAudit(tx, models.AuditEntry{
		At: s.now(), Actor: by.ID(), AccountID: accountID, Action: action, ObjectID: objectID, Detail: detail,
		IP: by.IP, RequestID: by.RequestID,
	})
}

// member refuses the actor unless it is a member of the account whose role has the capability.
// It locks the role until tx ends. The refusal is Forbidden.
func member(tx *models.Tx, by models.Actor, accountID string, c models.Capability) error {
	role, err := models.LockMember(tx, accountID, by.UserID)
	return able(role, c, err)
}

// projectMember is member for the account that owns the scope's project.
func projectMember(tx *models.Tx, by models.Actor, scope models.Scope, c models.Capability) error {
	role, err := models.LockRole(tx, scope.ProjectID, by.UserID)
	return able(role, c, err)
}

func able(role models.Role, c models.Capability, err error) error {
	if err != nil {
		return fmt.Errorf("read the member's role: %w", err)
	}
	if !role.Can(c) {
		return refusal.New(refusal.Forbidden, "The member's role does not include this.")
	}
	return nil
}

// staff refuses the actor unless it is a person of the installation's staff who is not
// involved in the matter: who did not request it, and was not a member of the account since
// then. It locks that until tx ends. The refusal is Forbidden.
func staff(tx *models.Tx, by models.Actor, m models.Matter) error {
	decider, err := models.LockDecider(tx, by.UserID, m)
	switch {
	case err != nil:
		return fmt.Errorf("read the relation of %s to the matter: %w", by.UserID, err)
	case !decider.StaffRole.Can(models.Review):
		return refusal.New(refusal.Forbidden, "Only staff of the installation may do this.")
	case decider.TakesPart:
		return refusal.New(refusal.Forbidden,
			"A member of the account, or who asked for it, may not decide about its money.")
	}
	return nil
}

// checkReason trims a reason by staff, and checks its length. The refusal is ReasonRequired.
func checkReason(reason string) (string, error) {
	reason, ok := input.Reason(reason)
	if !ok {
		return "", refusal.New(refusal.ReasonRequired,
			"The reason must have %d to %d characters.", input.MinReason, input.MaxReason)
	}
	return reason, nil
}

// unchanged refuses a decision about an object that has changed since the caller saw it.
func unchanged(seen, now int) error {
	if seen != now {
		return refusal.Changed
	}
	return nil
}
