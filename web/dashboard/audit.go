package dashboard

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// merchantLine returns a line without what the merchant must not know: which member of staff
// acted, and from where.
func merchantLine(ctx context.Context, l models.AuditLine) models.AuditLine {
	l = l.ForMerchant()
	if l.ByStaff {
		l.ActorName = i18n.T(ctx, "audit.staff")
	}
	return l
}

// readAudit shows GET /app/auditoria.
func (s *dashboard) readAudit(c *fiber.Ctx) error {
	list, err := s.AuditList(c, "/app/auditoria", page.Visitor(c).AccountID, func(l models.AuditLine) base.AuditRow {
		return page.AuditRow(merchantLine(c.UserContext(), l))
	})
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.Audit(pages.AuditProps{Shell: shell, List: list}))
}

// auditFile answers GET /app/auditoria.csv.
func (s *dashboard) auditFile(c *fiber.Ctx) error {
	ctx := c.UserContext()
	return s.SendAudit(c, page.Visitor(c).AccountID,
		func(l models.AuditLine) models.AuditLine { return merchantLine(ctx, l) })
}
