package console

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// auditRow returns a line with the object's way to be found.
func auditRow(l models.AuditLine) base.AuditRow {
	row := page.AuditRow(l)
	row.Object = base.OpsPage(l.ObjectID)
	switch {
	case strings.HasPrefix(l.ObjectID, "rsn_"):
		row.Object = "/ops/motivos"
	case row.Object == "":
		row.Object = "/ops/buscar?q=" + url.QueryEscape(l.ObjectID)
	}
	return row
}

// audit shows GET /ops/auditoria.
func (s *console) audit(c *fiber.Ctx) error {
	list, err := s.AuditList(c, "/ops/auditoria", "", auditRow)
	if err != nil {
		return err
	}
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	seal, err := s.auditSeal(c.UserContext())
	if err != nil {
		return err
	}
	return page.Render(c, pages.Audit(pages.AuditProps{Shell: shell, Seal: seal, List: list}))
}

// auditSeal returns up to where the log is sealed, and the result of the last examination.
func (s *console) auditSeal(ctx context.Context) (seal pages.AuditSeal, err error) {
	sealed, err := models.AuditSealed(ctx, s.DB.Pool)
	if err != nil {
		return seal, fmt.Errorf("console: read the audit log's seals: %w", err)
	}
	last, err := models.LastExamination(ctx, s.DB.Pool, models.ExaminedAudit)
	if err != nil {
		return seal, fmt.Errorf("console: read what was found in the audit log: %w", err)
	}
	seal = pages.AuditSeal{
		Through: sealed.Through, ThroughAt: sealed.ThroughAt, Lines: sealed.Lines,
		SHA256: hex.EncodeToString(sealed.Hash), CheckedAt: last.At,
	}
	for _, flaw := range last.Flaws {
		seal.Flaws = append(seal.Flaws, auditFlaw(ctx, flaw))
	}
	return seal, nil
}

// auditFile answers GET /ops/auditoria.csv.
func (s *console) auditFile(c *fiber.Ctx) error {
	return s.SendAudit(c, "", func(l models.AuditLine) models.AuditLine { return l })
}
