package merchants

import (
	"context"
	"errors"

	"garoupa/internal/refusal"
	"garoupa/models"
)

var (
	// ErrNotLinked reports that a person is linked to no identity at the provider.
	ErrNotLinked = errors.New("merchants: the person is linked to no identity at the provider")
	// ErrOnlyWay reports that a person would have no way left to log in.
	ErrOnlyWay = errors.New("merchants: the person has no other way to log in")
)

// errOfStaff refuses to change the log-in of a member who works for the installation.
var errOfStaff = refusal.New(refusal.Forbidden, "A supervisor changes the log-in of staff.")

// Unlink removes the link of the person with the address to an identity at the provider, so that the next
// log-in there makes another, and ends the sessions that began there. Only commands on the server may call
// it. It fails with models.ErrNotFound or ErrNotLinked.
func (s *Service) Unlink(ctx context.Context, email string) error {
	err := s.asOperator(ctx, email, func(tx *models.Tx, user *models.User) error {
		return s.unlink(tx, models.Actor{UserID: models.ActorSystem}, user)
	})
	return expected(err, "unlink a person from the provider", models.ErrNotFound, ErrNotLinked)
}

// UnlinkSelf is Unlink for the actor. It also fails with ErrOnlyWay.
func (s *Service) UnlinkSelf(ctx context.Context, by models.Actor) error {
	return s.unlinkBy(ctx, by, by.UserID, func(*models.Tx) error { return nil })
}

// UnlinkMember is Unlink for another member of the actor's account, who must be the owner. It also fails with
// ErrOnlyWay, with ErrOwner for the owner, and with refusal.Forbidden, also for a member who is of staff.
func (s *Service) UnlinkMember(ctx context.Context, by models.Actor, userID string) error {
	return s.unlinkBy(ctx, by, userID, func(tx *models.Tx) error {
		t, err := lockTeam(tx, by)
		if err == nil {
			err = t.need(models.Own)
		}
		if err == nil {
			_, err = t.other(userID)
		}
		if err != nil {
			return err
		}
		person, err := models.LockUser(tx, userID)
		if err == nil && person.StaffRole != nil {
			err = errOfStaff
		}
		return err
	})
}

// UnlinkStaff is Unlink for a person of staff. The actor's role must be able to ManageStaff. It also fails with
// ErrOnlyWay and refusal.Forbidden.
func (s *Service) UnlinkStaff(ctx context.Context, by models.Actor, userID string) error {
	by.AccountID = ""
	return s.unlinkBy(ctx, by, userID, func(tx *models.Tx) error {
		roles, err := models.LockStaff(tx)
		switch {
		case err != nil:
			return err
		case !roles[by.UserID].Can(models.ManageStaff):
			return errStaffRole
		case roles[userID] == "":
			return models.ErrNotFound
		}
		return nil
	})
}

// unlinkBy unlinks a person if the actor may and the person has another way to log in.
func (s *Service) unlinkBy(ctx context.Context, by models.Actor, userID string, may func(*models.Tx) error) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := may(tx); err != nil {
			return err
		}
		user, err := models.LockUser(tx, userID)
		if err != nil {
			return err
		}
		another, err := s.logsInWithout(tx, user)
		if err != nil {
			return err
		}
		if !another {
			return ErrOnlyWay
		}
		return s.unlink(tx, by, user)
	})
	return expected(err, "unlink from the provider", models.ErrNotFound, ErrNotLinked, ErrOnlyWay, ErrOwner)
}

// logsInWithout reports whether a person whose row tx has locked can log in without a link to the provider: with
// a password or a passkey or, where the provider alone counts, there, because the proven address links them anew.
func (s *Service) logsInWithout(tx *models.Tx, user *models.User) (bool, error) {
	if s.SSOOnly {
		return user.EmailVerifiedAt != nil, nil
	}
	if user.PasswordHash != nil {
		return true, nil
	}
	passkeys, err := models.UserPasskeys(tx.Context(), tx, user.ID)
	return len(passkeys) > 0 && s.Passkeys != nil, err
}

// unlink unlinks a person whose row tx has locked, and tells the person.
func (s *Service) unlink(tx *models.Tx, by models.Actor, user *models.User) error {
	links, err := models.DeletePersonIdentities(tx, user.ID)
	if err != nil {
		return err
	}
	if links == 0 {
		return ErrNotLinked
	}
	return s.tellUser(tx, by, user, "user.identity_unlinked", models.MailIdentityUnlinked)
}
