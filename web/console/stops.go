package console

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// withdrawalStopsFor returns the reasons why withdrawals of an account cannot be approved and
// paid, with who set them and the page that ends them.
func (s *console) withdrawalStopsFor(c *fiber.Ctx, head pages.AccountHead) ([]pages.Stop, error) {
	return s.stopsFor(c, head, head.State != base.AccessApproved)
}

// destinationStopsFor returns the reasons why destinations of an account cannot be approved.
func (s *console) destinationStopsFor(c *fiber.Ctx, head pages.AccountHead) ([]pages.Stop, error) {
	return s.stopsFor(c, head, head.State == base.AccessRejected)
}

func (s *console) stopsFor(c *fiber.Ctx, head pages.AccountHead, noAccess bool) (stops []pages.Stop, err error) {
	ctx, path := c.UserContext(), "/ops/contas/"+head.ID
	changes, err := models.SwitchChanges(ctx, s.DB.Read, head.ID)
	if err != nil {
		return nil, err
	}
	for _, which := range []models.Switch{models.SwitchSuspended, models.SwitchWithdrawalsBlocked} {
		if !slices.Contains(head.Switches, string(which)) {
			continue
		}
		stop := pages.Stop{
			Title: i18n.T(ctx, "ops.stopped_"+string(which)),
			Href:  path + "/travas/" + string(which), Link: i18n.T(ctx, "ops.stopped_switch"),
		}
		if i := slices.IndexFunc(changes, func(change models.ListedSwitchChange) bool {
			return change.Switch == which
		}); i >= 0 {
			stop.Body = i18n.T(ctx, "ops.stopped_by",
				changes[i].ChangerName, i18n.DateTime(ctx, changes[i].ChangedAt), changes[i].Reason)
		}
		stops = append(stops, stop)
	}
	if !noAccess {
		return stops, nil
	}
	stop := pages.Stop{
		Title: i18n.T(ctx, "ops.stopped_access"),
		Href:  path, Link: i18n.T(ctx, "ops.stopped_account"),
	}
	decisions, err := models.AccessDecisions(ctx, s.DB.Read, head.ID)
	if len(decisions) > 0 && decisions[0].Outcome != models.AccessRequestApproved {
		stop.Body = i18n.T(ctx, "ops.stopped_by",
			decisions[0].DeciderName, i18n.DateTime(ctx, decisions[0].DecidedAt), page.Text(decisions[0].Reason))
	}
	return append(stops, stop), err
}

// takesPart reports whether the visitor requested the matter, or was a member of its account
// since the request, and therefore may not decide about it.
func (s *console) takesPart(c *fiber.Ctx, m models.Matter) (bool, error) {
	decider, err := models.UserAsDecider(c.UserContext(), s.DB.Pool, page.Visitor(c).UserID, m)
	return decider.TakesPart, err
}

// checkStops returns the error for the form if stops returns a reason why nothing of the
// account may be approved or paid.
func (s *console) checkStops(c *fiber.Ctx, accountID string,
	stops func(*fiber.Ctx, pages.AccountHead) ([]pages.Stop, error)) (components.FieldErrors, error) {
	head, err := s.accountHead(c, accountID)
	if err != nil {
		return nil, err
	}
	found, err := stops(c, head)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return components.FieldErrors{{
		Field: "outcome", Text: i18n.T(c.UserContext(), "problem.ops_"+string(refusal.AccountStopped)),
	}}, nil
}
