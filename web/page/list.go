package page

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
)

// ListSize is how many rows a list of the dashboard shows.
const ListSize = 25

// Position returns where a page of a list begins. An invalid cursor starts the list over,
// because the address may be old.
func (s *Site) Position(c *fiber.Ctx, list payments.List) *models.Position {
	// The addresses of these lists had the number of a row in place of a cursor.
	if n := c.QueryInt("before"); n > 0 && (list == payments.ListAudit || list == payments.ListAPIRequests) {
		return &models.Position{ID: strconv.Itoa(n)}
	}
	after, _ := s.Payments.ReadCursor(list, c.Query("cursor"))
	return after
}

// Pager returns the links of a page of a list: to the list's beginning, unless the page is the
// beginning, and to the next page. The address of the list is path with its filters, query.
func (s *Site) Pager(list payments.List, path, query string, after, next *models.Position) components.PagerProps {
	var out components.PagerProps
	if after != nil {
		out.Previous = strings.TrimSuffix(path+"?"+query, "?")
	}
	if next != nil { // a cursor needs no escaping
		out.Next = path + "?" + strings.TrimPrefix(query+"&cursor="+s.Payments.Cursor(list, next), "&")
	}
	return out
}
