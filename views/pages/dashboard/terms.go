package dashboard

import (
	"context"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
)

// OwnTerms are the terms of the merchant's account, now and after what is planned.
type OwnTerms struct {
	Now base.Terms
	// The changes that are planned next; nil without such changes.
	NextFees   *PlannedTerms
	NextLimits *PlannedTerms
}

// PlannedTerms are terms from a later moment on.
type PlannedTerms struct {
	From time.Time
	base.Terms
}

// nextFees tells what the fees change to, in one sentence each.
func (t OwnTerms) nextFees(ctx context.Context) (sentences []string) {
	add := func(key string, now, next money.Fee) {
		if now != next {
			sentences = append(sentences, i18n.T(ctx, key, i18n.DateTime(ctx, t.NextFees.From), i18n.Fee(ctx, next)))
		}
	}
	if t.NextFees != nil {
		add("terms.next_fee", t.Now.Fees.Charge, t.NextFees.Fees.Charge)
		add("terms.next_withdrawal_fee", t.Now.Fees.Withdrawal, t.NextFees.Fees.Withdrawal)
	}
	return sentences
}

// nextLimits tells what the limits change to.
func (t OwnTerms) nextLimits(ctx context.Context) string {
	var values []string
	for _, fact := range t.NextLimits.LimitFacts(ctx) {
		values = append(values, strings.ToLower(fact.Key)+" "+fact.Value)
	}
	return i18n.T(ctx, "terms.next_limits", i18n.DateTime(ctx, t.NextLimits.From), strings.Join(values, "; "))
}
