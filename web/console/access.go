package console

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/taxid"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// accessQueue is the queue of requests for production access.
func (s *console) accessQueue() queue {
	return queue{id: layouts.OpsAccess, path: "/ops/acessos", tabs: []string{"review", "decided"},
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error) {
			if tab == "review" {
				requests, err := models.AccessRequestsInReview(c.UserContext(), s.DB.Read, after, limit)
				return s.accessRows(c, requests, true), err
			}
			requests, err := models.AccessRequestsDone(c.UserContext(), s.DB.Read, after, limit)
			return s.accessRows(c, requests, false), err
		}}
}

// accessRows returns requests as rows of a list. The time of a row is that of the request if
// it waits, otherwise that of its last change.
func (s *console) accessRows(c *fiber.Ctx, requests []models.ListedAccessRequest, wait bool) []queued {
	s.Merchants.OpenAccessRequests(c.UserContext(), requests)
	var rows []queued
	for _, r := range requests {
		since := r.UpdatedAt
		if wait {
			since = r.SubmittedAt
		}
		rows = append(rows, queued{at: models.Position{CreatedAt: since, ID: r.ID}, Item: pages.Item{
			Href: "/ops/acessos/" + r.ID, Title: r.AccountName, Detail: r.LegalName + " · " + taxid.Format(r.Document),
			Badge: components.StatusBadge(components.Access, string(r.Status)), Since: since, Late: wait &&
				s.late(since),
		}})
	}
	return rows
}

// access shows GET /ops/acessos/:id.
func (s *console) access(c *fiber.Ctx) error {
	return s.showOpsAccess(c, decision{id: c.Params("id")}, nil, false)
}

// accessCase is the decision about a request for production access.
func (s *console) accessCase() decisionCase {
	return decisionCase{
		show: s.showOpsAccess,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			request, err := s.Merchants.AccessRequest(c.UserContext(), d.id)
			if err != nil {
				return nil, false, err
			}
			made := accessDecision(*d)
			errs := decisionErrors(c, made.Check())
			d.ReasonCode, d.Reason = made.Reason.Code, made.Reason.Text
			return errs, request.Version == d.version && request.Status == models.AccessRequestPending, nil
		},
		preview: s.previewAccess,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			err = s.Merchants.DecideAccess(c.UserContext(), page.Actor(c), d.id, accessDecision(d))
			return "ops_access_" + d.Outcome, "/ops/acessos/" + d.id, err
		},
	}
}

func accessDecision(d decision) merchants.AccessDecision {
	return merchants.AccessDecision{
		Version: d.version, Outcome: models.AccessStatus(d.Outcome),
		Reason: merchants.Reason{Code: d.ReasonCode, Text: d.Reason},
	}
}

func (s *console) previewAccess(c *fiber.Ctx, d decision) (preview, error) {
	request, err := s.Merchants.AccessRequest(c.UserContext(), d.id)
	if err != nil {
		return preview{}, err
	}
	answers, err := s.AccessAnswers(request)
	if err != nil {
		return preview{}, err
	}
	history, submitter, err := s.accessHistory(c, request)
	if err != nil {
		return preview{}, err
	}
	others, err := s.sameDocument(c, request)
	if err != nil {
		return preview{}, err
	}
	ctx := c.UserContext()
	return s.previewVerdict(c, request.AccountID, d, preview{
		section: layouts.OpsAccess, back: request.LegalName, backHref: "/ops/acessos/" + d.id,
		confirm: i18n.T(ctx, "ops.access_"+d.Outcome), others: others, history: history,
		facts: append([]components.KeyValue{{Key: i18n.T(ctx, "ops.requested"),
			Value: i18n.T(ctx, "ops.requested_by", i18n.DateTime(ctx, request.SubmittedAt), submitter)}},
			answers.Facts(ctx)...),
	})
}

// previewVerdict adds to p what the merchant will read about a decision on production access.
func (s *console) previewVerdict(c *fiber.Ctx, accountID string, d decision, p preview) (preview, error) {
	lang, err := s.spokenBy(c, accountID)
	if err != nil {
		return p, err
	}
	account, err := models.AccountByID(c.UserContext(), s.DB, accountID)
	if err != nil {
		return p, err
	}
	p.account, p.reasonKey = account.ID, "access.reason_"
	p.title, p.language, p.danger = i18n.T(c.UserContext(),
		"ops.preview_title"), lang, d.Outcome == base.OutcomeRejected || d.Outcome == base.OutcomeRevoked
	p.page = base.VerdictNotice(base.Verdict{Outcome: d.Outcome, ReasonCode: d.ReasonCode, Reason: d.Reason})
	p.mail = mailSubject(lang, map[string]string{
		base.OutcomeApproved: models.MailAccessApproved, base.OutcomeRejected: models.MailAccessRejected,
		base.OutcomeReturned: models.MailAccessReturned, base.OutcomeRevoked: models.MailAccessRevoked,
	}[d.Outcome], account.Name)
	return p, nil
}

// showOpsAccess answers with the page of a request.
func (s *console) showOpsAccess(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	request, err := s.Merchants.AccessRequest(c.UserContext(), d.id)
	if err != nil {
		return err
	}
	ctx := c.UserContext()
	props := pages.CaseProps{
		Section: layouts.OpsAccess, Href: "/ops/acessos", Title: request.LegalName,
		Badge: components.StatusBadge(components.Access, string(request.Status)),
	}
	answers, err := s.AccessAnswers(request)
	if err != nil {
		return err
	}
	history, submitter, err := s.accessHistory(c, request)
	if err != nil {
		return err
	}
	props.History = history
	props.Parts = []pages.Part{{
		ID: "answers", Title: i18n.T(ctx, "ops.answers"),
		Note:  i18n.T(ctx, "ops.submitted", i18n.DateTime(ctx, request.SubmittedAt), submitter),
		Facts: answers.Facts(ctx),
	}}
	if props.Others, err = s.sameDocument(c, request); err != nil {
		return err
	}
	matter := models.Matter{AccountID: request.AccountID, Since: request.SubmittedAt, AskedBy: request.SubmittedBy}
	if props.TakesPart, err = s.takesPart(c, matter); err != nil {
		return err
	}
	if request.Status == models.AccessRequestPending {
		props.Since, props.Late = &request.SubmittedAt, s.late(request.SubmittedAt)
		props.Decision = &pages.DecisionForm{
			Kind: "access", Action: "/ops/acessos/" + request.ID, Version: strconv.Itoa(request.Version),
			Outcomes: []string{base.OutcomeApproved, base.OutcomeReturned, base.OutcomeRejected},
			Reasons:  merchants.AccessReasons, ReasonKey: "access.reason_", ReasonHint: i18n.T(ctx, "ops.reason_hint"),
			Fields: d.DecisionFields, Errors: errs,
		}
	}
	return s.showCase(c, props, request.AccountID, request.ID, changed)
}

// sameDocument lists the requests of other accounts with the same document.
func (s *console) sameDocument(c *fiber.Ctx, request *models.AccessRequest) (*pages.Others, error) {
	others, err := s.Merchants.SharedDocument(c.UserContext(), request)
	return &pages.Others{Title: i18n.T(c.UserContext(), "ops.same_document"),
		None:  i18n.T(c.UserContext(), "ops.same_document_none"),
		Items: items(s.accessRows(c, others, false))}, err
}

// accessHistory returns the requests and decisions of an account, the latest first, and the
// name of the person who sent the request.
func (s *console) accessHistory(c *fiber.Ctx, request *models.AccessRequest) (events []pages.Event, submitter string,
	err error) {
	lines, err := models.AuditLines(c.UserContext(), s.DB.Read,
		models.AuditFilter{AccountID: request.AccountID, Subject: "access", Limit: 50})
	if err != nil {
		return nil, "", err
	}
	for _, l := range lines {
		event := pages.Event{At: l.At, Who: l.ActorName,
			Badge: components.StatusBadge(components.Access, accessStates[l.Action])}
		if code := l.Detail["reasonCode"]; code != "" {
			event.Detail = i18n.T(c.UserContext(), "access.reason_"+code) + "\n" + l.Detail["reason"]
		}
		if l.Action == "access.requested" && l.ObjectID == request.ID {
			submitter = l.ActorName + " (" + l.ActorEmail + ")"
		}
		events = append(events, event)
	}
	return events, submitter, nil
}

// accessStates maps acts of the audit log to the state that they gave a request.
var accessStates = map[string]string{
	"access.requested": "PENDING_REVIEW", "access.withdrawn": "WITHDRAWN", "access.approved": base.OutcomeApproved,
	"access.rejected": base.OutcomeRejected, "access.returned": base.OutcomeReturned,
	"access.revoked": base.OutcomeRevoked,
}
