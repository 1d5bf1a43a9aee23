package web

import (
	"errors"
	"log/slog"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/requestid"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// ShowError answers err with a page. Every handler of the pages returns its error;
// this is the only function that shows one.
func (o Options) ShowError(c *fiber.Ctx, err error) error {
	c.Response().ResetBody() // a page may have failed half-way
	c.SetUserContext(i18n.With(c.UserContext(), language(c)))
	setSecurity(c)
	status := statusOf(err)
	if status >= 500 {
		slog.ErrorContext(c.UserContext(), "page failed", "path", LogPath(c.Path()), "err", err)
	}
	c.Status(status)
	props := pages.ErrorProps{Status: status, RequestID: requestid.Of(c.UserContext()), Demo: o.Demo, Legal: o.legal()}
	props.Again = c.Method() == fiber.MethodGet && (status == fiber.StatusTooManyRequests || status >= 500)
	if strings.HasPrefix(c.Path(), "/app/") {
		props.HomeURL, props.Dashboard = "/app", true
		return render(c, pages.Error(props)) // what buyers are told would puzzle a merchant
	}
	switch fault.Of(err).Code {
	case fault.CheckoutNotFound:
		return render(c, pages.PayNotFound(props))
	case fault.PaymentLinkNotFound:
		return render(c, pages.LinkNotFound(props))
	}
	if status == fiber.StatusNotFound {
		props.HomeURL = "/"
	}
	return render(c, pages.Error(props))
}

func statusOf(err error) int {
	if e, ok := errors.AsType[*fiber.Error](err); ok {
		return e.Code
	}
	if errors.Is(err, models.ErrNotFound) {
		return fiber.StatusNotFound
	}
	switch fault.Of(err).Code {
	case fault.CheckoutNotFound, fault.PaymentLinkNotFound, fault.NotFound,
		fault.WithdrawalNotFound, fault.DestinationNotFound, fault.PaymentNotFound, fault.BlockNotFound:
		return fiber.StatusNotFound
	case fault.Forbidden:
		return fiber.StatusForbidden
	case fault.CheckoutNotPending, fault.WrongState, fault.ChangedMeanwhile, fault.SecondPersonRequired, fault.QuoteWorse,
		fault.ProofTaken, fault.DestinationInReview:
		return fiber.StatusConflict
	case fault.InvalidAmount, fault.InsufficientBalance, fault.QuoteUnavailable, fault.InvalidDestination, fault.ReasonRequired, fault.ProofRequired:
		return fiber.StatusUnprocessableEntity
	case fault.RateLimitExceeded:
		return fiber.StatusTooManyRequests
	case fault.ProviderUnavailable:
		return fiber.StatusServiceUnavailable
	}
	return fiber.StatusInternalServerError
}
