package page

import (
	"cmp"
	"errors"
	"log/slog"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/internal/refusal"
	"garoupa/internal/requestid"
	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// ShowError answers err with a page. Every handler of the pages returns its error, and only
// this function shows errors.
func (o Options) ShowError(c *fiber.Ctx, err error) error {
	c.Response().ResetBody() // a page may have failed halfway
	c.SetUserContext(i18n.With(c.UserContext(), language(c)))
	status, reason := StatusOf(err), outageOf(err)
	switch {
	case reason != "":
		status = fiber.StatusServiceUnavailable
		c.Set(fiber.HeaderRetryAfter, retrySeconds(api.RetryAfter()))
		slog.WarnContext(c.UserContext(), "page refused in an outage", "path", LogPath(c.Path()), "reason", reason)
	case status >= 500:
		slog.ErrorContext(c.UserContext(), "page failed", "path", LogPath(c.Path()), "err", err)
	}
	c.Status(status)
	props := pages.ErrorProps{
		Status: status, RequestID: requestid.Of(c.UserContext()), Demo: o.Demo,
		Legal: o.Legal(), Outage: reason != "",
	}
	props.Again = c.Method() == fiber.MethodGet && (status == fiber.StatusTooManyRequests || status >= 500)
	if props.Outage && c.Method() != fiber.MethodGet {
		props.Unsure = !errors.Is(err, models.ErrOverloaded) // which work meets before it begins
		keepForm(c, &props)
	}
	if strings.HasPrefix(c.Path(), "/app/") {
		props.HomeURL, props.Dashboard = "/app", true
		return Render(c, pages.Error(props)) // a merchant would not understand the text for buyers
	}
	switch refusal.Of(err).Code {
	case refusal.CheckoutNotFound:
		return Render(c, pages.PayNotFound(props))
	case refusal.PaymentLinkNotFound:
		return Render(c, pages.LinkNotFound(props))
	}
	if status == fiber.StatusNotFound {
		props.HomeURL = "/"
	}
	return Render(c, pages.Error(props))
}

// outageOf returns the kind of outage of ours that caused err, or "" if err has another cause.
func outageOf(err error) string {
	_, refused := errors.AsType[*refusal.Error](err)
	_, routed := errors.AsType[*fiber.Error](err)
	if refused || routed {
		return ""
	}
	return models.Outage(err)
}

// keepForm puts the fields of a dashboard form on the error page, so that the form can be sent
// again. It does not keep forms with a proof of identity, or forms of other sites.
func keepForm(c *fiber.Ctx, props *pages.ErrorProps) {
	if Field(c, layouts.ScopeField) == "" || CheckOrigin(c) != nil {
		return
	}
	props.Fields, props.Action = keptFields(c), Local(c.OriginalURL(), "/app")
	if form, err := c.MultipartForm(); err == nil {
		props.Files = len(form.File) > 0
	}
}

// StatusOf returns the HTTP status of the page that ShowError shows for err, 500 if the error
// is unknown.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*fiber.Error](err); ok {
		return e.Code
	}
	if errors.Is(err, models.ErrNotFound) {
		return fiber.StatusNotFound
	}
	code := refusal.Of(err).Code
	return cmp.Or(pageStatuses[code], api.Status(code), fiber.StatusInternalServerError)
}

// pageStatuses are the statuses of the codes that only pages use. Every other code has the
// API's status.
var pageStatuses = map[refusal.Code]int{
	refusal.ProposerGone:         fiber.StatusForbidden,
	refusal.DestinationNotFound:  fiber.StatusNotFound,
	refusal.PaymentNotFound:      fiber.StatusNotFound,
	refusal.BlockNotFound:        fiber.StatusNotFound,
	refusal.WrongState:           fiber.StatusConflict,
	refusal.ChangedMeanwhile:     fiber.StatusConflict,
	refusal.AccountStopped:       fiber.StatusConflict,
	refusal.SecondPersonRequired: fiber.StatusConflict,
	refusal.QuoteWorse:           fiber.StatusConflict,
	refusal.ProofTaken:           fiber.StatusConflict,
	refusal.DestinationInReview:  fiber.StatusConflict,
	refusal.InvalidDestination:   fiber.StatusUnprocessableEntity,
	refusal.DefenseRequired:      fiber.StatusUnprocessableEntity,
	refusal.InvalidFile:          fiber.StatusUnprocessableEntity,
	refusal.ReasonRequired:       fiber.StatusUnprocessableEntity,
	refusal.ProofRequired:        fiber.StatusUnprocessableEntity,
}
