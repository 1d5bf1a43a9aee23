package console

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// The outcomes that forms of the console offer, besides those of access requests.
const (
	outcomeApprove = "APPROVE"
	outcomeAsk     = "ASK" // a refusal with a question
	outcomeReject  = "REJECT"
)

// reasonAsked is the code of a refusal with a question.
const reasonAsked = "MORE_INFORMATION"

// destinationReasons are the codes of reasons for refusing a destination.
var destinationReasons = []string{"HOLDER_MISMATCH", "KEY_UNKNOWN", "ACTIVITY_REVIEW", reasonAsked, "OTHER"}

// destinationQueue is the queue of destinations that merchants added.
func (s *console) destinationQueue() queue {
	return queue{id: layouts.OpsDestinations, path: "/ops/destinos", tabs: []string{"review", allTab},
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error) {
			found, err := models.Destinations(c.UserContext(), s.DB.Read,
				models.DestinationFilter{InReview: tab == "review", After: after, Limit: limit})
			return s.destinationRows(c, found), err
		}}
}

func (s *console) destinationRows(c *fiber.Ctx, found []models.AccountDestination) (rows []queued) {
	for _, d := range found {
		rows = append(rows, queued{at: models.Position{CreatedAt: d.CreatedAt, ID: d.ID}, Item: pages.Item{
			Href: "/ops/destinos/" + d.ID, Title: d.AccountName,
			Detail: destinationKind(c.UserContext(), &d.Destination) + " · " + d.Masked + " · " + d.HolderName,
			Badge:  components.StatusBadge(components.Destination, s.destinationState(&d.Destination)),
			Since:  d.CreatedAt,
			Late:   d.Status == models.DestinationPendingReview && s.late(d.CreatedAt),
		}})
	}
	return rows
}

// destinationKind returns the rail and type of a destination as a text.
func destinationKind(ctx context.Context, d *models.Destination) string {
	return i18n.T(ctx, "destinations.rail_"+string(d.Rail)) + " · " + i18n.T(ctx, "destinations.type_"+d.Type)
}

// destinationState returns the state of a destination as merchants see it.
func (s *console) destinationState(d *models.Destination) string {
	now := s.Now()
	switch {
	case d.Status == models.DestinationPendingReview:
		return base.DestinationReview
	case d.Status != models.DestinationApproved:
		return string(d.Status)
	case d.ReplacedAt != nil && !d.ReplacedAt.After(now):
		return base.DestinationReplaced
	case d.UsableAt.After(now):
		return base.DestinationHeld
	}
	return base.DestinationActive
}

// destination shows GET /ops/destinos/:id.
func (s *console) destination(c *fiber.Ctx) error {
	return s.showDestination(c, decision{id: c.Params("id")}, nil, false)
}

// destinationCase is the decision about a destination in review.
func (s *console) destinationCase() decisionCase {
	return decisionCase{
		show: s.showDestination,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			dest, err := models.DestinationByID(c.UserContext(), s.DB.Pool, "", d.id)
			if err != nil {
				return nil, false, err
			}
			errs := checkReview(c, d, destinationReasons)
			if len(errs) == 0 && d.Outcome == outcomeApprove {
				errs, err = s.checkStops(c, dest.AccountID, s.destinationStopsFor)
			}
			return errs, dest.Version == d.version && dest.Status == models.DestinationPendingReview, err
		},
		preview: s.previewDestination,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			if d.Outcome == outcomeApprove {
				err = s.Payments.ApproveDestination(c.UserContext(), page.Actor(c), d.id, d.version)
			} else {
				err = s.Payments.RejectDestination(c.UserContext(), page.Actor(c), d.id, d.version,
					d.ReasonCode, d.Reason)
			}
			return "ops_decided", "/ops/destinos/" + d.id, err
		},
	}
}

func (s *console) previewDestination(c *fiber.Ctx, d decision) (preview, error) {
	ctx := c.UserContext()
	dest, err := models.DestinationByID(ctx, s.DB.Pool, "", d.id)
	if err != nil {
		return preview{}, err
	}
	account, err := s.anyAccount(c, dest.AccountID)
	if err != nil {
		return preview{}, err
	}
	part, err := s.destinationPart(c, dest)
	if err != nil {
		return preview{}, err
	}
	p := preview{
		section: layouts.OpsDestinations, title: i18n.T(ctx, "ops.preview_title"), back: dest.Masked,
		backHref: "/ops/destinos/" + d.id,
		confirm:  i18n.T(ctx, "ops.destination_"+d.Outcome), danger: d.Outcome == outcomeReject,
		account: dest.AccountID, facts: part.Facts,
		page: pages.StatusNotice(components.Destination, base.DestinationHeld, ""),
	}
	if d.Outcome == outcomeApprove {
		p.effects = []string{i18n.T(ctx, "ops.effect_hold",
			i18n.DateTime(ctx, s.Now().Add(s.DestinationHold(account))))}
	} else {
		p.page = pages.StatusNotice(components.Destination, string(models.DestinationRejected), d.Reason)
	}
	diff, err := s.destinationDiff(c, dest)
	if err != nil {
		return preview{}, err
	}
	if len(diff) > 0 {
		p.compare = &pages.Part{ID: "compare", Title: i18n.T(ctx, "ops.destination_before"), Diff: diff}
	}
	if p.others, err = s.otherDestinations(c, dest); err != nil {
		return preview{}, err
	}
	p.language, err = s.spokenBy(c, dest.AccountID)
	return p, err
}

// otherDestinations lists the latest destinations of the account besides this one.
func (s *console) otherDestinations(c *fiber.Ctx, dest *models.Destination) (*pages.Others, error) {
	others, err := models.Destinations(c.UserContext(), s.DB.Read,
		models.DestinationFilter{AccountID: dest.AccountID, Limit: latestRows})
	others = slices.DeleteFunc(others, func(other models.AccountDestination) bool { return other.ID == dest.ID })
	return &pages.Others{Title: i18n.T(c.UserContext(), "ops.destinations_before"),
		None: i18n.T(c.UserContext(), "ops.destinations_none"), Items: ownItems(s.destinationRows(c, others))}, err
}

// checkReview returns what is wrong with the form of an approval, a refusal or a question.
func checkReview(c *fiber.Ctx, d *decision, reasons []string) components.FieldErrors {
	switch d.Outcome {
	case outcomeApprove:
		d.ReasonCode, d.Reason = "", ""
		return nil
	case outcomeAsk:
		d.ReasonCode = reasonAsked
		return reasonErrors(c, d, nil)
	case outcomeReject:
		return reasonErrors(c, d, reasons)
	}
	return components.FieldErrors{{Field: "outcome", Text: i18n.T(c.UserContext(), "problem.ops_outcome")}}
}

// showDestination answers with the page of a destination.
func (s *console) showDestination(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	ctx := c.UserContext()
	dest, err := models.DestinationByID(ctx, s.DB.Pool, "", d.id)
	if err != nil {
		return err
	}
	props := pages.CaseProps{
		Section: layouts.OpsDestinations, Href: "/ops/destinos", Title: dest.Masked,
		Badge: components.StatusBadge(components.Destination, s.destinationState(dest)),
	}
	part, err := s.destinationPart(c, dest)
	if err != nil {
		return err
	}
	if part.Diff, err = s.destinationDiff(c, dest); err != nil {
		return err
	}
	props.Parts = []pages.Part{part}
	others, err := models.Destinations(ctx, s.DB.Read,
		models.DestinationFilter{AccountID: dest.AccountID, Rail: dest.Rail, Limit: latestRows})
	if err != nil {
		return err
	}
	for i, other := range others {
		if other.ID == dest.ID {
			others = append(others[:i:i], others[i+1:]...)
			break
		}
	}
	props.Others = &pages.Others{Title: i18n.T(ctx, "ops.destinations_before"),
		None: i18n.T(ctx, "ops.destinations_none"), Items: ownItems(s.destinationRows(c, others))}
	twins, err := models.AccountsWithDestination(ctx, s.DB.Pool, dest.Digest, dest.AccountID)
	if err != nil {
		return err
	}
	if twins > 0 {
		props.Notices = append(props.Notices, components.NoticeProps{Tone: components.ToneWarn, Icon: "triangle-alert",
			Title: i18n.N(ctx, "ops.destination_twins", twins)})
	}
	if props.History, err = s.acts(c, dest.ID); err != nil {
		return err
	}
	if props.TakesPart, err = s.takesPart(c, models.Matter{
		AccountID: dest.AccountID, Since: dest.CreatedAt, AskedBy: dest.CreatedBy,
	}); err != nil {
		return err
	}
	if dest.Status == models.DestinationPendingReview {
		head, err := s.accountHead(c, dest.AccountID)
		if err != nil {
			return err
		}
		outcomes := []string{outcomeApprove, outcomeAsk, outcomeReject}
		if props.Stops, err = s.destinationStopsFor(c, head); err != nil {
			return err
		} else if len(props.Stops) > 0 {
			outcomes = outcomes[1:]
		}
		props.Account = &head
		props.Since, props.Late = &dest.CreatedAt, s.late(dest.CreatedAt)
		props.Decision = &pages.DecisionForm{
			Kind: "destination", Action: "/ops/destinos/" + dest.ID,
			Version: strconv.Itoa(dest.Version), Outcomes: outcomes,
			Reasons: destinationReasons, ReasonKey: "ops.why_", ReasonHint: i18n.T(ctx, "ops.reason_hint"),
			Fields: d.DecisionFields, Errors: errs,
		}
	}
	return s.showCase(c, props, dest.AccountID, dest.ID, changed)
}

// destinationDiff compares a destination with the one of the same rail that it replaces or
// replaced. It returns nil if the destination is the first.
func (s *console) destinationDiff(c *fiber.Ctx, dest *models.Destination) (diff []pages.Diff, err error) {
	ctx := c.UserContext()
	before, err := models.DestinationBefore(ctx, s.DB.Pool, dest)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	was, err := s.WholeAddress(before)
	if err != nil {
		return nil, err
	}
	is, err := s.WholeAddress(dest)
	return []pages.Diff{
		{Key: i18n.T(ctx, "destinations.kind"), Before: destinationKind(ctx, before), Now: destinationKind(ctx, dest)},
		{Key: i18n.T(ctx, "destinations.address_"+string(dest.Rail)), Before: was, Now: is, Mono: true},
		{Key: i18n.T(ctx, "destinations.holder"), Before: before.HolderName, Now: dest.HolderName},
		{Key: i18n.T(ctx, "ops.destination_added"), Before: i18n.DateTime(ctx, before.CreatedAt),
			Now: i18n.DateTime(ctx, dest.CreatedAt)},
	}, err
}

// destinationPart returns the whole key or address: staff review it and pay to it.
func (s *console) destinationPart(c *fiber.Ctx, dest *models.Destination) (pages.Part, error) {
	ctx := c.UserContext()
	address, err := s.WholeAddress(dest)
	if err != nil {
		return pages.Part{}, err
	}
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "destinations.kind"), Value: destinationKind(ctx, dest)},
		{Key: i18n.T(ctx, "destinations.address_"+string(dest.Rail)), Value: address, Mono: true},
		{Key: i18n.T(ctx, "destinations.holder"), Value: dest.HolderName},
		{Key: i18n.T(ctx, "ops.destination_added"), Value: i18n.DateTime(ctx, dest.CreatedAt)},
	}
	if dest.UsableAt != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.destination_usable"),
			Value: i18n.DateTime(ctx, *dest.UsableAt)})
	}
	return pages.Part{ID: "destination", Title: i18n.T(ctx, "withdrawals.destination"), Facts: facts}, nil
}

// acts returns the acts about an object, the latest first.
func (s *console) acts(c *fiber.Ctx, objectID string) ([]pages.Event, error) {
	lines, err := models.AuditLines(c.UserContext(), s.DB.Read, models.AuditFilter{ObjectID: objectID, Limit: 50})
	return events(lines), err
}

// events returns lines of the audit log as acts about an object.
func events(lines []models.AuditLine) (events []pages.Event) {
	for _, l := range lines {
		who := l.ActorName
		if who == "" && l.Actor != models.ActorSystem {
			who = l.Actor
		}
		events = append(events, pages.Event{At: l.At, Who: who, Badge: pages.ActBadge(l.Action),
			Detail: l.Detail["reason"]})
	}
	return events
}
