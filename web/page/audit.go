package page

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// auditSubjects are the kinds of objects that the filter offers.
var auditSubjects = []string{
	"access", "account", "amount", "api_key", "bank_account", "brand", "buyer", "destination", "exception",
	"fee", "limits", "member", "passkey", "payment", "payment_link", "product",
	"reason", "session", "staff", "switch", "user", "webhook_endpoint", "withdrawal",
}

// auditFilter reads the filter of the audit log: the typed values, and their parsed form.
func auditFilter(c *fiber.Ctx) (pages.AuditFields, models.AuditFilter, components.FieldErrors) {
	fields := pages.AuditFields{
		Subject: c.Query("subject"), Actor: strings.TrimSpace(c.Query("actor")),
		Object:  strings.TrimSpace(c.Query("object")),
		Request: strings.TrimSpace(c.Query("request")), Account: strings.TrimSpace(c.Query("account")),
		From: c.Query("from"), Until: c.Query("until"),
	}
	filter := models.AuditFilter{
		AccountID: fields.Account, Actor: fields.Actor,
		ObjectID: fields.Object, RequestID: fields.Request,
	}
	if slices.Contains(auditSubjects, fields.Subject) {
		filter.Subject = fields.Subject
	}
	var errs components.FieldErrors
	filter.From, filter.To, errs = ReadPeriod(c, fields.From, fields.Until)
	return fields, filter, errs
}

// AuditList reads a page of the audit log of an account, or of the whole log if accountID is
// "".
func (s *Site) AuditList(c *fiber.Ctx, path, accountID string,
	row func(models.AuditLine) pages.AuditRow) (pages.AuditList, error) {
	fields, filter, errs := auditFilter(c)
	if len(errs) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
	}
	if accountID != "" {
		filter.AccountID, filter.Merchant, fields.Account = accountID, true, ""
	}
	after := s.Position(c, payments.ListAudit)
	filter.Before = after.Number()
	lines, err := models.ReadPage(ListSize(c), func(limit int) ([]models.AuditLine, error) {
		filter.Limit = limit
		return models.AuditLines(c.UserContext(), s.DB.Read, filter)
	})
	if err != nil {
		return pages.AuditList{}, fmt.Errorf("page: read the audit log: %w", err)
	}
	query := url.Values{}
	for name, value := range map[string]string{
		"subject": fields.Subject, "actor": fields.Actor, "object": fields.Object, "request": fields.Request,
		"account": fields.Account, "from": fields.From, "until": fields.Until,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	list := pages.AuditList{Path: path, Export: path + ".csv?" + query.Encode(), Fields: fields,
		Subjects: auditSubjects, Errors: errs,
		Pager: s.Pager(c, payments.ListAudit, path, query.Encode(), after, lines.Next)}
	for _, l := range lines.Rows {
		list.Rows = append(list.Rows, row(l))
	}
	return list, nil
}

// AuditRow returns a line in the form for staff.
func AuditRow(l models.AuditLine) pages.AuditRow {
	row := pages.AuditRow{
		ID: l.ID, At: l.At, Action: l.Action, Who: l.ActorName, WhoEmail: l.ActorEmail, WhoRole: l.ActorRole,
		Account: l.AccountName, AccountID: l.AccountID,
		ObjectID: l.ObjectID, IP: l.IP, RequestID: l.RequestID,
	}
	if row.Who == "" && l.Actor != models.ActorSystem {
		row.Who = l.Actor
	}
	names := map[string]string{}
	maps.Copy(names, l.Before)
	maps.Copy(names, l.After)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before, after := l.Before[name], l.After[name]; before != "" || after != "" {
			row.Changes = append(row.Changes, pages.AuditChange{Name: name, Before: before, After: after})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Detail)) {
		row.Details = append(row.Details, components.KeyValue{Key: name, Value: l.Detail[name]})
	}
	return row
}

var auditColumns = []string{"id", "at", "action", "object", "account", "actor", "actor_name", "actor_email", "before",
	"after", "detail", "ip", "request_id", "actor_role", "at_brasilia"}

// SendAudit answers with the audit log as CSV: the account's, or the whole log if accountID is
// "", narrowed by the filter. It streams lines as they are read, so the log can have any
// length.
func (s *Site) SendAudit(c *fiber.Ctx, accountID string, seen func(models.AuditLine) models.AuditLine) error {
	_, filter, errs := auditFilter(c)
	if len(errs) > 0 { // the page shows what is wrong with the filter
		list := strings.TrimSuffix(c.Path(), ".csv")
		return c.Redirect(Local(strings.Replace(c.OriginalURL(), ".csv", "", 1), list), fiber.StatusSeeOther)
	}
	if accountID != "" {
		filter.AccountID, filter.Merchant = accountID, true
	}
	name := i18n.T(c.UserContext(), "audit.file") + "-" + s.Now().UTC().Format(time.DateOnly) + ".csv"
	return SendFile(c, name, func(ctx context.Context,
		to io.Writer) error {
		return s.writeAudit(ctx, to, filter, seen)
	})
}

// writeAudit reads lines in batches, so no query lasts as long as a slow download. In English, the
// columns and the codes are those that programs use.
func (s *Site) writeAudit(ctx context.Context, to io.Writer, filter models.AuditFilter,
	seen func(models.AuditLine) models.AuditLine) error {
	file := NewCSVFile(ctx, to, auditColumns, func(column string) string { return i18n.T(ctx, "audit.column_"+column) })
	for filter.Limit = FileBatch; ; {
		lines, err := models.AuditLines(ctx, s.DB.Read, filter)
		if err != nil {
			return fmt.Errorf("page: read the audit log for a file: %w", err)
		}
		for _, l := range lines {
			filter.Before = l.ID
			l = seen(l)
			err := file.WriteRow(
				strconv.FormatInt(l.ID, 10), l.At.UTC().Format("2006-01-02T15:04:05.000Z"),
				file.Code(l.Action, pages.ActionName), l.ObjectID, l.AccountID, l.Actor,
				l.ActorName, l.ActorEmail, facts(l.Before), facts(l.After), facts(l.Detail), l.IP, l.RequestID,
				file.Code(l.ActorRole, pages.AnyRoleName), file.Time(l.At),
			)
			if err != nil {
				return err
			}
		}
		if err := file.Flush(); err != nil || len(lines) < FileBatch {
			return err
		}
	}
}

// facts returns members as JSON, or "" if there are none.
func facts(members map[string]string) string {
	if len(members) == 0 {
		return ""
	}
	text, err := json.Marshal(members)
	if err != nil { // encoding a map of strings cannot fail
		return ""
	}
	return string(text)
}
