package dashboard

import (
	"strings"

	"garoupa/internal/money"
	"garoupa/models"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// why returns what of a charge a text matched, as a name of "search.why_…" and the value. The name is "" if the
// hit shows the value anyway: its description, order number and amount.
func why(c *models.Checkout, text string, amount money.Cents) (name, matched string) {
	customer, email := page.Text(c.CustomerName), page.Text(c.CustomerEmail)
	switch {
	case c.ID == text:
		return "id", c.ID
	case pages.Finds(c.ExternalID, text), amount > 0 && c.Amount == amount:
		return "", ""
	case pages.Finds(customer+" "+c.ExternalID, text):
		return "customer", customer
	case email != "" && strings.HasPrefix(strings.ToLower(email), strings.ToLower(text)):
		return "email", email
	case strings.Contains(strings.ToLower(c.Description), strings.ToLower(text)):
		return "", ""
	case c.TxID == text:
		return "txid", text
	case c.PaymentLinkID != nil && *c.PaymentLinkID == text:
		return "link", text
	case strings.Trim(text, "0123456789.-/ ") == "":
		return "document", text
	}
	return "payment", text
}
