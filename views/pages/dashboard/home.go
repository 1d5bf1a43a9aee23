// Package dashboard holds the pages of members, below /app.
package dashboard

import (
	"slices"

	"garoupa/views/components"
	"garoupa/views/layouts"
)

// HomeProps is GET /app.
type HomeProps struct {
	Shell layouts.Shell
	// Switches are those that staff have turned on.
	Switches []SwitchNotice
	// Ways says whether the member is asked how they sell. Steps is the first-run checklist of
	// the answer, in order. StepsHidden offers to show it again.
	Ways        Ways
	Steps       []HomeStep
	StepsHidden bool
	// Overview is how the environment does; nil before the first charge.
	Overview *Overview
	// Filter is the period of the overview, and Errors what is wrong with it.
	Filter FiguresFilter
	Errors components.FieldErrors
	// Balance is shown to the roles that look after money; nil leaves it out.
	Balance *Balance
	// Stray counts the payments that changed no charge and wait for a decision;
	// StrayHref leads to the charge of the latest.
	Stray     int
	StrayHref string
	// CanCreate shows the ways to a new charge and a new link.
	CanCreate bool
	// Troubles are the webhook endpoints that a member should look at.
	Troubles []EndpointTrouble
	// Checkouts are the latest ones of the environment, newest first.
	Checkouts []CheckoutRow
	// Empty is shown in place of charges when there are none.
	Empty EmptyCheckouts
	// Missing names the parts that could not be read, by their keys in the catalogs.
	Missing []string
}

// lacks reports whether a part could not be read.
func (p HomeProps) lacks(part string) bool { return slices.Contains(p.Missing, part) }

// HomeStep is one line of the first-run checklist.
type HomeStep struct {
	ID     string // one of the Step constants
	Done   bool
	Detail string // replaces the explanation, such as "svc_test_…9f2c"
	Href   string // of the step's button; "" shows none
}

// The values of the field "way", the answers to how a member sells. WayAsk asks again.
const (
	WayLink = "link"
	WayAPI  = "api"
	WayBoth = "both"
	WayAsk  = "ask"
)

// Ways says what is known of how a member sells.
type Ways int

// The values of Ways.
const (
	WaysHidden Ways = iota // the steps are not for this member, or are put away
	WaysAsked              // the member has not said it yet
	WaysSaid
)

// The steps a merchant takes before selling.
const (
	StepAccount  = "account"
	StepKey      = "key"
	StepCheckout = "checkout"
	StepWebhook  = "webhook"
	StepPayment  = "payment"
	StepProduct  = "product"
	StepLink     = "link"
	StepShare    = "share"
	StepSale     = "sale"
	StepLive     = "live"
)

// done counts the steps taken.
func (p HomeProps) done() int {
	n := 0
	for _, step := range p.Steps {
		if step.Done {
			n++
		}
	}
	return n
}

// unfinished reports whether the question or a step of the list is the thing to do.
func (p HomeProps) unfinished() bool { return p.Ways == WaysAsked || p.done() < len(p.Steps) }

// empty returns what to show in place of charges. The page already says that live is
// closed.
func (p HomeProps) empty() EmptyCheckouts {
	empty := p.Empty
	empty.NeedsAccess, empty.Second = false, p.unfinished()
	return empty
}

// create is the class of the buttons that lead to a new charge.
func (p HomeProps) create() string {
	if p.unfinished() {
		return "btn-secondary"
	}
	return "btn-primary"
}

// next returns the index of the next step, or the number of steps if all are done.
func (p HomeProps) next() int {
	for i, step := range p.Steps {
		if !step.Done {
			return i
		}
	}
	return len(p.Steps)
}
