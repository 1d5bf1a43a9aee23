package console

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// registerReasons adds the page of saved reasons.
func (s *console) registerReasons(ops fiber.Router) {
	manage := s.Staff(models.ManageReasons)
	ops.Get("/motivos", manage, s.reasons)
	ops.Post("/motivos", manage, s.saveReason)
	ops.Post("/motivos/:id", manage, s.editReason)
	ops.Post("/motivos/:id/retirar", manage, s.retireReason)
}

// reasons shows GET /ops/motivos: the saved reasons of a kind of decision.
func (s *console) reasons(c *fiber.Ctx) error {
	return s.showReasons(c, pages.ReasonsProps{Kind: c.Query("kind")})
}

// showReasons answers with the reasons of a kind, or of the first kind if there is no such one. props has what was
// typed and its errors.
func (s *console) showReasons(c *fiber.Ctx, props pages.ReasonsProps) error {
	ctx := c.UserContext()
	if !slices.Contains(models.ReasonKinds, models.ReasonKind(props.Kind)) {
		props.Kind = string(models.ReasonKinds[0])
	}
	props.Kinds = components.TabsProps{Label: i18n.T(ctx, "ops.reasons_kinds")}
	for _, kind := range models.ReasonKinds {
		props.Kinds.Tabs = append(props.Kinds.Tabs, components.Tab{Label: i18n.T(ctx, "ops.reasons_"+string(kind)),
			Href: reasonsPath(string(kind)), Current: string(kind) == props.Kind})
	}
	saved, err := models.DecisionReasons(ctx, s.DB.Pool, models.ReasonKind(props.Kind))
	if err != nil {
		return fmt.Errorf("console: list saved reasons: %w", err)
	}
	for _, r := range saved {
		row := pages.ReasonRow{ID: r.ID, Text: r.Text, Typed: r.Text, Version: strconv.Itoa(r.Version)}
		if props.Editing == r.ID {
			row.Typed, row.Errors = props.Text, props.Errors
		}
		props.Rows = append(props.Rows, row)
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Reasons(props))
}

func reasonsPath(kind string) string { return "/ops/motivos?kind=" + kind }

// saveReason handles POST /ops/motivos.
func (s *console) saveReason(c *fiber.Ctx) error {
	kind, text := page.Field(c, "kind"), page.FormText(c, "text")
	err := s.Merchants.SaveReason(c.UserContext(), page.Actor(c), models.ReasonKind(kind), text)
	if err != nil {
		return s.reasonRefused(c, pages.ReasonsProps{Kind: kind, Text: text}, "text", err)
	}
	return s.goTo(c, reasonsPath(kind), "ops_reason_saved")
}

// editReason handles POST /ops/motivos/:id.
func (s *console) editReason(c *fiber.Ctx) error {
	id, kind := c.Params("id"), page.Field(c, "kind")
	text := page.FormText(c, "text-"+id)
	err := s.Merchants.EditReason(c.UserContext(), page.Actor(c), id, seenReason(c), text)
	if err != nil {
		return s.reasonRefused(c, pages.ReasonsProps{Kind: kind, Text: text, Editing: id}, "text-"+id, err)
	}
	return s.goTo(c, reasonsPath(kind), "ops_reason_edited")
}

// retireReason handles POST /ops/motivos/:id/retirar.
func (s *console) retireReason(c *fiber.Ctx) error {
	kind := page.Field(c, "kind")
	err := s.Merchants.RetireReason(c.UserContext(), page.Actor(c), c.Params("id"), seenReason(c))
	if err != nil {
		return s.reasonRefused(c, pages.ReasonsProps{Kind: kind}, "", err)
	}
	return s.goTo(c, reasonsPath(kind), "ops_reason_retired")
}

// seenReason returns the version of a reason that the form shows. An invalid number matches no version.
func seenReason(c *fiber.Ctx) int {
	seen, _ := strconv.Atoi(page.Field(c, "version"))
	return seen
}

// reasonRefused shows the reasons again with what is wrong with the text in a field, or with who was first.
func (s *console) reasonRefused(c *fiber.Ctx, props pages.ReasonsProps, field string, err error) error {
	problems, wrong := errors.AsType[merchants.Invalid](err)
	switch {
	case wrong:
		key := "ops_reason"
		switch problems["text"] {
		case merchants.Taken:
			key = "ops_reason_taken"
		case merchants.TooLong:
			key = "ops_reason_many"
		}
		if problems["kind"] != "" {
			return models.ErrNotFound
		}
		props.Errors = components.FieldErrors{{Field: field, Text: i18n.T(c.UserContext(), "problem."+key)}}
		c.Status(fiber.StatusUnprocessableEntity)
	case errors.Is(err, merchants.ErrChanged):
		if props.Changed, err = s.lastAct(c, c.Params("id")); err != nil {
			return err
		}
		c.Status(fiber.StatusConflict)
	default:
		return err
	}
	return s.showReasons(c, props)
}

// fillReasons adds the saved reasons to the form of a decision that asks for one.
func (s *console) fillReasons(c *fiber.Ctx, form *pages.DecisionForm) (err error) {
	if form.ReasonHint != "" {
		form.Saved, err = s.savedReasons(c, models.ReasonKind(form.Kind))
	}
	return err
}

// savedReasons returns the reasons of a kind that can be picked.
func (s *console) savedReasons(c *fiber.Ctx, kind models.ReasonKind) (shown []pages.SavedReason, err error) {
	saved, err := models.DecisionReasons(c.UserContext(), s.DB.Pool, kind)
	if err != nil {
		return nil, fmt.Errorf("console: list saved reasons: %w", err)
	}
	for _, r := range saved {
		shown = append(shown, pages.SavedReason{ID: r.ID, Text: r.Text})
	}
	return shown, nil
}

// writtenReason returns the reason that a form gives: what was written, or else the saved one that was picked. A
// form with a reason that has been retired since gives no reason.
func (s *console) writtenReason(c *fiber.Ctx, written, picked string) (string, error) {
	if written != "" || picked == "" {
		return written, nil
	}
	saved, err := models.LiveReason(c.UserContext(), s.DB.Pool, picked)
	if errors.Is(err, models.ErrNotFound) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("console: read a saved reason: %w", err)
	}
	return saved.Text, nil
}
