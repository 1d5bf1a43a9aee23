package api

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
)

// mayReadEvents accepts keys that a person has allowed to read events and have them sent again. No permission
// includes that: it would widen keys that were given out before (docs/rules.md, "Events by API").
func mayReadEvents(c *fiber.Ctx) error {
	if !holder(c).Key.Events {
		return refusal.New(refusal.APIKeyScopeForbidden,
			"The API key may not read or resend events. A member can allow that on the page of keys in the dashboard.")
	}
	return c.Next()
}

// eventTypes are the types that the list can be narrowed to.
var eventTypes = slices.Concat(models.EventTypes, models.OptionalEventTypes, models.WithdrawalEventTypes)

// Values of "only" in the body of a replay.
const (
	onlyUndelivered = "undelivered"
	onlyAll         = "all"
)

var (
	endpointIDRule = rule{false, checkoutIDRule.accepts, "a webhook endpoint's id"}
	instantRule    = rule{false, func(s string) bool { _, err := readInstant(s); return err == nil },
		"a time as RFC 3339 has it, such as 2026-11-20T12:00:00Z"}
	onlyRule = rule{false, func(s string) bool { return s == onlyUndelivered || s == onlyAll }, "undelivered or all"}
)

// readInstant reads a time. The database keeps microseconds, so finer parts are cut off.
func readInstant(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	return at.UTC().Truncate(time.Microsecond), err
}

// listEvents handles GET /v1/events (docs/rules.md, "Events by API").
func (s *server) listEvents(c *fiber.Ctx) error {
	params, err := query(c, "type", "checkoutId", "createdFrom", "createdTo", "delivered", "limit", "cursor")
	if err != nil {
		return err
	}
	f, err := readEventFilter(params)
	if err != nil {
		return err
	}
	if f.Limit, err = limitOf(params); err != nil {
		return err
	}
	if f.After, err = s.cursorOf(params, payments.ListEvents); err != nil {
		return err
	}
	page, err := s.Payments.Events(c.UserContext(), holder(c).Scope(), f)
	if err != nil {
		return err
	}
	body := []byte(`{"data":[`)
	for i := range page.Rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, page.Rows[i].Body...)
	}
	return sendJSON(c, endPage(body, s.Payments.Cursor(payments.ListEvents, page.Next)))
}

func readEventFilter(params map[string]string) (f models.EventFilter, err error) {
	f.NoTests = true
	given := func(name string, r rule) (value string, ok bool) {
		value, ok = params[name]
		if ok && !r.accepts(value) && err == nil {
			err = refusal.New(refusal.InvalidRequestBody, "%s must be %s.", name, r.wants)
		}
		return value, ok
	}
	f.Type, _ = given("type", rule{false, func(s string) bool { return slices.Contains(eventTypes, s) },
		"a type of event, such as checkout.paid"})
	if id, ok := given("checkoutId", checkoutIDRule); ok {
		f.CheckoutIDs = []string{id}
	}
	if delivered, ok := given("delivered", rule{false, func(s string) bool { return s == "true" || s == "false" },
		"true or false"}); ok {
		f.Arrived, f.Undelivered = delivered == "true", delivered == "false"
	}
	if err == nil {
		f.From, f.Until, err = periodOf(params)
	}
	return f, err
}

// periodOf reads the parameters createdFrom and createdTo; zero times stand for absent ones.
func periodOf(params map[string]string) (from, to time.Time, err error) {
	read := func(name string, at *time.Time) {
		text, given := params[name]
		if !given || err != nil {
			return
		}
		if *at, err = readInstant(text); err != nil {
			err = refusal.New(refusal.InvalidRequestBody, "%s must be %s.", name, instantRule.wants)
		}
	}
	read("createdFrom", &from)
	read("createdTo", &to)
	if err == nil && !from.IsZero() && !to.IsZero() && !from.Before(to) {
		err = refusal.New(refusal.InvalidRequestBody, "createdTo must be after createdFrom.")
	}
	return from, to, err
}

// readEvent handles GET /v1/events/{eventId}.
func (s *server) readEvent(c *fiber.Ctx) error { return s.sendEvent(c) }

// sendEvent answers with the event that the path names, and its deliveries.
func (s *server) sendEvent(c *fiber.Ctx) error {
	event, deliveries, err := s.Payments.Event(c.UserContext(), holder(c).Scope(), c.Params("id"))
	if err != nil {
		return err
	}
	return sendJSON(c, payload.AppendEventDeliveries(nil, event, deliveries))
}

// resendEvent handles POST /v1/events/{eventId}/resend, whose body may be absent.
func (s *server) resendEvent(c *fiber.Ctx) error {
	key, err := requiredIdempotencyKey(c)
	if err != nil {
		return err
	}
	body := c.BodyRaw()
	if len(body) == 0 {
		body = []byte("{}")
	}
	o, hash, err := decode(body, refusal.InvalidRequestBody, "endpointId")
	if err != nil {
		return err
	}
	endpointID := o.text("endpointId", false, endpointIDRule)
	if *o.err != nil {
		return *o.err
	}
	if endpointID == nil {
		endpointID = new("")
	}
	sum := sha256.Sum256(append(hash, c.Params("id")...))
	err = s.Payments.ResendEvent(c.UserContext(), holder(c).Scope(), keyRequest(c, key, sum[:]), c.Params("id"),
		*endpointID)
	if err != nil {
		return err
	}
	return s.sendEvent(c)
}

func keyRequest(c *fiber.Ctx, key string, hash []byte) payments.KeyRequest {
	return payments.KeyRequest{By: models.Actor{KeyID: holder(c).Key.ID, IP: c.IP()}, IdempotencyKey: key,
		RequestHash: hash}
}

// replayEvents handles POST /v1/events/replay.
func (s *server) replayEvents(c *fiber.Ctx) error {
	key, err := requiredIdempotencyKey(c)
	if err != nil {
		return err
	}
	o, hash, err := decode(c.BodyRaw(), refusal.InvalidRequestBody, "endpointId", "from", "to", "only")
	if err != nil {
		return err
	}
	endpointID := o.text("endpointId", true, endpointIDRule)
	from, to := o.text("from", true, instantRule), o.text("to", true, instantRule)
	only := o.text("only", false, onlyRule)
	if *o.err != nil {
		return *o.err
	}
	r := models.Replay{EndpointID: *endpointID, Delivered: only != nil && *only == onlyAll}
	r.Since, _ = readInstant(*from)
	until, _ := readInstant(*to)
	if !r.Since.Before(until) {
		return refusal.New(refusal.InvalidRequestBody, "to must be after from.")
	}
	r.Until = until.Add(-time.Microsecond) // to is exclusive
	done, err := s.Payments.ReplayByKey(c.UserContext(), holder(c).Scope(), keyRequest(c, key, hash), r)
	if err != nil {
		return err
	}
	return sendJSON(c, payload.AppendReplayed(nil, done.Count, done.Next))
}
