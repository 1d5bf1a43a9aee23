package merchants

import (
	"context"
	"errors"
	"slices"

	"garoupa/models"
)

// GivenRoles are the roles that a member may be given. Ownership is handed over instead.
var GivenRoles = []models.Role{models.RoleAdmin, models.RoleDeveloper, models.RoleFinance, models.RoleViewer}

// ErrOwner reports an attempt to remove the owner or change the owner's role. An account has
// exactly one owner, so ownership must be handed over first.
var ErrOwner = errors.New("merchants: the account would have no owner")

// team is an account's members, whose rows are locked.
type team struct {
	by    models.Actor
	roles map[string]models.Role
}

func lockTeam(tx *models.Tx, by models.Actor) (*team, error) {
	roles, err := models.LockMembers(tx, by.AccountID)
	return &team{by, roles}, err
}

// need fails with refusal.Forbidden unless the actor's role has the capability.
func (t *team) need(c models.Capability) error {
	if !t.roles[t.by.UserID].Can(c) {
		return errRole
	}
	return nil
}

// other returns the role of a member who is not the owner. It fails with models.ErrNotFound or
// ErrOwner.
func (t *team) other(userID string) (models.Role, error) {
	switch role := t.roles[userID]; role {
	case "":
		return "", models.ErrNotFound
	case models.RoleOwner:
		return "", ErrOwner
	default:
		return role, nil
	}
}

// ChangeRole gives a member of the actor's account another of GivenRoles. If the new role
// cannot invite, the member's open invitations are revoked. It fails with Invalid, ErrOwner,
// models.ErrNotFound, or refusal.Forbidden if the actor's role cannot Administer.
func (s *Service) ChangeRole(ctx context.Context, by models.Actor, userID string, role models.Role) error {
	if !slices.Contains(GivenRoles, role) {
		return Invalid{"role": Unknown}
	}
	return s.changeTeam(ctx, by, "change role", func(tx *models.Tx, t *team) error {
		if err := t.need(models.Administer); err != nil {
			return err
		}
		before, err := t.other(userID)
		if err != nil || before == role {
			return err
		}
		if err := models.SetRole(tx, by.AccountID, userID, role); err != nil {
			return err
		}
		if err := s.auditChange(tx, by, "member.role_changed", userID, roleChange(before, role), nil); err != nil {
			return err
		}
		if role.Can(models.Administer) {
			return nil
		}
		return s.endInvitesOf(tx, by, userID)
	})
}

func roleChange(before, after models.Role) change {
	return change{map[string]string{"role": string(before)}, map[string]string{"role": string(after)}}
}

// RemoveMember ends a membership of the actor's account. Members except the owner may end
// their own; the actor's role must be able to Administer to end another's. Keys that the
// person created stay valid, and open invitations that the person sent are revoked. It fails
// like ChangeRole.
func (s *Service) RemoveMember(ctx context.Context, by models.Actor, userID string) error {
	return s.changeTeam(ctx, by, "remove member", func(tx *models.Tx, t *team) error {
		action := "member.left"
		if userID != by.UserID {
			action = "member.removed"
			if err := t.need(models.Administer); err != nil {
				return err
			}
		}
		role, err := t.other(userID)
		if err != nil {
			return err
		}
		if err := models.DeleteMember(tx, by.AccountID, userID); err != nil {
			return err
		}
		if err := s.audit(tx, by, action, userID, map[string]string{"role": string(role)}); err != nil {
			return err
		}
		return s.endInvitesOf(tx, by, userID)
	})
}

// HandOver makes another member the owner of the actor's account, and makes the actor, who
// must be the owner, an administrator. Both get a mail. It fails with models.ErrNotFound or
// refusal.Forbidden.
func (s *Service) HandOver(ctx context.Context, by models.Actor, userID string) error {
	return s.changeTeam(ctx, by, "hand over", func(tx *models.Tx, t *team) error {
		if err := t.need(models.Own); err != nil {
			return err
		}
		before, err := t.other(userID)
		if err != nil {
			return err
		}
		// In this order, so that there are never two owners.
		if err := models.SetRole(tx, by.AccountID, by.UserID, models.RoleAdmin); err != nil {
			return err
		}
		if err := models.SetRole(tx, by.AccountID, userID, models.RoleOwner); err != nil {
			return err
		}
		if err := s.auditChange(tx, by, "member.role_changed", by.UserID,
			roleChange(models.RoleOwner, models.RoleAdmin), nil); err != nil {
			return err
		}
		if err := s.auditChange(tx, by, "member.role_changed", userID, roleChange(before, models.RoleOwner),
			nil); err != nil {
			return err
		}
		return s.tellOwners(tx, by, userID)
	})
}

// tellOwners mails the old owner and the new one.
func (s *Service) tellOwners(tx *models.Tx, by models.Actor, userID string) error {
	account, err := models.AccountByID(tx.Context(), tx, by.AccountID)
	if err != nil {
		return err
	}
	after, err := models.UserByID(tx.Context(), tx, userID)
	if err != nil {
		return err
	}
	before, err := models.UserByID(tx.Context(), tx, by.UserID)
	if err != nil {
		return err
	}
	var mails []models.Mail
	for _, user := range []*models.User{before, after} {
		mails = append(mails, models.Mail{
			Fact: "owner_changed/" + account.ID + "/" + s.now().Format("20060102150405.000"), To: user.Email,
			Language: user.Language,
			Kind:     models.MailOwnerChanged, CreatedAt: s.now(),
			Params: map[string]string{"account": account.Name, "owner": after.Name, "before": before.Name},
		})
	}
	return models.InsertMails(tx, mails...)
}

func (s *Service) changeTeam(
	ctx context.Context, by models.Actor, doing string, fn func(tx *models.Tx, t *team) error,
) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		t, err := lockTeam(tx, by)
		if err != nil {
			return err
		}
		return fn(tx, t)
	})
	return expected(err, doing, models.ErrNotFound, ErrOwner)
}

// LookAtAccount switches the visitor's session to another of the visitor's accounts, in test.
// It fails with models.ErrNotFound for any other account.
func (s *Service) LookAtAccount(ctx context.Context, v *models.Visitor, accountID string) error {
	project, err := models.AccountProject(ctx, s.DB, v.UserID, accountID)
	if err == nil {
		err = models.SetSessionProject(ctx, s.DB, v.ID, project.ID)
	}
	return expected(err, "switch account", models.ErrNotFound)
}
