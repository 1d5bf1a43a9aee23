package merchants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"garoupa/fault"
	"garoupa/models"
)

// NewStaff is a person of the installation's own staff.
type NewStaff struct {
	Name, Email, Password string
	Role                  models.StaffRole
}

// AddStaff makes a user who works for the installation and is no merchant. Only
// who runs commands on the server may call it. It fails with Invalid.
func (s *Service) AddStaff(ctx context.Context, in NewStaff) (userID string, err error) {
	in.Name, in.Email = strings.TrimSpace(in.Name), normalEmail(in.Email)
	problems := Invalid{}
	problems.length("name", in.Name, 1, 200)
	problems.length("password", in.Password, MinPasswordLength, MaxPasswordLength)
	if !validEmail(in.Email) {
		problems["email"] = Malformed
	}
	if in.Role != models.StaffReviewer && in.Role != models.StaffSupervisor {
		problems["role"] = Unknown
	}
	if err := problems.orNil(); err != nil {
		return "", err
	}
	hash := hashPassword(in.Password)
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		userID = models.NewUserID()
		now := s.now()
		user := &models.User{ID: userID, Email: in.Email, Name: in.Name, PasswordHash: &hash, StaffRole: &in.Role, CreatedAt: now, EmailVerifiedAt: &now}
		if err := models.InsertUser(tx, user); err != nil {
			return err
		}
		return s.audit(tx, Actor{UserID: "system"}, "staff.added", userID, map[string]string{"role": string(in.Role)})
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return "", Invalid{"email": Taken}
	}
	if err != nil {
		return "", fmt.Errorf("merchants: add staff: %w", err)
	}
	return userID, nil
}

// ErrLastSupervisor reports that nobody would be left who looks after the staff.
var ErrLastSupervisor = errors.New("merchants: the installation would have no supervisor")

// SetStaffRole gives somebody of staff, who was seen in a role, another one; models.StaffRole("")
// takes them off the staff and ends their sessions. Supervisors may. It fails with
// Invalid, ErrLastSupervisor, ErrChanged where the role is not the one that was seen,
// models.ErrNotFound for who is not of staff, or fault.Forbidden.
func (s *Service) SetStaffRole(ctx context.Context, by Actor, userID string, seen, role models.StaffRole) error {
	if role != "" && role != models.StaffReviewer && role != models.StaffSupervisor {
		return Invalid{"role": Unknown}
	}
	by.AccountID = ""
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		roles, err := models.LockStaff(tx)
		if err != nil {
			return err
		}
		supervisors := 0
		for _, held := range roles {
			if held == models.StaffSupervisor {
				supervisors++
			}
		}
		switch held := roles[userID]; {
		case roles[by.UserID] != models.StaffSupervisor:
			return fault.New(fault.Forbidden, "The person's role does not include this.")
		case held == "":
			return models.ErrNotFound
		case held != seen || held == role:
			return ErrChanged
		case held == models.StaffSupervisor && supervisors == 1:
			return ErrLastSupervisor
		}
		if err := models.SetStaffRole(tx, userID, role); err != nil {
			return err
		}
		c := change{before: map[string]string{"role": string(seen)}, after: map[string]string{"role": string(role)}}
		if role != "" {
			return s.auditChange(tx, by, "staff.role_changed", userID, c, nil)
		}
		if _, err := models.DeleteOtherSessions(tx, userID, ""); err != nil {
			return err
		}
		return s.auditChange(tx, by, "staff.removed", userID, c, nil)
	})
	return expected(err, "set staff role", ErrChanged, ErrLastSupervisor, models.ErrNotFound)
}

// EndStaffSessions ends all sessions of somebody of staff and returns how many there were.
// Supervisors may. It fails with models.ErrNotFound for who is not of staff, or
// fault.Forbidden.
func (s *Service) EndStaffSessions(ctx context.Context, by Actor, userID string) (ended int64, err error) {
	by.AccountID = ""
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		roles, err := models.LockStaff(tx)
		switch {
		case err != nil:
			return err
		case roles[by.UserID] != models.StaffSupervisor:
			return fault.New(fault.Forbidden, "The person's role does not include this.")
		case roles[userID] == "":
			return models.ErrNotFound
		}
		if ended, err = models.DeleteOtherSessions(tx, userID, ""); err != nil || ended == 0 {
			return err
		}
		return s.audit(tx, by, "staff.sessions_ended", userID, map[string]string{"ended": strconv.FormatInt(ended, 10)})
	})
	return ended, expected(err, "end sessions of staff", models.ErrNotFound)
}

// ErrOwnAccount reports that somebody of staff is a member of the account that they
// would decide about.
var ErrOwnAccount = fault.New(fault.Forbidden, "A member of the account may not decide about it.")

// staffFor checks that the actor is of staff in one of the roles and no member of
// the account. The fault is Forbidden, or ErrOwnAccount.
func staffFor(tx *models.Tx, by Actor, accountID string, roles ...models.StaffRole) error {
	standing, err := models.UserStanding(tx, by.UserID, accountID)
	switch {
	case err != nil:
		return fmt.Errorf("read the standing of %s: %w", by.UserID, err)
	case !slices.Contains(roles, standing.StaffRole):
		return fault.New(fault.Forbidden, "The person's role does not include this.")
	case standing.Role != "":
		return ErrOwnAccount
	}
	return nil
}
