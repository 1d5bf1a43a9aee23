package pages_test

import (
	"strings"
	"testing"
	"time"

	"garoupa/views/i18n"
	"garoupa/views/pages"
	"garoupa/views/pages/dashboard"
)

// A withdrawal has the same four steps from the request to the money, whatever its
// state, and one that ended wears the color of its badge.
func TestWithdrawal_Steps(t *testing.T) {
	t.Parallel()
	later := now.Add(time.Hour)
	for status, want := range map[string]string{
		pages.WithdrawalPendingReview: "Solicitado, Em análise (agora), Envio (ainda não), Concluído (ainda não)",
		pages.WithdrawalApproved:      "Solicitado, Aprovado, Envio (agora), Concluído (ainda não)",
		pages.WithdrawalProcessing:    "Solicitado, Aprovado, Enviado (agora), Concluído (ainda não)",
		pages.WithdrawalCompleted:     "Solicitado, Aprovado, Enviado, Concluído",
		pages.WithdrawalReturned:      "Solicitado, Aprovado, Enviado, Concluído, Devolvido",
		pages.WithdrawalFailed:        "Solicitado, Aprovado, Falhou",
		pages.WithdrawalRejected:      "Solicitado, Recusado",
		pages.WithdrawalCancelled:     "Solicitado, Cancelado",
	} {
		p := withdrawal(status)
		if !strings.Contains(status+want, "PENDING") && strings.Contains(want, "Aprovado") {
			p.ApprovedAt = &later
		}
		if strings.Contains(want, "Concluído") && !strings.Contains(want, "Concluído (") {
			p.CompletedAt = &later
		}
		doc := render(t, i18n.Portuguese, dashboard.Withdrawal(p))
		var steps []string
		for _, step := range doc.Find("ol li p:first-child").EachIter() {
			steps = append(steps, strings.Join(strings.Fields(step.Text()), " "))
		}
		if got := strings.Join(steps, ", "); got != want {
			t.Errorf("%s: %s", status, got)
		}
		if red, bad := doc.Find("ol .bg-bad-soft").Length() > 0, status == pages.WithdrawalFailed ||
			status == pages.WithdrawalRejected; red != bad {
			t.Errorf("%s is red: %v", status, red)
		}
		ends := status == pages.WithdrawalCancelled || status == pages.WithdrawalReturned ||
			status == pages.WithdrawalFailed || status == pages.WithdrawalRejected
		if says := strings.Contains(doc.Find("main").Text(), "De volta no saldo disponível"); says != ends {
			t.Errorf("%s says that the money is back: %v", status, says)
		}
	}
}
