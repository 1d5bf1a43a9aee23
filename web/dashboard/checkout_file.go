package dashboard

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// exportCheckouts handles GET /app/cobrancas/cobrancas.csv: all rows of the list that the page
// shows for the same query.
func (s *dashboard) exportCheckouts(c *fiber.Ctx) error {
	typed, meant, problems := readCheckoutFilter(c)
	if len(problems) > 0 { // the page shows what is wrong
		return c.Redirect("/app/cobrancas?"+typed.Query(), fiber.StatusSeeOther)
	}
	parts := []string{i18n.T(c.UserContext(), "checkouts.file"), page.Visitor(c).Environment.String(),
		strings.ToLower(typed.Status), typed.From, typed.Until}
	name := strings.Join(strings.Fields(strings.Join(parts, " ")), "-") + ".csv"
	file := checkoutFile{db: s.DB, payments: s.Payments, scope: page.Scope(c), search: meant}
	return page.SendFile(c, name, file.write)
}

// checkoutFile writes a list of checkouts as a file.
type checkoutFile struct {
	db       *models.DB
	payments *payments.Service
	scope    models.Scope
	search   models.CheckoutSearch
}

var checkoutColumns = []string{
	"id", "created", "status", "amount", "order", "description", "customer", "email", "document", "expires", "paid",
	"end_to_end_id", "fee", "net", "settlement",
}

// write reads rows page by page, so no transaction lasts as long as a slow download.
func (f checkoutFile) write(ctx context.Context, to io.Writer) error {
	w := page.NewCSVFile(ctx, to, checkoutColumns, func(column string) string {
		return i18n.T(ctx, "checkouts.column_"+column)
	})
	search := f.search
	search.Limit = page.FileBatch
	for {
		batch, err := f.payments.SearchCheckouts(ctx, f.scope, search)
		if err != nil {
			return fmt.Errorf("dashboard: read checkouts for a file: %w", err)
		}
		if err := f.writeRows(ctx, w, batch.Rows); err != nil {
			return err
		}
		if search.After = batch.Next; search.After == nil {
			return nil
		}
	}
}

func (f checkoutFile) writeRows(ctx context.Context, w page.CSVFile, batch []models.Checkout) error {
	var paid []string
	for _, c := range batch {
		if c.PaidAt != nil {
			paid = append(paid, c.ID)
		}
	}
	payments, err := models.SettlingPayments(ctx, f.db.Read, paid)
	if err != nil {
		return fmt.Errorf("dashboard: read payments for a file: %w", err)
	}
	for _, c := range batch {
		row := []string{
			c.ID, w.Time(c.CreatedAt), w.Code(string(c.Status), checkoutStatus), w.Amount(c.Amount),
			c.ExternalID, c.Description,
			page.Text(c.CustomerName), page.Text(c.CustomerEmail), page.Text(c.CustomerDocument),
			w.Time(c.ExpiresAt),
		}
		if p, settled := payments[c.ID]; settled {
			row = append(row, w.Time(p.PaidAt), p.EndToEndID, w.Amount(p.Fee), w.Amount(p.Amount-p.Fee),
				w.Code(string(c.SettlementStatus), func(ctx context.Context, status string) string {
					return settlementStatus(ctx, status, p.Own)
				}))
		} else {
			row = append(row, "", "", "", "", "")
		}
		if err := w.WriteRow(row...); err != nil {
			return err
		}
	}
	return w.Flush()
}

func checkoutStatus(ctx context.Context, status string) string {
	return i18n.T(ctx, "status.checkout_"+status)
}

// settlementStatus says where the money of a payment is; own is of one at the merchant's own bank account.
func settlementStatus(ctx context.Context, status string, own bool) string {
	if own {
		status = pages.SettlementOwn
	}
	return i18n.T(ctx, "status.settlement_"+status)
}
