package merchants

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// NewStaff describes a new member of staff.
type NewStaff struct {
	Name, Email, Password string
	Role                  models.StaffRole
}

// staffLinkWithin is how long the link of InviteStaff is valid.
const staffLinkWithin = 72 * time.Hour

// InviteStaff is AddStaff for a person who chooses the password: it returns the token of a link for
// that, which is valid once, for 72 hours. Until then no password logs the person in. It fails with
// Invalid.
func (s *Service) InviteStaff(ctx context.Context, in NewStaff) (link string, err error) {
	in.Password = rand.Text() + rand.Text() // which is given to none
	_, err = s.addStaff(ctx, in, func(tx *models.Tx, user *models.User) error {
		t := &models.Token{ID: models.NewTokenID(), Purpose: models.TokenResetPassword, UserID: user.ID,
			Email: user.Email, CreatedAt: s.now(), ExpiresAt: s.now().Add(staffLinkWithin)}
		link = s.Vault.Token(t.ID)
		return models.InsertToken(tx, t)
	})
	return link, err
}

// AddStaff creates a user who is staff and not a merchant, with a password that the caller chose, as for a
// demonstration. Only commands on the server may call it. It fails with Invalid.
func (s *Service) AddStaff(ctx context.Context, in NewStaff) (userID string, err error) {
	return s.addStaff(ctx, in, func(*models.Tx, *models.User) error { return nil })
}

// addStaff creates the user, and calls then in the same transaction.
func (s *Service) addStaff(
	ctx context.Context, in NewStaff, then func(tx *models.Tx, user *models.User) error,
) (userID string, err error) {
	in.Name, in.Email = input.TrimLine(in.Name), normalEmail(in.Email)
	problems := Invalid{}
	problems.line("name", in.Name, 1, 200)
	problems.password(in.Password, in.Name, in.Email)
	if !input.MemberEmail(in.Email) {
		problems["email"] = Malformed
	}
	if in.Role != models.StaffReviewer && in.Role != models.StaffSupervisor {
		problems["role"] = Unknown
	}
	if err := problems.orNil(); err != nil {
		return "", err
	}
	hash, err := s.hashed(ctx, in.Password)
	if err != nil {
		return "", fmt.Errorf("merchants: add staff: %w", err)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		userID = models.NewUserID()
		now := s.now()
		user := &models.User{ID: userID, Email: in.Email, Name: in.Name, PasswordHash: &hash, StaffRole: &in.Role,
			CreatedAt: now, EmailVerifiedAt: &now}
		if err := models.InsertUser(tx, user); err != nil {
			return err
		}
		if err := then(tx, user); err != nil {
			return err
		}
		return s.audit(tx, models.Actor{UserID: models.ActorSystem}, "staff.added", userID,
			map[string]string{"role": string(in.Role)})
	})
	if models.Violates(err, models.UsersEmailUnique) {
		return "", Invalid{"email": Taken}
	}
	if err != nil {
		return "", fmt.Errorf("merchants: add staff: %w", err)
	}
	return userID, nil
}

// ErrLastSupervisor reports that no supervisor would be left.
var ErrLastSupervisor = errors.New("merchants: the installation would have no supervisor")

// SetStaffRole changes the role of a member of staff from seen, the role that the actor saw;
// models.StaffRole("") removes the person from the staff and ends the person's sessions. Only
// supervisors may call it. It fails with Invalid, ErrLastSupervisor, ErrChanged if the current
// role is not seen, models.ErrNotFound if the person is not staff, or refusal.Forbidden.
func (s *Service) SetStaffRole(ctx context.Context, by models.Actor, userID string, seen, role models.StaffRole) error {
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
		case !roles[by.UserID].Can(models.ManageStaff):
			return errStaffRole
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

// EndStaffSessions ends all sessions of a member of staff and returns their number. Only
// supervisors may call it. It fails with models.ErrNotFound if the person is not staff, or
// refusal.Forbidden.
func (s *Service) EndStaffSessions(ctx context.Context, by models.Actor, userID string) (ended int64, err error) {
	by.AccountID = ""
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		roles, err := models.LockStaff(tx)
		switch {
		case err != nil:
			return err
		case !roles[by.UserID].Can(models.ManageStaff):
			return errStaffRole
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

// ErrOwnAccount reports that a member of staff is a member of the account about which they
// want to decide.
var ErrOwnAccount = refusal.New(refusal.Forbidden, "A member of the account may not decide about it.")

// errStaffRole refuses an operation that the person's staff role does not include.
var errStaffRole = refusal.New(refusal.Forbidden, "The person's role does not include this.")

// staffFor checks that the actor is staff with the capability and is not involved in the
// matter, and locks that until tx ends. It fails with refusal.Forbidden or ErrOwnAccount.
func staffFor(tx *models.Tx, by models.Actor, m models.Matter, c models.StaffCapability) error {
	decider, err := models.LockDecider(tx, by.UserID, m)
	switch {
	case err != nil:
		return fmt.Errorf("read the relation of %s to the matter: %w", by.UserID, err)
	case !decider.StaffRole.Can(c):
		return errStaffRole
	case decider.TakesPart:
		return ErrOwnAccount
	}
	return nil
}
