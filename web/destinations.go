package web

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/pixkey"
	"garoupa/taxid"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
	"garoupa/wallet"
)

// listDestinations shows GET /app/saques/destinos.
func (s *server) listDestinations(c *fiber.Ctx) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.DestinationsProps{Shell: shell, Hold: s.Payments.Withdrawals.Hold}
	if !visitor(c).Livemode {
		props.Gate = pages.GateTest
		return render(c, pages.Destinations(props))
	}
	filter := models.DestinationFilter{AccountID: visitor(c).AccountID, Limit: pageSize + 1, After: s.position(c, payments.ListDestinations)}
	rows, err := models.Destinations(c.UserContext(), s.DB.Pool, filter)
	if err != nil {
		return fmt.Errorf("web: list destinations: %w", err)
	}
	next := ""
	if len(rows) > pageSize {
		rows = rows[:pageSize]
		last := rows[pageSize-1]
		next = s.Payments.Cursor(payments.ListDestinations, models.Position{CreatedAt: last.CreatedAt, ID: last.ID})
	}
	props.Pager = listPager("/app/saques/destinos", filter.After != nil, next)
	for i := range rows {
		props.Destinations = append(props.Destinations, destinationRow(&rows[i].Destination, s.Now()))
	}
	return render(c, pages.Destinations(props))
}

func destinationRow(d *models.Destination, now time.Time) pages.DestinationRow {
	row := pages.DestinationRow{
		DestinationFacts: destinationFacts(d), ID: d.ID, UsableAt: d.UsableAt, Reason: text(d.Reason), CreatedAt: d.CreatedAt,
	}
	switch {
	case d.Status == models.DestinationPendingReview:
		row.State = pages.DestinationReview
	case d.Status == models.DestinationRejected:
		row.State = pages.DestinationRejected
	case d.Status == models.DestinationRemoved:
		row.State = pages.DestinationRemoved
	case d.ReplacedAt != nil && !d.ReplacedAt.After(now):
		row.State = pages.DestinationReplaced
	case d.UsableAt.After(now):
		row.State = pages.DestinationHeld
	default:
		row.State, row.Until = pages.DestinationActive, d.ReplacedAt
	}
	row.CanRemove = slices.Contains([]string{pages.DestinationReview, pages.DestinationHeld, pages.DestinationActive}, row.State)
	return row
}

// newDestination shows GET /app/saques/destinos/novo.
func (s *server) newDestination(c *fiber.Ctx) error {
	rail := pages.RailPix
	if c.Query("rail") == pages.RailUSDT {
		rail = pages.RailUSDT
	}
	account, err := s.account(c)
	if err != nil {
		return err
	}
	props := pages.NewDestinationProps{Rail: rail}
	if rail == pages.RailPix && account.Document != nil && len(*account.Document) == taxid.CNPJLength {
		props.Type = string(pixkey.CNPJ)
	}
	return s.showNewDestination(c, props)
}

func (s *server) showNewDestination(c *fiber.Ctx, props pages.NewDestinationProps) (err error) {
	if props.Shell, err = s.shell(c); err != nil {
		return err
	}
	if !visitor(c).Livemode {
		props.Gate = pages.GateTest
		return render(c, pages.NewDestination(props))
	}
	props.Hold = s.Payments.Withdrawals.Hold
	others, err := models.Destinations(c.UserContext(), s.DB.Pool, models.DestinationFilter{
		AccountID: visitor(c).AccountID, Rail: models.Rail(props.Rail), Limit: pageSize,
	})
	if err != nil {
		return fmt.Errorf("web: list destinations: %w", err)
	}
	for _, d := range others {
		switch {
		case d.Status == models.DestinationPendingReview:
			props.InReview = d.Masked
		case d.Status == models.DestinationApproved && d.ReplacedAt == nil:
			props.Replaces = d.Masked
		}
	}
	return render(c, pages.NewDestination(props))
}

// createDestination handles POST /app/saques/destinos.
func (s *server) createDestination(c *fiber.Ctx) error {
	form := pages.NewDestinationProps{
		Rail: pages.RailPix, Type: c.FormValue("type"), Address: strings.ToValidUTF8(c.FormValue("address"), ""),
		HolderName: strings.ToValidUTF8(c.FormValue("holderName"), ""), Checked: c.FormValue("checked") != "",
	}
	if c.FormValue("rail") == pages.RailUSDT {
		form.Rail = pages.RailUSDT
	}
	if checkDestination(c, &form); len(form.Errors) > 0 || !visitor(c).Livemode {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewDestination(c, form)
	}
	_, err := s.Payments.RequestDestination(c.UserContext(), payer(c), visitor(c).AccountID, payments.NewDestination{
		Rail: models.Rail(form.Rail), Type: form.Type, Address: form.Address, HolderName: form.HolderName,
	})
	if err != nil && fault.Of(err).Code == fault.DestinationInReview {
		c.Status(fiber.StatusConflict)
		return s.showNewDestination(c, form)
	} else if err != nil {
		return err
	}
	if err := s.flash(c, "destination_requested"); err != nil {
		return err
	}
	return c.Redirect("/app/saques/destinos", fiber.StatusSeeOther)
}

// checkDestination notes all that is wrong with the form at once, before the
// operation stops at the first.
func checkDestination(c *fiber.Ctx, form *pages.NewDestinationProps) {
	add := func(field, problem string) {
		form.Errors = append(form.Errors, components.FieldError{Field: field, Text: i18n.T(c.UserContext(), "problem.destination_"+problem)})
	}
	field, problem := addressProblem(form.Rail, form.Type, form.Address)
	network := wallet.Network(form.Type)
	if form.Unchecked = problem == "" && form.Rail == pages.RailUSDT && !wallet.Checked(network, strings.TrimSpace(form.Address)); form.Unchecked && !form.Checked {
		field, problem = "address", "unchecked"
	}
	if problem != "" {
		add(field, problem)
	}
	if name := strings.TrimSpace(form.HolderName); name == "" || utf8.RuneCountInString(name) > 200 || strings.ContainsRune(name, 0) {
		add("holderName", "holder")
	}
}

// addressProblem says what is wrong with a key or an address, by the name of its
// text; "" if nothing is.
func addressProblem(rail, kind, address string) (field, problem string) {
	var err error
	if rail == pages.RailPix {
		_, err = pixkey.Parse(pixkey.Type(kind), address)
	} else {
		_, err = wallet.Parse(wallet.Network(kind), address)
	}
	switch {
	case err == nil:
		return "", ""
	case errors.Is(err, pixkey.ErrType) || errors.Is(err, wallet.ErrNetwork):
		return "type", "type"
	case errors.Is(err, pixkey.ErrChecksum):
		return "address", kind + "_checksum"
	case errors.Is(err, wallet.ErrChecksum):
		return "address", "typo"
	case errors.Is(err, wallet.ErrContract):
		return "address", "contract"
	}
	return "address", kind
}

// removeDestination handles POST /app/saques/destinos/:id/remover.
func (s *server) removeDestination(c *fiber.Ctx) error {
	if !visitor(c).Livemode {
		return fiber.ErrNotFound
	}
	says := "destination_removed"
	err := s.Payments.RemoveDestination(c.UserContext(), payer(c), visitor(c).AccountID, c.Params("id"))
	if err != nil && fault.Of(err).Code == fault.WrongState {
		says = "destination_not_removed"
	} else if err != nil {
		return err
	}
	if err := s.flash(c, says); err != nil {
		return err
	}
	return c.Redirect("/app/saques/destinos", fiber.StatusSeeOther)
}
