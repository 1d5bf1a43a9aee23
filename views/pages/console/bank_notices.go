package console

import (
	"context"
	"strings"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// BankNotices is what is known of the notices that a bank posts. The zero value shows nothing.
type BankNotices struct {
	Read    bool       // the account is in use
	On      bool       // the installation receives notices
	Since   *time.Time // when the bank took the address; nil: it did not yet
	NoProof bool       // no notice could prove to be the bank's
	Failure string     // why it did not take it, in English
	Last    *time.Time // the last notice; nil if there was none
	Refused []BankRefusals
}

// BankRefusals is how often requests to the address were refused lately for a reason of
// models.NoticeRefusal.
type BankRefusals struct {
	Why string
	N   int64
}

// facts are at most two: that of the notices, and that of requests that were refused.
func (n BankNotices) facts(ctx context.Context) (facts []components.KeyValue) {
	if !n.Read {
		return nil
	}
	facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_notices"), Value: n.state(ctx)})
	var refused []string
	for _, r := range n.Refused {
		refused = append(refused, i18n.T(ctx, "ops.bank_notices_"+r.Why, r.N))
	}
	if len(refused) > 0 {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_notices_refused"),
			Value: strings.Join(refused, ", ")})
	}
	return facts
}

func (n BankNotices) state(ctx context.Context) string {
	switch {
	case !n.On:
		return i18n.T(ctx, "ops.bank_notices_off")
	case n.NoProof:
		return i18n.T(ctx, "ops.bank_notices_no_proof")
	case n.Failure != "":
		return i18n.T(ctx, "ops.bank_notices_failed", n.Failure)
	case n.Since == nil:
		return i18n.T(ctx, "ops.bank_notices_waiting")
	}
	state := i18n.T(ctx, "ops.bank_notices_since", i18n.DateTime(ctx, *n.Since))
	if n.Last != nil {
		state += " " + i18n.T(ctx, "ops.bank_notices_last", i18n.DateTime(ctx, *n.Last))
	} else {
		state += " " + i18n.T(ctx, "ops.bank_notices_none")
	}
	return state
}
