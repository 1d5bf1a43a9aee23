package dashboard

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/taxid"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// registerCustomers adds the pages of customers.
func (s *dashboard) registerCustomers(app fiber.Router) {
	app.Get("/clientes", s.listCustomers)
	app.Get("/clientes/clientes.csv", page.Only(models.MoveMoney), s.exportCustomers)
	app.Get("/clientes/:id", s.readCustomer)
}

// listCustomers shows GET /app/clientes.
func (s *dashboard) listCustomers(c *fiber.Ctx) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.CustomersProps{Shell: shell, Text: searched(c.Query("q")),
		CanExport: page.Visitor(c).Role.Can(models.MoveMoney)}
	after := s.Position(c, payments.ListCustomers)
	found, err := s.Payments.SearchCustomers(c.UserContext(), page.Scope(c),
		models.CustomerSearch{Text: props.Text, After: after, Limit: page.ListSize(c)})
	if err != nil {
		return err
	}
	for i := range found.Rows {
		props.Customers = append(props.Customers, customerRow(&found.Rows[i]))
	}
	query := ""
	if props.Text != "" {
		query = url.Values{"q": {props.Text}}.Encode()
	}
	props.Pager = s.Pager(c, payments.ListCustomers, pages.CustomersPath, query, after, found.Next)
	return page.Render(c, pages.Customers(props))
}

func customerRow(c *models.Customer) pages.CustomerRow {
	return pages.CustomerRow{ID: c.ID(), Name: page.Text(c.Name), Email: page.Text(c.Email),
		Document: writtenDocument(c.Document), Charges: c.Charges, More: c.More, PaidAmount: c.PaidAmount,
		LastPaid: c.LastPaid}
}

// writtenDocument returns a customer's document as people write it.
func writtenDocument(document *string) string {
	text := page.Text(document)
	if number, ok := taxid.Parse(text); ok {
		return taxid.Format(number)
	}
	return text
}

// readCustomer shows GET /app/clientes/:id.
func (s *dashboard) readCustomer(c *fiber.Ctx) error {
	after := s.Position(c, payments.ListCustomers)
	found, err := s.Payments.CustomerFacts(c.UserContext(), page.Scope(c), c.Params("id"), after, page.ListSize(c))
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	v := page.Visitor(c)
	props := pages.CustomerProps{Shell: shell, CustomerRow: customerRow(&found.Customer), Paid: found.Paid,
		History: checkoutRows(found.History.Rows), CanSell: offersSales(v)}
	for _, row := range checkoutRows(found.Open) {
		props.Open = append(props.Open, pages.OpenCharge{CheckoutRow: row, URL: s.CheckoutURL + "/pay/" + row.ID})
	}
	for _, l := range found.Links {
		props.Links = append(props.Links, pages.CustomerLink{ID: l.PaymentLinkID, Product: l.Product, Paid: l.Paid,
			Amount: l.PaidAmount})
	}
	for _, r := range found.Refunds {
		props.Refunds = append(props.Refunds, pages.CustomerRefund{CheckoutID: r.CheckoutID,
			RefundRow: refundRow(&r)})
	}
	if v.Role.Can(models.Own) {
		props.Buyer = page.Text(found.Document)
		if props.Buyer == "" {
			props.Buyer = page.Text(found.Email)
		}
	}
	props.Pager = s.Pager(c, payments.ListCustomers, pages.CustomersPath+"/"+props.ID, "", after, found.History.Next)
	return page.Render(c, pages.Customer(props))
}

// exportCustomers handles GET /app/clientes/clientes.csv: all rows of the list that the page shows for the same
// query.
func (s *dashboard) exportCustomers(c *fiber.Ctx) error {
	file := customerFile{payments: s.Payments, scope: page.Scope(c), text: searched(c.Query("q"))}
	name := i18n.T(c.UserContext(), "customers.file") + "-" + page.Visitor(c).Environment.String() + ".csv"
	return page.SendFile(c, name, file.write)
}

// customerFile writes a list of customers as a file.
type customerFile struct {
	payments *payments.Service
	scope    models.Scope
	text     string
}

var customerColumns = []string{"name", "email", "document", "charges", "paid", "amount", "last"}

// write reads rows page by page, as checkoutFile does.
func (f customerFile) write(ctx context.Context, to io.Writer) error {
	w := page.NewCSVFile(ctx, to, customerColumns, func(column string) string {
		return i18n.T(ctx, "customers.column_"+column)
	})
	search := models.CustomerSearch{Text: f.text, Limit: page.FileBatch}
	for {
		batch, err := f.payments.SearchCustomers(ctx, f.scope, search)
		if err != nil {
			return fmt.Errorf("dashboard: read customers for a file: %w", err)
		}
		for i := range batch.Rows {
			if err := w.WriteCells(customerCells(&batch.Rows[i])...); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if search.After = batch.Next; search.After == nil {
			return nil
		}
	}
}

// customerCells returns the line of a customer. Of one with too many charges to be summed up in a list, the line says
// that there are more, and no amount.
func customerCells(c *models.Customer) []any {
	row := customerRow(c)
	var last time.Time
	if c.LastPaid != nil {
		last = *c.LastPaid
	}
	if c.More {
		return []any{row.Name, row.Email, row.Document, strconv.Itoa(c.Charges) + "+", "", "", last}
	}
	return []any{row.Name, row.Email, row.Document, strconv.Itoa(c.Charges), strconv.Itoa(c.Paid), c.PaidAmount, last}
}
