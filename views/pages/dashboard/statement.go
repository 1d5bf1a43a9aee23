package dashboard

import (
	"context"
	"net/url"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// StatementFilter is the filter of the statement, as in the address.
type StatementFilter struct {
	Kind  string // "" or one of MovementKinds
	From  string // a day such as 2026-11-20; "" is unbounded
	Until string // the last day, included
}

// MovementKinds are the groups of movements that the statement is filtered by.
var MovementKinds = []string{"payments", "fees", "settlements", "withdrawals", "refunds", "blocks", "own_bank"}

// StatementFiles are the kinds of files of a statement, by the ends of their names.
var StatementFiles = []string{"csv", "xlsx", "ofx"}

// MovementRow is one line of the statement.
type MovementRow struct {
	At        time.Time
	Kind      string // PAYMENT and the others of models.MovementKind
	Internal  bool   // between the account's own books: the total stays the same
	Amount    money.Cents
	Available money.Cents // after it
	Total     money.Cents // after it
	Href      string      // of the charge or withdrawal; "" if it has no page
	Reference string      // the merchant's own
	LinkedID  string      // of the object that moved it, if the merchant has no reference
}

// Query is the filter as the query of an address, "" for none.
func (f StatementFilter) Query() string {
	values := url.Values{}
	for name, value := range map[string]string{"kind": f.Kind, "from": f.From, "until": f.Until} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

// address is path with the filter.
func (f StatementFilter) address(path string) string {
	return strings.TrimSuffix(path+"?"+f.Query(), "?")
}

// kinds are the options of the filter.
func (p BalanceProps) kinds(ctx context.Context) []components.SelectOption {
	options := []components.SelectOption{{Value: "", Label: i18n.T(ctx, "balance.kind_all")}}
	for _, kind := range MovementKinds {
		options = append(options, components.SelectOption{Value: kind, Label: i18n.T(ctx, "balance.kind_"+kind)})
	}
	return options
}

// periods are links to periods, which keep the kind.
func (p BalanceProps) periods(ctx context.Context) []components.Tab {
	return periodTabs(ctx, p.Periods, p.Filter.From, p.Filter.Until, func(from, until string) string {
		return StatementFilter{Kind: p.Filter.Kind, From: from, Until: until}.address("/app/saldo")
	})
}

// amountClass highlights credits, and makes internal movements quiet.
func (m MovementRow) amountClass() string {
	switch {
	case m.Internal:
		return "font-medium text-ink-2"
	case m.Amount > 0:
		return "font-semibold text-ok"
	}
	return "font-semibold"
}
