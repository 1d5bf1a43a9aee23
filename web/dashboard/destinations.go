package dashboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/internal/taxid"
	"garoupa/internal/usdt"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/pix/pixkey"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// listDestinations shows GET /app/saques/destinos.
func (s *treasury) listDestinations(c *fiber.Ctx) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	account, err := account(s.Site, c)
	if err != nil {
		return err
	}
	props := pages.DestinationsProps{Shell: shell, Hold: s.DestinationHold(account)}
	if closed := gate(page.Visitor(c)); closed.InTest() {
		props.Gate = closed
		return page.Render(c, pages.Destinations(props))
	}
	filter := models.DestinationFilter{AccountID: page.Visitor(c).AccountID,
		After: s.Position(c, payments.ListDestinations)}
	found, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.AccountDestination, error) {
		filter.Limit = limit
		return models.Destinations(c.UserContext(), s.DB.Read, filter)
	})
	if err != nil {
		return fmt.Errorf("dashboard: list destinations: %w", err)
	}
	props.Pager = s.Pager(c, payments.ListDestinations, "/app/saques/destinos", "", filter.After, found.Next)
	for i := range found.Rows {
		props.Destinations = append(props.Destinations, destinationRow(&found.Rows[i].Destination, s.Now()))
	}
	return page.Render(c, pages.Destinations(props))
}

func destinationRow(d *models.Destination, now time.Time) pages.DestinationRow {
	row := pages.DestinationRow{
		DestinationFacts: destinationFacts(d), ID: d.ID, UsableAt: d.UsableAt, Reason: page.Text(d.Reason),
		CreatedAt: d.CreatedAt,
	}
	switch {
	case d.Status == models.DestinationPendingReview:
		row.State = base.DestinationReview
	case d.Status == models.DestinationRejected:
		row.State = base.DestinationRejected
	case d.Status == models.DestinationRemoved:
		row.State = base.DestinationRemoved
	case d.ReplacedAt != nil && !d.ReplacedAt.After(now):
		row.State = base.DestinationReplaced
	case d.UsableAt.After(now):
		row.State = base.DestinationHeld
	default:
		row.State, row.Until = base.DestinationActive, d.ReplacedAt
	}
	row.CanRemove = slices.Contains([]string{base.DestinationReview, base.DestinationHeld, base.DestinationActive},
		row.State)
	return row
}

// newDestination shows GET /app/saques/destinos/novo.
func (s *treasury) newDestination(c *fiber.Ctx) error {
	rail := pages.RailPix
	if c.Query("rail") == pages.RailUSDT {
		rail = pages.RailUSDT
	}
	account, err := account(s.Site, c)
	if err != nil {
		return err
	}
	props := pages.NewDestinationProps{Rail: rail}
	if rail == pages.RailPix && account.Document != nil && len(*account.Document) == taxid.CNPJLength {
		props.Type = string(pixkey.CNPJ)
	}
	return s.showNewDestination(c, props)
}

func (s *treasury) showNewDestination(c *fiber.Ctx, props pages.NewDestinationProps) (err error) {
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	if closed := gate(page.Visitor(c)); closed.InTest() {
		props.Gate = closed
		return page.Render(c, pages.NewDestination(props))
	}
	account, err := account(s.Site, c)
	if err != nil {
		return err
	}
	props.Hold = s.DestinationHold(account)
	others, err := models.Destinations(c.UserContext(), s.DB.Read, models.DestinationFilter{
		AccountID: page.Visitor(c).AccountID, Rail: models.Rail(props.Rail), Limit: page.ListSize(c),
	})
	if err != nil {
		return fmt.Errorf("dashboard: list destinations: %w", err)
	}
	for _, d := range others {
		switch {
		case d.Status == models.DestinationPendingReview:
			props.InReview = d.Masked
		case d.Status == models.DestinationApproved && d.ReplacedAt == nil:
			props.Replaces = d.Masked
		}
	}
	return page.Render(c, pages.NewDestination(props))
}

// createDestination handles POST /app/saques/destinos.
func (s *treasury) createDestination(c *fiber.Ctx) error {
	form := pages.NewDestinationProps{
		Rail: pages.RailPix, Type: page.Field(c, "type"), Address: strings.ToValidUTF8(page.Field(c, "address"), ""),
		HolderName: strings.ToValidUTF8(page.Field(c, "holderName"), ""), Checked: page.Field(c, "checked") != "",
	}
	if page.Field(c, "rail") == pages.RailUSDT {
		form.Rail = pages.RailUSDT
	}
	if checkDestination(c, &form); len(form.Errors) > 0 || page.Visitor(c).Environment == models.Test {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewDestination(c, form)
	}
	_, err := s.Payments.RequestDestination(c.UserContext(), page.Actor(c), page.Visitor(c).AccountID,
		payments.NewDestination{
			Rail: models.Rail(form.Rail), Type: form.Type, Address: form.Address, HolderName: form.HolderName,
		})
	if err != nil && refusal.Of(err).Code == refusal.DestinationInReview {
		c.Status(fiber.StatusConflict)
		return s.showNewDestination(c, form)
	} else if err != nil {
		return err
	}
	if err := s.Flash(c, "destination_requested"); err != nil {
		return err
	}
	return c.Redirect("/app/saques/destinos", fiber.StatusSeeOther)
}

// checkDestination adds all errors of the form, because the operation stops at the first.
func checkDestination(c *fiber.Ctx, form *pages.NewDestinationProps) {
	add := func(field, problem string) {
		form.Errors = append(form.Errors, components.FieldError{Field: field,
			Text: i18n.T(c.UserContext(), "problem.destination_"+problem)})
	}
	field, problem := addressProblem(form.Rail, form.Type, form.Address)
	network := usdt.Network(form.Type)
	if form.Unchecked = problem == "" && form.Rail == pages.RailUSDT &&
		!usdt.Checked(network, strings.TrimSpace(form.Address)); form.Unchecked && !form.Checked {
		field, problem = "address", "unchecked"
	}
	if problem != "" {
		add(field, problem)
	}
	if !payments.ValidHolderName(input.Trim(form.HolderName)) {
		add("holderName", "holder")
	}
}

// addressProblem returns what is wrong with a key or an address, as the name of its text, or
// "".
func addressProblem(rail, kind, address string) (field, problem string) {
	var err error
	if rail == pages.RailPix {
		_, err = pixkey.Parse(pixkey.Type(kind), address)
	} else {
		_, err = usdt.Parse(usdt.Network(kind), address)
	}
	switch {
	case err == nil:
		return "", ""
	case errors.Is(err, pixkey.ErrType) || errors.Is(err, usdt.ErrNetwork):
		return "type", "type"
	case errors.Is(err, pixkey.ErrChecksum):
		return "address", kind + "_checksum"
	case errors.Is(err, usdt.ErrChecksum):
		return "address", "typo"
	case errors.Is(err, usdt.ErrContract):
		return "address", "contract"
	}
	return "address", kind
}

// removeDestination handles POST /app/saques/destinos/:id/remover.
func (s *treasury) removeDestination(c *fiber.Ctx) error {
	if page.Visitor(c).Environment == models.Test {
		return fiber.ErrNotFound
	}
	says := "destination_removed"
	err := s.Payments.RemoveDestination(c.UserContext(), page.Actor(c), page.Visitor(c).AccountID, c.Params("id"))
	if err != nil && refusal.Of(err).Code == refusal.WrongState {
		says = "destination_not_removed"
	} else if err != nil {
		return err
	}
	if err := s.Flash(c, says); err != nil {
		return err
	}
	return c.Redirect("/app/saques/destinos", fiber.StatusSeeOther)
}
