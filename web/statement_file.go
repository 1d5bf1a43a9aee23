package web

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// exportStatement handles GET /app/saldo/extrato.csv: the statement that the page
// shows with the same query, whole.
func (s *server) exportStatement(c *fiber.Ctx) error {
	typed, meant, problems := readStatementFilter(c)
	balance, err := s.balance(c)
	if err != nil {
		return err
	}
	if len(problems) > 0 || balance == nil { // the page tells
		return c.Redirect(strings.TrimSuffix("/app/saldo?"+typed.Query(), "?"), fiber.StatusSeeOther)
	}
	v := visitor(c)
	file := statementFile{db: s.DB, accountID: v.AccountID, livemode: v.Livemode, filter: meant}
	return sendFile(c, fileName(c, typed), file.write)
}

// fileName says what a statement is of.
func fileName(c *fiber.Ctx, filter pages.StatementFilter) string {
	parts := []string{i18n.T(c.UserContext(), "balance.file"), "test", filter.Kind, filter.From, filter.Until}
	if visitor(c).Livemode {
		parts[1] = "live"
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), "-") + ".csv"
}

// statementFile is a statement as a file.
type statementFile struct {
	db        *models.DB
	accountID string
	livemode  bool
	filter    models.StatementFilter
}

// write writes the file as RFC 4180 says. The mark at its beginning tells
// spreadsheets that it is UTF-8.
func (f statementFile) write(ctx context.Context, to io.Writer) error {
	if _, err := io.WriteString(to, "\uFEFF"); err != nil {
		return err
	}
	w := csv.NewWriter(to)
	var header []string
	for _, column := range []string{"date", "kind", "code", "amount", "available", "total", "reference", "order", "description"} {
		header = append(header, i18n.T(ctx, "balance.column_"+column))
	}
	if err := w.Write(header); err != nil {
		return err
	}
	w.Flush()
	var batch []models.Movement
	err := models.StreamStatement(ctx, f.db.Pool, f.accountID, f.livemode, f.filter, func(m models.Movement) error {
		if batch = append(batch, m); len(batch) < fileBatch {
			return nil
		}
		err := f.writeLines(ctx, w, batch)
		batch = batch[:0]
		return err
	})
	if err != nil {
		return err
	}
	return f.writeLines(ctx, w, batch)
}

func (f statementFile) writeLines(ctx context.Context, w *csv.Writer, lines []models.Movement) error {
	charges, err := models.CheckoutReferences(ctx, f.db.Pool, f.accountID, chargeIDs(lines))
	if err != nil {
		return fmt.Errorf("web: read the charges of a statement: %w", err)
	}
	for _, m := range lines {
		charge := charges[m.LinkedID]
		err := w.Write([]string{
			i18n.Stamp(m.At), i18n.T(ctx, "balance.movement_"+string(m.Kind)), string(m.Kind), m.Amount.Decimal(), m.Available.Decimal(), m.Total.Decimal(),
			m.LinkedID, cell(charge.ExternalID), cell(charge.Description),
		})
		if err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
