package web

import (
	"context"
	"encoding/csv"
	"encoding/hex"
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
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// auditSubjects are what acts are about, as the filter offers them.
var auditSubjects = []string{
	"access", "account", "amount", "api_key", "brand", "buyer", "destination", "exception", "member", "passkey", "payment", "payment_link", "product",
	"session", "staff", "switch", "user", "webhook_endpoint", "withdrawal",
}

// auditFilter reads the filter of the log, as typed and as it is meant.
func auditFilter(c *fiber.Ctx) (pages.AuditFields, models.AuditFilter, components.FieldErrors) {
	fields := pages.AuditFields{
		Subject: c.Query("subject"), Actor: strings.TrimSpace(c.Query("actor")), Object: strings.TrimSpace(c.Query("object")),
		Request: strings.TrimSpace(c.Query("request")), Account: strings.TrimSpace(c.Query("account")), From: c.Query("from"), Until: c.Query("until"),
	}
	filter := models.AuditFilter{AccountID: oneLine(fields.Account), Actor: oneLine(fields.Actor), ObjectID: oneLine(fields.Object), RequestID: oneLine(fields.Request)}
	if slices.Contains(auditSubjects, fields.Subject) {
		filter.Subject = fields.Subject
	}
	var errs components.FieldErrors
	filter.From, filter.To, errs = readPeriod(c, fields.From, fields.Until)
	return fields, filter, errs
}

// oneLine is text that a query can hold.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}

// auditList reads a page of the log: the account's, or all of it if there is none.
func (s *server) auditList(c *fiber.Ctx, path, accountID string, row func(models.AuditLine) pages.AuditRow) (pages.AuditList, error) {
	fields, filter, errs := auditFilter(c)
	if len(errs) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
	}
	filter.Limit = pageSize + 1
	if accountID != "" {
		filter.AccountID, filter.Merchant, fields.Account = accountID, true, ""
	}
	filter.Before, _ = strconv.ParseInt(c.Query("before"), 10, 64) // what is no number starts over
	lines, err := models.AuditLines(c.UserContext(), s.DB.Pool, filter)
	if err != nil {
		return pages.AuditList{}, fmt.Errorf("web: read the audit log: %w", err)
	}
	query := url.Values{}
	for name, value := range map[string]string{
		"subject": fields.Subject, "actor": fields.Actor, "object": fields.Object, "request": fields.Request, "account": fields.Account, "from": fields.From, "until": fields.Until,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	list := pages.AuditList{Path: path, Export: path + ".csv?" + query.Encode(), Fields: fields, Subjects: auditSubjects, Errors: errs}
	if filter.Before > 0 {
		list.Pager.Previous = path + "?" + query.Encode()
	}
	if len(lines) > pageSize {
		lines = lines[:pageSize]
		query.Set("before", strconv.FormatInt(lines[pageSize-1].ID, 10))
		list.Pager.Next = path + "?" + query.Encode()
	}
	for _, l := range lines {
		list.Rows = append(list.Rows, row(l))
	}
	return list, nil
}

// auditRow is a line as staff read it.
func auditRow(l models.AuditLine) pages.AuditRow {
	row := pages.AuditRow{
		ID: l.ID, At: l.At, Action: l.Action, Who: l.ActorName, WhoEmail: l.ActorEmail, WhoRole: l.ActorRole, Account: l.AccountName, AccountID: l.AccountID,
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

// merchantLine leaves out of a line what is not the merchant's to know: who of staff
// did it, and from where.
func merchantLine(ctx context.Context, l models.AuditLine) models.AuditLine {
	if l.ByStaff {
		l.Detail = maps.Clone(l.Detail)
		delete(l.Detail, "ticket")
		l.Actor, l.ActorName, l.ActorEmail, l.ActorRole, l.IP, l.RequestID = models.ActorStaff, i18n.T(ctx, "audit.staff"), "", "", "", ""
	}
	l.AccountName = ""
	return l
}

// readAudit shows GET /app/auditoria.
func (s *server) readAudit(c *fiber.Ctx) error {
	list, err := s.auditList(c, "/app/auditoria", visitor(c).AccountID, func(l models.AuditLine) pages.AuditRow {
		return auditRow(merchantLine(c.UserContext(), l))
	})
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.Audit(pages.AuditProps{Shell: shell, List: list}))
}

// auditFile answers GET /app/auditoria.csv.
func (s *server) auditFile(c *fiber.Ctx) error {
	ctx := c.UserContext()
	return s.sendAudit(c, visitor(c).AccountID, func(l models.AuditLine) models.AuditLine { return merchantLine(ctx, l) })
}

// opsAudit shows GET /ops/auditoria.
func (s *server) opsAudit(c *fiber.Ctx) error {
	list, err := s.auditList(c, "/ops/auditoria", "", auditRow)
	if err != nil {
		return err
	}
	shell, err := s.opsShell(c)
	if err != nil {
		return err
	}
	seal, err := s.auditSeal(c.UserContext())
	if err != nil {
		return err
	}
	return render(c, pages.OpsAudit(pages.OpsAuditProps{Shell: shell, Seal: seal, List: list}))
}

// auditSeal says how far the log is sealed, and what the last examination found.
func (s *server) auditSeal(ctx context.Context) (seal pages.AuditSeal, err error) {
	sealed, err := models.AuditSealed(ctx, s.DB.Pool)
	if err != nil {
		return seal, fmt.Errorf("web: read the audit log's seals: %w", err)
	}
	last, err := models.LastExamination(ctx, s.DB.Pool, models.ExaminedAudit)
	if err != nil {
		return seal, fmt.Errorf("web: read what was found in the audit log: %w", err)
	}
	seal = pages.AuditSeal{
		Through: sealed.Through, ThroughAt: sealed.ThroughAt, Lines: sealed.Lines, SHA256: hex.EncodeToString(sealed.Hash), CheckedAt: last.At,
	}
	for _, flaw := range last.Flaws {
		seal.Flaws = append(seal.Flaws, auditFlaw(ctx, flaw))
	}
	return seal, nil
}

// opsAuditFile answers GET /ops/auditoria.csv.
func (s *server) opsAuditFile(c *fiber.Ctx) error {
	return s.sendAudit(c, "", func(l models.AuditLine) models.AuditLine { return l })
}

var auditColumns = []string{"id", "at", "action", "object", "account", "actor", "actor_name", "actor_email", "before", "after", "detail", "ip", "request_id", "actor_role", "at_brasilia"}

// sendAudit answers with the log, the account's or all of it if there is none, or
// what of it passes the filter, as CSV, however long it is: lines leave as they are
// read.
func (s *server) sendAudit(c *fiber.Ctx, accountID string, seen func(models.AuditLine) models.AuditLine) error {
	_, filter, errs := auditFilter(c)
	if len(errs) > 0 { // the page tells
		return c.Redirect(strings.Replace(c.OriginalURL(), ".csv", "", 1), fiber.StatusSeeOther)
	}
	if accountID != "" {
		filter.AccountID, filter.Merchant = accountID, true
	}
	name := i18n.T(c.UserContext(), "audit.file") + "-" + s.Now().UTC().Format(time.DateOnly) + ".csv"
	return sendFile(c, name, func(ctx context.Context, to io.Writer) error { return s.writeAudit(ctx, to, filter, seen) })
}

// writeAudit writes the log as RFC 4180 says, with its columns' names as programs
// know them. Lines are read by batches, so that no query lasts as long as a slow
// download.
func (s *server) writeAudit(ctx context.Context, to io.Writer, filter models.AuditFilter, seen func(models.AuditLine) models.AuditLine) error {
	file := csv.NewWriter(to)
	if err := file.Write(auditColumns); err != nil {
		return err
	}
	for filter.Limit = fileBatch; ; {
		lines, err := models.AuditLines(ctx, s.DB.Pool, filter)
		if err != nil {
			return fmt.Errorf("web: read the audit log for a file: %w", err)
		}
		for _, l := range lines {
			filter.Before = l.ID
			l = seen(l)
			record := []string{
				strconv.FormatInt(l.ID, 10), l.At.UTC().Format("2006-01-02T15:04:05.000Z"), l.Action, l.ObjectID, l.AccountID, l.Actor,
				cell(l.ActorName), cell(l.ActorEmail), facts(l.Before), facts(l.After), facts(l.Detail), l.IP, cell(l.RequestID),
				l.ActorRole, i18n.DateTime(ctx, l.At),
			}
			if err := file.Write(record); err != nil {
				return err
			}
		}
		if file.Flush(); file.Error() != nil || len(lines) < fileBatch {
			return file.Error()
		}
	}
}

// facts writes the members of a line as JSON, "" for none.
func facts(members map[string]string) string {
	if len(members) == 0 {
		return ""
	}
	text, err := json.Marshal(members)
	if err != nil { // no map of texts fails
		return ""
	}
	return string(text)
}
