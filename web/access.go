package web

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/taxid"
	"garoupa/views/components"
	"garoupa/views/pages"
)

// mayAskAccess reports whether the visitor's role may ask for production access.
func mayAskAccess(v *models.Visitor) bool {
	return slices.Contains([]models.Role{models.RoleOwner, models.RoleAdmin}, v.Role)
}

// readAccess shows GET /app/producao.
func (s *server) readAccess(c *fiber.Ctx) error {
	v := visitor(c)
	account, err := models.AccountByID(s.DB.WithContext(c.UserContext()), v.AccountID)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.AccessProps{Shell: shell, State: string(account.ProductionAccess), CanAsk: mayAskAccess(v), Term: reviewTerm}
	if props.Switches, err = s.switchNotices(c, account); err != nil {
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
			answers, err := s.accessAnswers(request)
			if err != nil {
				return err
			}
			props.Answers = &answers
		}
	}
	return render(c, pages.Access(props))
}

// addDraft tells how far the answers are that were kept for later.
func (s *server) addDraft(c *fiber.Ctx, props *pages.AccessProps) error {
	draft, savedAt, err := s.Merchants.AccessDraftOf(c.UserContext(), visitor(c).AccountID)
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

// latestRequest returns the account's newest request, nil if it never asked.
func (s *server) latestRequest(c *fiber.Ctx, accountID string) (*models.AccessRequest, error) {
	request, err := models.LatestAccessRequest(s.DB.WithContext(c.UserContext()), accountID)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	return request, err
}

// verdict is the decision that the account's state came from, nil if it came from
// none.
func (s *server) verdict(c *fiber.Ctx, account *models.Account) (*pages.Verdict, error) {
	if account.ProductionAccess == models.AccessNotRequested {
		return nil, nil
	}
	decisions, err := models.AccessDecisions(c.UserContext(), s.DB.Pool, account.ID)
	if err != nil || len(decisions) == 0 {
		return nil, err
	}
	d := decisions[0]
	if (d.Outcome == models.AccessRequestApproved) != (account.ProductionAccess == models.AccessApproved) {
		return nil, nil // access was given without a request since
	}
	return &pages.Verdict{Outcome: string(d.Outcome), ReasonCode: text(d.ReasonCode), Reason: text(d.Reason)}, nil
}

// switchNotices tell the merchant what staff have stopped.
func (s *server) switchNotices(c *fiber.Ctx, account *models.Account) ([]pages.SwitchNotice, error) {
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
			notices = append(notices, pages.SwitchNotice{Switch: string(which), Since: latest[which].ChangedAt, Reason: latest[which].Reason})
		}
	}
	return notices, nil
}

func (s *server) accessAnswers(r *models.AccessRequest) (pages.AccessAnswers, error) {
	phone, err := s.Merchants.ContactPhone(r)
	return pages.AccessAnswers{
		LegalName: r.LegalName, Document: taxid.Format(r.Document), Website: text(r.Website), Sells: text(r.Sells), MonthlyVolume: r.MonthlyVolume,
		ContactName: r.ContactName, ContactEmail: r.ContactEmail, ContactPhone: phone,
	}, err
}

// accessForm shows GET /app/producao/pedido with what was answered before, or what
// is known since the sign-up.
func (s *server) accessForm(c *fiber.Ctx) error {
	v := visitor(c)
	if !mayAskAccess(v) || v.Access == models.AccessPendingReview || v.Access == models.AccessApproved {
		return c.Redirect("/app/producao", fiber.StatusSeeOther)
	}
	if !v.EmailVerified {
		return s.verifyFirst(c)
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
		a, err := s.accessAnswers(request)
		if err != nil {
			return err
		}
		fields = pages.AccessFields{
			LegalName: a.LegalName, Document: a.Document, Website: a.Website, Sells: a.Sells, MonthlyVolume: typedPrice(c, a.MonthlyVolume),
			ContactName: a.ContactName, ContactEmail: a.ContactEmail, ContactPhone: a.ContactPhone,
		}
	}
	return s.showAccessForm(c, fields, nil)
}

func (s *server) showAccessForm(c *fiber.Ctx, fields pages.AccessFields, errs components.FieldErrors) error {
	account, err := models.AccountByID(s.DB.WithContext(c.UserContext()), visitor(c).AccountID)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.AccessFormProps{Shell: shell, Fields: fields, Errors: errs}
	if props.Verdict, err = s.verdict(c, account); err != nil {
		return err
	}
	return render(c, pages.AccessForm(props))
}

// requestAccess handles POST /app/producao/pedido: it shows the answers once more,
// leads back to them, keeps them for later, or sends them.
func (s *server) requestAccess(c *fiber.Ctx) error {
	fields, form := readAccessForm(c)
	do := c.FormValue("do")
	if do == "edit" {
		return s.showAccessForm(c, fields, nil)
	}
	var err error
	if do == "save" {
		err = s.Merchants.SaveAccessDraft(c.UserContext(), actor(c), merchants.AccessDraft(fields))
	} else if err = form.Check(); err == nil && do == "send" {
		_, err = s.Merchants.RequestAccess(c.UserContext(), actor(c), form)
	}
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showAccessForm(c, fields, errorsOf(c, "access_", problems, accessFields...))
	} else if errors.Is(err, merchants.ErrChanged) { // another member, or another window, was first
		return s.toAccess(c, "access_changed")
	} else if errors.Is(err, merchants.ErrUnverified) {
		return s.verifyFirst(c)
	} else if err != nil {
		return err
	}
	switch do {
	case "save":
		return s.toAccess(c, "access_saved")
	case "send":
		return s.toAccess(c, "access_requested")
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.AccessCheck(pages.AccessCheckProps{Shell: shell, Fields: fields, Answers: pages.AccessAnswers{
		LegalName: form.LegalName, Document: taxid.Format(form.Document), Website: form.Website, Sells: form.Sells, MonthlyVolume: form.MonthlyVolume,
		ContactName: form.ContactName, ContactEmail: form.ContactEmail, ContactPhone: form.ContactPhone,
	}}))
}

// accessFields are those of the form, in their order.
var accessFields = []string{"legalName", "document", "website", "sells", "monthlyVolume", "contactName", "contactEmail", "contactPhone"}

// readAccessForm reads the form, as typed and as it is meant.
func readAccessForm(c *fiber.Ctx) (pages.AccessFields, merchants.AccessForm) {
	fields := pages.AccessFields{
		LegalName: c.FormValue("legalName"), Document: c.FormValue("document"), Website: c.FormValue("website"), Sells: formText(c, "sells"),
		MonthlyVolume: c.FormValue("monthlyVolume"), ContactName: c.FormValue("contactName"), ContactEmail: c.FormValue("contactEmail"),
		ContactPhone: c.FormValue("contactPhone"),
	}
	return fields, meantAccess(fields)
}

// meantAccess is the form as it is meant.
func meantAccess(fields pages.AccessFields) merchants.AccessForm {
	volume, _ := readPrice(fields.MonthlyVolume) // what is no amount is zero, which nobody expects
	return merchants.AccessForm{
		LegalName: fields.LegalName, Document: fields.Document, Website: fields.Website, Sells: fields.Sells, MonthlyVolume: volume,
		ContactName: fields.ContactName, ContactEmail: fields.ContactEmail, ContactPhone: fields.ContactPhone,
	}
}

// withdrawAccess handles POST /app/producao/retirar.
func (s *server) withdrawAccess(c *fiber.Ctx) error {
	err := s.Merchants.WithdrawAccessRequest(c.UserContext(), actor(c))
	if errors.Is(err, merchants.ErrChanged) {
		return s.toAccess(c, "access_changed")
	} else if err != nil {
		return err
	}
	return s.toAccess(c, "access_withdrawn")
}

func (s *server) toAccess(c *fiber.Ctx, flash string) error {
	if err := s.flash(c, flash); err != nil {
		return fmt.Errorf("web: production access: %w", err)
	}
	return c.Redirect("/app/producao", fiber.StatusSeeOther)
}
