package api

import (
	"regexp"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
)

// mayReadAudit accepts keys that the account's owner has allowed to read the audit log
// (docs/rules.md, "Audit log").
func mayReadAudit(c *fiber.Ctx) error {
	if !holder(c).Key.Has(models.KeyAudit) {
		return refusal.New(refusal.APIKeyScopeForbidden, "The API key may not read the audit log. The account's "+
			"owner can allow that to a live key on the page of keys in the dashboard.")
	}
	return c.Next()
}

var (
	auditType     = regexp.MustCompile(`^[a-z_]{1,40}\.[a-z_]{1,40}$`)
	auditTypeRule = rule{false, auditType.MatchString, "a type of line, such as api_key.created"}
)

// listAudit handles GET /v1/audit.
func (s *server) listAudit(c *fiber.Ctx) error {
	hideAnswer(c) // developers read the log of calls, and only the owner reads the audit log
	params, err := query(c, "type", "createdFrom", "createdTo", "limit", "cursor")
	if err != nil {
		return err
	}
	f := models.AuditFilter{Action: params["type"]}
	if _, given := params["type"]; given && !auditTypeRule.accepts(f.Action) {
		return refusal.New(refusal.InvalidRequestBody, "type must be %s.", auditTypeRule.wants)
	}
	if f.From, f.To, err = periodOf(params); err != nil {
		return err
	}
	if f.Limit, err = limitOf(params); err != nil {
		return err
	}
	after, err := s.cursorOf(params, payments.ListAudit)
	if err != nil {
		return err
	}
	f.Before = after.Number()
	page, err := s.Merchants.AuditLog(c.UserContext(), holder(c).Account.ID, f)
	if err != nil {
		return err
	}
	body := []byte(`{"data":[`)
	for i := range page.Rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = payload.AppendAuditLine(body, &page.Rows[i])
	}
	return sendJSON(c, endPage(body, s.Payments.Cursor(payments.ListAudit, page.Next)))
}
