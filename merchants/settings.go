package merchants

import (
	"context"
	"slices"
	"strings"

	"garoupa/internal/input"
	"garoupa/models"
)

// Profile is a person's own data.
type Profile struct {
	Name     string
	Language string // of pages and mails: "pt-BR" or "en"
}

// Check normalizes the answers. It fails with Invalid.
func (in *Profile) Check() error {
	in.Name = input.TrimLine(in.Name)
	problems := Invalid{}
	problems.line("name", in.Name, 1, 200)
	if in.Language != "pt-BR" && in.Language != "en" {
		problems["language"] = Unknown
	}
	return problems.orNil()
}

// SetProfile changes the actor's profile. It fails with Invalid.
func (s *Service) SetProfile(ctx context.Context, by models.Actor, in Profile) error {
	if err := in.Check(); err != nil {
		return err
	}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, by.UserID)
		if err != nil {
			return err
		}
		c := differing(map[string]string{"name": user.Name, "language": user.Language},
			map[string]string{"name": in.Name, "language": in.Language})
		if len(c.after) == 0 {
			return nil
		}
		if err := models.SetUserProfile(tx, user.ID, in.Name, in.Language); err != nil {
			return err
		}
		return s.auditChange(tx, by, "user.profile_changed", user.ID, c, nil)
	})
	return expected(err, "set profile")
}

// SetNotices turns on the wanted notices of the account for the actor, and turns off the other
// notices for the actor's role. Notices of other roles do not change. It fails with
// models.ErrNotFound if the actor is not a member.
func (s *Service) SetNotices(ctx context.Context, by models.Actor, wanted []models.Notice) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		roles, err := models.LockMembers(tx, by.AccountID)
		if err != nil {
			return err
		}
		var before []models.Notice
		err = tx.PGX(func(ctx context.Context, conn models.Querier) (err error) {
			before, err = models.MutedNotices(ctx, conn, by.AccountID, by.UserID)
			return err
		})
		if err != nil {
			return err
		}
		got := models.NoticesFor(roles[by.UserID])
		var after []models.Notice
		for _, n := range models.Notices {
			if slices.Contains(got, n) && !slices.Contains(wanted, n) ||
				!slices.Contains(got, n) && slices.Contains(before, n) {
				after = append(after, n)
			}
		}
		c := differing(map[string]string{"muted": noticeList(before)}, map[string]string{"muted": noticeList(after)})
		if len(c.after) == 0 {
			return nil
		}
		if err := models.SetMutedNotices(tx, by.AccountID, by.UserID, after, s.Now()); err != nil {
			return err
		}
		return s.auditChange(tx, by, "member.notices_changed", by.UserID, c, nil)
	})
	return expected(err, "set notices", models.ErrNotFound)
}

// noticeList returns the names of notices in a fixed order.
func noticeList(notices []models.Notice) string {
	var names []string
	for _, n := range models.Notices {
		if slices.Contains(notices, n) {
			names = append(names, string(n))
		}
	}
	return strings.Join(names, ", ")
}

// HideSteps hides the first steps from the actor, or shows them again.
func (s *Service) HideSteps(ctx context.Context, by models.Actor, hidden bool) error {
	return expected(models.HideSteps(ctx, s.DB, by.AccountID, by.UserID, hidden), "hide the first steps")
}

// SetSellingWays stores how the actor sells, which decides their first steps.
func (s *Service) SetSellingWays(ctx context.Context, by models.Actor, ways models.SellingWays) error {
	return expected(models.SetSellingWays(ctx, s.DB, by.AccountID, by.UserID, ways), "set the ways of selling")
}
