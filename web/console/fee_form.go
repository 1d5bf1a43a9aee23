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

// showFeeForm answers with the form for proposing fees, with its values.
func (s *console) showFeeForm(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	head, err := s.accountHead(c, d.id)
	if err != nil {
		return err
	}
	n, err := s.feeNotice(c, models.FeeProposal{AccountID: d.id})
	if err != nil {
		return err
	}
	made, err := models.FeeProposalCount(c.UserContext(), s.DB.Pool, d.id)
	if err != nil {
		return err
	}
	props := pages.FeeProps{
		Account: head, Now: n.Before, Default: n.After, Version: strconv.Itoa(made), Fields: feeFields(c),
		Reason: d.Reason, Picked: d.Saved, Errors: errs,
	}
	if props.Saved, err = s.savedReasons(c, models.ReasonProposal); err != nil {
		return err
	}
	if c.Method() == fiber.MethodGet {
		fees, err := models.AccountFees(c.UserContext(), s.DB.Pool, d.id)
		if err != nil {
			return err
		}
		current := page.CurrentFee(fees, s.Now())
		props.Fields = pages.FeeFields{Charge: typedFee(c, current.Fee), Withdrawal: typedFee(c, current.WithdrawalFee)}
	}
	if changed {
		if props.Changed, err = s.lastFeeAct(c, d.id); err != nil {
			return err
		}
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Fee(props))
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
	typed := func(names pages.FeeNames) pages.TypedFee {
		return pages.TypedFee{
			Whose: page.Field(c, names.Whose), Percent: page.Field(c, names.Percent), Fixed: page.Field(c, names.Fixed),
		}
	}
	return pages.FeeFields{
		Charge: typed(pages.ChargeFee), Withdrawal: typed(pages.WithdrawalFee), Starts: page.Field(c, "starts"),
	}
}

// typedFee returns an account's own fee, which may be nil, in the form in which a person would
// type it.
func typedFee(c *fiber.Ctx, fee *money.Fee) pages.TypedFee {
	if fee == nil {
		return pages.TypedFee{Whose: pages.FeeDefault}
	}
	typed := pages.TypedFee{Whose: pages.FeeOwn, Percent: i18n.Amount(c.UserContext(), money.Cents(fee.BasisPoints))}
	if fee.Fixed > 0 {
		typed.Fixed = i18n.Amount(c.UserContext(), fee.Fixed)
	}
	return typed
}

// feeFormCase is the proposal of fees. The id in its path is the account's.
func (s *console) feeFormCase() decisionCase {
	return decisionCase{
		show: s.showFeeForm,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			if _, err := s.anyAccount(c, d.id); err != nil {
				return nil, false, err
			}
			d.hidden = hiddenFee(feeFields(c))
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
				account:  d.id,
			}
			proposed := models.FeeProposal{AccountID: d.id, Fee: in.Fee, WithdrawalFee: in.WithdrawalFee,
				StartsAt: in.StartsAt, Reason: in.Reason}
			if err := s.fillFeePreview(c, &shown, proposed); err != nil {
				return preview{}, err
			}
			if shown.others, err = s.otherFees(c, d.id, ""); err != nil {
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

// hiddenFee returns the fields that the preview keeps, without those of every decision.
func hiddenFee(f pages.FeeFields) []components.KeyValue {
	return []components.KeyValue{
		{Key: pages.ChargeFee.Percent, Value: f.Charge.Percent}, {Key: pages.ChargeFee.Fixed, Value: f.Charge.Fixed},
		{Key: pages.WithdrawalFee.Whose, Value: f.Withdrawal.Whose},
		{Key: pages.WithdrawalFee.Percent, Value: f.Withdrawal.Percent},
		{Key: pages.WithdrawalFee.Fixed, Value: f.Withdrawal.Fixed}, {Key: "starts", Value: f.Starts},
	}
}

// readFee reads the form for proposing fees, and returns what is wrong with it.
func (s *console) readFee(c *fiber.Ctx, d *decision) (in merchants.NewFeeProposal, errs components.FieldErrors) {
	ctx, fields := c.UserContext(), feeFields(c)
	wrong := func(field, problem string) {
		errs = append(errs, components.FieldError{Field: field, Text: i18n.T(ctx, "problem."+problem)})
	}
	in = merchants.NewFeeProposal{Reason: d.Reason, Seen: d.version}
	in.Fee = readTypedFee(fields.Charge, pages.ChargeFee, wrong)
	in.WithdrawalFee = readTypedFee(fields.Withdrawal, pages.WithdrawalFee, wrong)
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

// readTypedFee reads one of the two fees, and calls wrong for what is wrong with it. It returns
// nil for the installation's fee.
func readTypedFee(typed pages.TypedFee, names pages.FeeNames, wrong func(field, problem string)) *money.Fee {
	switch typed.Whose {
	case pages.FeeOwn:
	case pages.FeeDefault:
		return nil
	default:
		wrong(names.Whose, "ops_fee")
		return nil
	}
	points, err := page.ReadPrice(strings.TrimSuffix(strings.TrimSpace(typed.Percent), "%"))
	if err != nil || points > 100_00 {
		wrong(names.Percent, "ops_percent")
	}
	fee := &money.Fee{BasisPoints: int64(points)}
	if strings.TrimSpace(typed.Fixed) != "" {
		if fee.Fixed, err = page.ReadPrice(typed.Fixed); err != nil {
			wrong(names.Fixed, "ops_fixed")
		}
	}
	return fee
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
