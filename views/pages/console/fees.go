package console

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
)

// FeeNotice is a change of fees as the merchant reads it.
type FeeNotice struct {
	Before, After base.Fees
	From          *time.Time // nil: with the approval
	Reason        string
}

// Changes reports which fees change. If the account only starts or ceases to follow the
// installation and pays the same, both do.
func (n FeeNotice) Changes() (charge, withdrawal bool) {
	if n.Before == n.After {
		return true, true
	}
	return n.Before.Charge != n.After.Charge, n.Before.Withdrawal != n.After.Withdrawal
}

func (n FeeNotice) notice(ctx context.Context) components.NoticeProps {
	from := i18n.T(ctx, "ops.fee_notice_approval")
	if n.From != nil {
		from = i18n.T(ctx, "ops.fee_notice_from", i18n.DateTime(ctx, *n.From))
	}
	return components.NoticeProps{
		Tone: components.ToneInfo, Icon: "info", Title: i18n.T(ctx, "ops.fee_notice"), Body: from,
	}
}

// lines tell the fees that change, before and after.
func (n FeeNotice) lines(ctx context.Context) (lines []string) {
	add := func(key string, before, after money.Fee) {
		lines = append(lines, i18n.T(ctx, key, i18n.Fee(ctx, before), i18n.Fee(ctx, after)))
	}
	charge, withdrawal := n.Changes()
	if charge {
		add("ops.fee_notice_charge", n.Before.Charge, n.After.Charge)
	}
	if withdrawal {
		add("ops.fee_notice_withdrawal", n.Before.Withdrawal, n.After.Withdrawal)
	}
	return lines
}

// Diff is what the fees take of an example before and after.
func (n FeeNotice) Diff(ctx context.Context) []Diff {
	row := func(key string, before, after money.Cents) Diff {
		return Diff{Key: i18n.T(ctx, key), Before: i18n.Money(ctx, before), Now: i18n.Money(ctx, after)}
	}
	return []Diff{
		row("ops.fee_gross", base.Sale, base.Sale),
		row("terms.fee", n.Before.Charge.Of(base.Sale), n.After.Charge.Of(base.Sale)),
		row("ops.fee_net", base.Sale-n.Before.Charge.Of(base.Sale), base.Sale-n.After.Charge.Of(base.Sale)),
		row("terms.withdrawal_fee", n.Before.Withdrawal.Of(base.Sale), n.After.Withdrawal.Of(base.Sale)),
	}
}

// ExampleTitle says what Diff is about.
func (n FeeNotice) ExampleTitle(ctx context.Context) string {
	return i18n.T(ctx, "ops.fee_example", i18n.Money(ctx, base.Sale))
}
