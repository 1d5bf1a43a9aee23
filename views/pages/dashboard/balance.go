package dashboard

import (
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// BalanceProps is GET /app/saldo?kind=&from=&until=&cursor=. Fields of its form:
// kind, from, until. The same query at /app/saldo/extrato.csv is the statement as a
// file.
type BalanceProps struct {
	Shell layouts.Shell
	// NeedsAccess says that live money needs production access; then nothing else is shown.
	NeedsAccess bool
	Balance     Balance
	CanWithdraw bool         // shows the link to a withdrawal
	Blocked     []BlockedRow // held back now, newest first
	Releases    Releases
	OwnBank     bool // the merchant has an own bank account
	OwnOpen     int  // Pix there that wait for a decision
	Terms       OwnTerms
	Filter      StatementFilter
	Errors      components.FieldErrors
	// Parts that could not be read.
	NoBalance, NoBlocked, NoStatement, NoTerms, NoReleases bool

	Periods   []Period
	Movements []MovementRow // newest first
	Pager     components.PagerProps
}

// Balance is what an account received and has (contract 2.4).
type Balance struct {
	Gross, Fee, Pending, Available, Reserved, Blocked money.Cents
}

// BlockedRow is a blocked amount, with its reason.
type BlockedRow struct {
	Amount money.Cents
	Reason string
	Href   string // of the dispute that it is blocked for; "" if staff blocked it
	Since  time.Time
}
