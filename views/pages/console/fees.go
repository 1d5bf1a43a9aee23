package console

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
)

// FeeNotice is a change of the fee as the merchant reads it.
type FeeNotice struct {
	Before, After money.Fee
	From          *time.Time // nil: with the approval
	Reason        string
}

func (n FeeNotice) notice(ctx context.Context) components.NoticeProps {
	from := i18n.T(ctx, "ops.fee_notice_approval")
	if n.From != nil {
		from = i18n.T(ctx, "ops.fee_notice_from", i18n.DateTime(ctx, *n.From))
	}
	return components.NoticeProps{
		Tone: components.ToneInfo, Icon: "info", Title: i18n.T(ctx, "ops.fee_notice", i18n.Fee(ctx, n.Before),
			i18n.Fee(ctx, n.After)), Body: from,
	}
}

// Diff is what a fee takes of an example before and after.
func (n FeeNotice) Diff(ctx context.Context) []OpsDiff {
	row := func(key string, before, after money.Cents) OpsDiff {
		return OpsDiff{Key: i18n.T(ctx, key), Before: i18n.Money(ctx, before), Now: i18n.Money(ctx, after)}
	}
	return []OpsDiff{
		row("ops.fee_gross", base.Sale, base.Sale), row("ops.fee_fee", n.Before.Of(base.Sale), n.After.Of(base.Sale)),
		row("ops.fee_net", base.Sale-n.Before.Of(base.Sale), base.Sale-n.After.Of(base.Sale)),
	}
}

// ExampleTitle says what Diff is about.
func (n FeeNotice) ExampleTitle(ctx context.Context) string {
	return i18n.T(ctx, "ops.fee_example", i18n.Money(ctx, base.Sale))
}
