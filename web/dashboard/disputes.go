package dashboard

import (
	"cmp"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// registerDisputes adds the pages of contested payments, which all members see.
func (s *dashboard) registerDisputes(app fiber.Router) {
	app.Get("/disputas", s.listDisputes)
	app.Get("/disputas/:id", s.readDispute)
	app.Get("/disputas/:id/arquivos/:file", s.disputeFile)
	app.Post("/disputas/:id/arquivos", page.Only(models.MoveMoney), s.addDisputeFile)
	app.Get("/disputas/:id/responder", page.Only(models.MoveMoney), s.StepUpLive, s.newAnswer)
	app.Post("/disputas/:id/responder", page.Only(models.MoveMoney), s.StepUpLive, s.answerDispute)
}

// listDisputes shows GET /app/disputas.
func (s *dashboard) listDisputes(c *fiber.Ctx) error {
	v := page.Visitor(c)
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	filter := models.DisputeFilter{AccountID: v.AccountID, Environment: &v.Environment,
		After: s.Position(c, payments.ListDisputes)}
	found, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.Dispute, error) {
		filter.Limit = limit
		return models.ListDisputes(c.UserContext(), s.DB.Read, filter)
	})
	if err != nil {
		return fmt.Errorf("dashboard: list disputes: %w", err)
	}
	props := pages.DisputesProps{Shell: shell,
		Pager: s.Pager(c, payments.ListDisputes, "/app/disputas", "", filter.After, found.Next)}
	for _, d := range found.Rows {
		props.Disputes = append(props.Disputes, pages.DisputeRow{ID: d.ID, Status: string(d.Status), Amount: d.Amount,
			AnswerBy: d.AnswerBy, OpenedAt: d.OpenedAt})
	}
	return page.Render(c, pages.Disputes(props))
}

// dispute returns the dispute that the address names, with its files.
func (s *dashboard) dispute(c *fiber.Ctx) (*models.Dispute, []models.DisputeFile, error) {
	return s.Payments.Dispute(c.UserContext(), page.Visitor(c).AccountID, c.Params("id"))
}

// readDispute shows GET /app/disputas/:id.
func (s *dashboard) readDispute(c *fiber.Ctx) error {
	d, files, err := s.dispute(c)
	if err != nil {
		return err
	}
	late := s.Now().After(d.AnswerBy)
	props := pages.DisputeProps{
		ID: d.ID, Status: string(d.Status), CheckoutID: page.Text(d.CheckoutID), EndToEndID: d.EndToEndID,
		Cause: d.Cause, Amount: d.Amount, Held: d.Held(), Returned: d.Returned, AnswerBy: d.AnswerBy,
		OpenedAt: d.OpenedAt, ClosedAt: d.ClosedAt, Defense: page.Text(d.Defense), AnsweredAt: d.DefenseAt,
		SentAt: d.DefenseSentAt, Files: disputeFiles(files), Late: late,
		CanAnswer: d.Status == models.DisputeOpen && !late && page.Visitor(c).Role.Can(models.MoveMoney),
	}
	if d.DefenseBy != nil {
		user, err := models.UserByID(c.UserContext(), s.DB, *d.DefenseBy)
		if err != nil {
			return fmt.Errorf("dashboard: read who answered %s: %w", d.ID, err)
		}
		props.AnsweredBy = user.Name
	}
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Dispute(props))
}

func disputeFiles(files []models.DisputeFile) (shown []pages.DisputeFile) {
	for _, f := range files {
		shown = append(shown, pages.DisputeFile{ID: f.ID, Name: f.Name, Size: f.Size})
	}
	return shown
}

// disputeFile answers GET /app/disputas/:id/arquivos/:file.
func (s *dashboard) disputeFile(c *fiber.Ctx) error {
	d, _, err := s.dispute(c)
	if err != nil {
		return err
	}
	return s.SendDisputeFile(c, d.ID)
}

// newAnswer shows GET /app/disputas/:id/responder.
func (s *dashboard) newAnswer(c *fiber.Ctx) error { return s.showAnswer(c, pages.AnswerProps{}) }

// showAnswer shows the form, or the dispute's page if it cannot be answered any more. A flash in the props is
// shown on this page.
func (s *dashboard) showAnswer(c *fiber.Ctx, props pages.AnswerProps) error {
	d, files, err := s.dispute(c)
	if err != nil {
		return err
	}
	if d.Status != models.DisputeOpen || s.Now().After(d.AnswerBy) {
		return c.Redirect("/app/disputas/"+d.ID, fiber.StatusSeeOther)
	}
	props.ID, props.Amount, props.AnswerBy, props.Files = d.ID, d.Amount, d.AnswerBy, disputeFiles(files)
	props.Full = len(files) >= models.MaxDisputeFiles
	flash := props.Shell.Flash
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	props.Shell.Flash = cmp.Or(flash, props.Shell.Flash)
	return page.Render(c, pages.Answer(props))
}

// answerDispute handles POST /app/disputas/:id/responder. An answer is given once, and not without a file that was
// chosen and not attached, of which the form has the name.
func (s *dashboard) answerDispute(c *fiber.Ctx) error {
	in := payments.DisputeAnswer{Agrees: page.Field(c, "agree") == "1", Text: page.Field(c, "text")}
	if page.Field(c, "file") != "" {
		return s.notAnswered(c, in.Text, "file", "problem.dispute_file_left")
	}
	d, err := s.Payments.AnswerDispute(c.UserContext(), page.Actor(c), page.Visitor(c).AccountID, c.Params("id"), in)
	switch refusal.Of(err).Code {
	case refusal.DefenseRequired:
		return s.notAnswered(c, in.Text, "text", "problem.dispute_text")
	case refusal.WrongState: // answered meanwhile, or too late: the page says which
		return c.Redirect("/app/disputas/"+c.Params("id"), fiber.StatusSeeOther)
	}
	if err != nil {
		return err
	}
	says := "dispute_defended"
	if d.Status == models.DisputeAccepted {
		says = "dispute_accepted"
	}
	if err := s.Flash(c, says); err != nil {
		return err
	}
	return c.Redirect("/app/disputas/"+d.ID, fiber.StatusSeeOther)
}

// notAnswered shows the form again as it was typed, with what is wrong.
func (s *dashboard) notAnswered(c *fiber.Ctx, text, field, key string) error {
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showAnswer(c, pages.AnswerProps{Text: text,
		Errors: components.FieldErrors{{Field: field, Text: i18n.T(c.UserContext(), key)}}})
}

// addDisputeFile handles POST /app/disputas/:id/arquivos. The same file is added once. The answer is the form with
// what was typed, which nothing else keeps.
func (s *dashboard) addDisputeFile(c *fiber.Ctx) error {
	content, err := page.FormFile(c, "file")
	if err != nil {
		return err
	}
	in := payments.NewDisputeFile{Content: content}
	if header, err := c.FormFile("file"); err == nil {
		in.Name = header.Filename
	}
	_, err = s.Payments.AddDisputeFile(c.UserContext(), page.Actor(c), page.Visitor(c).AccountID, c.Params("id"), in)
	switch refusal.Of(err).Code {
	case refusal.InvalidFile:
		return s.notAnswered(c, page.Field(c, "text"), "file", "problem.dispute_file")
	case refusal.WrongState:
		return c.Redirect("/app/disputas/"+c.Params("id"), fiber.StatusSeeOther)
	}
	if err != nil {
		return err
	}
	props := pages.AnswerProps{Text: page.Field(c, "text")}
	props.Shell.Flash = &components.FlashProps{Tone: components.ToneOK,
		Text: i18n.T(c.UserContext(), "flash.dispute_file")}
	return s.showAnswer(c, props)
}
