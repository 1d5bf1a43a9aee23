package console

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
)

// OpsTerms are the terms of an account as staff see them.
type OpsTerms struct {
	Now base.Terms
	// Whether the fees are the account's own.
	OwnFee, OwnWithdrawalFee bool
	Pending                  *OpsFeePending
	History                  []OpsTermsChange // of fees and limits, the last decided first
	CanLimit                 bool             // the person may set limits
	CanChange                bool             // the person may propose fees
}

// OpsFeePending is a proposal that waits.
type OpsFeePending struct {
	ID, By string
	Fees   base.Fees
	At     time.Time
}

// OpsTermsChange is terms that were decided.
type OpsTermsChange struct {
	What   string // in words
	From   time.Time
	Later  bool // From is yet to come
	By     string
	Reason string
}

// facts are the terms, and whose fees they are.
func (t OpsTerms) facts(ctx context.Context) []components.KeyValue {
	facts := t.Now.Facts(ctx)
	for i, own := range []bool{t.OwnFee, t.OwnWithdrawalFee} { // the first facts are the fees
		if !own {
			facts[i].Value = i18n.T(ctx, "ops.terms_default", facts[i].Value)
		}
	}
	return facts
}

// when tells from when on, and by whom.
func (c OpsTermsChange) when(ctx context.Context) string {
	key := "ops.terms_from"
	if c.Later {
		key = "ops.terms_later"
	}
	return i18n.T(ctx, key, i18n.DateTime(ctx, c.From)) + " · " + c.By
}
