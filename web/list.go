package web

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
)

// position is where a page of a list begins. A cursor that is not ours starts the
// list over: the address may be old.
func (s *server) position(c *fiber.Ctx, list payments.List) *models.Position {
	cursor := c.Query("cursor")
	if cursor == "" {
		return nil
	}
	after, _ := s.Payments.ReadCursor(list, cursor)
	return after
}

// listPager is the pager of a list without filters. Cursors need no escaping.
func listPager(address string, deep bool, next string) components.PagerProps {
	var out components.PagerProps
	if deep {
		out.Previous = address
	}
	if next != "" {
		out.Next = address + "?cursor=" + next
	}
	return out
}
