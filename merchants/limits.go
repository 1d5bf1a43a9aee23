package merchants

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
)

// longestDelay limits the settlement delay and the hold of destinations.
const longestDelay = 90 * 24 * time.Hour

// NewLimits are limits that staff set for an account.
type NewLimits struct {
	models.Limits
	StartsAt *time.Time // nil means now
	Reason   string     // shown to the owner
	Seen     int        // how many times limits had been set when the form was shown
	// Told are the amounts and delays that result from the limits, including the
	// installation's, for the mail to the owner.
	Told ToldLimits
}

// ToldLimits are the amounts that an account may charge and its delays.
type ToldLimits struct {
	MinAmount, MaxAmount             money.Cents
	SettlementDelay, DestinationHold time.Duration
	WebhookEndpoints                 int64
}

// Check normalizes the reason. It fails with Invalid, which names "min", "max", "delay",
// "hold", "endpoints", "starts" and "reason".
func (in *NewLimits) Check(now time.Time) error {
	problems := Invalid{}
	problems.reason(&in.Reason)
	problems.start(in.StartsAt, now)
	for name, amount := range map[string]*money.Cents{"min": in.MinAmount, "max": in.MaxAmount} {
		if amount != nil && (*amount < 1 || *amount > money.Max) {
			problems[name] = Unknown
		}
	}
	if in.Told.MaxAmount < in.Told.MinAmount {
		problems["max"] = TooShort
	}
	for name, seconds := range map[string]*int64{"delay": in.SettlementDelay, "hold": in.DestinationHold} {
		if seconds != nil && (*seconds < 0 || *seconds > int64(longestDelay.Seconds())) {
			problems[name] = Unknown
		}
	}
	if n := in.Endpoints(); n < 1 || n > models.MostEndpoints {
		problems["endpoints"] = Unknown
	}
	return problems.orNil()
}

// SetLimits sets the limits of an account from a moment on, replaces all that were set before,
// and mails them to the owner. Only a SUPERVISOR who is not a member of the account may call
// it. If limits were set since the form was shown it fails with ErrChanged. It also fails with
// Invalid, ErrOwnAccount, refusal.Forbidden and models.ErrNotFound. Every instance applies the
// limits within a second.
func (s *Service) SetLimits(ctx context.Context, by models.Actor, accountID string, in NewLimits) error {
	now := s.now()
	if err := in.Check(now); err != nil {
		return err
	}
	from := now
	if in.StartsAt != nil {
		from = *in.StartsAt
	}
	by.AccountID = accountID
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := models.LockAccount(tx, accountID)
		if err != nil {
			return err
		}
		if err := staffFor(tx, by, models.Matter{AccountID: accountID}, models.SetTerms); err != nil {
			return err
		}
		if len(account.Limits) != in.Seen {
			return ErrChanged
		}
		err = models.InsertAccountLimits(tx, models.AccountLimits{
			Limits: in.Limits, AccountID: accountID, ValidFrom: from, Reason: &in.Reason, WrittenBy: &by.UserID,
			WrittenAt: now,
		})
		if err != nil {
			return err
		}
		c := differing(limitFacts(account.Limits.At(now)), limitFacts(in.Limits))
		if err := s.auditChange(tx, by, "limits.changed", accountID, c,
			map[string]string{"reason": in.Reason, "from": from.Format(time.RFC3339)}); err != nil {
			return err
		}
		return s.tellOwner(tx, account, models.MailLimitsChanged, accountID, in.params(from))
	})
	s.keys.clear()
	if err != nil {
		return fmt.Errorf("merchants: set limits: %w", err)
	}
	return nil
}

// limitFacts returns limits for the audit log; "" means the installation's.
func limitFacts(l models.Limits) map[string]string {
	facts := map[string]string{"minAmount": "", "maxAmount": "", "settlementDelay": "", "destinationHold": "",
		"webhookEndpoints": ""}
	if l.WebhookEndpoints != nil {
		facts["webhookEndpoints"] = strconv.FormatInt(*l.WebhookEndpoints, 10)
	}
	for name, amount := range map[string]*money.Cents{"minAmount": l.MinAmount, "maxAmount": l.MaxAmount} {
		if amount != nil {
			facts[name] = amount.Decimal()
		}
	}
	for name, seconds := range map[string]*int64{"settlementDelay": l.SettlementDelay,
		"destinationHold": l.DestinationHold} {
		if seconds != nil {
			facts[name] = (time.Duration(*seconds) * time.Second).String()
		}
	}
	return facts
}

// params returns the params of the mail to the owner.
func (in *NewLimits) params(from time.Time) map[string]string {
	seconds := func(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }
	return map[string]string{
		"at": from.Format(time.RFC3339), "reason": in.Reason,
		"min_amount":       strconv.FormatInt(int64(in.Told.MinAmount), 10),
		"max_amount":       strconv.FormatInt(int64(in.Told.MaxAmount), 10),
		"settlement_delay": seconds(in.Told.SettlementDelay), "destination_hold": seconds(in.Told.DestinationHold),
		"webhook_endpoints": strconv.FormatInt(in.Told.WebhookEndpoints, 10),
	}
}
