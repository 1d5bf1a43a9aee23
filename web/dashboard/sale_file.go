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

// exportSales handles GET /app/saldo/vendas.csv: all rows of the list that the page shows for the same query.
func (s *treasury) exportSales(c *fiber.Ctx) error {
	return s.sendSales(c, ".csv", func(file saleFile, name string) error {
		return page.SendFile(c, name, file.writeCSV)
	})
}

// exportSalesSheet handles GET /app/saldo/vendas.xlsx: the same as a workbook.
func (s *treasury) exportSalesSheet(c *fiber.Ctx) error {
	return s.sendSales(c, ".xlsx", func(file saleFile, name string) error {
		filter := file.filter
		filter.Limit = page.SheetLines + 1
		count, err := models.CountSales(c.UserContext(), s.DB.Read, file.scope, filter)
		if err != nil {
			return fmt.Errorf("dashboard: count sales: %w", err)
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

// sendSales sends the sales of the request's query as a file whose name has that end.
func (s *treasury) sendSales(c *fiber.Ctx, end string, send func(file saleFile, name string) error) error {
	typed, meant, problems := readSaleFilter(c)
	balance, err := balance(s.Site, c)
	if err != nil {
		return err
	}
	back := strings.TrimSuffix(pages.SalesPath+"?"+typed.Query(), "?")
	if len(problems) > 0 || balance == nil { // the page shows what is wrong
		return c.Redirect(back, fiber.StatusSeeOther)
	}
	parts := []string{i18n.T(c.UserContext(), "sale.file"), page.Visitor(c).Environment.String(), typed.From,
		typed.Until}
	name := strings.Join(strings.Fields(strings.Join(parts, " ")), "-") + end
	return send(saleFile{db: s.DB, scope: page.Scope(c), filter: meant, page: back}, name)
}

// saleFile writes sales as a file.
type saleFile struct {
	db     *models.DB
	scope  models.Scope
	filter models.SaleFilter
	page   string // the address that shows the same
}

var saleColumns = []string{"paid", "id", "order", "description", "customer", "gross", "fee", "refunded", "net", "free",
	"settlement", "end_to_end_id"}

func saleColumn(ctx context.Context, column string) string { return i18n.T(ctx, "sale.column_"+column) }

func (f saleFile) writeCSV(ctx context.Context, to io.Writer) error {
	w := page.NewCSVFile(ctx, to, saleColumns, func(column string) string { return saleColumn(ctx, column) })
	if err := w.Flush(); err != nil {
		return err
	}
	return f.writeTable(ctx, w)
}

func (f saleFile) writeSheet(ctx context.Context, to io.Writer) error {
	var columns []string
	for _, column := range saleColumns {
		columns = append(columns, saleColumn(ctx, column))
	}
	return page.WriteSheet(ctx, to, i18n.T(ctx, "sale.sheet"), columns, func(t page.Table) error {
		return f.writeTable(ctx, t)
	})
}

// writeTable reads rows page by page, so no transaction lasts as long as a slow download.
func (f saleFile) writeTable(ctx context.Context, t page.Table) error {
	filter := f.filter
	for more := true; more; {
		batch, err := models.ReadPage(page.FileBatch, func(limit int) ([]models.Sale, error) {
			filter.Limit = limit
			return models.Sales(ctx, f.db.Read, f.scope, filter)
		})
		if err != nil {
			return fmt.Errorf("dashboard: read sales for a file: %w", err)
		}
		for _, sale := range batch.Rows {
			var free time.Time
			if sale.FreeAt != nil {
				free = *sale.FreeAt
			}
			if err := t.WriteCells(sale.PaidAt, sale.CheckoutID, sale.ExternalID, sale.Description,
				page.Text(sale.CustomerName), sale.Gross, sale.Fee, sale.Refunded, sale.Net(), free,
				settlementStatus(ctx, string(sale.Settlement), sale.Own), sale.EndToEndID); err != nil {
				return err
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
		filter.After, more = batch.Next, batch.Next != nil
	}
	return nil
}
