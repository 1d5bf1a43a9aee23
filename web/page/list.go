package page

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
)

// How many rows a page of a list shows.
const (
	usualRows = 25
	lowRows   = 50 // of those who chose low rows
)

// ListSize returns how many rows a page of a list shows to the visitor. A cursor names a row, so it leads to the same
// place when the choice changes.
func ListSize(c *fiber.Ctx) int {
	if dense(c) {
		return lowRows
	}
	return usualRows
}

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

// trail is the name of the query's value with the cursors of the pages between a list's beginning and the page
// before this one, joined by trailMark, which no cursor contains.
const (
	trail     = "trail"
	trailMark = "~"
	trailSize = 20 // pages to which one can go back one by one; the page before them is the list's beginning
)

// Pager returns the links of a page of a list to the previous and to the next page. The address of the list is
// path with its filters, query.
func (s *Site) Pager(c *fiber.Ctx, list payments.List, path, query string, after, next *models.Position,
) components.PagerProps {
	address := func(at string, before []string) string {
		parts := []string{query, "cursor=" + at, trail + "=" + strings.Join(before, trailMark)} // need no escaping
		if at == "" {
			parts = parts[:1]
		} else if len(before) == 0 {
			parts = parts[:2]
		}
		return strings.TrimSuffix(path+"?"+strings.TrimPrefix(strings.Join(parts, "&"), "&"), "?")
	}
	var out components.PagerProps
	var before []string // the pages up to this one, without the first
	if after != nil {
		before = s.readTrail(c, list)
		if n := len(before); n > 0 {
			out.Previous = address(before[n-1], before[:n-1])
		} else {
			out.Previous = address("", nil)
		}
		before = append(before, s.Payments.Cursor(list, after))
	}
	if next != nil {
		out.Next = address(s.Payments.Cursor(list, next), before[max(0, len(before)-trailSize):])
	}
	return out
}

// readTrail returns the cursors of the query's trail, or none if one of them is invalid.
func (s *Site) readTrail(c *fiber.Ctx, list payments.List) (cursors []string) {
	text := c.Query(trail)
	if text == "" {
		return nil
	}
	cursors = strings.Split(text, trailMark)
	if len(cursors) > trailSize {
		return nil
	}
	for _, cursor := range cursors {
		if _, err := s.Payments.ReadCursor(list, cursor); err != nil {
			return nil
		}
	}
	return cursors
}
