package merchants

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"garoupa/models"
)

// LinkForm holds a member's input for a payment link that exists. The caller must have checked it by the rules of
// the fields (docs/rules.md, "Fields").
type LinkForm struct {
	ExpiresIn        time.Duration // of the checkouts that the link creates
	SuccessURL       *string
	ReturnURL        *string
	models.LinkTerms      // Stock is not used
	Left             *int // the units that new charges may have; nil for no limit
	KeepStock        bool // leaves the stock as it is
}

// UpdatePaymentLink changes a link of the scope. Existing checkouts are not affected; units that they hold are not
// among those left. It fails with models.ErrNotFound for an unknown link.
func (s *Service) UpdatePaymentLink(
	ctx context.Context, by models.Actor, scope models.Scope, id string, in LinkForm,
) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if _, err := lockMaker(tx, by, scope, models.Sell); err != nil {
			return err
		}
		link, err := models.LockPaymentLink(tx, scope, id)
		if err != nil {
			return err
		}
		before, had := linkFacts(link), link.LinkTerms
		link.ExpiresInSeconds = int(in.ExpiresIn.Seconds())
		link.SuccessURL, link.ReturnURL, link.LinkTerms = in.SuccessURL, in.ReturnURL, in.LinkTerms
		switch {
		case in.KeepStock:
			link.Stock = had.Stock
		case in.Left == nil:
			link.Stock = nil
		default:
			sold, held, err := models.LinkUnits(tx, link.ID)
			if err != nil {
				return err
			}
			stock := *in.Left + sold + held
			link.Stock, link.Sold, link.Held = &stock, sold, held
		}
		c := differing(before, linkFacts(link))
		if len(c.after) == 0 {
			return nil
		}
		link.UpdatedAt = s.now()
		if err := models.UpdatePaymentLink(tx, link); err != nil {
			return err
		}
		return s.auditChange(tx, by, "payment_link.updated", id, c, nil)
	})
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("merchants: update payment link: %w", err)
	}
	return err
}

// linkFacts returns the fields of a link that a member may change, for the audit log.
func linkFacts(l *models.PaymentLink) map[string]string {
	facts := map[string]string{
		"expiresIn": (time.Duration(l.ExpiresInSeconds) * time.Second).String(), "successUrl": "", "returnUrl": "",
		"buyerData": string(l.BuyerData), "maxQuantity": strconv.Itoa(l.MaxQuantity), "openMin": "", "openMax": "",
		"stockLeft": "", "ends": "",
	}
	if l.SuccessURL != nil {
		facts["successUrl"] = *l.SuccessURL
	}
	if l.ReturnURL != nil {
		facts["returnUrl"] = *l.ReturnURL
	}
	if open := l.OpenAmount; open != nil {
		facts["openMin"], facts["openMax"] = open.Min.Decimal(), open.Max.Decimal()
	}
	if left := l.Left(); left != nil {
		facts["stockLeft"] = strconv.Itoa(*left)
	}
	if l.EndsAt != nil {
		facts["ends"] = l.EndsAt.UTC().Format(time.RFC3339)
	}
	return facts
}

// SwitchPaymentLink turns a link of the scope on or off. It fails with models.ErrNotFound for
// an unknown link.
func (s *Service) SwitchPaymentLink(
	ctx context.Context, by models.Actor, scope models.Scope, id string, active bool,
) error {
	_, err := models.PaymentLinkByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			if _, err := lockMaker(tx, by, scope, models.Sell); err != nil {
				return err
			}
			changed, err := models.SetPaymentLinkActive(tx, scope, id, active, s.now())
			if err != nil || !changed {
				return err
			}
			action := map[bool]string{true: "payment_link.enabled", false: "payment_link.disabled"}[active]
			return s.audit(tx, by, action, id, nil)
		})
	}
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("merchants: switch payment link: %w", err)
	}
	return err
}
