package page

import (
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
	cursor := c.Query("cursor")
	if cursor == "" {
		return nil
	}
	after, _ := s.Payments.ReadCursor(list, cursor)
	return after
}

// ListPager returns the pager of a list without filters. Cursors need no escaping.
func ListPager(address string, deep bool, next string) components.PagerProps {
	var out components.PagerProps
	if deep {
		out.Previous = address
	}
	if next != "" {
		out.Next = address + "?cursor=" + next
	}
	return out
}
