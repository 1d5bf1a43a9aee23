package console

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// feeForm shows GET /ops/contas/:id/tarifa, or redirects to the pending proposal.
func (s *console) feeForm(c *fiber.Ctx) error {
	p, err := models.PendingFeeProposal(c.UserContext(), s.DB.Pool, c.Params("id"))
	if err == nil {
		return c.Redirect("/ops/tarifas/"+p.ID, fiber.StatusSeeOther)
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	return s.showFeeForm(c, decision{id: c.Params("id")}, nil, false)
}

// showFeeForm answers with the form for proposing a fee, with its values.
func (s *console) showFeeForm(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	head, err := s.accountHead(c, d.id)
	if err != nil {
		return err
	}
	n, err := s.feeNotice(c, d.id, nil, nil, "")
	if err != nil {
		return err
	}
	made, err := models.FeeProposalCount(c.UserContext(), s.DB.Pool, d.id)
	if err != nil {
		return err
	}
	props := pages.OpsFeeProps{
		Account: head, Now: n.Before, Default: n.After, Version: strconv.Itoa(made), Fields: feeFields(c),
		Reason: d.Reason, Errors: errs,
	}
	if c.Method() == fiber.MethodGet {
		props.Fields = pages.FeeFields{Whose: pages.FeeOwn}
	}
	if changed {
		if props.Changed, err = s.lastFeeAct(c, d.id); err != nil {
			return err
		}
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.OpsFee(props))
}

// lastFeeAct returns who last proposed a fee for an account or decided about one.
func (s *console) lastFeeAct(c *fiber.Ctx, accountID string) (string, error) {
	latest, err := models.LatestFeeProposal(c.UserContext(), s.DB.Pool, accountID)
	if errors.Is(err, models.ErrNotFound) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	return s.lastAct(c, latest.ID)
}

func feeFields(c *fiber.Ctx) pages.FeeFields {
	return pages.FeeFields{
		Whose: c.FormValue("outcome"), Percent: c.FormValue("percent"), Fixed: c.FormValue("fixed"),
		Starts: c.FormValue("starts"),
	}
}

// feeFormCase is the proposal of a fee. The id in its path is the account's.
func (s *console) feeFormCase() decisionCase {
	return decisionCase{
		show: s.showFeeForm,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			if _, err := s.anyAccount(c, d.id); err != nil {
				return nil, false, err
			}
			fields := feeFields(c)
			d.hidden = []components.KeyValue{{Key: "percent", Value: fields.Percent},
				{Key: "fixed", Value: fields.Fixed}, {Key: "starts", Value: fields.Starts}}
			_, errs := s.readFee(c, d)
			made, err := models.FeeProposalCount(c.UserContext(), s.DB.Pool, d.id)
			return errs, made == d.version, err
		},
		preview: func(c *fiber.Ctx, d decision) (preview, error) {
			in, _ := s.readFee(c, &d)
			account, err := s.anyAccount(c, d.id)
			if err != nil {
				return preview{}, err
			}
			ctx := c.UserContext()
			shown := preview{
				section: layouts.OpsAccounts, title: i18n.T(ctx, "ops.preview_title"), back: account.Name,
				backHref: "/ops/contas/" + d.id,
				confirm:  i18n.T(ctx, "ops.fee_propose"),
			}
			if err := s.fillFeePreview(c, &shown, d.id, in.Fee, in.StartsAt, in.Reason); err != nil {
				return preview{}, err
			}
			shown.effects = append([]string{i18n.T(ctx, "ops.effect_fee_second")}, shown.effects...)
			return shown, nil
		},
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			in, _ := s.readFee(c, &d)
			id, err := s.Merchants.ProposeFee(c.UserContext(), page.Actor(c), d.id, in)
			return "ops_fee_proposed", "/ops/tarifas/" + id, err
		},
	}
}

// readFee reads the form for proposing a fee, and returns what is wrong with it.
func (s *console) readFee(c *fiber.Ctx, d *decision) (in merchants.NewFeeProposal, errs components.FieldErrors) {
	ctx, fields := c.UserContext(), feeFields(c)
	wrong := func(field, problem string) {
		errs = append(errs, components.FieldError{Field: field, Text: i18n.T(ctx, "problem."+problem)})
	}
	in = merchants.NewFeeProposal{Reason: d.Reason, Seen: d.version}
	switch fields.Whose {
	case pages.FeeOwn:
		in.Fee = &money.Fee{}
		points, err := page.ReadPrice(strings.TrimSuffix(strings.TrimSpace(fields.Percent), "%"))
		if err != nil || points > 100_00 {
			wrong("percent", "ops_percent")
		}
		in.Fee.BasisPoints = int64(points)
		if strings.TrimSpace(fields.Fixed) != "" {
			if in.Fee.Fixed, err = page.ReadPrice(fields.Fixed); err != nil {
				wrong("fixed", "ops_fixed")
			}
		}
	case pages.FeeDefault:
	default:
		wrong("outcome", "ops_fee")
	}
	starts, ok := readStart(fields.Starts)
	in.StartsAt = starts
	problems, _ := errors.AsType[merchants.Invalid](in.Check(s.Now()))
	if !ok || problems["starts"] != "" {
		wrong("starts", "ops_starts")
	}
	if problems["reason"] != "" {
		wrong("reason", "ops_reason")
	}
	d.Reason = in.Reason
	return in, errs
}

// readStart reads the day from whose beginning terms apply. at is nil if no day was given.
func readStart(text string) (at *time.Time, ok bool) {
	if text == "" {
		return nil, true
	}
	day, err := i18n.ParseDay(text)
	if err != nil {
		return nil, false
	}
	return &day, true
}
