package dashboard

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// exportStatement handles GET /app/saldo/extrato.csv: all rows of the statement that the page
// shows for the same query.
func (s *treasury) exportStatement(c *fiber.Ctx) error {
	return s.export(c, ".csv", func(file statementFile, name string) error {
		return page.SendFile(c, name, file.writeCSV)
	})
}

// exportStatementSheet handles GET /app/saldo/extrato.xlsx: the same as a workbook.
func (s *treasury) exportStatementSheet(c *fiber.Ctx) error {
	return s.export(c, ".xlsx", func(file statementFile, name string) error {
		filter := file.filter
		filter.Limit = page.SheetLines + 1
		count, err := models.CountStatement(c.UserContext(), s.DB.Read, file.accountID, file.environment, filter)
		if err != nil {
			return fmt.Errorf("dashboard: count a statement: %w", err)
		}
		if count > page.SheetLines {
			if err := s.Flash(c, "sheet_too_long"); err != nil {
				return err
			}
			return c.Redirect(file.page, fiber.StatusSeeOther)
		}
		return page.SendSheet(c, name, file.writeSheet)
	})
}

// exportStatementOFX handles GET /app/saldo/extrato.ofx: what changed the account's total.
func (s *treasury) exportStatementOFX(c *fiber.Ctx) error {
	return s.export(c, ".ofx", func(file statementFile, name string) error {
		return page.SendOFX(c, name, file.writeOFX)
	})
}

// export sends the statement of the request's query as a file whose name has that end.
func (s *treasury) export(c *fiber.Ctx, end string, send func(file statementFile, name string) error) error {
	typed, meant, problems := readStatementFilter(c)
	balance, err := balance(s.Site, c)
	if err != nil {
		return err
	}
	back := strings.TrimSuffix("/app/saldo?"+typed.Query(), "?")
	if len(problems) > 0 || balance == nil { // the page shows what is wrong
		return c.Redirect(back, fiber.StatusSeeOther)
	}
	owner, err := account(s.Site, c)
	if err != nil {
		return err
	}
	return send(statementFile{db: s.DB, accountID: owner.ID, environment: page.Visitor(c).Environment, filter: meant,
		page: back, since: owner.CreatedAt, now: s.Now()}, fileName(c, typed)+end)
}

// fileName returns the name of the file without its end. It contains the period.
func fileName(c *fiber.Ctx, filter pages.StatementFilter) string {
	parts := []string{i18n.T(c.UserContext(), "balance.file"), page.Visitor(c).Environment.String(), filter.Kind,
		filter.From, filter.Until}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), "-")
}

// statementFile writes a statement as a file.
type statementFile struct {
	db          *models.DB
	accountID   string
	environment models.Environment
	filter      models.StatementFilter
	page        string    // the address that shows the same
	since, now  time.Time // when the account was made
}

var statementColumns = []string{"date", "kind", "code", "amount", "available", "total", "reference", "order",
	"description"}

func statementColumn(ctx context.Context, column string) string {
	return i18n.T(ctx, "balance.column_"+column)
}

// writeCSV writes lines as they are read, so the statement can have any length.
func (f statementFile) writeCSV(ctx context.Context, to io.Writer) error {
	w := page.NewCSVFile(ctx, to, statementColumns, func(column string) string { return statementColumn(ctx, column) })
	if err := w.Flush(); err != nil {
		return err
	}
	return f.writeTable(ctx, w)
}

func (f statementFile) writeSheet(ctx context.Context, to io.Writer) error {
	var columns []string
	for _, column := range statementColumns {
		columns = append(columns, statementColumn(ctx, column))
	}
	return page.WriteSheet(ctx, to, i18n.T(ctx, "balance.sheet"), columns, func(t page.Table) error {
		return f.writeTable(ctx, t)
	})
}

func (f statementFile) writeTable(ctx context.Context, t page.Table) error {
	return f.read(ctx, func(m models.Movement, charge models.CheckoutReference) error {
		return t.WriteCells(m.At, i18n.T(ctx, "balance.movement_"+string(m.Kind)), string(m.Kind), m.Amount,
			m.Available, m.Total, m.LinkedID, charge.ExternalID, charge.Description)
	}, t.Flush)
}

// read calls each with the movements, and flush after some of them.
func (f statementFile) read(ctx context.Context, each func(models.Movement, models.CheckoutReference) error,
	flush func() error) error {
	write := func(batch []models.Movement) error {
		charges, err := models.CheckoutReferences(ctx, f.db.Read, f.accountID, chargeIDs(batch))
		if err != nil {
			return fmt.Errorf("dashboard: read the charges of a statement: %w", err)
		}
		for _, m := range batch {
			if err := each(m, charges[m.LinkedID]); err != nil {
				return err
			}
		}
		return flush()
	}
	var batch []models.Movement
	err := models.StreamStatement(ctx, f.db, f.accountID, f.environment, f.filter, func(m models.Movement) error {
		if batch = append(batch, m); len(batch) < page.FileBatch {
			return nil
		}
		err := write(batch)
		batch = batch[:0]
		return err
	})
	if err != nil {
		return err
	}
	return write(batch)
}
