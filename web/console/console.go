// Package console serves the pages of the installation's staff, below /ops: pending decisions, accounts and their
// terms, checkouts, disputes, deliveries, accounts at banks, saved reasons, staff, the audit log and the installation's
// health.
package console

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/web/page"
)

type console struct{ *page.Site }

const (
	// staffSession is how long staff may work before they log in again.
	staffSession = 12 * time.Hour
	// latestRows is how many rows a part of a page shows of a longer list.
	latestRows = 10
)

// goTo redirects to a page of the console with a message.
func (s *console) goTo(c *fiber.Ctx, path, flash string) error {
	if err := s.Flash(c, flash); err != nil {
		return err
	}
	return c.Redirect(path, fiber.StatusSeeOther)
}

// late reports whether an object has waited for longer than ReviewTerm.
func (s *console) late(since time.Time) bool { return s.Now().Sub(since) > page.ReviewTerm }

// lastAct returns who changed an object last, and when, or "" if no one did.
func (s *console) lastAct(c *fiber.Ctx, objectID string) (string, error) {
	return s.lastActOf(c, models.AuditFilter{ObjectID: objectID, Limit: 1})
}

// lastActOf returns who did the last act that the filter selects, and when.
func (s *console) lastActOf(c *fiber.Ctx, f models.AuditFilter) (string, error) {
	lines, err := models.AuditLines(c.UserContext(), s.DB.Read, f)
	if err != nil || len(lines) == 0 {
		return "", err
	}
	who := lines[0].ActorName
	if who == "" {
		who = lines[0].Actor
	}
	ctx := c.UserContext()
	return i18n.T(ctx, "ops.changed_by", who, i18n.Age(ctx, lines[0].At, s.Now()), i18n.DateTime(ctx, lines[0].At)), nil
}

// spokenBy returns the language of mails to an account's owner.
func (s *console) spokenBy(c *fiber.Ctx, accountID string) (i18n.Lang, error) {
	owner, err := models.OwnerOf(c.UserContext(), s.DB.Pool, accountID)
	if err != nil {
		return i18n.Portuguese, err
	}
	lang, _ := i18n.Parse(owner.Language)
	return lang, nil
}

// mailSubject returns the subject of a mail about an account.
func mailSubject(lang i18n.Lang, kind, account string) string {
	return strings.ReplaceAll(i18n.In(lang, "mail."+kind+"_subject"), "{account}", account)
}

// nameSubject returns the subject of a mail about a new name of an account.
func nameSubject(lang i18n.Lang, kind, account, name string) string {
	return strings.ReplaceAll(mailSubject(lang, kind, account), "{new_name}", name)
}
