package merchants

import (
	"context"
	"errors"
	"slices"

	"garoupa/fault"
	"garoupa/models"
)

// Administrators are the roles that look after the team, ask for production access and
// change what buyers see of the account (decisions, 1).
var Administrators = []models.Role{models.RoleOwner, models.RoleAdmin}

// GivenRoles are those that a member may be given. Ownership is handed over.
var GivenRoles = []models.Role{models.RoleAdmin, models.RoleDeveloper, models.RoleFinance, models.RoleViewer}

// ErrOwner reports that the owner would be removed or given another role. An account
// has exactly one: ownership is handed over first.
var ErrOwner = errors.New("merchants: the account would have no owner")

// team is an account's members, held still.
type team struct {
	by    Actor
	roles map[string]models.Role
}

func lockTeam(tx *models.Tx, by Actor) (*team, error) {
	roles, err := models.LockMembers(tx, by.AccountID)
	return &team{by, roles}, err
}

// need fails with fault.Forbidden unless the actor has one of the roles.
func (t *team) need(roles ...models.Role) error {
	if !slices.Contains(roles, t.roles[t.by.UserID]) {
		return fault.New(fault.Forbidden, "The member's role does not include this.")
	}
	return nil
}

// other returns a member's role, who must not be the owner. It fails with
// models.ErrNotFound or ErrOwner.
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

// ChangeRole gives a member of the actor's account another of GivenRoles. With the right
// to invite end the invitations that they sent. It fails
// with Invalid, ErrOwner, models.ErrNotFound, or fault.Forbidden for an actor who does
// not look after the team.
func (s *Service) ChangeRole(ctx context.Context, by Actor, userID string, role models.Role) error {
	if !slices.Contains(GivenRoles, role) {
		return Invalid{"role": Unknown}
	}
	return s.changeTeam(ctx, by, "change role", func(tx *models.Tx, t *team) error {
		if err := t.need(Administrators...); err != nil {
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
		if slices.Contains(Administrators, role) {
			return nil
		}
		return s.endInvitesOf(tx, by, userID)
	})
}

func roleChange(before, after models.Role) change {
	return change{map[string]string{"role": string(before)}, map[string]string{"role": string(after)}}
}

// RemoveMember ends a membership of the actor's account: another's by who looks after
// the team, one's own by anybody but the owner. Keys that the person made go on, and
// open invitations that they sent end. It fails as ChangeRole does.
func (s *Service) RemoveMember(ctx context.Context, by Actor, userID string) error {
	return s.changeTeam(ctx, by, "remove member", func(tx *models.Tx, t *team) error {
		action := "member.left"
		if userID != by.UserID {
			action = "member.removed"
			if err := t.need(Administrators...); err != nil {
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

// HandOver makes another member the owner of the actor's account and the actor, who
// must be the owner, an administrator. Both are told by mail. It fails with
// models.ErrNotFound or fault.Forbidden.
func (s *Service) HandOver(ctx context.Context, by Actor, userID string) error {
	return s.changeTeam(ctx, by, "hand over", func(tx *models.Tx, t *team) error {
		if err := t.need(models.RoleOwner); err != nil {
			return err
		}
		before, err := t.other(userID)
		if err != nil {
			return err
		}
		// In this order: there is never a second owner.
		if err := models.SetRole(tx, by.AccountID, by.UserID, models.RoleAdmin); err != nil {
			return err
		}
		if err := models.SetRole(tx, by.AccountID, userID, models.RoleOwner); err != nil {
			return err
		}
		if err := s.auditChange(tx, by, "member.role_changed", by.UserID, roleChange(models.RoleOwner, models.RoleAdmin), nil); err != nil {
			return err
		}
		if err := s.auditChange(tx, by, "member.role_changed", userID, roleChange(before, models.RoleOwner), nil); err != nil {
			return err
		}
		return s.tellOwners(tx, by, userID)
	})
}

// tellOwners writes to the owner before and the owner after.
func (s *Service) tellOwners(tx *models.Tx, by Actor, userID string) error {
	account, err := models.AccountByID(tx.DB, by.AccountID)
	if err != nil {
		return err
	}
	after, err := models.UserByID(tx.DB, userID)
	if err != nil {
		return err
	}
	before, err := models.UserByID(tx.DB, by.UserID)
	if err != nil {
		return err
	}
	var mails []models.Mail
	for _, user := range []*models.User{before, after} {
		mails = append(mails, models.Mail{
			Fact: "owner_changed/" + account.ID + "/" + s.now().Format("20060102150405.000"), To: user.Email, Language: user.Language,
			Kind: models.MailOwnerChanged, CreatedAt: s.now(),
			Params: map[string]string{"account": account.Name, "owner": after.Name, "before": before.Name},
		})
	}
	return models.InsertMails(tx, mails...)
}

func (s *Service) changeTeam(ctx context.Context, by Actor, doing string, fn func(tx *models.Tx, t *team) error) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		t, err := lockTeam(tx, by)
		if err != nil {
			return err
		}
		return fn(tx, t)
	})
	return expected(err, doing, models.ErrNotFound, ErrOwner)
}

// LookAtAccount makes the visitor's browser look at another account of theirs, in
// test. An account of others is models.ErrNotFound.
func (s *Service) LookAtAccount(ctx context.Context, v *models.Visitor, accountID string) error {
	db := s.DB.WithContext(ctx)
	project, err := models.AccountProject(db, v.UserID, accountID)
	if err == nil {
		err = models.SetSessionProject(db, v.ID, project.ID)
	}
	return expected(err, "look at an account", models.ErrNotFound)
}
