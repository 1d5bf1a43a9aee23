package pages_test

import (
	"strings"
	"time"

	"garoupa/views/components"
	"garoupa/views/layouts"
	"garoupa/views/pages/console"
	"garoupa/views/pages/dashboard"
)

// dispute is one that was answered, with a file.
func dispute(status string) dashboard.DisputeProps {
	p := dashboard.DisputeProps{
		Shell: shell(true), ID: "dsp_0123456789abcdef0123", Status: status, CheckoutID: "chk_1",
		EndToEndID: "E99999999202611121234Abcdefghijk", Cause: "FRAUDE", Amount: 100_00, Held: 100_00, AnswerBy: now,
		OpenedAt: now, Defense: "Foi entregue.\n" + strings.Repeat("x", 200), AnsweredBy: "Marina Duarte",
		AnsweredAt: &now, Files: []dashboard.DisputeFile{{ID: "dfl_1", Name: strings.Repeat("nota", 20) + ".pdf",
			Size: 1 << 20}},
	}
	switch status {
	case "OPEN":
		p.Defense, p.AnsweredBy, p.AnsweredAt, p.CanAnswer = "", "", nil, true
	case "DEFENDED":
		p.AnsweredBy, p.SentAt = "", &now
	case "WON", "LOST":
		p.ClosedAt, p.Held = &now, 0
	}
	return p
}

func disputePages() []page {
	row := func(status string) dashboard.DisputeRow {
		return dashboard.DisputeRow{ID: "dsp_1", Status: status, Amount: 1, AnswerBy: now.Add(time.Hour),
			OpenedAt: now}
	}
	late, unblocked, rest := dispute("OPEN"), dispute("OPEN"), dispute("LOST")
	late.Late, unblocked.Held, rest.Held, rest.Returned = true, 0, 40_00, 60_00
	answer := dashboard.AnswerProps{Shell: shell(true), ID: "dsp_1", Amount: 100_00, AnswerBy: now,
		Text: "Foi entregue", Files: dispute("OPEN").Files}
	wrong := answer
	wrong.Errors, wrong.Full = problem("text"), true
	pages := []page{
		{"disputes", dashboard.Disputes(dashboard.DisputesProps{Shell: shell(true),
			Disputes: []dashboard.DisputeRow{row("OPEN"), row("DEFENDED"), row("ACCEPTED"), row("WON"), row("LOST")},
			Pager:    components.PagerProps{Previous: "/app/disputas", Next: "/app/disputas?cursor=x"}})},
		{"disputes none", dashboard.Disputes(dashboard.DisputesProps{Shell: shell(false)})},
		{"dispute late", dashboard.Dispute(late)}, {"dispute unblocked", dashboard.Dispute(unblocked)},
		{"dispute rest", dashboard.Dispute(rest)},
		{"dispute answer", dashboard.Answer(answer)}, {"dispute answer wrong", dashboard.Answer(wrong)},
		{"ops dispute new", console.NewDispute(console.NewDisputeProps{
			Shell:  layouts.OpsShell{Shell: shell(true), Role: "REVIEWER"},
			Fields: console.DisputeFields{Payment: "pay_1"}, Errors: problem("ref")})},
	}
	for _, status := range []string{"OPEN", "DEFENDED", "ACCEPTED", "WON", "LOST"} {
		pages = append(pages, page{"dispute " + status, dashboard.Dispute(dispute(status))})
	}
	return pages
}
