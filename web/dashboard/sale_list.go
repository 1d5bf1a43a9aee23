package dashboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// readSaleFilter reads the period of the sales: the typed values, and their parsed form.
func readSaleFilter(c *fiber.Ctx) (typed pages.SaleFilter, meant models.SaleFilter, problems components.FieldErrors) {
	typed = pages.SaleFilter{From: strings.TrimSpace(c.Query("from")), Until: strings.TrimSpace(c.Query("until"))}
	meant.From, meant.Until, problems = page.ReadPeriod(c, typed.From, typed.Until)
	return typed, meant, problems
}

// listSales shows GET /app/saldo/vendas.
func (s *treasury) listSales(c *fiber.Ctx) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	typed, meant, problems := readSaleFilter(c)
	props := pages.SalesProps{Shell: shell, Filter: typed, Errors: problems,
		Periods: presets(s.Now(), pages.PeriodAll, pages.PeriodToday, pages.PeriodWeek, pages.PeriodMonth,
			pages.PeriodLastMonth)}
	balance, err := balance(s.Site, c)
	if err != nil {
		return err
	}
	if props.NeedsAccess = balance == nil; props.NeedsAccess {
		return page.Render(c, pages.Sales(props))
	}
	if len(problems) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return page.Render(c, pages.Sales(props))
	}
	sum := meant
	sum.Limit = models.SummedCheckouts
	if sum, err := models.SumSales(c.UserContext(), s.DB.Read, page.Scope(c), sum); !lacks(s.Site, c, "counts", err) {
		props.Sum = &pages.SaleSum{Count: sum.Count, Gross: sum.Gross, Fee: sum.Fee, Refunded: sum.Refunded,
			Net: sum.Net(), More: sum.More}
	}
	meant.After = s.Position(c, payments.ListSales)
	sales, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.Sale, error) {
		filter := meant
		filter.Limit = limit
		return models.Sales(c.UserContext(), s.DB.Read, page.Scope(c), filter)
	})
	if err != nil {
		return fmt.Errorf("dashboard: list sales: %w", err)
	}
	props.Pager = s.Pager(c, payments.ListSales, pages.SalesPath, typed.Query(), meant.After, sales.Next)
	props.Sales, err = s.saleRows(c, sales.Rows)
	if err != nil {
		return err
	}
	return page.Render(c, pages.Sales(props))
}

// saleRows returns the rows of sales with what each moved.
func (s *treasury) saleRows(c *fiber.Ctx, sales []models.Sale) ([]pages.SaleRow, error) {
	var ids []string
	for _, sale := range sales {
		ids = append(ids, sale.CheckoutID)
	}
	v := page.Visitor(c)
	movements, err := models.SaleMovements(c.UserContext(), s.DB.Read, v.AccountID, v.Environment, ids)
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the movements of sales: %w", err)
	}
	var rows []pages.SaleRow
	for _, sale := range sales {
		row := pages.SaleRow{
			ID: sale.CheckoutID, Title: cmp.Or(page.Text(sale.CustomerName), sale.Description), Order: sale.ExternalID,
			PaidAt: sale.PaidAt, Gross: sale.Gross, Fee: sale.Fee, Refunded: sale.Refunded, Net: sale.Net(),
			Settlement: string(sale.Settlement), FreeAt: sale.FreeAt, Own: sale.Own,
		}
		for _, m := range movements[sale.CheckoutID] {
			row.Movements = append(row.Movements, pages.SaleMovement{At: m.At, Kind: string(m.Kind),
				Internal: slices.Contains(internal, m.Kind), Amount: m.Amount})
		}
		rows = append(rows, row)
	}
	return rows, nil
}
