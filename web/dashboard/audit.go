package dashboard

import (
	"context"
	"net/url"
	"strings"

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

// auditPages are the pages of objects by the prefix of their ids, and the lists of those that have
// no page.
var auditPages = map[string]string{
	"chk": "/app/cobrancas/", "plink": "/app/links/", "we": "/app/webhooks/", "evt": "/app/eventos/",
	"wdr": "/app/saques/", "dsp": "/app/disputas/",
	"acc": "/app/configuracoes", "acr": "/app/producao", "bnk": "/app/conta-bancaria", "dst": "/app/saques/destinos",
	"inv": "/app/equipe", "key": "/app/chaves", "prod": "/app/produtos", "usr": "/app/equipe",
}

// auditPage returns where a member sees an object of the audit log, or "".
func auditPage(id string) string {
	prefix, _, _ := strings.Cut(id, "_")
	href := auditPages[prefix]
	if strings.HasSuffix(href, "/") {
		href += url.PathEscape(id)
	}
	return href
}

// readAudit shows GET /app/auditoria.
func (s *dashboard) readAudit(c *fiber.Ctx) error {
	list, err := s.AuditList(c, "/app/auditoria", page.Visitor(c).AccountID, func(l models.AuditLine) base.AuditRow {
		row := page.AuditRow(merchantLine(c.UserContext(), l))
		row.Object = auditPage(l.ObjectID)
		return row
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
