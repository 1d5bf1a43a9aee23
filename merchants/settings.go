package merchants

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"garoupa/models"
)

// Profile is what a person says of themselves.
type Profile struct {
	Name     string
	Language string // of pages and mails: "pt-BR" or "en"
}

// Check brings the answers into the form in which they are kept. It fails with
// Invalid.
func (in *Profile) Check() error {
	in.Name = strings.Join(strings.Fields(in.Name), " ")
	problems := Invalid{}
	problems.name("name", in.Name)
	if in.Language != "pt-BR" && in.Language != "en" {
		problems["language"] = Unknown
	}
	return problems.orNil()
}

// name checks a name that others are shown.
func (p Invalid) name(field, name string) {
	p.length(field, name, 1, 200)
	if !plain(name) {
		p[field] = Malformed
	}
}

// SetProfile changes what the actor says of themselves. It fails with Invalid.
func (s *Service) SetProfile(ctx context.Context, by Actor, in Profile) error {
	if err := in.Check(); err != nil {
		return err
	}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		user, err := models.LockUser(tx, by.UserID)
		if err != nil {
			return err
		}
		c := differing(map[string]string{"name": user.Name, "language": user.Language}, map[string]string{"name": in.Name, "language": in.Language})
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

// Rename gives the actor's account another name for buyers. It fails with Invalid,
// and with fault.Forbidden for who is no administrator.
func (s *Service) Rename(ctx context.Context, by Actor, name string) error {
	name = strings.Join(strings.Fields(name), " ")
	problems := Invalid{}
	problems.name("business", name)
	if err := problems.orNil(); err != nil {
		return err
	}
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := s.lockForAdministrator(tx, by)
		if err != nil || account.Name == name {
			return err
		}
		if err := models.SetAccountName(tx, account.ID, name); err != nil {
			return err
		}
		c := change{map[string]string{"name": account.Name}, map[string]string{"name": name}}
		return s.auditChange(tx, by, "account.renamed", account.ID, c, nil)
	})
	s.keys.clear() // they know the account by its name
	return expected(err, "rename account")
}

// SetNotices turns on the notices that the actor wants of the account, and off all
// others that the actor's role gets. What another role would get stays as it was. It
// fails with models.ErrNotFound for who is no member.
func (s *Service) SetNotices(ctx context.Context, by Actor, wanted []models.Notice) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		roles, err := models.LockMembers(tx, by.AccountID)
		if err != nil {
			return err
		}
		var before []models.Notice
		err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) (err error) {
			before, err = models.MutedNotices(ctx, conn, by.AccountID, by.UserID)
			return err
		})
		if err != nil {
			return err
		}
		got := models.NoticesFor(roles[by.UserID])
		var after []models.Notice
		for _, n := range models.Notices {
			if slices.Contains(got, n) && !slices.Contains(wanted, n) || !slices.Contains(got, n) && slices.Contains(before, n) {
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

// noticeList names notices in one order.
func noticeList(notices []models.Notice) string {
	var names []string
	for _, n := range models.Notices {
		if slices.Contains(notices, n) {
			names = append(names, string(n))
		}
	}
	return strings.Join(names, ", ")
}

// HideSteps keeps the first steps out of the actor's sight, or shows them again.
func (s *Service) HideSteps(ctx context.Context, by Actor, hidden bool) error {
	return expected(models.HideSteps(s.DB.WithContext(ctx), by.AccountID, by.UserID, hidden), "hide the first steps")
}
