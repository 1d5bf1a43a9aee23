package dashboard

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// exportStatement handles GET /app/saldo/extrato.csv: all rows of the statement that the page
// shows for the same query.
func (s *treasury) exportStatement(c *fiber.Ctx) error {
	typed, meant, problems := readStatementFilter(c)
	balance, err := balance(s.Site, c)
	if err != nil {
		return err
	}
	if len(problems) > 0 || balance == nil { // the page shows what is wrong
		return c.Redirect(strings.TrimSuffix("/app/saldo?"+typed.Query(), "?"), fiber.StatusSeeOther)
	}
	v := page.Visitor(c)
	file := statementFile{db: s.DB, accountID: v.AccountID, environment: v.Environment, filter: meant}
	return page.SendFile(c, fileName(c, typed), file.write)
}

// fileName returns the name of the file, which contains its period.
func fileName(c *fiber.Ctx, filter pages.StatementFilter) string {
	parts := []string{i18n.T(c.UserContext(), "balance.file"), page.Visitor(c).Environment.String(), filter.Kind,
		filter.From, filter.Until}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), "-") + ".csv"
}

// statementFile writes a statement as a file.
type statementFile struct {
	db          *models.DB
	accountID   string
	environment models.Environment
	filter      models.StatementFilter
}

var statementColumns = []string{"date", "kind", "code", "amount", "available", "total", "reference", "order",
	"description"}

// write writes lines as they are read, so the statement can have any length.
func (f statementFile) write(ctx context.Context, to io.Writer) error {
	w := page.NewCSVFile(ctx, to, statementColumns, func(column string) string {
		return i18n.T(ctx, "balance.column_"+column)
	})
	if err := w.Flush(); err != nil {
		return err
	}
	var batch []models.Movement
	err := models.StreamStatement(ctx, f.db.Pool, f.accountID, f.environment, f.filter, func(m models.Movement) error {
		if batch = append(batch, m); len(batch) < page.FileBatch {
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

func (f statementFile) writeLines(ctx context.Context, w page.CSVFile, lines []models.Movement) error {
	charges, err := models.CheckoutReferences(ctx, f.db.Pool, f.accountID, chargeIDs(lines))
	if err != nil {
		return fmt.Errorf("dashboard: read the charges of a statement: %w", err)
	}
	for _, m := range lines {
		charge := charges[m.LinkedID]
		err := w.WriteRow(
			w.Time(m.At), i18n.T(ctx, "balance.movement_"+string(m.Kind)), string(m.Kind), w.Amount(m.Amount),
			w.Amount(m.Available), w.Amount(m.Total),
			m.LinkedID, charge.ExternalID, charge.Description,
		)
		if err != nil {
			return err
		}
	}
	return w.Flush()
}
