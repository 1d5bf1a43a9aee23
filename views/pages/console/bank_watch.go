package console

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// BankWatch is how an account at a bank fares.
type BankWatch struct {
	Facts      []components.KeyValue
	Concerns   []Concern       // the bad ones first
	Operations []BankOperation // of the last 24 hours
	Days       []BankDay       // newest first
}

// Concern is one thing that is wrong, with what to do about it.
type Concern struct {
	Text string
	Bad  bool
}

// BankOperation sums up the calls of one operation.
type BankOperation struct {
	Operation     string // in the connector's words, such as "put charge"
	Calls, Failed int
	Mean, Longest time.Duration
	Kinds         []string // of the failures, in the connector's words
}

// operationNames are the texts of the connector's operations.
var operationNames = map[string]string{
	"put charge": "ops.watch_put_charge", "read charge": "ops.watch_read_charge",
	"remove charge": "ops.watch_remove_charge", "list payments": "ops.watch_list_payments",
	"read payment": "ops.watch_read_payment", "put return": "ops.watch_put_return",
	"read return": "ops.watch_read_return", "read webhook": "ops.watch_read_webhook",
	"register notices": "ops.watch_register_notices", "send payout": "ops.watch_send_payout",
	"read payout": "ops.watch_read_payout", "list disputes": "ops.watch_list_disputes",
	"defend dispute": "ops.watch_defend_dispute",
}

func (o BankOperation) name(ctx context.Context) string {
	if key, known := operationNames[o.Operation]; known {
		return i18n.T(ctx, key)
	}
	return o.Operation
}

// calls says how many calls there were, and how long they took.
func (o BankOperation) calls(ctx context.Context) string {
	return i18n.T(ctx, "ops.watch_calls", i18n.N(ctx, "ops.watch_called", o.Calls), i18n.Duration(ctx, o.Mean),
		i18n.Duration(ctx, o.Longest))
}

// failures says how many calls failed; "" if none did.
func (o BankOperation) failures(ctx context.Context) string {
	if o.Failed == 0 {
		return ""
	}
	text := i18n.N(ctx, "ops.watch_failed", o.Failed) + ": "
	for i, kind := range o.Kinds {
		if i > 0 {
			text += ", "
		}
		text += kindName(ctx, kind)
	}
	return text
}

// kindNames are the texts of the kinds of failures of calls.
var kindNames = map[string]string{
	"held": "ops.watch_kind_held", "invalid": "ops.watch_kind_invalid", "unauthorized": "ops.watch_kind_unauthorized",
	"forbidden": "ops.watch_kind_forbidden", "not found": "ops.watch_kind_not_found",
	"conflict": "ops.watch_kind_conflict", "limited": "ops.watch_kind_limited",
	"unavailable": "ops.watch_kind_unavailable", "ambiguous": "ops.watch_kind_ambiguous",
	"protocol": "ops.watch_kind_protocol",
}

func kindName(ctx context.Context, kind string) string {
	if key, known := kindNames[kind]; known {
		return i18n.T(ctx, key)
	}
	return kind
}

// BankDay is a day of an account, at the bank and in the books.
type BankDay struct {
	Day                       time.Time // any moment of it
	ComparedAt                time.Time
	Bank, Books               Received
	BankReturns, BooksReturns Received
	Differs                   bool
	Differing                 []DifferingPix
}

// Received counts Pix or returns.
type Received struct {
	N   int
	Sum money.Cents
}

func (r Received) pix(ctx context.Context) string {
	return i18n.T(ctx, "ops.watch_pix_sum", i18n.Number(ctx, r.N), i18n.Money(ctx, r.Sum))
}

func (r Received) returns(ctx context.Context) string {
	return i18n.T(ctx, "ops.watch_sum", i18n.N(ctx, "ops.watch_returns", r.N), i18n.Money(ctx, r.Sum))
}

// same says what both sides of the day have.
func (d BankDay) same(ctx context.Context) string {
	if d.Bank.N == 0 {
		return i18n.T(ctx, "ops.watch_no_pix")
	}
	if d.BankReturns.N == 0 {
		return d.Bank.pix(ctx)
	}
	return d.Bank.pix(ctx) + " · " + d.BankReturns.returns(ctx)
}

// sides are the two sides of a day that differs, and their difference.
func (d BankDay) sides(ctx context.Context) []daySide {
	less := func(a, b Received) Received { return Received{a.N - b.N, a.Sum - b.Sum} }
	return []daySide{
		{i18n.T(ctx, "ops.watch_bank"), d.Bank.pix(ctx), d.BankReturns.returns(ctx)},
		{i18n.T(ctx, "ops.watch_books"), d.Books.pix(ctx), d.BooksReturns.returns(ctx)},
		{i18n.T(ctx, "ops.watch_difference"), less(d.Bank, d.Books).pix(ctx),
			less(d.BankReturns, d.BooksReturns).returns(ctx)},
	}
}

type daySide struct{ name, pix, returns string }

// DifferingPix is a Pix on which a bank and the books disagree. A side that lacks it has 0. It is empty for Pix
// that cannot be read.
type DifferingPix struct {
	EndToEndID             string
	Bank, Books            money.Cents // received
	BankReturned, Returned money.Cents
}

// says is what is different about the Pix.
func (p DifferingPix) says(ctx context.Context) string {
	switch {
	case p.EndToEndID == "":
		return i18n.T(ctx, "ops.watch_unread")
	case p.Books == 0:
		return i18n.T(ctx, "ops.watch_only_bank", i18n.Money(ctx, p.Bank))
	case p.Bank == 0:
		return i18n.T(ctx, "ops.watch_only_books", i18n.Money(ctx, p.Books))
	case p.Bank != p.Books:
		return i18n.T(ctx, "ops.watch_amounts", i18n.Money(ctx, p.Bank), i18n.Money(ctx, p.Books))
	}
	return i18n.T(ctx, "ops.watch_returned", i18n.Money(ctx, p.BankReturned), i18n.Money(ctx, p.Returned))
}

// href leads to the checkout or the exception of the Pix; "" if the books lack it.
func (p DifferingPix) href() templ.SafeURL {
	if p.Books == 0 {
		return ""
	}
	return templ.SafeURL("/ops/buscar?q=" + url.QueryEscape(p.EndToEndID))
}
