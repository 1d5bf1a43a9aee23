package console

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
)

// Terms are the terms of an account as staff see them.
type Terms struct {
	Now base.Terms
	// Whether the fees are the account's own.
	OwnFee, OwnWithdrawalFee bool
	Pending                  *FeePending
	History                  []TermsChange // of fees and limits, the last decided first
	CanLimit                 bool          // the person may set limits
	CanChange                bool          // the person may propose fees
}

// FeePending is a proposal that waits.
type FeePending struct {
	ID, By string
	Fees   base.Fees
	At     time.Time
}

// TermsChange is terms that were decided.
type TermsChange struct {
	What   string // in words
	From   time.Time
	Later  bool // From is yet to come
	By     string
	Reason string
}

// facts are the terms, and whose fees they are.
func (t Terms) facts(ctx context.Context) []components.KeyValue {
	facts := t.Now.Facts(ctx)
	for i, own := range []bool{t.OwnFee, t.OwnWithdrawalFee} { // the first facts are the fees
		if !own {
			facts[i].Value = i18n.T(ctx, "ops.terms_default", facts[i].Value)
		}
	}
	return facts
}

// when tells from when on, and by whom.
func (c TermsChange) when(ctx context.Context) string {
	key := "ops.terms_from"
	if c.Later {
		key = "ops.terms_later"
	}
	return i18n.T(ctx, key, i18n.DateTime(ctx, c.From)) + " · " + c.By
}
