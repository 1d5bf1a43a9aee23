package dashboard

import (
	"context"
	"strings"
	"time"

	"garoupa/views/i18n"
	base "garoupa/views/pages"
)

// OwnTerms are the terms of the merchant's account, now and after what is planned.
type OwnTerms struct {
	Now base.Terms
	// The changes that are planned next; nil without such changes.
	NextFee    *PlannedTerms
	NextLimits *PlannedTerms
}

// PlannedTerms are terms from a later moment on.
type PlannedTerms struct {
	From time.Time
	base.Terms
}

// nextLimits tells what the limits change to.
func (t OwnTerms) nextLimits(ctx context.Context) string {
	var values []string
	for _, fact := range t.NextLimits.LimitFacts(ctx) {
		values = append(values, strings.ToLower(fact.Key)+" "+fact.Value)
	}
	return i18n.T(ctx, "terms.next_limits", i18n.DateTime(ctx, t.NextLimits.From), strings.Join(values, "; "))
}
