package api

import (
	"sync"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
)

// listCheckouts handles GET /v1/checkouts (contract 4.2).
func (s *server) listCheckouts(c *fiber.Ctx) error {
	params, err := query(c, "status", "externalId", "limit", "cursor")
	if err != nil {
		return err
	}
	filter, err := s.readFilter(params)
	if err != nil {
		return err
	}
	page, err := s.Payments.Checkouts(c.UserContext(), holder(c).Scope(), filter)
	if err != nil {
		return err
	}
	buffer := listBuffers.Get().(*[]byte)
	defer listBuffers.Put(buffer)
	body := append((*buffer)[:0], `{"data":[`...)
	for i := range page.Rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = payload.AppendCheckout(body, &page.Rows[i], s.CheckoutURL)
	}
	body = endPage(body, s.Payments.Cursor(payments.ListCheckouts, page.Next))
	*buffer = body
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	c.Response().SetBody(body) // copies: the buffer is reused for the next list
	return nil
}

// listBuffers are reused, because allocating tens of kilobytes for each answer would cost
// more than the query.
var listBuffers = sync.Pool{New: func() any { return new([]byte) }}

// endPage appends the end of a list to body.
func endPage(body []byte, nextCursor string) []byte {
	body = append(body, `],"nextCursor":`...)
	if nextCursor == "" {
		body = append(body, "null"...)
	} else {
		body = payload.AppendString(body, nextCursor)
	}
	return append(body, '}')
}

func (s *server) readFilter(params map[string]string) (f models.CheckoutFilter, err error) {
	if status, given := params["status"]; given {
		f.Status = models.CheckoutStatus(status)
		switch f.Status {
		case models.CheckoutPending, models.CheckoutPaid, models.CheckoutExpired, models.CheckoutCancelled:
		default:
			return f, refusal.New(refusal.InvalidRequestBody, "status must be PENDING, PAID, EXPIRED or CANCELLED.")
		}
	}
	if externalID, given := params["externalId"]; given {
		if f.ExternalID = externalID; !externalIDRule.accepts(externalID) {
			return f, refusal.New(refusal.InvalidRequestBody, "externalId must be %s.", externalIDRule.wants)
		}
	}
	if f.Limit, err = limitOf(params); err != nil {
		return f, err
	}
	f.After, err = s.cursorOf(params, payments.ListCheckouts)
	return f, err
}

// cursorOf reads the parameter cursor, or nil if it is absent.
func (s *server) cursorOf(params map[string]string, list payments.List) (*models.Position, error) {
	cursor, given := params["cursor"]
	if !given {
		return nil, nil
	}
	after, err := s.Payments.ReadCursor(list, cursor)
	if err != nil {
		return nil, errCursor
	}
	return after, nil
}
