package merchants

import (
	"context"
	"fmt"
	"slices"
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
