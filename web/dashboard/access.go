package dashboard

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/taxid"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// mayAskAccess reports whether the visitor's role may request production access.
func mayAskAccess(v *models.Visitor) bool {
	return v.Role.Can(models.Administer)
}

// readAccess shows GET /app/producao.
func (s *dashboard) readAccess(c *fiber.Ctx) error {
	v := page.Visitor(c)
	account, err := models.AccountByID(c.UserContext(), s.DB, v.AccountID)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.AccessProps{Shell: shell, State: string(account.ProductionAccess), CanAsk: mayAskAccess(v),
		Term: page.ReviewTerm}
	if props.Switches, err = switchNotices(s.Site, c, account); err != nil {
		return err
	}
	request, err := s.latestRequest(c, account.ID)
	if err != nil {
		return err
	}
	if account.ProductionAccess == models.AccessNotRequested || account.ProductionAccess == models.AccessRejected {
		if err := s.addDraft(c, &props); err != nil {
			return err
		}
	}
	if account.ProductionAccess != models.AccessPendingReview {
		if props.Verdict, err = s.verdict(c, account); err != nil {
			return err
		}
	}
	if request != nil && account.ProductionAccess != models.AccessNotRequested {
		props.Since = &request.SubmittedAt
		if props.CanAsk {
			answers, err := s.AccessAnswers(request)
			if err != nil {
				return err
			}
			props.Answers = &answers
		}
	}
	if account.ProductionAccess == models.AccessApproved {
		if props.Next, err = s.liveSteps(c); err != nil {
			return err
		}
	}
	return page.Render(c, pages.Access(props))
}

// liveSteps returns the steps of an approved merchant.
func (s *dashboard) liveSteps(c *fiber.Ctx) ([]pages.AccessStep, error) {
	v, now := page.Visitor(c), s.Now()
	live := models.Scope{ProjectID: *v.ProjectID, Environment: models.Live}
	keys, err := models.APIKeys(c.UserContext(), s.DB.Pool, live)
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the live keys: %w", err)
	}
	endpoints, err := models.Endpoints(c.UserContext(), s.DB.Pool, live, nil, 1)
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the live endpoints: %w", err)
	}
	works := func(k models.APIKey) bool { return k.RevokedAt == nil && !k.Ended(now) }
	return []pages.AccessStep{
		{ID: "switch", Done: v.Environment == models.Live}, {ID: "key", Done: slices.ContainsFunc(keys, works)},
		{ID: "webhook", Done: len(endpoints) > 0},
	}, nil
}

// addDraft adds how far a saved draft of the answers is.
func (s *dashboard) addDraft(c *fiber.Ctx, props *pages.AccessProps) error {
	draft, savedAt, err := s.Merchants.AccessDraftOf(c.UserContext(), page.Visitor(c).AccountID)
	if err != nil || draft == nil {
		return err
	}
	props.SavedAt = &savedAt
	form := meantAccess(pages.AccessFields(*draft))
	problems, _ := errors.AsType[merchants.Invalid](form.Check())
	for part, fields := range pages.AccessPartFields {
		if !slices.ContainsFunc(fields, func(field string) bool { _, wrong := problems[field]; return wrong }) {
			props.Answered = append(props.Answered, part)
		}
	}
	return nil
}

// latestRequest returns the account's newest request, or nil if there is none.
func (s *dashboard) latestRequest(c *fiber.Ctx, accountID string) (*models.AccessRequest, error) {
	request, err := s.Merchants.LatestAccessRequest(c.UserContext(), accountID)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	return request, err
}

// verdict returns the decision that led to the account's state, or nil if no decision did.
func (s *dashboard) verdict(c *fiber.Ctx, account *models.Account) (*base.Verdict, error) {
	if account.ProductionAccess == models.AccessNotRequested {
		return nil, nil
	}
	decisions, err := models.AccessDecisions(c.UserContext(), s.DB.Read, account.ID)
	if err != nil || len(decisions) == 0 {
		return nil, err
	}
	d := decisions[0]
	if (d.Outcome == models.AccessRequestApproved) != (account.ProductionAccess == models.AccessApproved) {
		return nil, nil // access was granted without a later request
	}
	return &base.Verdict{Outcome: string(d.Outcome), ReasonCode: page.Text(d.ReasonCode), Reason: page.Text(d.Reason)},
		nil
}

// switchNotices returns the notices about what staff have stopped.
func switchNotices(s *page.Site, c *fiber.Ctx, account *models.Account) ([]pages.SwitchNotice, error) {
	if !slices.ContainsFunc(models.Switches, func(which models.Switch) bool { return which.On(account) }) {
		return nil, nil
	}
	latest, err := models.LatestSwitchChanges(c.UserContext(), s.DB.Pool, account.ID)
	if err != nil {
		return nil, err
	}
	var notices []pages.SwitchNotice
	for _, which := range models.Switches {
		if which.On(account) {
			notices = append(notices, pages.SwitchNotice{Switch: string(which), Since: latest[which].ChangedAt,
				Reason: latest[which].Reason})
		}
	}
	return notices, nil
}

// accessForm shows GET /app/producao/pedido with the earlier answers, or with what is known
// from the sign-up.
func (s *dashboard) accessForm(c *fiber.Ctx) error {
	v := page.Visitor(c)
	if !mayAskAccess(v) || v.Access == models.AccessPendingReview || v.Access == models.AccessApproved {
		return c.Redirect("/app/producao", fiber.StatusSeeOther)
	}
	if !v.EmailVerified {
		return s.VerifyFirst(c)
	}
	request, err := s.latestRequest(c, v.AccountID)
	if err != nil {
		return err
	}
	draft, _, err := s.Merchants.AccessDraftOf(c.UserContext(), v.AccountID)
	if err != nil {
		return err
	}
	fields := pages.AccessFields{LegalName: v.AccountName, ContactName: v.UserName, ContactEmail: v.Email}
	if draft != nil {
		fields = pages.AccessFields(*draft)
	} else if request != nil {
		a, err := s.AccessAnswers(request)
		if err != nil {
			return err
		}
		fields = pages.AccessFields{
			LegalName: a.LegalName, Document: a.Document, Website: a.Website, Sells: a.Sells,
			MonthlyVolume: page.TypedPrice(c, a.MonthlyVolume),
			ContactName:   a.ContactName, ContactEmail: a.ContactEmail, ContactPhone: a.ContactPhone,
		}
	}
	return s.showAccessForm(c, fields, nil)
}

func (s *dashboard) showAccessForm(c *fiber.Ctx, fields pages.AccessFields, errs components.FieldErrors) error {
	account, err := models.AccountByID(c.UserContext(), s.DB, page.Visitor(c).AccountID)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.AccessFormProps{Shell: shell, Fields: fields, Errors: errs}
	if props.Verdict, err = s.verdict(c, account); err != nil {
		return err
	}
	return page.Render(c, pages.AccessForm(props))
}

// requestAccess handles POST /app/producao/pedido: it shows the answers for review, returns to
// the form, saves a draft, or sends the request.
func (s *dashboard) requestAccess(c *fiber.Ctx) error {
	fields, form := readAccessForm(c)
	do := page.Field(c, "do")
	if do == "edit" {
		return s.showAccessForm(c, fields, nil)
	}
	var err error
	if do == "save" {
		err = s.Merchants.SaveAccessDraft(c.UserContext(), page.Actor(c), merchants.AccessDraft(fields))
	} else if err = form.Check(); err == nil && do == "send" {
		_, err = s.Merchants.RequestAccess(c.UserContext(), page.Actor(c), form)
	}
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showAccessForm(c, fields, page.FormErrors(c, "access_", problems, accessFields...))
	} else if errors.Is(err, merchants.ErrChanged) { // another member, or another window, was first
		return s.toAccess(c, "access_changed")
	} else if errors.Is(err, merchants.ErrUnverified) {
		return s.VerifyFirst(c)
	} else if err != nil {
		return err
	}
	switch do {
	case "save":
		return s.toAccess(c, "access_saved")
	case "send":
		return s.toAccess(c, "access_requested")
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c,
		pages.AccessCheck(pages.AccessCheckProps{Shell: shell, Fields: fields, Answers: base.AccessAnswers{
			LegalName: form.LegalName, Document: taxid.Format(form.Document), Website: form.Website, Sells: form.Sells,
			MonthlyVolume: form.MonthlyVolume,
			ContactName:   form.ContactName, ContactEmail: form.ContactEmail, ContactPhone: form.ContactPhone,
		}}))
}

// accessFields are the fields of the form, in their order.
var accessFields = []string{"legalName", "document", "website", "sells", "monthlyVolume", "contactName", "contactEmail",
	"contactPhone"}

// readAccessForm reads the form: the typed values, and their parsed form.
func readAccessForm(c *fiber.Ctx) (pages.AccessFields, merchants.AccessForm) {
	fields := pages.AccessFields{
		LegalName: page.Field(c, "legalName"), Document: page.Field(c, "document"), Website: page.Field(c, "website"),
		Sells:         page.FormText(c, "sells"),
		MonthlyVolume: page.Field(c, "monthlyVolume"), ContactName: page.Field(c, "contactName"),
		ContactEmail: page.Field(c, "contactEmail"),
		ContactPhone: page.Field(c, "contactPhone"),
	}
	return fields, meantAccess(fields)
}

// meantAccess parses the typed values.
func meantAccess(fields pages.AccessFields) merchants.AccessForm {
	volume, _ := page.ReadPrice(fields.MonthlyVolume) // an invalid amount is zero, which the operation refuses
	return merchants.AccessForm{
		LegalName: fields.LegalName, Document: fields.Document, Website: fields.Website, Sells: fields.Sells,
		MonthlyVolume: volume,
		ContactName:   fields.ContactName, ContactEmail: fields.ContactEmail, ContactPhone: fields.ContactPhone,
	}
}

// withdrawAccess handles POST /app/producao/retirar.
func (s *dashboard) withdrawAccess(c *fiber.Ctx) error {
	err := s.Merchants.WithdrawAccessRequest(c.UserContext(), page.Actor(c))
	if errors.Is(err, merchants.ErrChanged) {
		return s.toAccess(c, "access_changed")
	} else if err != nil {
		return err
	}
	return s.toAccess(c, "access_withdrawn")
}

func (s *dashboard) toAccess(c *fiber.Ctx, flash string) error {
	if err := s.Flash(c, flash); err != nil {
		return fmt.Errorf("dashboard: production access: %w", err)
	}
	return c.Redirect("/app/producao", fiber.StatusSeeOther)
}
