package dashboard

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// askReplay shows GET /app/webhooks/:id/repetir, with the number of deliveries since ?since= or from the moment
// ?from=. An endpoint that was turned off may have failed for days before.
func (s *developers) askReplay(c *fiber.Ctx) error {
	endpoint, err := s.endpoint(c)
	if err != nil {
		return err
	}
	props := pages.ReplayProps{ID: endpoint.ID, URL: endpoint.URL, Enabled: endpoint.Active, Period: c.Query("since"),
		From: strings.TrimSpace(c.Query("from")), All: c.Query("only") == pages.ReplayAll, Limit: payments.MaxReplay,
		Until: s.Now()}
	if _, ok := page.ReplayPeriods[props.Period]; !ok {
		if props.Period = "24h"; !endpoint.Active {
			props.Period = "7d"
		}
	}
	props.Since = props.Until.Add(-page.ReplayPeriods[props.Period])
	if props.From != "" {
		if props.Since, err = i18n.ParseMoment(props.From); err != nil {
			props.Errors = components.FieldErrors{{Field: "from",
				Text: i18n.T(c.UserContext(), "problem.replay_moment")}}
			c.Status(fiber.StatusUnprocessableEntity)
		}
	}
	if len(props.Errors) == 0 {
		count, err := s.Payments.CountReplay(c.UserContext(), page.Scope(c), models.Replay{EndpointID: endpoint.ID,
			Since: props.Since, Until: props.Until, Delivered: props.All, FinishedBy: props.Until})
		if err != nil {
			return err
		}
		props.Count, props.More = min(count, payments.MaxReplay), count > payments.MaxReplay
	}
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Replay(props))
}

// replay handles POST /app/webhooks/:id/repetir: it resends the deliveries that were counted,
// after turning the endpoint on if the form says so. If there are more, it leads to the form for them.
func (s *developers) replay(c *fiber.Ctx) error {
	id := c.Params("id")
	since, err := time.Parse(time.RFC3339Nano, page.Field(c, "since"))
	if err != nil {
		return c.Redirect("/app/webhooks/"+id+"/repetir", fiber.StatusSeeOther)
	}
	until, err := time.Parse(time.RFC3339Nano, page.Field(c, "until"))
	if err != nil {
		return c.Redirect("/app/webhooks/"+id+"/repetir", fiber.StatusSeeOther)
	}
	if page.Field(c, "enable") != "" {
		if err := s.Merchants.SwitchEndpoint(c.UserContext(), page.Actor(c), page.Scope(c), id, true); err != nil {
			return err
		}
	}
	// The count was made at until: what finished later was not counted, or was resent by this form already.
	done, err := s.Payments.ReplayDeliveries(c.UserContext(), page.Actor(c), page.Scope(c), models.Replay{
		EndpointID: id, Since: since, Until: until, FinishedBy: until,
		Delivered: page.Field(c, "only") == pages.ReplayAll})
	switch {
	case errors.Is(err, payments.ErrEndpointOff):
		return s.toEndpoint(c, id, "endpoint_off")
	case err != nil:
		return err
	case done.Count == 0:
		return s.toEndpoint(c, id, "replayed_before")
	case done.Next == nil:
		return s.toEndpoint(c, id, "replayed")
	}
	if err := s.Flash(c, "replayed_part"); err != nil {
		return err
	}
	rest := url.Values{"from": {i18n.FieldMoment(*done.Next)}, "only": {page.Field(c, "only")}}
	return c.Redirect("/app/webhooks/"+id+"/repetir?"+rest.Encode(), fiber.StatusSeeOther)
}
