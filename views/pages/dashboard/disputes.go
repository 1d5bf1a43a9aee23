package dashboard

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// The states of a dispute that pages tell apart.
const (
	disputeOpen = "OPEN"
	disputeWon  = "WON"
	disputeLost = "LOST"
)

// DisputesProps is GET /app/disputas.
type DisputesProps struct {
	Shell    layouts.Shell
	Disputes []DisputeRow
	Pager    components.PagerProps
}

// DisputeRow is a dispute in a list.
type DisputeRow struct {
	ID       string
	Status   string
	Amount   money.Cents
	AnswerBy time.Time
	OpenedAt time.Time
}

// DisputeProps is GET /app/disputas/{id}.
type DisputeProps struct {
	Shell      layouts.Shell
	ID         string
	Status     string
	CheckoutID string // "" if the Pix was for no charge
	EndToEndID string
	Cause      string // in the bank's words
	Amount     money.Cents
	Held       money.Cents // blocked now
	Returned   money.Cents // to the buyer
	AnswerBy   time.Time
	OpenedAt   time.Time
	ClosedAt   *time.Time
	Defense    string
	AnsweredBy string // a name; "" if it was answered at the bank
	AnsweredAt *time.Time
	SentAt     *time.Time // when the bank had the answer
	Files      []DisputeFile
	Late       bool // the time for an answer is over
	CanAnswer  bool
}

// DisputeFile is a file of an answer.
type DisputeFile struct {
	ID, Name string
	Size     int // bytes
}

// AnswerProps is GET and POST /app/disputas/{id}/responder. Fields: text, and agree if the member agrees. The
// files are sent before, one at a time: a button of the same form posts the field file, with what was typed, to
// /app/disputas/{id}/arquivos. The other button sends only the name of a file that is chosen and not attached.
type AnswerProps struct {
	Shell    layouts.Shell
	ID       string
	Amount   money.Cents
	AnswerBy time.Time
	Text     string // as typed
	Files    []DisputeFile
	Full     bool // the answer has all the files that it may have
	Errors   components.FieldErrors
}

// notice says what there is to do, or how the dispute ended.
func (p DisputeProps) notice(ctx context.Context) components.NoticeProps {
	n := components.NoticeProps{Tone: components.ToneInfo, Icon: "clock"}
	key := "dispute." + p.Status
	switch {
	case p.Status == disputeOpen && p.Late:
		n.Tone, n.Icon, key = components.ToneBad, "timer-off", "dispute.late"
		n.Title = i18n.T(ctx, key, i18n.DateTime(ctx, p.AnswerBy))
	case p.Status == disputeOpen && p.Held == 0:
		n.Tone, n.Icon, key = components.ToneWarn, "triangle-alert", "dispute.unblocked"
		n.Title = i18n.T(ctx, key, i18n.DateTime(ctx, p.AnswerBy))
	case p.Status == disputeOpen:
		n.Tone, n.Icon = components.ToneWarn, "triangle-alert"
		n.Title = i18n.T(ctx, key, i18n.DateTime(ctx, p.AnswerBy))
	case p.Status == disputeWon:
		n.Tone, n.Icon = components.ToneOK, "check"
		n.Title = i18n.T(ctx, key)
	case p.Status == disputeLost:
		n.Tone, n.Icon = components.ToneNeutral, "undo-2"
		n.Title = i18n.T(ctx, key, i18n.Money(ctx, p.Returned))
	default:
		n.Title = i18n.T(ctx, key)
	}
	n.Body = i18n.T(ctx, key+"_body")
	if p.Status == disputeLost && p.Held > 0 {
		n.Body = i18n.T(ctx, "dispute.rest", i18n.Money(ctx, p.Held))
	}
	return n
}

// facts returns what is known of the dispute.
func (p DisputeProps) facts(ctx context.Context) []components.KeyValue {
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "dispute.amount"), Value: i18n.Money(ctx, p.Amount)},
		{Key: i18n.T(ctx, "dispute.held"), Value: i18n.Money(ctx, p.Held)},
	}
	if p.Returned > 0 {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "dispute.returned"),
			Value: i18n.Money(ctx, p.Returned)})
	}
	charge := components.KeyValue{Key: i18n.T(ctx, "dispute.charge"), Value: p.CheckoutID, Mono: true}
	if p.CheckoutID != "" {
		charge.Href = "/app/cobrancas/" + p.CheckoutID
	}
	facts = append(facts,
		components.KeyValue{Key: i18n.T(ctx, "dispute.cause"), Value: p.Cause},
		components.KeyValue{Key: i18n.T(ctx, "dispute.opened_at"), Value: i18n.DateTime(ctx, p.OpenedAt)},
		components.KeyValue{Key: i18n.T(ctx, "dispute.answer_by"), Value: i18n.DateTime(ctx, p.AnswerBy)})
	if p.ClosedAt != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "dispute.closed_at"),
			Value: i18n.DateTime(ctx, *p.ClosedAt)})
	}
	return append(facts, charge,
		components.KeyValue{Key: i18n.T(ctx, "pay.end_to_end_id"), Value: p.EndToEndID, Mono: true})
}

// answerFacts returns who answered, and when it reached the bank.
func (p DisputeProps) answerFacts(ctx context.Context) []components.KeyValue {
	by, sent := p.AnsweredBy, i18n.T(ctx, "dispute.not_sent")
	if by == "" {
		by = i18n.T(ctx, "dispute.at_bank")
	}
	if p.SentAt != nil {
		sent = i18n.DateTime(ctx, *p.SentAt)
	}
	return []components.KeyValue{
		{Key: i18n.T(ctx, "dispute.answered_by"), Value: by},
		{Key: i18n.T(ctx, "dispute.answered_at"), Value: i18n.DateTime(ctx, *p.AnsweredAt)},
		{Key: i18n.T(ctx, "dispute.sent_at"), Value: sent},
	}
}
