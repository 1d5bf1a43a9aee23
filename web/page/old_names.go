package page

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// oldName is a query parameter that pages had under another name.
type oldName struct {
	under    string // start of the pages' paths
	was, now string
	values   map[string]string // values with another name, by the old one
}

var oldNames = []oldName{
	{"/2fa", "recuperacao", "recovery", nil},
	{"/app/eventos", "tipo", "type", nil},
	{"/app/eventos", "cobranca", "q", nil},
	{"/app/eventos", "checkout", "q", nil},
	{"/app/eventos", "entrega", "delivery", map[string]string{"pendente": "undelivered"}},
	{"/app/links/novo", "produto", "product", nil},
	{"/app/webhooks/", "teste", "test", nil},
	{"/app/webhooks/", "assinatura", "signature", nil},
	{"/app/webhooks/", "desde", "since", nil},
	{"/ops/webhooks/", "desde", "since", nil},
	{"/ops/", "aba", "tab", map[string]string{
		"analise": "review", "decididos": "decided", "decididas": "decided", "pendentes": "pending",
		"pagar": "payout", "abertas": "open", "teste": "test", "falhando": "failing", "todos": "all", "todas": "all",
	}},
}

// OldNames redirects old addresses of pages, such as bookmarks, to those with today's names of
// query parameters. A parameter that the address has under both names stays as it is.
func OldNames(c *fiber.Ctx) error {
	if m := c.Method(); m != fiber.MethodGet && m != fiber.MethodHead {
		return c.Next()
	}
	// The path and not the whole address as received, which may name another site: it begins
	// as one in the table.
	path, query := c.Path(), string(c.Request().URI().QueryString())
	if renamed := renamedQuery(path, query); renamed != query {
		// See Other is not permanent: a browser must not remember it for the next version.
		return c.Redirect(path+"?"+renamed, fiber.StatusSeeOther)
	}
	return c.Next()
}

// renamedQuery returns the query of a page with today's names in place of old ones. All else
// stays byte for byte and in order.
func renamedQuery(path, query string) string {
	for _, old := range oldNames {
		if !strings.HasPrefix(path, old.under) || hasParameter(query, old.now) {
			continue
		}
		parts := strings.Split(query, "&")
		for i, part := range parts {
			name, value, _ := strings.Cut(part, "=")
			if unescaped(name) != old.was {
				continue
			}
			if now, known := old.values[unescaped(value)]; known {
				value = now
			}
			parts[i] = old.now + "=" + value
		}
		query = strings.Join(parts, "&")
	}
	return query
}

func hasParameter(query, name string) bool {
	for part := range strings.SplitSeq(query, "&") {
		if n, _, _ := strings.Cut(part, "="); unescaped(n) == name {
			return true
		}
	}
	return false
}

// unescaped returns the text of a part of a query, or the part as it is if it is malformed.
func unescaped(part string) string {
	if text, err := url.QueryUnescape(part); err == nil {
		return text
	}
	return part
}
